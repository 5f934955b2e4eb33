"""The keeper of the figures: samples, footprints and budgets in, facts and room out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from qmdesk.config import Config, Model
from qmdesk.events import (
    Bus,
    CardMemory,
    ConfigApplied,
    Fact,
    MemorySampled,
    ModelState,
    ModelStateChanged,
)
from qmdesk.gpu import Card, CardSample, Reader, Sample, Sampler, machine
from qmdesk.memory.budget import ALL, RAM, Budget, holders, measured, trusted_cards
from qmdesk.memory.footprint import Footprint
from qmdesk.memory.guard import Guard, short
from qmdesk.memory.launch import Launch
from qmdesk.memory.lingering import Lingering
from qmdesk.memory.runs import RISE, Run
from qmdesk.memory.snapshot import MemorySnapshot, ModelMemory, card_memory
from qmdesk.memory.starts import NoRoom, Start, start_of
from qmdesk.memory.store import Store
from qmdesk.process.hooks import StartRefused
from qmdesk.router import Router
from qmdesk.router.plan import uses_budget
from qmdesk.said import said
from qmdesk.scheduler import Foresight, Need, Pool, Room
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

GIB = 1 << 30
_SAME = 0.2
"""Of the time of a load: within it the next one took as long as the last."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds."""

    busy: float = 2.0
    """Between two samples while something of ours is there."""
    idle: float = 10.0
    fresh: float = 0.1
    """For which a sample is as good as a new one."""
    impatient: float = 0.25
    """The longest that a request waits for a new one."""
    hung: float = 5.0
    """After which a reader that has not answered is left behind."""
    after_hang: float = 60.0
    """Until the next one is tried: each that hangs leaves a thread behind."""
    settle: float = 4.0
    """The longest wait for memory to come free after a stop."""
    steady: float = 0.6
    """Without a rise of what is free, after which it is not waited for any longer."""
    step: float = 0.1
    """Between two looks of that wait."""
    refusal: float = 30.0
    """For which a start that was refused is not tried again."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    why: str
    until: float
    free: int


class Memory:
    """Measures, learns and tells the router what fits.  All methods run on the event loop."""

    def __init__(
        self,
        router: Router,
        bus: Bus,
        folder: Path,
        *,
        sampler: Callable[[], Sampler] = machine,
        pace: Pace | None = None,
    ) -> None:
        """``folder`` is where what is learned is kept; ``sampler`` is made in a thread."""
        self._router = router
        self._bus = bus
        self._folder = folder
        self._reader = Reader(sampler)
        self._pace = pace or Pace()
        self._store: Store | None = None
        self._opening: asyncio.Task[Store] | None = None
        self._budget = Budget()
        self._guards: dict[str, Guard] = {}
        self._launches: dict[str, Launch] = {}
        self._studied: Config | None = None
        """The configuration whose commands are known."""
        self._runs: dict[str, Run] = {}
        self._refused: dict[str, _Refusal] = {}
        self._moves = 0
        self._lingering = Lingering(self._pace.settle)
        self._sample = Sample()
        self._trusted: frozenset[str] = frozenset()
        self._fact = MemorySampled((), "not read yet")
        self._room = Room()
        self._known_needs: tuple[object, Mapping[str, Need]] | None = None
        self._main_memory = psutil.virtual_memory().total
        self._hung_until = float("-inf")
        self._looking: asyncio.Task[Sample] | None = None
        self._writes: set[asyncio.Task[None]] = set()
        self._stir = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self.ready = asyncio.Event()
        """Set once the first look has been taken."""

    # Its life

    def start(self) -> None:
        """Begin; what is known is in force once ``ready`` is set."""
        self._router.hooks.spawn = self._before_start
        self._router.hooks.wanted = self._wanted
        self._router.hooks.freed = self._freed
        self._unsubscribe = self._bus.subscribe(self._hear, ModelStateChanged, ConfigApplied)
        self._task = spawn(self._run(), "memory")

    async def close(self) -> None:
        """End; what was learned is kept."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        going = [task for task in (self._task, self._looking) if task is not None]
        for task in going:
            task.cancel()
        if waited := (*going, *self._writes):
            await asyncio.wait(waited)
        self._reader.close()
        if self._opening is not None:
            await asyncio.wait((self._opening,))
        if self._store is not None:
            await asyncio.to_thread(self._store.close)

    async def look(self) -> None:
        """Take a look now, without a life: for whoever only wants the picture once."""
        await self._open()
        await self._study()
        await self._read()

    async def _open(self) -> Store:
        if self._opening is None:
            self._opening = spawn(self._begin(), "what was learned of memory")
        # Whoever asked may be cancelled; what has been opened has to be closed one day.
        return await asyncio.shield(self._opening)

    async def _begin(self) -> Store:
        self._store = await asyncio.to_thread(Store, self._folder)
        self._budget.floors = dict(await asyncio.to_thread(self._store.floors))
        return self._store

    async def _run(self) -> None:
        try:
            await self.look()
            self.ready.set()
            looked = time.monotonic()
            while True:
                pace = self._pace.busy if self._router.running() else self._pace.idle
                wait = looked + pace - time.monotonic()
                try:
                    # Not wait_for: before Python 3.12 it can lose a cancellation.
                    async with asyncio.timeout(max(0.0, wait)):
                        await self._stir.wait()
                except TimeoutError:
                    await self._look_again()
                    looked = time.monotonic()
                else:
                    # Models have come, or the pace is another one now.
                    self._stir.clear()
                    await self._study()
        finally:
            self.ready.set()

    async def _look_again(self) -> None:
        try:
            await self._read()
        except Exception:
            # The next look may do better; nobody else would take it.
            log.exception("the memory could not be measured")

    def _hear(self, fact: Fact) -> None:
        if isinstance(fact, ModelStateChanged):
            if fact.state in (ModelState.STARTING, ModelState.STOPPED):
                self._moves += 1
            run = self._runs.get(fact.model)
            if fact.state is ModelState.STOPPING and run is not None:
                self._lingering.stopping(fact.model, run.charge or {})
            if fact.state is ModelState.STOPPED and run is not None:
                del self._runs[fact.model]
                self._lingering.stopped(fact.model, run.charge or {}, time.monotonic())
            if fact.state is ModelState.READY:
                self._loaded(fact.model)
        self._tell()
        self._stir.set()

    def _loaded(self, model: str) -> None:
        run, running = self._runs.get(model), self._router.running().get(model)
        seconds = running.load_seconds if running else None
        if run is None or seconds is None or self._store is None:
            return
        before = run.launch.load_seconds
        run.launch = replace(run.launch, load_seconds=seconds)
        known = self._launches.get(model)
        if known is not None:
            # A start that was fitted says what one as configured takes, too.
            self._launches[model] = replace(known, load_seconds=seconds)
        if before is not None and abs(before - seconds) <= _SAME * seconds:
            return
        for key in {run.launch.key, known.key if known else run.launch.key}:
            self._keep(self._store.learn_load, key, seconds)

    def _keep(self, write: Callable[..., None], *values: object) -> None:
        task = spawn(asyncio.to_thread(write, *values), "keep what was learned")
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    # Knowing the models

    async def _study(self) -> None:
        """Get to know the commands that are new."""
        store, config = await self._open(), self._router.config
        models = [model for model in config.models.values() if not model.external]
        new = [
            model
            for model in models
            if model.id not in self._launches or self._launches[model.id].model != model
        ]
        if new:
            for launch in await asyncio.to_thread(
                lambda: [Launch.study(model, None, store) for model in new]
            ):
                self._launches[launch.model.id] = launch
        ids = {model.id for model in models}
        for gone in self._launches.keys() - ids:
            del self._launches[gone]
        self._studied = config
        if new:
            self._tell()

    def _cards(self) -> list[Card]:
        return [each.card for each in measured(self._sample)]

    @staticmethod
    def _charged(cards: Mapping[str, int], pools: Mapping[str, Pool], ram: int) -> dict[str, int]:
        """Bytes by pool."""
        charged = {card: size for card, size in cards.items() if card in pools}
        if ALL in pools:
            charged[ALL] = sum(cards.values())
        if RAM in pools and ram:
            charged[RAM] = ram
        return charged

    def _needs(self, pools: Mapping[str, Pool]) -> Mapping[str, Need]:
        """What every model takes; worked out anew only where that can be another figure now."""
        # How a model is split depends on what is free, though a little more or less is no matter.
        cards = tuple((card.id, (card.free or 0) // RISE) for card in self._cards())
        least = self._router.config.memory.min_gpu_fraction
        basis = (tuple(self._launches.values()), cards, tuple(pools), least)
        if self._known_needs is None or self._known_needs[0] != basis:
            found = {id: self._need(launch, pools) for id, launch in self._launches.items()}
            needs = {id: need for id, need in found.items() if need is not None}
            self._known_needs = (basis, needs)
        return self._known_needs[1]

    def _need(self, launch: Launch, pools: Mapping[str, Pool]) -> Need | None:
        footprint = launch.footprint()
        cards = self._by_card(launch)
        if footprint.vram is None or cards is None:
            return None
        low = launch.least(self._router.config.memory.min_gpu_fraction)
        share = low / footprint.vram if low is not None and footprint.vram else 1.0
        ram = int(launch.model.est_ram_gb * GIB)
        return Need(
            self._charged(cards, pools, ram),
            self._charged({card: int(size * share) for card, size in cards.items()}, pools, ram),
            footprint.known.value,
        )

    def _by_card(self, launch: Launch) -> Mapping[str, int] | None:
        cards, vram = self._cards(), launch.footprint().vram
        if not cards and vram is not None:
            # Nothing is measured: only the sum counts, against ``vramBudgetGB``.
            return {"": vram}
        return launch.cards(cards)

    # Telling the router

    def _tell(self) -> None:
        """Hand the figures to the router, where they have changed."""
        config = self._router.config
        ram = self._main_memory if any(m.est_ram_gb for m in config.models.values()) else 0
        pools = self._budget.pools(config, self._sample, self._trusted, ram)
        needs = self._needs(pools)
        held: dict[str, Mapping[str, int]] = {}
        for id, run in self._runs.items():
            if (charge := run.charge) is not None:
                held[id] = self._charged(charge, pools, int(run.launch.model.est_ram_gb * GIB))
        now = time.monotonic()
        self._refused = {
            id: refusal
            for id, refusal in self._refused.items()
            if now < refusal.until and self._free() < refusal.free + RISE
        }
        room = Room(
            pools,
            needs,
            held,
            {
                id: launch.load_seconds
                for id, launch in self._launches.items()
                if launch.load_seconds
            },
            {id: refusal.why for id, refusal in self._refused.items()},
        )
        if room != self._room:
            self._room = room
            self._router.measured(room)

    def _free(self) -> int:
        return sum(card.free or 0 for card in self._cards())

    # Samples

    async def _read(self) -> Sample:
        """One look; joins the one under way."""
        return await asyncio.shield(self._look_now())

    def _look_now(self) -> asyncio.Task[Sample]:
        if self._looking is None or self._looking.done():
            self._looking = spawn(self._read_anew(), "look at the memory")
        return self._looking

    async def _read_anew(self) -> Sample:
        now = time.monotonic()
        if now < self._hung_until:
            return self._sample
        running = self._router.running()
        leaders = {id: each.pid for id, each in running.items() if each.pid is not None}
        future = asyncio.wrap_future(self._reader.read(leaders, idle=not running))
        try:
            async with asyncio.timeout(self._pace.hung):
                sample = await future
        except TimeoutError:
            self._reader.leave()
            self._hung_until = now + self._pace.after_hang
            sample = Sample(
                problem=f"no reading: the driver has not answered for {self._pace.hung:g} s",
                at=now,
            )
        self._take(sample)
        return sample

    def _take(self, sample: Sample) -> None:
        """Learn from ``sample`` and tell everybody."""
        if sample.problem and sample.problem != self._fact.problem:
            log.warning("memory: %s", sample.problem)
        if sample.problem and not measured(sample):
            # The cards are still there, and so is what they have room for.
            blank = tuple(CardSample(replace(card, used=None)) for card in self._cards())
            sample = replace(sample, cards=blank or sample.cards)
        now = time.monotonic()
        self._sample = sample = self._lingering.without(sample, now)
        running = self._router.running()
        ready = {id for id, each in running.items() if each.state is ModelState.READY}
        for id in running.keys() & self._launches.keys() - self._runs.keys():
            if cards := self._cards():
                # It was started before its card could be read: a laptop's may have slept.
                launch = self._launches[id]
                self._runs[id] = Run(launch, launch.cards(cards), {}, self._moves)
        for id, run in self._runs.items():
            run.follow(id, measured(sample), ready=id in ready)
        expected = {id for id, run in self._runs.items() if id in ready and run.expected}
        self._trusted = trusted_cards(sample, expected | (ready - self._runs.keys()))
        if not self._lingering.lately(now):
            for card, floor in self._budget.lower_floors(sample, self._trusted).items():
                if self._store is not None:
                    self._keep(self._store.learn_floor, card, floor)
        for id in ready & self._runs.keys():
            self._learn(id, self._runs[id])
        self._tell()
        self._fact = MemorySampled(
            tuple(
                card_memory(
                    each, self._room.pools.get(each.card.id), trusted=each.card.id in self._trusted
                )
                for each in sample.cards
            ),
            sample.problem,
        )
        self._bus.publish(self._fact)
        self._watch(sample)

    def _learn(self, id: str, run: Run) -> None:
        lesson = run.lesson(self._cards(), self._moves)
        if lesson is None:
            return
        cards, driver = lesson
        run.launch = replace(run.launch, learned=cards, driver=driver)
        launch = self._launches.get(id)
        if launch is not None and launch.key == run.launch.key:
            self._launches[id] = replace(launch, learned=cards, driver=driver)
        if self._store is not None:
            self._keep(self._store.learn, run.launch.key, cards, driver)

    def _watch(self, sample: Sample) -> None:
        """Have idle models make room for other programs, where they need it."""
        memory = self._router.config.memory
        if not memory.pressure:
            self._guards.clear()
            return
        for each in measured(sample):
            card = each.card.id
            guard = self._guards.setdefault(card, Guard(memory.grace))
            guard.grace = memory.grace
            charged = sum((run.charge or {}).get(card, 0) for run in self._runs.values())
            is_short = card in self._trusted and short(
                each, charged, self._budget.floors.get(card, 0)
            )
            if guard.wants(is_short, sample.at) and not self._lingering.lately(sample.at):
                self._router.shed(card, holders(each))

    # Around a start

    async def _wanted(self) -> None:
        """Look anew before somebody is evicted: a game may have come or gone since."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.impatient):
                await self.ready.wait()
        if self._studied is not self._router.config:
            await self._study()
        if self._cards() and time.monotonic() - self._sample.at > self._pace.fresh:
            await asyncio.wait((self._look_now(),), timeout=self._pace.impatient)

    async def _freed(self, target: str, _: tuple[str, ...]) -> None:
        """Wait until the memory of those that were stopped is free, or ``target`` fits."""
        launch = self._launches.get(target)
        need = launch.cards(self._cards()) if launch else None
        await self._settle(need)

    async def _settle(self, need: Mapping[str, int] | None) -> None:
        """Drivers release late: look until ``need`` fits or no more comes free."""
        if not self._cards():
            return
        loop = asyncio.get_running_loop()
        began = loop.time()
        most, risen = -1, began
        while True:
            await self._read()
            if need is not None and self._lacks(need) <= 0:
                return
            now, free = loop.time(), self._free()
            if free > most:
                most, risen = free, now
            if now - began >= self._pace.settle or now - risen >= self._pace.steady:
                return
            await asyncio.sleep(self._pace.step)

    def _lacks(self, need: Mapping[str, int], starting: str = "") -> int:
        """The bytes that are missing on the card that lacks most."""
        worst = 0
        for card in self._cards():
            wanted = need.get(card.id, 0)
            if wanted and card.free is not None:
                worst = max(worst, wanted - self._free_for(card, starting))
        return worst

    def _free_for(self, card: Card, starting: str) -> int:
        """What is free on ``card``, less what others that still load will take."""
        running = self._router.running()
        coming = 0
        for id, run in self._runs.items():
            state = running[id].state if id in running else ModelState.STOPPED
            if id != starting and state is ModelState.STARTING and run.planned is not None:
                coming += max(0, run.planned.get(card.id, 0) - run.holds.get(card.id, 0))
        return max(0, (card.free or 0) - coming)

    async def _before_start(self, model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The spawn hook: what is started, changed where it would not fit."""
        if self.ready.is_set() and not self._room.pools:
            # Nothing is known that could be too little.
            return argv
        store = await self._open()
        launch = await asyncio.to_thread(Launch.study, model, argv, store)
        if self._cards() or not self.ready.is_set():
            await self._read()
        need = planned = self._by_card(launch)
        if need is not None and self._cards():
            if self._lacks(need, model.id) > 0 and self._lingering.lately(time.monotonic()):
                await self._settle(need)
            start = self._start_of(launch, need)
            if start.said:
                log.info("%s", start.said)
            planned = start.cards
            if start.arguments != launch.arguments:
                launch = await asyncio.to_thread(Launch.study, model, start.arguments.argv, store)
        self._runs[model.id] = Run(
            launch,
            planned,
            {card.id: card.used for card in self._cards() if card.used is not None},
            self._moves,
        )
        self._tell()
        return launch.arguments.argv

    def _start_of(self, launch: Launch, need: Mapping[str, int]) -> Start:
        memory, id = self._router.config.memory, launch.model.id
        free = {
            card.id: self._free_for(card, id) for card in self._cards() if card.free is not None
        }
        try:
            return start_of(
                launch,
                need,
                free,
                measured(self._sample),
                least_on_card=memory.min_gpu_fraction,
                reserve=int(memory.reserve_gb * GIB),
            )
        except NoRoom as no_room:
            until = time.monotonic() + self._pace.refusal
            self._refused[id] = _Refusal(
                said("{model}: {why}", model=id, why=str(no_room)), until, self._free()
            )
            raise StartRefused(str(no_room)) from None

    # Knowing

    @property
    def cards(self) -> tuple[CardMemory, ...]:
        """The cards as they were measured last."""
        return self._fact.cards

    def snapshot(self, *, foresight: bool = True) -> MemorySnapshot:
        """What is known now; ``foresight`` has the policy asked for each model that is stopped."""
        models = tuple(
            self._model(model, foresight=foresight)
            for model in self._router.config.models.values()
            if not model.external
        )
        return MemorySnapshot(self._fact.cards, self._fact.problem, self._policy(), models)

    def model(self, id: str) -> ModelMemory | None:
        """What is known of one model (an id), with the policy asked for it."""
        model = self._router.config.models.get(id)
        if model is None or model.external:
            return None
        return self._model(model, foresight=True)

    def _policy(self) -> str:
        config = self._router.config
        if uses_budget(config) and self._room.pools:
            return "budget"
        return "matrix" if config.matrix is not None else "groups"

    def _model(self, model: Model, *, foresight: bool) -> ModelMemory:
        launch, run = self._launches.get(model.id), self._runs.get(model.id)
        if run is not None:
            launch = run.launch
        footprint = launch.footprint() if launch else Footprint()
        seen = self._router.foresee(model.id) if foresight else Foresight()
        return ModelMemory(
            model.id,
            holds=sum(run.holds.values()) if run and run.holds else None,
            needs=footprint.vram,
            known=footprint.known.value,
            evicts=seen.evict,
            why=seen.refused or seen.why,
            refused=bool(seen.refused),
        )
