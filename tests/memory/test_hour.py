"""An hour of traffic and games with the real router, on a card whose memory really moves.

A second of the test stands for ``SPEED`` seconds of the hour.  An oracle that knows the true
sizes looks over the router's shoulder.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from pathlib import Path

from qmdesk.config import parse
from qmdesk.events import (
    Fact,
    GaveWay,
    LoadFailed,
    MemorySampled,
    ModelState,
    ModelStateChanged,
    SwapFinished,
    SwapStarted,
)
from qmdesk.instance import Instance
from qmdesk.memory import Pace
from qmdesk.router import Rejected
from qmdesk.scheduler import Refusal
from tests.memory.fake_card import GIB, FakeCard, Game

SPEED = 300
HOUR = 3600 / SPEED
GRACE = 30 / SPEED
MOMENT = 0.5
"""Seconds after which everybody knows that a game has ended."""
PACE = Pace(
    busy=0.02, idle=0.02, hung=5, fresh=0.01, settle=1.0, steady=0.2, step=0.01, refusal=30 / SPEED
)

SIZES = {"small": 2, "embed": 1, "code": 9, "chat": 8, "vision": 6, "big": 18}
"""GiB; the card has 24."""


class Oracle:
    """Knows what everybody takes, and hears everything."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.ceiling = 23.0
        self.unneeded: list[str] = []
        self.failures: list[LoadFailed] = []
        self.gave_way: list[str] = []
        self.loads: Counter[str] = Counter()
        self.holding: set[str] = set()
        """Whose process is there."""
        self.coming: set[str] = set()
        """Who loads, or will when others have stopped."""
        instance.bus.subscribe(self._hear)

    def _hear(self, fact: Fact) -> None:
        match fact:
            case MemorySampled():
                pool = fact.cards[0].ceiling
                self.ceiling = (pool or 0) / GIB
            case ModelStateChanged(state=ModelState.STARTING):
                self.holding.add(fact.model)
                self.loads[fact.model] += 1
            case ModelStateChanged(state=ModelState.STOPPED):
                self.holding.discard(fact.model)
            case SwapStarted():
                self._judge(fact)
                self.coming.add(fact.model)
            case SwapFinished():
                self.coming.discard(fact.model)
            case GaveWay():
                self.gave_way.append(fact.model)
            case LoadFailed():
                self.failures.append(fact)

    def _judge(self, fact: SwapStarted) -> None:
        """Whether one of the evicted could have stayed."""
        others = (self.holding | self.coming) - set(fact.evict) - {fact.model}
        staying = sum(SIZES[model] for model in others) + SIZES[fact.model]
        for victim in fact.evict:
            if staying + SIZES[victim] <= self.ceiling:
                self.unneeded.append(f"{victim} for {fact.model} beside {sorted(others)}")


async def test_an_hour_of_traffic_and_games(tmp_path: Path) -> None:
    card = FakeCard(tmp_path / "card", release=0.05)
    text = f"memory: {{graceSeconds: {GRACE}}}\nrouting: {{scheduler: {{settings: {{fifo: {{"
    text += f"holdMs: {10_000 // SPEED}, patienceMs: {300_000 // SPEED}}}}}}}}}\nmodels:\n"
    for name, size in SIZES.items():
        text += f"  {name}:\n    cmd: {card.command(name, size)}\n    estVramGB: {size}\n"
    instance = Instance(parse(text), listen="127.0.0.1:0", sampler=lambda: card, pace=PACE)
    await instance.start()
    oracle = Oracle(instance)
    taken_away: list[str] = []
    refused: list[Rejected] = []
    needless: list[str] = []
    gaming: list[tuple[float, float]] = []
    """When a game had how many GiB."""
    served: Counter[str] = Counter()
    arrivals = 0
    over = asyncio.Event()

    async def client(seed: int, habit: tuple[str, ...]) -> None:
        dice = random.Random(seed)
        while not over.is_set():
            model = dice.choice(habit)
            try:
                async with instance.router.serve(model, by=f"client {seed}") as turn:
                    await asyncio.sleep(dice.expovariate(SPEED / 20))
                    if turn.ended is not None:
                        taken_away.append(model)
                served[model] += 1
            except Rejected as rejected:
                refused.append(rejected)
                now = asyncio.get_running_loop().time()
                lately = max((has for at, has in gaming if now - at < MOMENT), default=0)
                if rejected.refusal is Refusal.NO_ROOM and SIZES[model] + lately <= 23:
                    needless.append(f"{model} beside {lately}: {rejected}")
            await asyncio.sleep(dice.expovariate(SPEED / 45))

    async def player() -> None:
        nonlocal arrivals
        dice = random.Random(7)
        for wants in itertools.cycle((9, 5, 14)):
            await asyncio.sleep(dice.uniform(400, 700) / SPEED)
            if over.is_set():
                return
            await nobody_loads()
            game = Game(card, wants)
            arrivals += 1
            gaming.append((asyncio.get_running_loop().time(), game.has / 1024))
            try:
                ends = asyncio.get_running_loop().time() + dice.uniform(300, 500) / SPEED
                while asyncio.get_running_loop().time() < ends and not over.is_set():
                    await nobody_loads()
                    game.grow()
                    gaming.append((asyncio.get_running_loop().time(), game.has / 1024))
                    await asyncio.sleep(0.02)
            finally:
                game.end()

    async def nobody_loads() -> None:
        """A game and a model that grow in the same moment would both be right."""
        running = instance.router.running
        while any(each.state is not ModelState.READY for each in running().values()):
            await asyncio.sleep(0.005)

    habits = (("small", "chat"), ("code", "embed"), ("vision", "embed", "chat"), ("big", "small"))
    tasks = [asyncio.create_task(client(seed, each)) for seed, each in enumerate(habits)]
    tasks.append(asyncio.create_task(player()))
    try:
        await asyncio.sleep(HOUR)
    finally:
        over.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        await instance.stop(budget=4.0)
    assert [each for each in results if each is not None] == []
    assert arrivals >= 2
    assert sum(served.values()) > 20
    assert len(served) >= 4
    # Never overcommitted: no server found too little memory, no look saw too much.  A game
    # that comes after the last look is seen at the start, which is refused then.
    errors = [each.error for each in oracle.failures]
    assert [each for each in errors if "was not started: it needs" not in each] == []
    assert len(errors) <= 2 * arrivals
    assert card.most <= card.total
    assert taken_away == []
    assert {each.refusal for each in refused} <= {Refusal.NO_ROOM, Refusal.START_FAILED}
    assert needless == []
    assert oracle.unneeded == []
    # Nothing flaps: nobody gives way more often than games come for the room.
    assert max(Counter(oracle.gave_way).values(), default=0) <= arrivals
    assert len(oracle.gave_way) <= 3 * arrivals
