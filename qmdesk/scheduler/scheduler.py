"""The state machine that decides who may use which model now."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from qmdesk.events import StopReason
from qmdesk.said import joined, said
from qmdesk.scheduler.action import (
    AbortSwap,
    Action,
    Grant,
    QueuePosition,
    Refusal,
    Reject,
    Stop,
    Swap,
    WakeAt,
)
from qmdesk.scheduler.event import (
    Cancel,
    Configure,
    Died,
    Event,
    Lease,
    Measured,
    Outcome,
    Pause,
    Release,
    Request,
    Resume,
    ServeDone,
    Shed,
    Shutdown,
    Stopped,
    SwapDone,
    Unload,
    Wake,
)
from qmdesk.scheduler.failures import Failures
from qmdesk.scheduler.plan import ModelPlan, Plan
from qmdesk.scheduler.policy import NOTHING_KNOWN
from qmdesk.scheduler.room import Room
from qmdesk.scheduler.seat import Seat, SeatState
from qmdesk.scheduler.ticket import ActiveSwap, Ticket

BUSY_RETRY = 1.0
"""Seconds; ``Retry-After`` of a ticket over its model's concurrency limit."""
QUEUE_RETRY = 5.0
"""Seconds; ``Retry-After`` of a ticket that has waited too long."""
SHUTDOWN_RETRY = 10.0
PAUSE_RETRY = 60.0
"""Seconds; ``Retry-After`` while the models are paused and nobody knows for how long."""
ROOM_RETRY = 30.0
"""Seconds; ``Retry-After`` of a model for which there is no room."""


class _Choice(Enum):
    GRANT = auto()
    JOIN = auto()
    SWAP = auto()
    WAIT = auto()
    REST = auto()
    """Its starts keep failing: it may not be tried just now."""
    REFUSE = auto()
    """There is no room for it, whoever goes."""


@dataclass(slots=True)
class _Decision:
    choice: _Choice
    victims: tuple[str, ...] = ()
    swap: ActiveSwap | None = None
    blockers: tuple[ActiveSwap, ...] = ()
    """Active swaps that stand in the way."""
    wake: float = math.inf
    """When it may be decided otherwise though nothing has happened."""
    why: str = ""
    """Why it is refused."""
    shared: bool = True
    """The same for every queued ticket of the model."""


@dataclass(slots=True)
class _Pass:
    """What one walk over the queue has worked out; void once a swap starts."""

    resident: tuple[str, ...]
    rendering: bool
    """A model that makes images or video is at work."""
    idle: dict[str, float]
    """Seconds, by model, of those that may go without anybody noticing."""
    evict: dict[str, tuple[str, ...]] = field(default_factory=dict)
    decisions: dict[str, _Decision] = field(default_factory=dict)
    starved: dict[str, int] | None = None
    """By model: the order of the oldest ticket that has lost patience and needs it gone."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """What a request for a model would bring about now."""

    evict: tuple[str, ...] = ()
    why: str = ""
    """The policy's reason for the evictions, in words."""
    refused: str = ""
    """Why it would get no turn for want of room; empty where there is room."""


