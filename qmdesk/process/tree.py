"""A server's process tree: who belongs to it, and how all of it is ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable

import psutil


def members(pid: int) -> tuple[psutil.Process, ...]:
    """``pid`` and all its descendants that run now, the leader first.

    Walks the whole process table: not for the event loop.
    """
    try:
        leader = psutil.Process(pid)
        return (leader, *leader.children(recursive=True))
    except psutil.Error:
        return ()


def alive(processes: Iterable[psutil.Process]) -> tuple[psutil.Process, ...]:
    """Those that still run.  Start times are compared: a number that was given to
    another process does not count, nor does a zombie."""
    return tuple(each for each in processes if _runs(each))


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def terminate(pid: int, strays: Iterable[psutil.Process] = ()) -> None:
    """Ask the tree to end: its process group, and ``strays`` that may have left it."""
    _signal(pid, strays, force=False)


def kill(pid: int, strays: Iterable[psutil.Process] = ()) -> None:
    """End the tree by force."""
    _signal(pid, strays, force=True)


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


def group(pid: int) -> tuple[psutil.Process, ...]:
    """What runs of the process group that ``pid`` led (POSIX only).

    Walks the whole process table: not for the event loop.
    """
    found: list[psutil.Process] = []
    if sys.platform != "win32":
        for process in psutil.process_iter():
            with contextlib.suppress(OSError):
                if os.getpgid(process.pid) == pid:
                    found.append(process)
    return alive(found)


def _signal(pid: int, strays: Iterable[psutil.Process], *, force: bool) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL if force else signal.SIGTERM)
    for process in strays:
        # psutil compares start times first, so a reused number is never hit.
        with contextlib.suppress(psutil.Error):
            if sys.platform == "win32" or _outside(process, pid):
                if force:
                    process.kill()
                else:
                    process.terminate()


def _outside(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) != group
    except OSError:
        return False
