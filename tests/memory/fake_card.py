"""A card whose memory really moves: fake upstreams allocate on it, games come and go.

It is a folder with a file for each process that holds something: its number, and the MiB.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Collection
from pathlib import Path

import psutil

from qmdesk.gpu import Card, Holding, Kind, Reading
from tests.conftest import fake

GIB = 1 << 30
MIB = 1 << 20


class FakeCard:
    """A sampler of itself."""

    def __init__(self, folder: Path, total: int = 24, *, release: float = 0.0) -> None:
        """``total`` in GiB; ``release`` are seconds for which the dead still hold theirs."""
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.total = total * 1024
        self.tells = True
        """Whether the driver names the processes and their sizes."""
        self.most = 0
        """MiB that were ever seen in use."""
        self._release = release
        self._died: dict[int, float] = {}

    def command(self, name: str, gib: float, *options: object) -> str:
        """A fake upstream that takes ``gib`` of the card."""
        size = int(gib * 1024)
        return fake("--allocates", self.folder, size, self.total, *options, name=name)

    def taken(self) -> dict[int, int]:
        """MiB by process; the dead hold theirs until the driver lets go."""
        found: dict[int, int] = {}
        for name in os.listdir(self.folder):
            if name.isdigit():
                try:
                    found[int(name)] = int((self.folder / name).read_text())
                except FileNotFoundError:
                    continue
        return found

    def held(self) -> dict[int, int]:
        """The same of those that live."""
        return {pid: size for pid, size in self.taken().items() if _lives(pid)}

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        taken = self.taken()
        for pid in [pid for pid in taken if not _lives(pid)]:
            if time.monotonic() - self._died.setdefault(pid, time.monotonic()) >= self._release:
                (self.folder / str(pid)).unlink(missing_ok=True)
                del taken[pid]
        used = sum(taken.values())
        self.most = max(self.most, used)
        card = Card("GPU-0", 0, "Stand-in", Kind.NVIDIA, self.total * MIB, used * MIB, driver="1")
        holdings = (
            Holding("GPU-0", pid, size * MIB if self.tells else None)
            for pid, size in taken.items()
            if pid not in self._died
        )
        return Reading((card,), tuple(holdings))

    def close(self) -> None:
        """Nothing is held."""


class Game:
    """Another program that wants memory, takes what it can get, and more as it comes free."""

    def __init__(self, card: FakeCard, gib: float, name: str = "game.exe") -> None:
        self._card = card
        self._wants = int(gib * 1024)
        program = card.folder.parent / name
        if not program.exists():
            shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
        self._process = subprocess.Popen((str(program), "600"))
        self.has = 0
        self.grow()

    @property
    def content(self) -> bool:
        return self.has >= self._wants

    def grow(self) -> None:
        used = sum(self._card.taken().values()) - self.has
        self.has = max(self.has, min(self._wants, self._card.total - used))
        file = self._card.folder / str(self._process.pid)
        file.with_suffix(".new").write_text(str(self.has))
        file.with_suffix(".new").rename(file)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        (self._card.folder / str(self._process.pid)).unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
