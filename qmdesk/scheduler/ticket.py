"""One request's place with the scheduler, from its arrival to its answer."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Ticket:
    id: int
    model: str
    arrival: float
    """Seconds of the clock of the events."""
    patience: float
    """Seconds from arrival for which it honours holds."""
    hold: float | None
    order: int
    """Smaller arrived earlier."""
    priority: int
    position: int = 0
    """As last announced; 0: not in the queue."""

    def key(self) -> tuple[int, int]:
        """Its place in the queue: higher priority first, then arrival."""
        return (-self.priority, self.order)

    def patient(self, now: float) -> bool:
        return now < self.arrival + self.patience


@dataclass(eq=False, slots=True)
class ActiveSwap:
    """A swap that has been ordered and has not reported back."""

    id: int
    target: str
    evict: frozenset[str]
    waiters: list[Ticket] = field(default_factory=list)
    aborting: bool = False
    unload: tuple[str, str] | None = None
    """Reason and author where an unload aborted it: a target that came up all the
    same must be stopped."""
