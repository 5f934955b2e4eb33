"""The machine's main memory, where there is no card."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

import psutil

from qmdesk.gpu.family import family
from qmdesk.gpu.reading import Card, Holding, Kind, Reading

ID = "ram"


class Ram:
    """Tells what our servers hold; everybody else together is what remains."""

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        memory = psutil.virtual_memory()
        card = Card(
            id=ID,
            index=0,
            name="main memory",
            kind=Kind.RAM,
            total=memory.total,
            used=memory.total - memory.available,
            unified=True,
        )
        return Reading((card,), tuple(resident(ID, ours)))

    def close(self) -> None:
        """Nothing is held."""


def resident(card: str, leaders: Collection[int]) -> list[Holding]:
    """The main memory that ``leaders`` and their descendants hold."""
    found: dict[int, int] = {}
    for pid in family(leaders):
        with contextlib.suppress(psutil.Error):
            found[pid] = psutil.Process(pid).memory_info().rss
    return [Holding(card, pid, size) for pid, size in found.items()]
