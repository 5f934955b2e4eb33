"""What the scheduler remembers of one model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from qmdesk.scheduler.failures import Failures


class SeatState(StrEnum):
    """As the scheduler has ordered and heard; the process has finer states of its own."""

    STOPPED = "stopped"
    LOADING = "loading"
    """The target of a swap that has not reported back."""
    READY = "ready"
    STOPPING = "stopping"
    """By a swap that evicts it, or by a ``Stop``."""


@dataclass(slots=True)
class Seat:
    """One model's state, users and times."""

    model: str
    state: SeatState = SeatState.STOPPED
    in_flight: set[int] = field(default_factory=set)
    """Tickets that have been granted and not given back."""
    leases: set[int] = field(default_factory=set)
    used: int = 0
    """When it was last granted or loaded, as a count: larger is more recent."""
    idle_since: float = 0.0
    hold_until: float = -math.inf
    hold_asked: float | None = None
    """What the last granted ticket said of holds."""
    loop: bool = False
    """A request of this busy time ended in a tool call."""
    leaving: bool = False
    """No longer configured; forgotten once it has stopped."""
    failures: Failures = field(default_factory=Failures)

    @property
    def busy(self) -> bool:
        return bool(self.in_flight or self.leases)

    def let_go(self) -> None:
        """Its process is ending: nobody is served by it any more, nothing holds it."""
        self.in_flight.clear()
        self.leases.clear()
        self.hold_until = -math.inf
        self.loop = False
