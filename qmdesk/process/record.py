"""Which servers run for which qmdesk, on disk: so that a crash leaves no orphan.

Each running qmdesk keeps one small file.  At its start it looks at the files of
those that no longer run and ends the servers they left behind.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from qmdesk.process import tree

log = logging.getLogger(__name__)

_SAME_TIME = 2.0
"""Seconds by which the start time that a system reports may differ from call to call."""


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


class Records:
    """The file of this qmdesk in ``folder``; made with the first server, gone with the last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / f"{os.getpid()}.json"
        self._entries: dict[int, Entry] = {}

    def add(self, pid: int, command: str, model: str) -> None:
        """Remember a server that has just started."""
        if (entry := Entry.of(pid, command, model)) is not None:
            self._entries[pid] = entry
            self._write()

    def remove(self, pid: int) -> None:
        """Forget a server that has ended."""
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
                if (process := server.process()) is not None:
                    processes = tree.members(process.pid)
                    tree.kill(process.pid, processes)
                    psutil.wait_procs(processes, timeout=5)
                    ended.append(f"{server.model} ({server.command}, process {server.pid})")
            with contextlib.suppress(OSError):
                file.unlink()
        return tuple(ended)


def _read(file: Path) -> tuple[Entry | None, tuple[Entry, ...]]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        owner = Entry(**content["owner"]) if content["owner"] else None
        return owner, tuple(Entry(**each) for each in content["servers"])
    except (OSError, ValueError, TypeError, KeyError):
        # Half-written or not ours: it names nobody that could safely be ended.
        return None, ()
