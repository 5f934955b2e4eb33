"""Which servers run for which qmdesk: so that a crash leaves no orphan.

Each running qmdesk ties its servers to its life, and keeps one small file of them for
where that fails: at its start it looks at the files of those that no longer run and ends
the servers they left behind.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from qmdesk.process import lifeline, tree
from qmdesk.process.lifeline import Lifeline

log = logging.getLogger(__name__)

_SAME_TIME = 2.0
"""Seconds by which the start time that a system reports may differ from call to call."""
_KILL_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One process, by its number and its start time: numbers are used again."""

    pid: int
    started: float
    """Unix time."""
    command: str
    """The program's path or name, as launched."""
    model: str = ""

    @classmethod
    def of(cls, pid: int, command: str, model: str = "") -> Entry | None:
        """The entry of a running process; None where it has ended already."""
        try:
            return cls(pid, psutil.Process(pid).create_time(), command, model)
        except psutil.Error:
            return None

    def process(self) -> psutil.Process | None:
        """The process, if it is still this one that runs."""
        try:
            process = psutil.Process(self.pid)
            if abs(process.create_time() - self.started) > _SAME_TIME:
                return None
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
        except psutil.Error:
            return None
        return process

    def left(self) -> tuple[psutil.Process, ...]:
        """It and its descendants; where it has ended, what lives of its session.

        A session is taken for its own only where nobody else may have made it: its
        number is free, and all in it started after it, since the system did.
        """
        if self.process() is not None:
            return tree.members(self.pid)
        if sys.platform == "win32" or psutil.boot_time() > self.started + _SAME_TIME:
            return ()
        if psutil.pid_exists(self.pid) and not _is_zombie(self.pid):
            return ()
        found = tree.group(self.pid)
        for each in found:
            try:
                if os.getsid(each.pid) != self.pid or each.create_time() < self.started - 1:
                    return ()
            except (OSError, psutil.Error):
                continue
        return tuple(dict.fromkeys(every for each in found for every in tree.members(each.pid)))


class Records:
    """The servers of this qmdesk, noted in ``folder``.

    The file is made with the first server and gone with the last.
    """

    def __init__(self, folder: Path, tied_to: Lifeline | None = None) -> None:
        self.ended_at: float | None = None
        """``time.monotonic()`` of the last server's end."""
        self._folder = folder
        self._file = folder / f"{os.getpid()}.json"
        self._entries: dict[int, Entry] = {}
        self._strays: dict[int, tuple[int, ...]] = {}
        self._lifeline = tied_to or lifeline.shared()

    def add(self, pid: int, command: str, model: str) -> None:
        """Remember a server that has just started."""
        self._lifeline.tie(pid)
        if (entry := Entry.of(pid, command, model)) is not None:
            self._entries[pid] = entry
            self._write()

    def add_strays(self, pid: int, strays: Iterable[int]) -> None:
        """Remember what the server ``pid`` has started outside its own group."""
        self._strays[pid] = tuple(strays)
        for each in self._strays[pid]:
            self._lifeline.tie(each)

    def remove(self, pid: int) -> None:
        """Forget a server that has ended."""
        self.ended_at = time.monotonic()
        for each in (pid, *self._strays.pop(pid, ())):
            self._lifeline.untie(each)
        if self._entries.pop(pid, None) is not None:
            self._write()

    def _write(self) -> None:
        try:
            if not self._entries:
                self._file.unlink(missing_ok=True)
                return
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            me = Entry.of(os.getpid(), "qmdesk")
            content = {
                "owner": asdict(me) if me else None,
                "servers": [asdict(entry) for entry in self._entries.values()],
            }
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(content), encoding="utf-8")
            new.replace(self._file)
        except OSError as error:
            # A full or read-only disk must not keep a model from starting.
            log.warning("cannot note the running servers in %s: %s", self._file, error)

    def sweep(self) -> tuple[str, ...]:
        """End what qmdeskes that no longer run have left; what was ended, in words.

        Walks the process table and waits for processes: not for the event loop.
        """
        ended: list[str] = []
        for file in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            if file == self._file:
                continue
            owner, servers = _read(file)
            if owner is not None and owner.process() is not None:
                continue
            for server in servers:
                if processes := server.left():
                    _end(processes)
                    ended.append(f"{server.model} ({server.command}, process {server.pid})")
            with contextlib.suppress(OSError):
                file.unlink()
        return tuple(ended)


def _end(processes: Iterable[psutil.Process]) -> None:
    processes = list(processes)
    for each in processes:
        # psutil compares start times first, so a reused number is never hit.
        with contextlib.suppress(psutil.Error):
            each.kill()
    deadline = time.monotonic() + _KILL_WAIT
    while tree.alive(processes) and time.monotonic() < deadline:
        time.sleep(0.01)


def _is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _read(file: Path) -> tuple[Entry | None, tuple[Entry, ...]]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        owner = Entry(**content["owner"]) if content["owner"] else None
        return owner, tuple(Entry(**each) for each in content["servers"])
    except (OSError, ValueError, TypeError, KeyError):
        # Half-written or not ours: it names nobody that could safely be ended.
        return None, ()
