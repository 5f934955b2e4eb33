"""A server's process tree: who belongs to it, and how all of it is ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

import psutil

from qmdesk.process.job import Job

_NUMBER_KEPT = 60.0
"""Seconds after the leader's end for which its number is surely nobody else's: systems
give process numbers in turn."""


class Tree:
    """One server's processes: the leader, its group or job, and who left the group.

    Processes are remembered with their start times once they have been seen, so that
    neither a dead parent nor a reused number leads astray.
    """

    def __init__(self, pid: int, job: Job | None = None) -> None:
        self.pid = pid
        self._job = job
        self._known: dict[psutil.Process, None] = {}
        self._led_until: float | None = None
        """When the leader ended."""
        self._grouped = sys.platform != "win32"
        with contextlib.suppress(psutil.Error):
            self._known[psutil.Process(pid)] = None
        self.started = next((each.create_time() for each in self._known), time.time())
        """Unix time, as the system has it."""

    def look(self) -> tuple[psutil.Process, ...]:
        """Everybody that runs of it now, the leader first where it does.

        Walks the whole process table: not for the event loop.
        """
        if self._job is not None:
            found = list(_processes(self._job.pids()))
        else:
            found = []
            for each in self.alive():
                # Each walk goes through the whole table, and most are found by the first.
                if each not in found:
                    found += _with_descendants(each)
            if self._led_until is not None and self.group_lives():
                # Orphans of the group: no parent leads to them.
                found += group(self.pid)
        self._known |= dict.fromkeys(found)
        return self.alive()

    def alive(self) -> tuple[psutil.Process, ...]:
        """Who still runs of those that have been seen."""
        return alive(self._known)

    def strays(self) -> tuple[int, ...]:
        """The numbers of those that have been seen and are outside the group."""
        return tuple(
            each.pid for each in self.alive() if each.pid != self.pid and _outside(each, self.pid)
        )

    def leader_ended(self) -> None:
        """To be called when the leader has been reaped: its number may be given away."""
        self._led_until = time.monotonic()
        self.group_lives()

    def group_lives(self) -> bool:
        """Whether anything, be it a zombie, is left of the group; cheap."""
        if self._grouped and self._led_until is not None and not group_lives(self.pid):
            self._grouped = False
        return self._grouped

    def lives(self) -> bool:
        """Whether anything of it runs, as far as it has been seen; cheap."""
        return bool(self.alive() or (self._job is not None and self._job.pids()))

    def terminate(self) -> None:
        """Ask the group, and those seen outside it, to end.  Windows has no such thing."""
        if sys.platform != "win32":
            self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the group or job, and those seen outside it, by force."""
        if self._job is not None:
            self._job.end()
        if sys.platform != "win32":
            self._signal(signal.SIGKILL)
        else:
            for process in self.alive():
                with contextlib.suppress(psutil.Error):
                    process.kill()

    def close(self) -> None:
        """Give the job back, once all has ended."""
        if self._job is not None:
            self._job.close()

    if sys.platform != "win32":

        def _signal(self, number: signal.Signals) -> None:
            if self._group_is_ours():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, number)
            for process in self.alive():
                # psutil compares start times first, so a reused number is never hit.
                if _outside(process, self.pid) or not self._grouped:
                    with contextlib.suppress(psutil.Error):
                        process.send_signal(number)

    def _group_is_ours(self) -> bool:
        if self._led_until is None:
            return True
        if not self.group_lives():
            return False
        if time.monotonic() - self._led_until < _NUMBER_KEPT:
            return True
        # The group may have ended unseen and its number gone to a stranger.
        return any(not _outside(each, self.pid) for each in self.alive())


def members(pid: int) -> tuple[psutil.Process, ...]:
    """``pid`` and all its descendants that run now, the leader first.

    Walks the whole process table: not for the event loop.
    """
    return tuple(each for leader in _processes((pid,)) for each in _with_descendants(leader))


def alive(processes: Iterable[psutil.Process]) -> tuple[psutil.Process, ...]:
    """Those that still run.  Start times are compared: a number that was given to
    another process does not count, nor does a zombie."""
    return tuple(each for each in processes if _runs(each))


def group(pid: int) -> tuple[psutil.Process, ...]:
    """What runs of the process group that ``pid`` led (POSIX only).

    Walks the whole process table: not for the event loop.
    """
    if sys.platform == "win32":
        return ()
    found: list[int] = []
    for each in psutil.pids():
        with contextlib.suppress(OSError):
            if os.getpgid(each) == pid:
                found.append(each)
    return alive(_processes(found))


def group_lives(pid: int) -> bool:
    """Whether anything is left of the process group that ``pid`` leads (POSIX only)."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _processes(pids: Iterable[int]) -> Iterable[psutil.Process]:
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            yield psutil.Process(pid)


def _with_descendants(process: psutil.Process) -> tuple[psutil.Process, ...]:
    try:
        return (process, *process.children(recursive=True))
    except psutil.Error:
        return (process,)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _outside(process: psutil.Process, group: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        return os.getpgid(process.pid) != group
    except OSError:
        return False
