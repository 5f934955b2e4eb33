"""How full this machine's memory is, and what of it our models hold.  Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import psutil

from qmdesk.desktop.words import share, size, tr


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

    @property
    def free(self) -> int:
        return max(0, self.total - self.foreign - sum(self.models.values()))

    @property
    def line(self) -> str:
        """In short, for the strip."""
        return tr(
            "{used} of {total}", used=size(self.total - self.available), total=size(self.total)
        )

    def story(self) -> str:
        """Each part in words, a line each."""
        lines = [
            tr("{model}: {size}", model=model, size=size(held))
            for model, held in sorted(self.models.items(), key=lambda each: -each[1])
        ]
        lines.append(tr("Other programs: {size}", size=size(self.foreign)))
        part = share(self.available / self.total)
        lines.append(tr("Available: {size} ({share})", size=size(self.available), share=part))
        return "\n".join(lines)


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
