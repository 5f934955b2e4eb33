"""The figures of the memory budget, as they are handed in: bytes, and words for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

GIB = 1 << 30

Bytes = Mapping[str, int]
"""By pool."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Memory that models share: one card's, or a sum over cards that somebody has set."""

    name: str
    budget: int
    """Bytes for models of ours, whoever else runs."""
    ceiling: int
    """Bytes for them now; not above ``budget``."""
    others: str = ""
    """Who holds what is missing between the two, in words."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one model takes when it is loaded."""

    full: Bytes
    least: Bytes
    """With as much of it elsewhere as is allowed; the same as ``full`` where it cannot shrink."""
    known: str = ""
    """How that is known, in a word or two: ``learned``, ``configured`` ..."""


@dataclass(frozen=True, slots=True)
class Room:
    """All pools, and all models of which something is known."""

    pools: Mapping[str, Pool] = field(default_factory=dict)
    needs: Mapping[str, Need] = field(default_factory=dict)
    """A model that is not in here is of unknown size, never of none."""
    held: Mapping[str, Bytes] = field(default_factory=dict)
    """What residents are charged, where it is another figure than their need."""
    load_seconds: Mapping[str, float] = field(default_factory=dict)
    """How long loads have taken, by model."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Models that could not be started just now, and why; where nobody has to go for them that
    stands until it is taken out."""

    def charge(self, model: str) -> Bytes | None:
        """What ``model`` takes while it is resident; None: unknown."""
        if model in self.held:
            return self.held[model]
        need = self.needs.get(model)
        return need.full if need else None


def gib(size: float) -> str:
    """``9.1 GiB``."""
    return f"{size / GIB:.1f} GiB"
