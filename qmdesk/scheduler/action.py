"""What the scheduler wants done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from qmdesk.events import StopReason


@dataclass(frozen=True, slots=True)
class Grant:
    """The ticket's turn has come; it counts as in flight until ``ServeDone``."""

    ticket: int
    loaded: bool
    """True where it waited for a load."""


class Refusal(StrEnum):
    """Why a ticket gets no turn."""

    UNKNOWN_MODEL = "unknown_model"
    TOO_BUSY = "too_busy"
    START_FAILED = "start_failed"
    UNLOADED = "unloaded"
    QUEUE_TIMEOUT = "queue_timeout"
    PAUSED = "paused"
    NO_ROOM = "no_room"
    SHUTTING_DOWN = "shutting_down"


@dataclass(frozen=True, slots=True)
class Reject:
    """The ticket gets no turn."""

    ticket: int
    refusal: Refusal
    message: str
    retry_after: float | None = None
    """Seconds after which trying again makes sense."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Stop ``evict``, then start ``target`` (unless it runs), then report ``SwapDone``."""

    swap: int
    target: str
    evict: tuple[str, ...]
    why: str
    """The policy's reason for the evictions, in words; empty where there are none."""
    ticket: int
    """Who asked."""


@dataclass(frozen=True, slots=True)
class AbortSwap:
    """Do not start the swap's target, or end its start; ``SwapDone`` follows all the same."""

    swap: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop ``model`` and report ``Stopped``."""

    model: str
    reason: StopReason
    by: str = ""


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Send ``Wake`` at this time; replaces every earlier wish; None: not at all."""

    time: float | None


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """The ticket's place in the queue: 1 is next, 0 has left it."""

    ticket: int
    position: int


Action = Grant | Reject | Swap | AbortSwap | Stop | WakeAt | QueuePosition
