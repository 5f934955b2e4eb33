"""What has happened to the models, from the facts: spans of residency, and swaps.

Free of Qt.  Kept from the start of the app, because a window that is opened later wants
to show the hour before.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import time

from qmdesk.desktop.memory_picture import real_cards
from qmdesk.events import (
    Bus,
    CardMemory,
    Evicted,
    Fact,
    MemorySampled,
    ModelState,
    ModelStateChanged,
    SwapFinished,
    SwapStarted,
)
from qmdesk.router.snapshot import Snapshot

HOUR = 3600.0
"""Seconds for which residency is kept."""
SWAPS = 500
"""Swaps kept."""
SPANS = 2_000
"""Spans kept of one model: something that restarts all the time must not fill the memory."""
LOADS = 20
"""Loads kept of one model."""
TOGETHER = 30.0
"""Seconds between two samples within which nothing else is thought to have happened."""
SHORTEST = 10.0
"""Seconds: of what changes faster, the most is kept."""
NAMED = 3
"""Other programs whose names are kept with what they held."""
STEP = 1 / 64
"""Of a card: what others use may change by so much and is still the same stretch."""


@dataclass(slots=True)
class Span:
    """A time in which a model's server was there."""

    start: float
    """Unix time."""
    ready: float | None = None
    """When it could serve; None while it only loads."""
    end: float | None = None
    """When it went; None while it is there."""


@dataclass(slots=True)
class Swap:
    """One load, and what had to go for it."""

    id: int
    model: str
    by: str
    start: float
    """Unix time."""
    evicted: tuple[str, ...] = ()
    why: str = ""
    stop_seconds: float = 0.0
    """What the stops of the evicted took."""
    seconds: float | None = None
    """All of it; None while it is under way."""
    ok: bool = False
    error: str = ""


@dataclass(slots=True)
class Use:
    """A time in which other programs held much the same of a card."""

    start: float
    """Unix time."""
    end: float
    """When it was last seen to be so."""
    bytes: int
    total: int
    """Bytes of the card."""
    programs: tuple[tuple[str, int], ...] = ()
    """By name, largest first, with bytes."""

    @property
    def leader(self) -> str:
        return self.programs[0][0] if self.programs else ""


class Journal:
    """Listens from its making on until ``close``."""

    def __init__(self, bus: Bus, snapshot: Snapshot, clock: Callable[[], float] = time) -> None:
        self.spans: dict[str, deque[Span]] = {}
        """By model, in the order of their first residency."""
        self.swaps: deque[Swap] = deque(maxlen=SWAPS)
        self.uses: dict[str, deque[Use]] = {}
        """What others held, by card, in the order of the cards."""
        self.cards: dict[str, CardMemory] = {}
        """Each card as it was last measured."""
        self.version = 0
        """Counts what has happened: whoever has seen this much need not look again."""
        self._loads: dict[str, deque[float]] = {}
        self._clock = clock
        self._ids = itertools.count(1)
        for model in snapshot.models:
            if not model.external and model.state is ModelState.READY:
                at = model.ready_at or clock()
                self._spans(model.id).append(Span(at, at))
        self._unsubscribe = bus.subscribe(
            self._on_fact, ModelStateChanged, SwapStarted, SwapFinished, Evicted, MemorySampled
        )

    def close(self) -> None:
        """Hear no more facts."""
        self._unsubscribe()

    def loads(self, model: str) -> tuple[float, ...]:
        """The seconds of the last loads that succeeded, oldest first."""
        return tuple(self._loads.get(model, ()))

    def loading_since(self, model: str) -> float | None:
        """When the load of ``model`` that is under way began, as Unix time."""
        swap = self._under_way(model)
        return swap.start if swap else None

    def _on_fact(self, fact: Fact) -> None:
        now = self._clock()
        if isinstance(fact, MemorySampled):
            self._sampled(fact, now)
            return
        self.version += 1
        match fact:
            case ModelStateChanged(model, state):
                self._moved(model, state, now)
            case SwapStarted(model, _, by):
                self.swaps.append(Swap(next(self._ids), model, by, now))
            case Evicted(models, for_model, why, _, seconds) if swap := self._under_way(for_model):
                swap.evicted, swap.why, swap.stop_seconds = models, why, seconds
            case SwapFinished(model, ok, seconds, error) if swap := self._under_way(model):
                swap.seconds, swap.ok, swap.error = seconds, ok, error or ""
                if ok:
                    loads = self._loads.setdefault(model, deque(maxlen=LOADS))
                    loads.append(max(0.0, seconds - swap.stop_seconds))

    def _moved(self, model: str, state: ModelState, now: float) -> None:
        spans = self._spans(model)
        last = spans[-1] if spans and spans[-1].end is None else None
        if state is ModelState.STARTING:
            if last is None:
                spans.append(Span(now))
        elif state is ModelState.READY:
            if last is None:
                spans.append(Span(now, now))
            elif last.ready is None:
                last.ready = now
        elif last is not None and state is not ModelState.STOPPING:
            last.end = now
        while spans and spans[0].end is not None and spans[0].end < now - HOUR:
            spans.popleft()

    def _sampled(self, fact: MemorySampled, now: float) -> None:
        for card in real_cards(fact.cards):
            self.cards[card.id] = card
            held = [size for _, size in card.ours]
            if card.used is None or not card.trusted or None in held:
                # Nobody knows whose it is: a gap says so.
                continue
            foreign = max(0, card.used - sum(size or 0 for size in held))
            uses = self.uses.setdefault(card.id, deque(maxlen=SPANS))
            use = Use(now, now, foreign, card.total, card.programs[:NAMED])
            last = uses[-1] if uses and now - uses[-1].end <= TOGETHER else None
            if last is not None:
                last.end = now
                if abs(last.bytes - foreign) < card.total * STEP and last.leader == use.leader:
                    continue
                if now - last.start < SHORTEST:
                    if foreign > last.bytes:
                        last.bytes, last.programs = foreign, use.programs
                        self.version += 1
                    continue
            uses.append(use)
            self.version += 1
            while uses[0].end < now - HOUR:
                uses.popleft()

    def _under_way(self, model: str) -> Swap | None:
        return next(
            (each for each in reversed(self.swaps) if each.model == model and each.seconds is None),
            None,
        )

    def _spans(self, model: str) -> deque[Span]:
        return self.spans.setdefault(model, deque(maxlen=SPANS))
