"""The table of docs/memory.md: the same hour of traffic under three policies.

``python -m tests.scheduler.hour`` writes it anew.  Time passes as the scheduler wants it, so
an hour takes a moment and always comes out the same.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from qmdesk.scheduler import (
    BudgetPolicy,
    Event,
    Grant,
    GroupsPolicy,
    Measured,
    ModelPlan,
    Need,
    Outcome,
    Plan,
    Policy,
    Pool,
    Reject,
    Request,
    Room,
    Scheduler,
    ServeDone,
    Shed,
    Stop,
    Stopped,
    Swap,
    SwapDone,
    Wake,
    WakeAt,
)

DOCUMENT = Path(__file__).parents[2] / "docs" / "memory.md"
BEGIN, END = "<!-- hour -->\n", "<!-- end of hour -->"

HOUR = 3600.0
CARD = 24
STOP = 1.0
"""Seconds that a stop takes."""
GRACE = 30.0
GIB = 1 << 30


@dataclass(frozen=True)
class Made:
    """One model of the hour: GiB, seconds of a load, its part of the requests."""

    size: int
    load: float
    share: float


MODELS = {
    "chat": Made(8, 12, 0.30),
    "embed": Made(1, 2, 0.24),
    "titles": Made(2, 3, 0.20),
    "code": Made(9, 16, 0.14),
    "vision": Made(6, 9, 0.09),
    "big": Made(18, 45, 0.03),
}
GAMES = ((1100.0, 1900.0, 9), (2700.0, 3200.0, 5))
"""From, until, and GiB."""


@dataclass
class Hour:
    """Plays the traffic of ``seed`` under one policy, and counts."""

    policy: Policy
    loads_known: bool
    seed: int
    now: float = 0.0
    loads: int = 0
    load_seconds: float = 0.0
    waited: list[float] = field(default_factory=list)
    refused: int = 0
    shed: int = 0
    _resident: dict[str, bool] = field(default_factory=dict)
    _arrived: dict[int, tuple[float, str, float]] = field(default_factory=dict)
    _agenda: list[tuple[float, int, Callable[[], Event]]] = field(default_factory=list)
    _wake: float | None = None

    def play(self) -> Hour:
        self._order = itertools.count()
        plan = Plan({name: ModelPlan() for name in MODELS}, self.policy)
        self._scheduler = Scheduler(plan)
        self._feed(Measured(self._room(0), 0.0))
        for ticket, (at, model, seconds) in enumerate(traffic(self.seed)):
            self._arrived[ticket] = (at, model, seconds)
            self._at(at, lambda t=ticket, m=model: Request(t, m, self.now))
        for begins, ends, size in GAMES:
            self._at(begins, lambda s=size: Measured(self._room(s), self.now))
            for step in range(4):
                self._at(begins + GRACE + 2 * step, lambda s=size: self._guard(s))
            self._at(ends, lambda: Measured(self._room(0), self.now))
        while self._agenda or self._wake is not None:
            if self._wake is not None and (not self._agenda or self._wake <= self._agenda[0][0]):
                self.now, self._wake = max(self.now, self._wake), None
                self._feed(Wake(self.now))
            else:
                self.now, _, event = heapq.heappop(self._agenda)
                self._feed(event())
        return self

    def _room(self, game: int) -> Room:
        pool = Pool("card", (CARD - 1) * GIB, (CARD - 1 - game) * GIB, "game.exe")
        needs = {}
        for name, made in MODELS.items():
            size = {"card": made.size * GIB}
            needs[name] = Need(size, size, "learned")
        seconds = {name: made.load for name, made in MODELS.items()}
        return Room({"card": pool}, needs, load_seconds=seconds if self.loads_known else {})

    def _guard(self, game: int) -> Event:
        held = sum(MODELS[model].size for model in self._resident)
        # Nobody's pool, where nothing is short.
        return Shed("card" if held + game > CARD else "", "game.exe", self.now)

    def _at(self, time: float, event: Callable[[], Event]) -> None:
        heapq.heappush(self._agenda, (time, next(self._order), event))

    def _feed(self, event: Event) -> None:
        for action in self._scheduler.handle(event):
            match action:
                case Grant(ticket):
                    at, _, seconds = self._arrived[ticket]
                    self.waited.append(self.now - at)
                    self._at(self.now + seconds, lambda t=ticket: ServeDone(t, self.now))
                case Reject():
                    self.refused += 1
                case Swap():
                    self._swap(action)
                case Stop(model):
                    self.shed += 1
                    self._at(self.now + STOP, lambda m=model: self._stopped(m))
                case WakeAt(time):
                    self._wake = time

    def _swap(self, swap: Swap) -> None:
        seconds = MODELS[swap.target].load
        self.loads += 1
        self.load_seconds += seconds
        for victim in swap.evict:
            self._resident.pop(victim, None)
        self._resident[swap.target] = True
        begins = self.now + (STOP if swap.evict else 0.0)
        done = lambda: SwapDone(swap.swap, Outcome.READY, self.now)  # noqa: E731
        self._at(begins + seconds, done)

    def _stopped(self, model: str) -> Event:
        self._resident.pop(model, None)
        return Stopped(model, self.now)


def traffic(seed: int) -> Iterator[tuple[float, str, float]]:
    """When, for which model, and how many seconds of work."""
    dice = random.Random(seed)
    names, shares = list(MODELS), [made.share for made in MODELS.values()]
    now = 0.0
    while (now := now + dice.expovariate(1 / 14)) < HOUR:
        yield now, dice.choices(names, shares)[0], dice.uniform(1, 12)


POLICIES: tuple[tuple[str, Callable[[], Policy], bool], ...] = (
    ("groups: one at a time", GroupsPolicy, False),
    ("budget, least recently used goes", lambda: BudgetPolicy(GroupsPolicy()), False),
    ("budget, weighed by what a reload costs", lambda: BudgetPolicy(GroupsPolicy()), True),
)
SEEDS = range(1, 11)


def table() -> str:
    lines = [
        "| policy | loads an hour | seconds of loading | mean wait | refused | shed |",
        "|---|---|---|---|---|---|",
    ]
    for name, policy, known in POLICIES:
        hours = [Hour(policy(), known, seed).play() for seed in SEEDS]
        count = len(hours)
        waits = [wait for hour in hours for wait in hour.waited]
        lines.append(
            f"| {name} | {sum(hour.loads for hour in hours) / count:.0f}"
            f" | {sum(hour.load_seconds for hour in hours) / count:.0f}"
            f" | {sum(waits) / len(waits):.1f} s"
            f" | {sum(hour.refused for hour in hours) / count:.1f}"
            f" | {sum(hour.shed for hour in hours) / count:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    DOCUMENT.write_text(head + BEGIN + table() + END + tail, encoding="utf-8")


if __name__ == "__main__":
    main()