class Scheduler:
    """Feed it events with ``handle``, in order; carry out the actions that it returns."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seats: dict[str, Seat] = {model: Seat(model) for model in plan.models}
        self._queue: list[Ticket] = []
        self._tickets: dict[int, Ticket] = {}
        """Those that wait, in the queue or for a swap."""
        self._granted: dict[int, str] = {}
        self._leases: dict[int, str] = {}
        self._swaps: dict[int, ActiveSwap] = {}
        self._counter = 0
        self._uses = 0
        self._queue_wake = math.inf
        self._wake: float | None = None
        self._shut = False
        self._pause: Pause | None = None
        self._room: Room = NOTHING_KNOWN
        self._settled: set[str] = set()
        """Ready models for which nobody has to go, by all that has been known since."""
        self._actions: list[Action] = []

    # What it knows

    def state(self, model: str) -> SeatState:
        seat = self._seats.get(model)
        return seat.state if seat else SeatState.STOPPED

    def in_flight(self, model: str) -> int:
        """Turns and leases of ``model`` that have not been given back."""
        seat = self._seats.get(model)
        return len(seat.in_flight) + len(seat.leases) if seat else 0

    def total_in_flight(self) -> int:
        leases = sum(len(seat.leases) for seat in self._seats.values()) if self._leases else 0
        return len(self._granted) + leases

    def counts(self) -> tuple[int, int]:
        """All that wait, and all that are in flight."""
        in_flight = len(self._granted) if not self._leases else self.total_in_flight()
        return len(self._tickets), in_flight

    def grants_at_once(self, model: str) -> bool:
        """Whether a request for ``model`` would get its turn now, with nothing to be decided.

        True says that it would; False, that it has to be asked for.
        """
        if self._tickets or self._swaps or self._pause is not None or self._shut:
            return False
        spec = self._plan.models.get(model)
        if spec is None or not (spec.external or self._is_settled(model)):
            return False
        return len(self._seats[model].in_flight) < spec.limit

    def waiting(self, model: str) -> int:
        """Tickets that wait for ``model``, in the queue or for its load."""
        return sum(1 for ticket in self._tickets.values() if ticket.model == model)

    def all_waiting(self) -> Counter[str]:
        """How many tickets wait, by model."""
        return Counter(ticket.model for ticket in self._tickets.values())

    def total_waiting(self) -> int:
        return len(self._tickets)

    @property
    def paused(self) -> bool:
        """Whether the card is kept free now, as of the last event."""
        return self._pause is not None

    def resident(self) -> tuple[str, ...]:
        """The models whose process runs, starts or stops, least recently used first."""
        seats = [seat for seat in self._seats.values() if seat.state is not SeatState.STOPPED]
        return tuple(seat.model for seat in sorted(seats, key=lambda seat: seat.used))

    def foresee(self, model: str, now: float) -> Foresight:
        """What would go if ``model`` were asked for now; changes nothing."""
        spec = self._plan.models.get(model)
        if spec is None or spec.external or self.state(model) is not SeatState.STOPPED:
            return Foresight()
        walk = self._walk(now)
        if refused := self._plan.policy.refuse(model, walk.resident, self._room):
            return Foresight(refused=refused)
        victims = self._victims(model, walk)
        why = self._plan.policy.why(model, victims, self._room) if victims else ""
        return Foresight(victims, why)

    # Events

    def handle(self, event: Event) -> list[Action]:
        """Take one event in; the actions are to be carried out in their order."""
        if self._at_once(event):
            actions, self._actions = self._actions, []
            return actions
        if self._pause is not None and event.now >= self._pause.until:
            self._pause = None
        if not isinstance(event, Request | ServeDone):
            self._settled.clear()
        match event:
            case Request():
                self._request(event)
            case Cancel():
                self._cancel(event.ticket, event.now)
            case ServeDone():
                self._serve_done(event)
            case SwapDone():
                self._swap_done(event)
            case Stopped():
                self._stopped(event.model, event.now)
            case Died():
                self._died(event)
            case Lease():
                self._lease(event)
            case Release():
                self._release(event.lease, event.now)
            case Unload():
                self._unload(event)
            case Configure():
                self._configure(event)
            case Pause():
                self._begin_pause(event)
            case Resume():
                self._pause = None
            case Measured():
                self._room = event.room
                self._drain(event.now)
            case Shed():
                self._shed(event)
            case Wake():
                self._wake = None
                self._drain(event.now)
            case Shutdown():
                self._shutdown()
        self._age(event.now)
        self._announce()
        self._set_wake()
        actions, self._actions = self._actions, []
        return actions

    def _at_once(self, event: Event) -> bool:
        """Take in what most events are, where nobody waits and nothing has to be decided.

        False where it has to be looked at.
        """
        match event:
            case Request() if self.grant(event.ticket, event.model, event.hold):
                self._actions.append(Grant(event.ticket, loaded=False))
                return True
            case ServeDone():
                actions = self.done(event.ticket, event.now, loop=event.loop)
                if actions is not None:
                    self._actions += actions
                    return True
        return False

    def grant(self, ticket: int, model: str, hold: float | None = None) -> bool:
        """Grant a request as ``handle`` would, where nothing has to be decided.

        False, and nothing has happened, where it has to be asked for.
        """
        if not self.grants_at_once(model):
            return False
        self._counter += 1
        self._hand_over(ticket, model, hold)
        return True

    def done(self, ticket: int, now: float, *, loop: bool = False) -> Sequence[Action] | None:
        """Take a turn back as ``handle`` would, where nothing has to be decided.

        None, and nothing has happened, where it has to be told.  The time that is set stays
        unless it is too late: a wake-up that has become needless is harmless.
        """
        if self._tickets or self._swaps or self._pause is not None:
            return None
        seat = self._seats.get(self._granted.get(ticket, ""))
        self._give_back(ticket, now, loop=loop, served=True)
        if seat is None or seat.in_flight or seat.leases or self._shut:
            return ()
        spec = self._plan.models.get(seat.model)
        if spec is None or spec.ttl <= 0 or seat.state is not SeatState.READY:
            return ()
        deadline = now + spec.ttl
        if not self._due_after(deadline):
            return ()
        self._wake = deadline
        return (WakeAt(deadline),)

    def _is_settled(self, model: str) -> bool:
        """``model`` is ready, and nobody has to go for it."""
        if model in self._settled:
            return True
        if self._seats[model].state is not SeatState.READY:
            return False
        if self._plan.policy.evict(model, self.resident(), self._room):
            return False
        self._settled.add(model)
        return True

    def _due_after(self, time: float) -> bool:
        return self._wake is None or self._wake > time

    def _request(self, event: Request) -> None:
        spec = self._plan.models.get(event.model)
        if self._shut:
            self._reject_id(
                event.ticket,
                Refusal.SHUTTING_DOWN,
                "qmdesk is shutting down",
                SHUTDOWN_RETRY,
            )
            return
        if spec is None:
            self._reject_id(
                event.ticket, Refusal.UNKNOWN_MODEL, f"there is no model {event.model!r}"
            )
            return
        if self._pause is not None and not spec.external:
            why, wait = self._pause.why, self._pause_left(event.now)
            self._reject_id(event.ticket, Refusal.PAUSED, joined(" ", (event.model, why)), wait)
            return
        seat = self._seats[event.model]
        reserved = len(seat.in_flight) + self.waiting(event.model)
        if reserved >= spec.limit:
            self._reject_id(
                event.ticket,
                Refusal.TOO_BUSY,
                said(
                    "{model} has {n} requests already; its concurrencyLimit is {limit}",
                    model=event.model,
                    n=reserved,
                    limit=spec.limit,
                ),
                BUSY_RETRY,
            )
            return
        self._counter += 1
        ticket = Ticket(
            id=event.ticket,
            model=event.model,
            arrival=event.now,
            patience=self._plan.patience if event.patience is None else event.patience,
            hold=event.hold,
            order=self._counter,
            priority=spec.priority,
        )
        self._tickets[ticket.id] = ticket
        walk = self._walk(event.now)
        decision = self._decide(ticket, event.now, walk)
        if not self._carry_out(ticket, decision, event.now):
            bisect.insort(self._queue, ticket, key=Ticket.key)
            self._clear_the_way(decision)
            self._queue_wake = min(self._queue_wake, decision.wake)

    def _cancel(self, ticket_id: int, now: float) -> None:
        ticket = self._tickets.pop(ticket_id, None)
        if ticket is None:
            self._give_back(ticket_id, now, loop=False, served=False)
            return
        self._unqueue(ticket)
        for swap in self._swaps.values():
            if ticket in swap.waiters:
                swap.waiters.remove(ticket)
        # A swap that nobody waits for any more may now be in somebody's way.
        self._drain(now)

    def _serve_done(self, event: ServeDone) -> None:
        self._give_back(event.ticket, event.now, loop=event.loop, served=True)

    def _give_back(self, ticket_id: int, now: float, *, loop: bool, served: bool) -> None:
        model = self._granted.pop(ticket_id, None)
        seat = self._seats.get(model) if model is not None else None
        if seat is None or ticket_id not in seat.in_flight:
            return
        seat.in_flight.remove(ticket_id)
        seat.loop = seat.loop or loop
        if served:
            seat.failures.served()
        self._if_idle(seat, now)

    def _if_idle(self, seat: Seat, now: float) -> None:
        if seat.busy:
            return
        seat.idle_since = now
        if seat.hold_asked is not None:
            hold = seat.hold_asked
        else:
            hold = self._plan.hold if self._plan.hold_always or seat.loop else 0.0
        seat.loop = False
        seat.hold_asked = None
        if seat.state is SeatState.READY and hold > 0:
            seat.hold_until = now + hold
        self._drain(now)

    def _swap_done(self, event: SwapDone) -> None:
        swap = self._swaps.pop(event.swap, None)
        if swap is None:
            return
        for victim in swap.evict:
            self._to_stopped(victim)
        seat = self._seats.get(swap.target)
        if seat is None:
            # It ran when the swap began, left the configuration and has stopped.
            self._drain(event.now)
            return
        if event.outcome is Outcome.READY:
            if seat.state is SeatState.LOADING:
                seat.state = SeatState.READY
                seat.idle_since = event.now
                self._use(seat)
            seat.failures.started()
            if swap.unload is not None and seat.state is SeatState.READY:
                # It came up before the abort could reach it.
                self._stop(seat, StopReason(swap.unload[0]), swap.unload[1])
            for ticket in swap.waiters:
                self._grant(ticket, loaded=True)
        else:
            if seat.state is SeatState.LOADING:
                seat.state = SeatState.STOPPED
            if event.outcome is Outcome.FAILED:
                seat.failures.start_failed(event.error, event.now)
            error = event.error or said("the load of {model} was given up", model=swap.target)
            pause = seat.failures.pause_left(event.now)
            for ticket in swap.waiters:
                self._reject(ticket, Refusal.START_FAILED, error, pause or BUSY_RETRY)
            if seat.leaving and seat.state is SeatState.STOPPED:
                del self._seats[swap.target]
        self._drain(event.now)

    def _stopped(self, model: str, now: float) -> None:
        seat = self._seats.get(model)
        if seat is None or self._evicting(model):
            return
        self._to_stopped(model)
        self._drain(now)

    def _to_stopped(self, model: str) -> None:
        seat = self._seats.get(model)
        if seat is None or seat.state is not SeatState.STOPPING:
            return
        seat.state = SeatState.STOPPED
        if seat.leaving:
            del self._seats[model]

    def _died(self, event: Died) -> None:
        seat = self._seats.get(event.model)
        if seat is None or seat.state is not SeatState.READY:
            return
        seat.failures.died(event.error, event.now)
        seat.state = SeatState.LOADING if self._swap_to(event.model) else SeatState.STOPPED
        seat.let_go()
        self._drain(event.now)

    def _lease(self, event: Lease) -> None:
        seat = self._seats.get(event.model)
        if seat is None or seat.leaving or seat.state is not SeatState.READY:
            return
        seat.leases.add(event.lease)
        self._leases[event.lease] = event.model
        # Whoever comes for the result is likely to come back for the next.
        seat.loop = True
        self._use(seat)

    def _release(self, lease: int, now: float) -> None:
        model = self._leases.pop(lease, None)
        seat = self._seats.get(model) if model is not None else None
        if seat is None or lease not in seat.leases:
            return
        seat.leases.remove(lease)
        self._if_idle(seat, now)

    def _begin_pause(self, event: Pause) -> None:
        self._pause = event
        for seat in list(self._seats.values()):
            if self._spec(seat.model).external:
                continue
            self._empty(
                seat,
                StopReason.PAUSE,
                event.by,
                event.why,
                refusal=Refusal.PAUSED,
                retry_after=self._pause_left(event.now),
            )
        self._drain(event.now)

    def _pause_left(self, now: float) -> float:
        """Seconds after which a refused request may try again."""
        assert self._pause is not None
        return PAUSE_RETRY if math.isinf(self._pause.until) else self._pause.until - now

    def _shed(self, event: Shed) -> None:
        idle = [
            seat
            for seat in self._seats.values()
            if seat.state is SeatState.READY
            and not seat.busy
            and seat.hold_until <= event.now
            and seat.model not in self._plan.kept
            and not self._spec(seat.model).external
            and (self._room.charge(seat.model) or {}).get(event.pool)
            and not self.waiting(seat.model)
            and self._swap_to(seat.model) is None
        ]
        if idle:
            quickest = self._room.load_seconds
            seat = min(idle, key=lambda each: (quickest.get(each.model, math.inf), each.used))
            self._stop(seat, StopReason.MEMORY, event.by)

    def _unload(self, event: Unload) -> None:
        models = set(self._seats) if event.models is None else event.models & set(self._seats)
        for model in sorted(models):
            self._empty(self._seats[model], event.reason, event.by, f"was unloaded by {event.by}")
        self._drain(event.now)

    def _empty(
        self,
        seat: Seat,
        reason: StopReason,
        by: str,
        what: str,
        *,
        refusal: Refusal = Refusal.UNLOADED,
        retry_after: float = BUSY_RETRY,
    ) -> None:
        """Reject all that waits for a model and end its process, whatever it does."""
        for ticket in [each for each in self._tickets.values() if each.model == seat.model]:
            self._unqueue(ticket)
            self._reject(ticket, refusal, f"{seat.model} {what}", retry_after)
        swap = self._swap_to(seat.model)
        if swap is not None:
            swap.waiters.clear()
            swap.unload = (reason.value, by)
            self._abort(swap)
        if seat.state is SeatState.READY:
            self._stop(seat, reason, by)

    def _configure(self, event: Configure) -> None:
        old, self._plan = self._plan, event.plan
        for model, spec in event.plan.models.items():
            seat = self._seats.setdefault(model, Seat(model))
            seat.leaving = False
            if model in event.relaunched:
                seat.failures = Failures()
            if model in old.models and old.models[model].external is not spec.external:
                self._empty(seat, StopReason.CONFIG, "", "is served in another way now")
                seat.let_go()
        for seat in [each for each in self._seats.values() if each.model not in event.plan.models]:
            self._empty(seat, StopReason.CONFIG, "", "is no longer in the configuration")
            seat.let_go()
            seat.leaving = True
            if seat.state is SeatState.STOPPED:
                del self._seats[seat.model]
        for ticket in self._queue:
            ticket.priority = event.plan.models[ticket.model].priority
        self._queue.sort(key=Ticket.key)
        self._drain(event.now)

    def _shutdown(self) -> None:
        self._shut = True
        for ticket in list(self._tickets.values()):
            self._unqueue(ticket)
            self._reject(ticket, Refusal.SHUTTING_DOWN, "qmdesk is shutting down", SHUTDOWN_RETRY)
        for swap in self._swaps.values():
            swap.waiters.clear()
            self._abort(swap)

    # Deciding

    def _walk(self, now: float) -> _Pass:
        rendering = any(
            self._spec(seat.model).renders for seat in self._seats.values() if seat.busy
        )
        idle = {
            seat.model: math.inf
            if seat.state is SeatState.STOPPING
            # One that is held is as good as in use: the others go first.
            else max(0.0, now - seat.idle_since)
            for seat in self._seats.values()
            if seat.state is SeatState.STOPPING
            or (seat.state is SeatState.READY and not seat.busy and seat.hold_until <= now)
        }
        return _Pass(self.resident(), rendering, idle)

    def _decide(self, ticket: Ticket, now: float, walk: _Pass) -> _Decision:
        """What to do with ``ticket`` now, in the order of the scheduling rules."""
        shared = walk.decisions.get(ticket.model)
        if shared is not None and shared.choice is not _Choice.GRANT:
            return shared
        decision = self._decide_anew(ticket, now, walk)
        if decision.shared:
            walk.decisions[ticket.model] = decision
        return decision

    def _decide_anew(self, ticket: Ticket, now: float, walk: _Pass) -> _Decision:
        seat = self._seats[ticket.model]
        spec = self._spec(ticket.model)
        if spec.external:
            return _Decision(_Choice.GRANT)
        swap = self._swap_to(ticket.model)
        if swap is not None:
            if swap.aborting:
                return _Decision(_Choice.WAIT)
            return _Decision(_Choice.JOIN, swap=swap)
        if seat.state is SeatState.STOPPING:
            blockers = tuple(each for each in self._swaps.values() if ticket.model in each.evict)
            return _Decision(_Choice.WAIT, blockers=blockers)
        if seat.state is SeatState.STOPPED and (
            why := self._plan.policy.refuse(ticket.model, walk.resident, self._room)
        ):
            return _Decision(_Choice.REFUSE, why=why)
        victims = self._victims(ticket.model, walk)
        if seat.state is SeatState.READY and not victims:
            if self._starved(ticket, now, walk):
                return _Decision(_Choice.WAIT, shared=False)
            return _Decision(_Choice.GRANT, shared=False)
        if (pause := seat.failures.pause_left(now)) > 0:
            return _Decision(_Choice.REST, wake=now + pause)
        if walk.rendering and not spec.renders:
            return _Decision(_Choice.WAIT)
        blockers = tuple(
            each
            for each in self._swaps.values()
            if each.target in victims or not each.evict.isdisjoint(victims)
        )
        if blockers:
            return _Decision(_Choice.WAIT, blockers=blockers)
        seats = [self._seats[victim] for victim in victims]
        if any(each.busy or each.state is SeatState.STOPPING for each in seats):
            return _Decision(_Choice.WAIT)
        held = [each.hold_until for each in seats if each.hold_until > now]
        if held and ticket.patient(now):
            wake = min(*held, ticket.arrival + ticket.patience)
            return _Decision(_Choice.WAIT, wake=wake, shared=False)
        return _Decision(_Choice.SWAP, victims=victims)

    def _carry_out(self, ticket: Ticket, decision: _Decision, now: float) -> bool:
        """Do what was decided; False where the ticket has to queue."""
        match decision.choice:
            case _Choice.GRANT:
                self._grant(ticket, loaded=False)
            case _Choice.JOIN:
                assert decision.swap is not None
                decision.swap.waiters.append(ticket)
            case _Choice.SWAP:
                self._start_swap(ticket, decision.victims)
            case _Choice.REST:
                failures = self._seats[ticket.model].failures
                self._reject(
                    ticket,
                    Refusal.START_FAILED,
                    said(
                        "{model} failed repeatedly and is left alone for a moment. The last time:"
                        " {why}",
                        model=ticket.model,
                        why=failures.last,
                    ),
                    failures.pause_left(now),
                )
            case _Choice.REFUSE:
                self._reject(
                    ticket,
                    Refusal.NO_ROOM,
                    said("there is no room for it: {why}", why=decision.why),
                    ROOM_RETRY,
                )
            case _Choice.WAIT:
                return False
        return True

    def _victims(self, model: str, walk: _Pass) -> tuple[str, ...]:
        victims = walk.evict.get(model)
        if victims is None:
            victims = walk.evict[model] = self._plan.policy.evict(
                model, walk.resident, self._room, walk.idle
            )
        return victims

    def _starved(self, ticket: Ticket, now: float, walk: _Pass) -> bool:
        """Whether an older ticket has lost its patience waiting for this model to go."""
        if walk.starved is None:
            walk.starved = {}
            oldest: dict[str, int] = {}
            for each in self._queue:
                if not each.patient(now):
                    order = oldest.get(each.model, each.order)
                    oldest[each.model] = min(order, each.order)
            for target, order in oldest.items():
                for victim in self._victims(target, walk):
                    walk.starved[victim] = min(order, walk.starved.get(victim, order))
        return walk.starved.get(ticket.model, ticket.order) < ticket.order

    def _drain(self, now: float) -> None:
        """Look at every queued ticket again, front to back; who is blocked keeps his place."""
        self._queue_wake = math.inf
        if not self._queue:
            return
        walk = self._walk(now)
        kept: list[Ticket] = []
        pending, self._queue = self._queue, []
        waiting = list(pending)
        for index, ticket in enumerate(pending):
            # Those further back still count for fairness while this one is looked at.
            self._queue = waiting
            decision = self._decide(ticket, now, walk)
            if self._carry_out(ticket, decision, now):
                waiting = kept + pending[index + 1 :]
                granted = decision.choice is _Choice.GRANT
                if decision.choice is _Choice.SWAP or (
                    granted and self._spec(ticket.model).renders
                ):
                    walk = self._walk(now)
                elif not ticket.patient(now):
                    walk.starved = None
            else:
                kept.append(ticket)
                self._clear_the_way(decision)
                self._queue_wake = min(self._queue_wake, decision.wake)
        self._queue = kept

    def _clear_the_way(self, decision: _Decision) -> None:
        for swap in decision.blockers:
            if not swap.waiters:
                self._abort(swap)

    # Carrying out

    def _grant(self, ticket: Ticket, *, loaded: bool) -> None:
        self._tickets.pop(ticket.id, None)
        if ticket.position:
            ticket.position = 0
            self._actions.append(QueuePosition(ticket.id, 0))
        self._hand_over(ticket.id, ticket.model, ticket.hold)
        self._actions.append(Grant(ticket.id, loaded))

    def _hand_over(self, ticket: int, model: str, hold: float | None) -> None:
        seat = self._seats[model]
        seat.in_flight.add(ticket)
        self._granted[ticket] = model
        seat.hold_asked = hold
        seat.hold_until = -math.inf
        self._use(seat)

    def _start_swap(self, ticket: Ticket, victims: tuple[str, ...]) -> None:
        self._counter += 1
        swap = ActiveSwap(self._counter, ticket.model, frozenset(victims), [ticket])
        self._swaps[swap.id] = swap
        self._settled.clear()
        for victim in victims:
            seat = self._seats[victim]
            seat.state = SeatState.STOPPING
            seat.let_go()
        seat = self._seats[ticket.model]
        if seat.state is SeatState.STOPPED:
            seat.state = SeatState.LOADING
        self._use(seat)
        why = self._plan.policy.why(ticket.model, victims, self._room) if victims else ""
        self._actions.append(Swap(swap.id, ticket.model, victims, why, ticket.id))

    def _abort(self, swap: ActiveSwap) -> None:
        if not swap.aborting:
            swap.aborting = True
            self._actions.append(AbortSwap(swap.id))

    def _stop(self, seat: Seat, reason: StopReason, by: str = "") -> None:
        seat.state = SeatState.STOPPING
        seat.let_go()
        self._settled.clear()
        self._actions.append(Stop(seat.model, reason, by))

    def _reject(
        self, ticket: Ticket, refusal: Refusal, message: str, retry_after: float | None = None
    ) -> None:
        self._tickets.pop(ticket.id, None)
        self._reject_id(ticket.id, refusal, message, retry_after)

    def _reject_id(
        self, ticket: int, refusal: Refusal, message: str, retry_after: float | None = None
    ) -> None:
        self._actions.append(Reject(ticket, refusal, message, retry_after))

    def _unqueue(self, ticket: Ticket) -> None:
        at = bisect.bisect_left(self._queue, ticket.key(), key=Ticket.key)
        if at < len(self._queue) and self._queue[at] is ticket:
            del self._queue[at]

    # Time

    def _age(self, now: float) -> None:
        """Unload what has been idle too long, refuse what has queued too long."""
        if self._shut:
            return
        for seat, deadline in self._idle_ends():
            if now >= deadline:
                self._stop(seat, StopReason.TTL, "")
        limit = self._plan.queue_timeout
        if limit > 0:
            late = [each for each in self._queue if now >= each.arrival + limit]
            for ticket in late:
                self._unqueue(ticket)
                self._reject(
                    ticket,
                    Refusal.QUEUE_TIMEOUT,
                    said(
                        "{model} did not get its turn within {n} s (queueTimeout)",
                        model=ticket.model,
                        n=f"{limit:g}",
                    ),
                    QUEUE_RETRY,
                )
            if late:
                # Others may have stood behind them for fairness.
                self._drain(now)

    def _idle_ends(self) -> list[tuple[Seat, float]]:
        """The idle models with a ttl, and when it ends."""
        return [
            (seat, seat.idle_since + ttl)
            for seat in self._seats.values()
            if seat.state is SeatState.READY
            and not seat.busy
            and (ttl := self._spec(seat.model).ttl) > 0
            and self._swap_to(seat.model) is None
        ]

    def _set_wake(self) -> None:
        wishes: list[float] = [self._queue_wake] if self._queue else []
        if not self._shut:
            if self._pause is not None:
                wishes.append(self._pause.until)
            wishes += [deadline for _, deadline in self._idle_ends()]
            if self._queue and self._plan.queue_timeout > 0:
                wishes.append(min(each.arrival for each in self._queue) + self._plan.queue_timeout)
        wake = min(wishes, default=math.inf)
        wanted = None if math.isinf(wake) else wake
        if wanted != self._wake:
            self._wake = wanted
            self._actions.append(WakeAt(wanted))

    def _announce(self) -> None:
        for position, ticket in enumerate(self._queue, 1):
            if ticket.position != position:
                ticket.position = position
                self._actions.append(QueuePosition(ticket.id, position))
        for swap in self._swaps.values():
            for ticket in swap.waiters:
                if ticket.position:
                    ticket.position = 0
                    self._actions.append(QueuePosition(ticket.id, 0))

    # Small questions

    def _spec(self, model: str) -> ModelPlan:
        return self._plan.models.get(model, _NO_MODEL)

    def _swap_to(self, model: str) -> ActiveSwap | None:
        return next((swap for swap in self._swaps.values() if swap.target == model), None)

    def _evicting(self, model: str) -> bool:
        return any(model in swap.evict for swap in self._swaps.values())

    def _use(self, seat: Seat) -> None:
        self._uses += 1
        seat.used = self._uses


_NO_MODEL = ModelPlan()
