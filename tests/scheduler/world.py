"""A world without clocks or processes that does what the scheduler says, and checks it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from qmdesk.events import StopReason
from qmdesk.scheduler import (
    AbortSwap,
    Action,
    Cancel,
    Configure,
    Died,
    Event,
    Grant,
    Lease,
    Measured,
    Outcome,
    Pause,
    Plan,
    QueuePosition,
    Reject,
    Release,
    Request,
    Resume,
    Room,
    Scheduler,
    ServeDone,
    Shed,
    Stop,
    Stopped,
    Swap,
    SwapDone,
    Unload,
    Wake,
    WakeAt,
)


@dataclass
class Going:
    """A swap under way: first the evicted stop, then the target starts."""

    action: Swap
    started: bool = False
    aborted: bool = False


class _Deliberate(Scheduler):
    """Looks at everything before it decides, every time."""

    def _at_once(self, event: Event) -> bool:
        del event
        return False


def _without_times(actions: list[Action]) -> list[Action]:
    """When it wants to be woken may differ: earlier is harmless."""
    return [each for each in actions if not isinstance(each, WakeAt)]


@dataclass
class World:
    """Feeds a scheduler, carries its actions out, and holds it to the invariants."""

    plan: Plan
    now: float = 0.0
    processes: dict[str, str] = field(default_factory=dict)
    """By model: starting, ready or stopping."""
    swaps: dict[int, Going] = field(default_factory=dict)
    stops: dict[str, StopReason] = field(default_factory=dict)
    waiting: dict[int, str] = field(default_factory=dict)
    granted: dict[int, str] = field(default_factory=dict)
    orphaned: set[int] = field(default_factory=set)
    """Granted, but their model has gone since."""
    leases: dict[int, str] = field(default_factory=dict)
    answered: dict[int, Action] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)
    wake: float | None = None
    paused_until: float = -math.inf
    room: Room = field(default_factory=Room)
    rooms: Sequence[Room] = ()
    """Figures that come and go in a random life."""
    last: list[Action] = field(default_factory=list)
    log: list[Action] = field(default_factory=list)
    _ids: int = 0

    def __post_init__(self) -> None:
        self.scheduler = Scheduler(self.plan)
        self.deliberate = _Deliberate(self.plan)

    # Events

    def feed(self, event: Event) -> list[Action]:
        at_once = isinstance(event, Request) and self.scheduler.grants_at_once(event.model)
        actions = self.scheduler.handle(event)
        if at_once:
            assert [type(each) for each in actions] == [Grant], actions
        assert _without_times(actions) == _without_times(self.deliberate.handle(event))
        for action in actions:
            self._carry_out(action)
        self.last = actions
        self.log += actions
        self.check()
        return actions

    def ask(self, model: str, *, hold: float | None = None, patience: float | None = None) -> int:
        self._ids += 1
        self.waiting[self._ids] = model
        self.feed(Request(self._ids, model, self.now, hold, patience))
        return self._ids

    def done(self, ticket: int, *, loop: bool = False) -> list[Action]:
        self.granted.pop(ticket, None)
        self.orphaned.discard(ticket)
        return self.feed(ServeDone(ticket, self.now, loop))

    def cancel(self, ticket: int) -> list[Action]:
        self.waiting.pop(ticket, None)
        self.granted.pop(ticket, None)
        self.orphaned.discard(ticket)
        self.positions.pop(ticket, None)
        return self.feed(Cancel(ticket, self.now))

    def unload(self, *models: str, reason: StopReason = StopReason.MANUAL) -> list[Action]:
        return self.feed(Unload(frozenset(models) or None, reason, "the test", self.now))

    def pause(self, seconds: float = math.inf) -> list[Action]:
        self.paused_until = self.now + seconds
        return self.feed(Pause(self.paused_until, "is paused by the test", "the test", self.now))

    def resume(self) -> list[Action]:
        self.paused_until = -math.inf
        return self.feed(Resume(self.now))

    def measure(self, room: Room) -> list[Action]:
        self.room = room
        return self.feed(Measured(room, self.now))

    def shed(self, pool: str) -> list[Action]:
        return self.feed(Shed(pool, "game.exe", self.now))

    def die(self, model: str) -> list[Action]:
        del self.processes[model]
        self._orphan(model)
        return self.feed(Died(model, f"{model} crashed", self.now))

    def lease(self, model: str) -> int:
        self._ids += 1
        if self.processes.get(model) == "ready":
            self.leases[self._ids] = model
        self.feed(Lease(self._ids, model, self.now))
        return self._ids

    def release(self, lease: int) -> list[Action]:
        self.leases.pop(lease, None)
        return self.feed(Release(lease, self.now))

    def configure(self, plan: Plan, relaunched: Sequence[str] = ()) -> list[Action]:
        old, self.plan = self.plan, plan
        for model, spec in old.models.items():
            now = plan.models.get(model)
            if (now is None and spec.external) or (now and now.external is not spec.external):
                self._orphan(model)
        return self.feed(Configure(plan, self.now, frozenset(relaunched)))

    def advance(self, seconds: float) -> None:
        """Let time pass; wakes come when they were asked for."""
        end = self.now + seconds
        while self.wake is not None and self.wake <= end:
            self.now = max(self.now, self.wake)
            self.wake = None
            self.feed(Wake(self.now))
        self.now = end

    def stopped(self, model: str) -> list[Action]:
        """A stop that was asked for has ended."""
        del self.stops[model]
        del self.processes[model]
        return self.feed(Stopped(model, self.now))

    def swapped(self, swap: int | None = None, *, ok: bool = True) -> list[Action]:
        """Take a swap (the only one, where none is named) to its end."""
        if swap is None:
            (swap,) = self.swaps
        going = self.swaps[swap]
        if not going.started:
            self.evicted(swap)
        return self.finish(swap, ok=ok)

    def evicted(self, swap: int) -> None:
        """The first half of a swap: its victims have stopped, its target starts."""
        going = self.swaps[swap]
        for victim in going.action.evict:
            self.processes.pop(victim, None)
        if not going.aborted:
            going.started = True
            if self.processes.get(going.action.target) != "ready":
                self.processes[going.action.target] = "starting"

    def finish(self, swap: int, *, ok: bool = True) -> list[Action]:
        going = self.swaps.pop(swap)
        target = going.action.target
        if self.processes.get(target) == "ready":
            outcome = Outcome.READY
        elif not going.started or going.aborted:
            outcome = Outcome.ABORTED
        else:
            outcome = Outcome.READY if ok else Outcome.FAILED
        if outcome is Outcome.READY:
            self.processes[target] = "ready"
        elif self.processes.get(target) == "starting":
            del self.processes[target]
        return self.feed(SwapDone(swap, outcome, self.now, "" if ok else f"{target} failed"))

    def load(self, model: str) -> None:
        """Have ``model`` ready and idle."""
        ticket = self.ask(model)
        while ticket in self.waiting:
            self.swapped(next(iter(self.swaps)))
        self.done(ticket)

    # Actions

    def _carry_out(self, action: Action) -> None:
        match action:
            case Grant(ticket):
                model = self.waiting.pop(ticket)
                self._answer(ticket, action)
                self.granted[ticket] = model
                assert self.now >= self.paused_until or self._external(model), "granted in a pause"
                assert self.processes.get(model) == "ready" or self._external(model), (
                    f"{model} was granted and does not run"
                )
                self.positions.pop(ticket, None)
            case Reject(ticket):
                self.waiting.pop(ticket)
                self._answer(ticket, action)
                self.positions.pop(ticket, None)
            case Swap():
                self._check_swap(action)
                self.swaps[action.swap] = Going(action)
                for victim in action.evict:
                    self.processes[victim] = "stopping"
            case AbortSwap(swap):
                assert swap in self.swaps
                self.swaps[swap].aborted = True
            case Stop(model):
                assert self.processes.get(model) == "ready"
                assert model not in self.stops
                if action.reason is StopReason.MEMORY:
                    assert model not in self.granted.values(), f"{model} is in flight and was shed"
                    assert model not in self.leases.values(), f"{model} is leased and was shed"
                    assert model not in self.plan.kept
                self.processes[model] = "stopping"
                self.stops[model] = action.reason
                self._orphan(model)
            case WakeAt(time):
                self.wake = time
            case QueuePosition(ticket, position):
                assert ticket in self.waiting or position == 0
                if position:
                    self.positions[ticket] = position
                else:
                    self.positions.pop(ticket, None)

    def _answer(self, ticket: int, action: Action) -> None:
        assert ticket not in self.answered, f"ticket {ticket} was answered twice"
        self.answered[ticket] = action

    def _orphan(self, model: str) -> None:
        for ticket in [each for each, of in self.granted.items() if of == model]:
            del self.granted[ticket]
            self.orphaned.add(ticket)
        for lease in [each for each, of in self.leases.items() if of == model]:
            del self.leases[lease]

    def _taking(self) -> list[str]:
        """Those that take memory: they run, or a swap that is under way will have them run."""
        coming = (going.action.target for going in self.swaps.values())
        return list(dict.fromkeys((*self.processes, *coming)))

    def _external(self, model: str) -> bool:
        return model in self.plan.models and self.plan.models[model].external

    # Invariants

    def _check_swap(self, swap: Swap) -> None:
        assert self.now >= self.paused_until, f"{swap.target} was loaded in a pause"
        for victim in swap.evict:
            assert victim not in self.granted.values(), f"{victim} is in flight and was evicted"
            assert victim not in self.leases.values(), f"{victim} is leased and was evicted"
            assert self.processes.get(victim) == "ready"
        assert self.processes.get(swap.target) in (None, "ready")
        rest = [model for model in self._taking() if model not in swap.evict]
        assert self.plan.policy.evict(swap.target, rest, self.room) == ()
        assert not self.plan.policy.refuse(swap.target, [*swap.evict, *rest], self.room)

    def check(self) -> None:
        for model in set(self.granted.values()) | set(self.leases.values()) | set(self.processes):
            expected = list(self.granted.values()).count(model)
            expected += list(self.leases.values()).count(model)
            assert self.scheduler.in_flight(model) == expected, model
        assert self.scheduler.total_waiting() == len(self.waiting)
        if self.now < self.paused_until:
            assert not self.waiting, "a pause refuses, it does not queue"
            ours = [model for model in self.granted.values() if not self._external(model)]
            assert not ours, f"{ours} are used in a pause"
            assert "ready" not in self.processes.values() or self.swaps
        assert sorted(self.positions.values()) == list(range(1, len(self.positions) + 1))
        for ticket, action in self.answered.items():
            assert ticket not in self.waiting, action

    # A random life

    def play(self, seed: int, steps: int, plans: Sequence[Plan]) -> None:
        """``steps`` random events, then everything is brought to its end."""
        dice = random.Random(seed)
        for _ in range(steps):
            self._random_step(dice, plans)
        self.settle()

    def _random_step(self, dice: random.Random, plans: Sequence[Plan]) -> None:
        models = [*self.plan.models, "no-such-model"]
        roll = dice.random()
        if roll < 0.34:
            hold = dice.choice((None, None, 0.0, 3.0, 20.0))
            patience = dice.choice((None, None, 0.0, 5.0, 60.0))
            self.ask(dice.choice(models), hold=hold, patience=patience)
        elif roll < 0.58 and (self.granted or self.orphaned):
            ticket = dice.choice([*self.granted, *self.orphaned])
            self.done(ticket, loop=dice.random() < 0.3)
        elif roll < 0.66 and self.waiting:
            self.cancel(dice.choice(list(self.waiting)))
        elif roll < 0.82 and self.swaps:
            swap = dice.choice(list(self.swaps))
            if not self.swaps[swap].started and dice.random() < 0.5:
                self.evicted(swap)
            else:
                self.swapped(swap, ok=dice.random() < 0.85)
        elif roll < 0.86 and self.stops:
            self.stopped(dice.choice(list(self.stops)))
        elif roll < 0.88:
            chosen = dice.sample(models, dice.randint(0, 2))
            self.unload(*chosen)
        elif roll < 0.90:
            ready = [
                model
                for model, state in self.processes.items()
                if state == "ready" and not self._is_target(model)
            ]
            if ready:
                self.die(dice.choice(ready))
        elif roll < 0.92:
            self.lease(dice.choice(models))
        elif roll < 0.94 and self.leases:
            self.release(dice.choice(list(self.leases)))
        elif roll < 0.945 and self.rooms:
            if dice.random() < 0.7:
                self.measure(dice.choice(self.rooms))
            else:
                self.shed("card")
        elif roll < 0.95:
            if dice.random() < 0.5:
                self.pause(dice.choice((2.0, 30.0, math.inf)))
            else:
                self.resume()
        elif roll < 0.96:
            plan = dice.choice(plans)
            self.configure(plan, dice.sample(list(plan.models), 1))
        else:
            self.advance(dice.choice((0.1, 1.0, 5.0, 30.0, 400.0)))

    def _is_target(self, model: str) -> bool:
        return any(going.action.target == model for going in self.swaps.values())

    def settle(self) -> None:
        """Finish all that is under way; nobody may be left waiting."""
        for _ in range(100_000):
            if self.swaps:
                self.swapped(next(iter(self.swaps)))
            elif self.stops:
                self.stopped(next(iter(self.stops)))
            elif self.leases:
                self.release(next(iter(self.leases)))
            elif self.granted or self.orphaned:
                self.done(next(iter([*self.granted, *self.orphaned])))
            elif self.waiting:
                assert self.wake is not None, f"nobody will ever serve {self.waiting}"
                self.advance(max(0.0, self.wake - self.now))
            else:
                break
        assert not self.waiting
        assert self.scheduler.total_in_flight() == 0
