"""The facts that the app tells itself, and the bus that carries them.

The router publishes; the tray, the windows, the ``/api/events`` stream and the
logs subscribe.  Everything happens on the one event loop: ``publish`` calls the
subscribers in turn, so a subscriber does little and never waits.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

log = logging.getLogger(__name__)


class ModelState(StrEnum):
    """Where a model's process is in its life."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    SHUTDOWN = "shutdown"


class StopReason(StrEnum):
    """Why a model's process was stopped; handed to hooks and shown to people."""

    MANUAL = "manual"
    EVICT = "evict"
    TTL = "ttl"
    MEMORY = "memory"
    PAUSE = "pause"
    CONFIG = "config"
    SHUTDOWN = "shutdown"
    ABORT = "abort"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that has happened."""


@dataclass(frozen=True, slots=True)
class ModelStateChanged(Fact):
    model: str
    state: ModelState
    previous: ModelState
    reason: StopReason | None = None
    """Why, where the new state is ``stopping`` or ``stopped``."""
    error: str | None = None
    """What went wrong, in words, where the model failed."""


@dataclass(frozen=True, slots=True)
class SwapStarted(Fact):
    model: str
    evict: tuple[str, ...]
    asked_by: str


@dataclass(frozen=True, slots=True)
class SwapFinished(Fact):
    model: str
    ok: bool
    seconds: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Evicted(Fact):
    """One swap's evictions: whom, for whom, why, who asked, how long the stops took."""

    models: tuple[str, ...]
    for_model: str
    why: str
    asked_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class LoadFailed(Fact):
    model: str
    error: str


@dataclass(frozen=True, slots=True)
class QueueChanged(Fact):
    waiting: int
    in_flight: int


@dataclass(frozen=True, slots=True)
class RequestStarted(Fact):
    id: int
    model: str
    route: str
    client: str


@dataclass(frozen=True, slots=True)
class RequestFinished(Fact):
    id: int
    model: str
    route: str
    status: int
    waited: float
    """Seconds from arrival to the turn."""
    seconds: float
    """Seconds from arrival to the end."""
    loaded: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigApplied(Fact):
    changes: tuple[str, ...]
    """What changed, in words; empty where nothing did."""
    saved: bool = False
    """It was saved through qmdesk, by somebody who knows; else a file was changed outside."""


@dataclass(frozen=True, slots=True)
class ConfigRejected(Fact):
    problems: tuple[str, ...]
    """Each as ``file:line:column: error: what is wrong``."""


@dataclass(frozen=True, slots=True)
class PeerChanged(Fact):
    """A peer went down, came back, or offers other models than before."""

    peer: str
    up: bool
    models: tuple[str, ...]
    """The names that it gives them."""
    error: str = ""
    """Why it is down, or why nothing is known of its models."""


@dataclass(frozen=True, slots=True)
class ProfileChanged(Fact):
    profile: str | None
    """The one that is on now; None: none."""


@dataclass(frozen=True, slots=True)
class Exposed(Fact):
    """Other machines get in at an address, and nobody is asked for a key."""

    address: str
    """``http://HOST:PORT``"""


@dataclass(frozen=True, slots=True)
class PinChanged(Fact):
    model: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Paused(Fact):
    """The card was freed: every model of ours is unloaded and none is loaded."""

    by: str
    until: float | None = None
    """Unix time; None: until somebody resumes, or ``program`` has ended."""
    program: str = ""
    """The name of the program whose end resumes; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Resumed(Fact):
    """Models are loaded again when they are asked for."""

    why: str
    """In words: who resumed, or what ended."""


@dataclass(frozen=True, slots=True)
class CardMemory:
    """One card, as it was measured; sizes are in bytes."""

    id: str
    index: int
    name: str
    total: int
    """0: not known."""
    used: int | None
    """By whomever; None: not told, or the card sleeps."""
    ours: tuple[tuple[str, int | None], ...] = ()
    """By model."""
    programs: tuple[tuple[str, int], ...] = ()
    """Others that use it, by name, largest first."""
    budget: int | None = None
    """For models of ours; None where it has none."""
    ceiling: int | None = None
    """The same as long as other programs hold what they hold now."""
    trusted: bool = False
    """Whether ours and others' can be told apart."""
    utilisation: float | None = None
    """0 to 1."""
    temperature: float | None = None
    """Degrees Celsius."""
    power: float | None = None
    """Watts."""
    asleep: bool = False
    kind: str = ""
    """``nvidia``, ``amd``, ``intel``, ``windows``, ``apple``, or ``ram`` for main memory."""
    driver: str = ""


@dataclass(frozen=True, slots=True)
class MemorySampled(Fact):
    """The memory was measured."""

    cards: tuple[CardMemory, ...]
    problem: str = ""
    """Why there is no reading, in words; empty where there is one."""


@dataclass(frozen=True, slots=True)
class GaveWay(Fact):
    """An idle model is unloaded because another program needs its memory."""

    model: str
    why: str
    """Such as ``game.exe holds 9.1 GiB``."""


@dataclass(frozen=True, slots=True)
class ShutdownStarted(Fact):
    pass


Subscriber = Callable[[Fact], None]


@dataclass(slots=True)
class Bus:
    """Hands every published fact to every subscriber that wants its type."""

    _subscribers: list[tuple[Subscriber, tuple[type[Fact], ...]]] = field(default_factory=list)
    _by_type: dict[type[Fact], tuple[Subscriber, ...]] = field(default_factory=dict)
    """Who wants which, as far as it has been asked since the last change."""

    def subscribe(self, subscriber: Subscriber, *types: type[Fact]) -> Callable[[], None]:
        """Call ``subscriber`` with each fact of ``types`` (all where none is given).

        Returns a function that ends the subscription; calling it twice is harmless.
        """
        entry = (subscriber, types or (Fact,))
        self._subscribers.append(entry)
        self._by_type.clear()

        def unsubscribe() -> None:
            # Identity, not equality: two equal subscriptions are two.
            self._subscribers[:] = [each for each in self._subscribers if each is not entry]
            self._by_type.clear()

        return unsubscribe

    def publish(self, fact: Fact) -> None:
        """Tell ``fact`` to its subscribers; one that fails is logged and the rest go on."""
        kind = type(fact)
        subscribers = self._by_type.get(kind)
        if subscribers is None:
            subscribers = self._by_type[kind] = tuple(
                subscriber for subscriber, types in self._subscribers if issubclass(kind, types)
            )
        for subscriber in subscribers:
            try:
                subscriber(fact)
            except Exception:
                log.exception("a subscriber failed on %s", kind.__name__)
