"""What happens to the scheduler.  ``now`` is in seconds of a steady clock."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from qmdesk.events import StopReason
from qmdesk.scheduler.plan import Plan
from qmdesk.scheduler.room import Room


@dataclass(frozen=True, slots=True)
class Request:
    """A request has arrived and wants ``model``; ``ticket`` is its number, never used again."""

    ticket: int
    model: str
    now: float
    hold: float | None = None
    """Seconds to hold the model after it; None: the configured default, 0: none."""
    patience: float | None = None
    """Seconds to honour other models' holds; None: the configured default."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Whoever waited with ``ticket`` has gone; a granted one is given back."""

    ticket: int
    now: float


@dataclass(frozen=True, slots=True)
class ServeDone:
    """The turn of ``ticket`` is given back; a second time is harmless."""

    ticket: int
    now: float
    loop: bool = False
    """True where the client is likely to come back at once: an agent's tool call."""


class Outcome(StrEnum):
    """How a swap ended."""

    READY = "ready"
    FAILED = "failed"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class SwapDone:
    """The evicted are stopped, and the target is ready, failed or not started."""

    swap: int
    outcome: Outcome
    now: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A stop that a ``Stop`` action asked for has ended."""

    model: str
    now: float


@dataclass(frozen=True, slots=True)
class Died:
    """The process of a ready model has ended by itself."""

    model: str
    error: str
    now: float


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on a model that outlives its request."""

    lease: int
    model: str
    now: float


@dataclass(frozen=True, slots=True)
class Release:
    """The end of a lease; a second time is harmless."""

    lease: int
    now: float


@dataclass(frozen=True, slots=True)
class Unload:
    """Somebody wants ``models`` (all where None) stopped."""

    models: frozenset[str] | None
    reason: StopReason
    by: str
    now: float


@dataclass(frozen=True, slots=True)
class Configure:
    """A new plan is in force."""

    plan: Plan
    now: float
    relaunched: frozenset[str] = frozenset()
    """Models that are kept but start differently from now on: old failures say nothing."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Free the card: unload every model of ours and load none until ``until``.

    A later one takes the place of an earlier one.
    """

    until: float
    """A time of the same clock as ``now``; infinity: until ``Resume``."""
    why: str
    """What a request that is refused meanwhile is told, in words."""
    by: str
    now: float


@dataclass(frozen=True, slots=True)
class Resume:
    """The pause ends; harmless where there is none."""

    now: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The memory was measured: new figures are in force."""

    room: Room
    now: float


@dataclass(frozen=True, slots=True)
class Shed:
    """Other programs need the memory of ``pool``: one idle model is to make room.

    The one that is quickest to load again goes; nobody, where none is idle and movable.
    """

    pool: str
    by: str
    """The other program, in words."""
    now: float


@dataclass(frozen=True, slots=True)
class Wake:
    """The time that ``WakeAt`` asked for has come."""

    now: float


@dataclass(frozen=True, slots=True)
class Shutdown:
    """The app ends: nobody waits any more, and nothing new is taken."""

    now: float


Event = (
    Request
    | Cancel
    | ServeDone
    | SwapDone
    | Stopped
    | Died
    | Lease
    | Release
    | Unload
    | Configure
    | Pause
    | Resume
    | Measured
    | Shed
    | Wake
    | Shutdown
)
