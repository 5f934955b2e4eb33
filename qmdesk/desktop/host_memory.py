"""How full this machine's memory is, and what of it our models hold.  Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import psutil

from qmdesk.desktop.memory_picture import MemoryPicture, Part
from qmdesk.desktop.words import part_of, tr


@dataclass(frozen=True, slots=True)
class HostMemory:
    """Bytes, at one moment."""

    total: int
    available: int
    """What could be had without swapping."""
    models: Mapping[str, int] = field(default_factory=dict)
    """What the process trees of our models hold; files that they map included."""
    foreign: int = 0
    """What all others hold."""

    def picture(self) -> MemoryPicture:
        """The same, to be painted."""
        used = self.total - self.available
        models = [Part(model, held, ours=True) for model, held in sorted(self.models.items())]
        return MemoryPicture(
            "",
            tr("This machine's memory"),
            self.total,
            used,
            part_of(used, self.total),
            (*models, Part(tr("other programs"), self.foreign)),
        )


def host_memory(pids: Mapping[str, int]) -> HostMemory:
    """Look now; ``pids`` are those of the models' servers.  Takes milliseconds: in a thread."""
    memory = psutil.virtual_memory()
    models: dict[str, int] = {}
    private = 0
    for model, pid in pids.items():
        held, own = _held(pid)
        if held:
            models[model] = held
            private += own
    # What is mapped from files counts as available: only the rest of ours is "used".
    used = memory.total - memory.available
    return HostMemory(memory.total, memory.available, models, max(0, used - private))


def _held(pid: int) -> tuple[int, int]:
    """What a process and its children hold, and how much of it is theirs alone."""
    held = own = 0
    try:
        process = psutil.Process(pid)
        tree = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0, 0
    for each in tree:
        try:
            info = each.memory_info()
        except psutil.Error:
            continue
        held += info.rss
        own += info.rss - min(info.rss, getattr(info, "shared", 0))
    return held, own
