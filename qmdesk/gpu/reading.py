"""What a sampler has read, as plain values.  Every figure that may be missing is optional."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Where a card's figures come from."""

    NVIDIA = "nvidia"
    AMD = "amd"
    INTEL = "intel"
    WINDOWS = "windows"
    APPLE = "apple"
    RAM = "ram"
    """No card: the machine's own memory."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card, or the part of one that programs see as a card."""

    id: str
    """Its UUID, or its place on the bus; the same after a restart."""
    index: int
    """As its own tools and its environment variables number it."""
    name: str
    kind: Kind
    total: int = 0
    """Bytes; 0: not known."""
    used: int | None = None
    """Bytes, by whomever; None: not told."""
    utilisation: float | None = None
    """0 to 1."""
    temperature: float | None = None
    """Degrees Celsius."""
    power: float | None = None
    """Watts."""
    driver: str = ""
    unified: bool = False
    """It shares the machine's main memory."""
    asleep: bool = False
    """It is not read, because that would wake it or keep it awake."""

    @property
    def free(self) -> int | None:
        """Bytes; None where it is not known."""
        if self.used is None or not self.total:
            return None
        return max(0, self.total - self.used)


@dataclass(frozen=True, slots=True)
class Holding:
    """What one process holds on one card."""

    card: str
    pid: int
    bytes: int | None
    """None: it uses the card, and the system does not tell how much it holds."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at the cards of a machine."""

    cards: tuple[Card, ...] = ()
    holdings: tuple[Holding, ...] = ()
    problem: str = ""
    """Why something could not be read, in words; empty where nothing is wrong."""
