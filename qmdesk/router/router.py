"""The router: events into the scheduler, its actions out into the world."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from qmdesk.config import Config, Model
from qmdesk.config.diff import diff, relaunched
from qmdesk.config.variant import NoVariant, variant_of
from qmdesk.events import (
    Bus,
    ConfigApplied,
    Evicted,
    GaveWay,
    LoadFailed,
    ModelState,
    ModelStateChanged,
    Paused,
    PinChanged,
    QueueChanged,
    Resumed,
    ShutdownStarted,
    StopReason,
    SwapFinished,
    SwapStarted,
)
from qmdesk.logs import Logs
from qmdesk.process import Ports, Process, Records, StartAborted, StartFailed, programs
from qmdesk.process.hooks import Hooks, bounded
from qmdesk.process.process import KILL_WAIT
from qmdesk.router.pause import Pause
from qmdesk.router.plan import plan_of
from qmdesk.router.snapshot import ModelSnapshot, Running, Snapshot
from qmdesk.router.turn import Rejected, Turn
from qmdesk.scheduler import (
    AbortSwap,
    Action,
    Cancel,
    Configure,
    Died,
    Event,
    Foresight,
    Grant,
    Lease,
    Measured,
    Outcome,
    QueuePosition,
    Refusal,
    Reject,
    Release,
    Request,
    Resume,
    Room,
    Scheduler,
    ServeDone,
    Shed,
    Shutdown,
    Stop,
    Stopped,
    Swap,
    SwapDone,
    Unload,
    Wake,
    WakeAt,
)
from qmdesk.scheduler import (
    Pause as PauseEvent,
)
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

SHUTDOWN_BUDGET = 30.0
"""Seconds: half of it for streams to end, the rest for the servers."""
MOST_VARIANTS = 4
"""Of one model."""


@dataclass(eq=False, slots=True)
class _Waiter:
    granted: asyncio.Future[bool]
    by: str
    position: Callable[[int], None] | None


@dataclass(eq=False, slots=True)
class _RunningSwap:
    target: str
    start: asyncio.Task[StartFailed | StartAborted | None] | None = None
    aborted: bool = False


@dataclass(eq=False, slots=True)
class _Use:
    """Who uses a model now, and when it was used last."""

    turns: dict[int, Turn] = field(default_factory=dict)
    quiet: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while nobody does."""
    last_used_at: float | None = None
    beside: set[Turn] = field(default_factory=set)
    """Of those that do not count."""

    def begin(self, ticket: int, turn: Turn) -> None:
        self.turns[ticket] = turn
        self.quiet.clear()

    def end(self, ticket: int) -> None:
        self.turns.pop(ticket, None)
        self.last_used_at = time.time()
        if not self.turns:
            self.quiet.set()


class Router:
    """Gives requests their turns, and owns every server process.

    All methods run on the one event loop.  ``records`` is the folder in which running
    servers are noted, so that none survives a crash of ours.
    """

    def __init__(self, config: Config, bus: Bus, logs: Logs, records: Path) -> None:
        self.bus = bus
        self.logs = logs
        self.config = config
        self.hooks = Hooks()
        self.shutting_down = False
        self.paused: Pause | None = None
        """Set while the card is kept free."""
        self._scheduler = Scheduler(plan_of(config))
        self._applied = config
        """What was put in force; ``config`` has the variants as well."""
        self._ports = Ports()
        self._records = Records(records)
        self._processes: dict[str, Process] = {}
        self._uses: dict[str, _Use] = {}
        self._waiters: dict[int, _Waiter] = {}
        self._swaps: dict[int, _RunningSwap] = {}
        self._pins: dict[str, bool] = {}
        self._resting: dict[str, tuple[tuple[object, ...], ModelSnapshot]] = {}
        """Of each stopped model what was known last, and the facts that it was made of."""
        self._elsewhere: set[Turn] = set()
        self._ids = itertools.count(1)
        self._events: deque[Event] = deque()
        self._feeding = False
        self._wake: asyncio.TimerHandle | None = None
        self._counts = (0, 0)
        self._quiet = asyncio.Event()
        self._hurry = asyncio.Event()
        self._ended: asyncio.Task[None] | None = None
        self._program: asyncio.Task[None] | None = None
        """Waits for the end of the program that the pause is for."""
        for model in config.models.values():
            self._know(model)

    # One way down

    @asynccontextmanager
    async def serve(
        self,
        model: str,
        *,
        by: str = "",
        hold: float | None = None,
        patience: float | None = None,
        position: Callable[[int], None] | None = None,
    ) -> AsyncIterator[Turn]:
        """Wait for a turn at ``model`` (an id), and hold it for the block.

        ``by`` says who asks, for people.  ``hold`` and ``patience`` are in seconds, None
        for the configured ones.  ``position`` hears of each change of the place in the
        queue: 1 is next, 0 has left it.  Raises ``Rejected``.
        """
        if (turn := self.at_once(model, hold=hold)) is not None:
            with self.held(turn):
                yield turn
            return
        began = time.monotonic()
        ticket, loaded = await self._granted(
            model, began, by=by, hold=hold, patience=patience, position=position
        )
        with self._holding(ticket, model, began, loaded) as turn:
            yield turn

    def at_once(self, model: str, *, hold: float | None = None) -> Turn | None:
        """A turn at ``model`` (an id) that needs no wait; None where it has to be waited for.

        Whoever gets it gives it back (``give_back``, or ``held``).
        """
        ticket = next(self._ids)
        if self._feeding or not self._scheduler.grant(ticket, model, hold):
            return None
        self._tell_counts()
        try:
            return self._begin(ticket, model, None, loaded=False)
        except BaseException:
            self._end(ticket, model, loop=False)
            raise

    def give_back(self, turn: Turn) -> None:
        """End a turn that ``at_once`` gave; a second time is harmless."""
        turn.over()
        self._end(turn.ticket, turn.model.id, turn.loop)

    @contextmanager
    def held(self, turn: Turn) -> Iterator[Turn]:
        """Hold a turn that ``at_once`` gave for the rest of its time."""
        try:
            yield turn
        finally:
            self.give_back(turn)

    async def _granted(
        self,
        model: str,
        began: float,
        *,
        by: str,
        hold: float | None,
        patience: float | None,
        position: Callable[[int], None] | None,
    ) -> tuple[int, bool]:
        """Wait for the turn; its ticket, and whether the model was loaded for it."""
        known = None if self.paused else self._processes.get(model)
        if known and (why := known.impossible()):
            # Before anybody is evicted for it.
            self.bus.publish(LoadFailed(model, why))
            raise Rejected(Refusal.START_FAILED, why)
        if self.hooks.wanted is not None and known and known.state is ModelState.STOPPED:
            await self.hooks.wanted()
        ticket = next(self._ids)
        waiter = _Waiter(asyncio.get_running_loop().create_future(), by, position)
        self._waiters[ticket] = waiter
        self._feed(Request(ticket, model, began, hold, patience))
        try:
            return ticket, await waiter.granted
        except asyncio.CancelledError:
            if waiter.granted.done() and not waiter.granted.cancelled():
                waiter.granted.exception()  # Nobody else will look at it.
            # Also where the grant came in the same moment: nobody else will give it back.
            self._feed(Cancel(ticket, time.monotonic()))
            raise
        finally:
            self._waiters.pop(ticket, None)

    @contextmanager
    def _holding(self, ticket: int, model: str, began: float, loaded: bool) -> Iterator[Turn]:
        turn = None
        try:
            # All of it within: whatever happens from here on, the turn is given back.
            turn = self._begin(ticket, model, began, loaded)
            yield turn
        finally:
            if turn is not None:
                turn.over()
            self._end(ticket, model, turn is not None and turn.loop)

    def _begin(self, ticket: int, model: str, began: float | None, loaded: bool) -> Turn:
        waited = 0.0 if began is None else time.monotonic() - began
        turn = self._turn(model, waited, loaded, ticket)
        self._use_of(model).begin(ticket, turn)
        return turn

    def _end(self, ticket: int, model: str, loop: bool) -> None:
        self._use_of(model).end(ticket)
        now = time.monotonic()
        actions = None if self._feeding else self._scheduler.done(ticket, now, loop=loop)
        if actions is None:
            self._feed(ServeDone(ticket, now, loop))
            return
        for action in actions:
            self._do(action)
        self._tell_counts()

    def _use_of(self, model: str) -> _Use:
        use = self._uses.get(model)
        if use is None:
            use = self._uses[model] = _Use()
        return use

    def _turn(self, model: str, waited: float, loaded: bool, ticket: int = 0) -> Turn:
        spec = self.config.models.get(model) or self._processes[model].model
        process = None if spec.external else self._processes[model]
        base_url = process.base_url if process else spec.proxy
        turn = Turn(spec, base_url, waited, loaded, ticket)
        if process is not None and process.state is not ModelState.READY:
            turn.end(f"{model} stopped before the request could be sent", died=True)
        return turn

    @contextmanager
    def elsewhere(self, model: Model) -> Iterator[Turn]:
        """A turn at a server that nobody schedules here, such as a peer's.

        There is no wait for it; a shutdown waits for its end, and then takes it away.  Raises
        ``Rejected`` during one.
        """
        if self.shutting_down:
            raise Rejected(Refusal.SHUTTING_DOWN, "qmdesk is shutting down")
        turn = Turn(model, model.proxy, waited=0.0, loaded=False)
        self._elsewhere.add(turn)
        self._quiet.clear()
        try:
            yield turn
        finally:
            turn.over()
            self._elsewhere.discard(turn)
            self._note_quiet()

    @contextmanager
    def beside(self, model: str) -> Iterator[Turn | None]:
        """A turn at once where ``model`` is ready, None where it is not.

        It does not count: the model is unloaded as if there were no such turn, which then
        ends.
        """
        if self.state(model) is not ModelState.READY:
            yield None
            return
        turn = self._turn(model, 0.0, False)
        beside = self._use_of(model).beside
        beside.add(turn)
        try:
            yield turn
        finally:
            beside.discard(turn)

    def lease(self, model: str) -> Callable[[], None]:
        """Claim ``model`` beyond a request; the function that is returned ends the claim.

        Ending it twice is harmless, and so is a lease on a model that does not run.
        """
        lease = next(self._ids)
        self._feed(Lease(lease, model, time.monotonic()))
        return lambda: self._feed(Release(lease, time.monotonic()))

    async def load(self, model: str, *, by: str) -> None:
        """Start ``model`` as a request would, and return when it is ready.

        Raises ``Rejected``.  Cancelling it gives the load up where nobody else wants it.
        """
        async with self.serve(model, by=by, hold=0.0):
            pass

    async def unload(
        self,
        models: Collection[str] | None = None,
        *,
        reason: StopReason = StopReason.MANUAL,
        by: str,
    ) -> tuple[str, ...]:
        """Stop ``models`` (all where None), whatever they do; return when they have stopped.

        Who waits for them is rejected, who streams from them gets an error.  Returns the
        models that ran.
        """
        chosen = [
            process
            for id, process in self._processes.items()
            if (models is None or id in models) and process.state is not ModelState.STOPPED
        ]
        which = None if models is None else frozenset(models)
        self._feed(Unload(which, reason, by, time.monotonic()))
        await asyncio.gather(*(process.stopped() for process in chosen))
        return tuple(process.model.id for process in chosen)

    async def restart(self, model: str, *, by: str) -> None:
        """Stop ``model`` and load it again, with what the configuration now says."""
        await self.unload((model,), by=by)
        await self.load(model, by=by)

    async def pause(
        self, *, seconds: float | None = None, program: str = "", by: str
    ) -> tuple[str, ...]:
        """Free the card: unload every model of ours, and load none until it is over.

        It is over after ``seconds``, or when nothing called ``program`` runs any more, or
        at ``resume``; a new pause takes the place of an old one.  Whoever waits or asks
        meanwhile is refused; models that are served elsewhere go on.  Returns the models
        that ran, once they have stopped.  Raises ``ProgramNotFound``.
        """
        if program:
            await programs.find(program)
        now, clock = time.time(), time.monotonic()
        pause = Pause(by, now, None if seconds is None else now + seconds, program)
        self._unwatch()
        self.paused = pause
        chosen = [
            process
            for process in self._processes.values()
            if process.state is not ModelState.STOPPED
        ]
        why = (
            f"is not loaded: qmdesk is paused by {by} {pause.end()}."
            " Resume it in the tray, or with: qmdesk resume"
        )
        log.info("paused by %s %s", by, pause.end())
        self._feed(PauseEvent(math.inf if seconds is None else clock + seconds, why, by, clock))
        self.bus.publish(Paused(by, pause.until, program))
        if program:
            self._program = spawn(self._until_ended(program), f"pause until {program} ends")
        await asyncio.gather(*(process.stopped() for process in chosen))
        return tuple(process.model.id for process in chosen)

    def resume(self, *, by: str) -> bool:
        """End the pause; False where there was none."""
        was = self.paused is not None
        self._end_pause(f"resumed by {by}")
        return was

    async def _until_ended(self, program: str) -> None:
        await programs.ended(program)
        self._program = None
        self._end_pause(f"{program} has ended")

    def _end_pause(self, why: str) -> None:
        if self.paused is None:
            return
        self.paused = None
        self._unwatch()
        self._feed(Resume(time.monotonic()))
        log.info("the pause is over: %s", why)
        self.bus.publish(Resumed(why))

    def _unwatch(self) -> None:
        if self._program is not None:
            self._program.cancel()
            self._program = None

    def pin(self, model: str, pinned: bool) -> None:
        """Keep ``model`` against eviction by others, or no longer, until qmdesk ends.

        Takes the place of the configuration's ``pinned``.
        """
        self._pins[model] = pinned
        self._feed(Configure(plan_of(self.config, self._pins), time.monotonic()))
        self.bus.publish(PinChanged(model, pinned))

    def variant(self, model: str, context: int) -> Model:
        """``model`` (an id) with a context of so many tokens, made where there is none yet.

        It is a model of its own until the configuration changes, in the groups of its base.
        Raises ``NoVariant``.
        """
        base = self.config.models[model]
        made = variant_of(base, context)
        if made.id in self.config.models:
            return self.config.models[made.id]
        models = dict(self.config.models)
        others = [id for id in models if id.startswith(f"{model}?ctx=")]
        if len(others) >= MOST_VARIANTS:
            unused = [id for id in others if self.state(id) is ModelState.STOPPED]
            unused = [id for id in unused if not self._scheduler.waiting(id)]
            if not unused:
                raise NoVariant(
                    f"{MOST_VARIANTS} variants of {model} are in use already:"
                    f" {', '.join(others)}. Unload one of them first"
                )
            del models[unused[0]]
        models[made.id] = made
        groups = {
            id: replace(group, members=(*group.members, made.id))
            if model in group.members
            else group
            for id, group in self.config.groups.items()
        }
        priorities = {**self.config.priorities, made.id: self.config.priorities.get(model, 0)}
        self.config = replace(self.config, models=models, groups=groups, priorities=priorities)
        self._know(made)
        self._feed(Configure(plan_of(self.config, self._pins), time.monotonic()))
        self._forget_the_gone()
        return made

    def measured(self, room: Room) -> None:
        """Decide by these figures from now on."""
        self._feed(Measured(room, time.monotonic()))

    def shed(self, pool: str, by: str) -> None:
        """Unload one idle model that holds memory of ``pool``, if there is one.

        ``by`` says who needs it, as the end of a sentence.
        """
        self._feed(Shed(pool, by, time.monotonic()))

    def foresee(self, model: str) -> Foresight:
        """Who would go if ``model`` (an id) were asked for now."""
        return self._scheduler.foresee(model, time.monotonic())

    def apply_config(self, config: Config, *, saved: bool = False) -> tuple[str, ...]:
        """Put ``config`` in force; what changed, in words.

        ``saved`` says that it was saved through qmdesk, for whoever tells of changes.

        Models whose launch is the same go on untouched; one that starts differently now
        is ``outdated`` until its next start; removed ones stop in the background.  Raises
        ``ConfigError`` and then changes nothing.
        """
        plan = plan_of(config, self._pins)
        changes = diff(self._applied, config)
        again = relaunched(self._applied, config)
        # Variants go with the configuration that they were made from.
        self.config = self._applied = config
        for model in config.models.values():
            self._know(model)
        self._feed(Configure(plan, time.monotonic(), again))
        self._forget_the_gone()
        if changes:
            self.bus.publish(ConfigApplied(changes, saved))
        return changes

    async def shutdown(self, budget: float = SHUTDOWN_BUDGET) -> None:
        """Refuse new requests, let streams end, stop every server; within ``budget`` seconds.

        A second call waits for the first; ``hurry`` skips what is still waited for.
        """
        if self._ended is None:
            self.shutting_down = True
            self._ended = spawn(self._shutdown(budget), "router shutdown")
        await asyncio.shield(self._ended)

    def hurry(self) -> None:
        """Do not wait any longer: servers that still run are killed."""
        self._hurry.set()
        for process in self._processes.values():
            process.kill()

    async def sweep(self) -> None:
        """End the servers that an earlier qmdesk, which crashed, has left running."""
        for left in await asyncio.to_thread(self._records.sweep):
            log.warning("ended a server that an earlier qmdesk had left: %s", left)

    def snapshot(self) -> Snapshot:
        """What is known now.  Models that rest cost next to nothing."""
        waiting = self._scheduler.all_waiting()
        models = self.config.models.values()
        return Snapshot(
            models=tuple(self._snapshot_of(model, waiting[model.id]) for model in models),
            waiting=self._scheduler.total_waiting(),
            in_flight=self._scheduler.total_in_flight(),
            shutting_down=self.shutting_down,
            pause=self.paused,
        )

    def state(self, model: str) -> ModelState:
        """The state of a model's process; ``ready`` for one that is not ours."""
        spec = self.config.models.get(model)
        if spec is not None and spec.external:
            return ModelState.READY
        process = self._processes.get(model)
        return process.state if process else ModelState.STOPPED

    def running(self) -> dict[str, Running]:
        """What is known of the processes that start, run or stop, by model."""
        return {
            id: Running(process.state, process.pid, process.load_seconds)
            for id, process in self._processes.items()
            if process.state not in (ModelState.STOPPED, ModelState.SHUTDOWN)
        }

    def progress(self, model: str) -> tuple[float | None, float | None]:
        """How far a load is (0 to 1) and the seconds left; None for what is not known."""
        process = self._processes.get(model)
        return process.progress() if process else (None, None)

    # Events in, actions out

    def _feed(self, event: Event) -> None:
        self._events.append(event)
        if self._feeding:
            # A callback of an action: the action's own event is finished first.
            return
        self._feeding = True
        try:
            while self._events:
                for action in self._scheduler.handle(self._events.popleft()):
                    self._do(action)
        finally:
            self._feeding = False
        if self.paused is not None and not self._scheduler.paused:
            self._end_pause("its time is over")
        self._tell_counts()

    def _tell_counts(self) -> None:
        counts = self._scheduler.counts()
        if counts != self._counts:
            self._counts = counts
            self.bus.publish(QueueChanged(*counts))
            if self._quiet.is_set() is (counts[1] > 0):
                self._note_quiet()

    def _note_quiet(self) -> None:
        if self._elsewhere or self._scheduler.total_in_flight():
            self._quiet.clear()
        else:
            self._quiet.set()

    def _do(self, action: Action) -> None:
        match action:
            case Grant(ticket, loaded):
                if (waiter := self._waiters.get(ticket)) and not waiter.granted.done():
                    waiter.granted.set_result(loaded)
            case Reject(ticket, refusal, message, retry_after):
                if (waiter := self._waiters.get(ticket)) and not waiter.granted.done():
                    waiter.granted.set_exception(Rejected(refusal, message, retry_after))
            case Swap():
                self._swaps[action.swap] = _RunningSwap(action.target)
                waiter = self._waiters.get(action.ticket)
                by = waiter.by if waiter else ""
                spawn(self._swap(action, by), f"swap to {action.target}")
            case AbortSwap(swap):
                self._abort(self._swaps[swap])
            case Stop(model, reason, by):
                if reason is StopReason.MEMORY:
                    self.bus.publish(GaveWay(model, by))
                spawn(self._stop(model, reason, by), f"stop of {model}")
            case WakeAt(when):
                if self._wake is not None:
                    self._wake.cancel()
                    self._wake = None
                if when is not None:
                    delay = max(0.0, when - time.monotonic())
                    self._wake = asyncio.get_running_loop().call_later(delay, self._woken)
            case QueuePosition(ticket, position):
                waiter = self._waiters.get(ticket)
                if waiter and waiter.position:
                    waiter.position(position)

    def _woken(self) -> None:
        self._wake = None
        self._feed(Wake(time.monotonic()))

    # Slow work, in tasks

    async def _swap(self, action: Swap, by: str) -> None:
        running = self._swaps[action.swap]
        began = time.monotonic()
        self.bus.publish(SwapStarted(action.target, action.evict, by))
        outcome, error = Outcome.FAILED, ""
        try:
            if action.evict:
                await asyncio.gather(
                    *(self._stop_process(model, StopReason.EVICT) for model in action.evict)
                )
                self._tell_eviction(action, by, time.monotonic() - began)
                if self.hooks.freed is not None and not running.aborted:
                    await bounded(
                        self.hooks.freed(action.target, action.evict),
                        f"{action.target}: waiting for free memory",
                    )
            outcome, error = await self._start(running)
        except Exception as unexpected:
            log.exception("the swap to %s failed", action.target)
            error = f"{action.target} did not start: {unexpected}"
        finally:
            del self._swaps[action.swap]
            now = time.monotonic()
            if outcome is Outcome.FAILED:
                self.bus.publish(LoadFailed(action.target, error))
            self.bus.publish(
                SwapFinished(action.target, outcome is Outcome.READY, now - began, error or None)
            )
            self._feed(SwapDone(action.swap, outcome, now, error))
            self._forget_the_gone()

    async def _start(self, running: _RunningSwap) -> tuple[Outcome, str]:
        process = self._processes[running.target]
        if running.aborted:
            return Outcome.ABORTED, ""
        running.start = spawn(_started(process), f"start of {running.target}")
        await asyncio.wait((running.start,))
        if running.start.cancelled():
            return Outcome.ABORTED, ""
        failure = running.start.result()
        # Seen in the same moment as it is reported: it cannot have died in between.
        if process.state is ModelState.READY:
            return Outcome.READY, ""
        if isinstance(failure, StartAborted):
            return Outcome.ABORTED, ""
        return Outcome.FAILED, str(failure or process.error or f"{running.target} did not start")

    def _abort(self, running: _RunningSwap) -> None:
        running.aborted = True
        if running.start is None:
            return
        process = self._processes[running.target]
        if process.state is ModelState.STARTING:
            spawn(process.stop(StopReason.ABORT, 0.0), f"abort of {running.target}")
        elif process.state is not ModelState.READY:
            # It waits for its last process to end; there is nothing to stop yet.
            running.start.cancel()

    async def _stop(self, model: str, reason: StopReason, by: str) -> None:
        try:
            what = f"was unloaded ({reason.value}{f', by {by}' if by else ''})"
            if reason is StopReason.CONFIG:
                use = self._use_of(model)
                if use.turns:
                    await self._quiet_within(use.quiet, self._processes[model].model.unload_timeout)
                what = "is no longer in the configuration"
            if reason is StopReason.MEMORY:
                what = f"was unloaded: {by}"
            if reason is StopReason.PAUSE:
                what = f"was unloaded to free the card, by {by}"
            self._end_turns(model, f"{model} {what}")
            log.info("%s %s", model, what)
            await self._stop_process(model, reason)
        finally:
            self._feed(Stopped(model, time.monotonic()))
            self._forget_the_gone()

    async def _stop_process(self, model: str, reason: StopReason) -> None:
        process = self._processes[model]
        await process.stop(reason, process.model.unload_timeout)

    def _tell_eviction(self, action: Swap, by: str, seconds: float) -> None:
        log.info(
            "evicted %s for %s: %s; asked by %s; took %.2f s",
            ", ".join(action.evict),
            action.target,
            action.why,
            by or "nobody named",
            seconds,
        )
        self.bus.publish(Evicted(action.evict, action.target, action.why, by, seconds))

    def _end_turns(self, model: str, why: str, *, died: bool = False) -> None:
        for turn in list(self._use_of(model).turns.values()):
            turn.end(why, died=died)

    async def _quiet_within(self, quiet: asyncio.Event, seconds: float) -> None:
        """Wait until ``quiet`` is set, but not longer than ``seconds``, nor once in a hurry."""
        waits = (spawn(quiet.wait(), "streams end"), spawn(self._hurry.wait(), "hurry"))
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _shutdown(self, budget: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + budget
        self._unwatch()
        self.bus.publish(ShutdownStarted())
        self._feed(Shutdown(time.monotonic()))
        if self._elsewhere or self._scheduler.total_in_flight():
            await self._quiet_within(self._quiet, budget / 2)
        for model in self._uses:
            self._end_turns(model, "qmdesk is shutting down")
        for turn in list(self._elsewhere):
            turn.end("qmdesk is shutting down")
        grace = max(0.0, deadline - loop.time() - KILL_WAIT)
        if self._hurry.is_set():
            grace = 0.0
        stops = [
            spawn(
                process.close(min(grace, process.model.unload_timeout)),
                f"end of {process.model.id}",
            )
            for process in self._processes.values()
        ]
        if stops:
            # Each stop bounds itself; the end of the app does not depend on it.
            _, late = await asyncio.wait(stops, timeout=grace + 3 * KILL_WAIT)
            if late:
                log.error("some servers did not stop in time and are killed")
                self.hurry()
            for stop in late:
                stop.cancel()
        if self._wake is not None:
            self._wake.cancel()

    # Knowing

    def _know(self, model: Model) -> None:
        self._uses.setdefault(model.id, _Use())
        process = self._processes.get(model.id)
        if model.external:
            return
        if process is not None:
            process.model = model
            return
        self._processes[model.id] = Process(
            model,
            self.logs.of(model.id),
            self._ports,
            self._records,
            hooks=self.hooks,
            changed=self._process_changed,
        )

    def _forget_the_gone(self) -> None:
        """Drop the processes of models that left the configuration, once they have stopped."""
        for id, process in list(self._processes.items()):
            model = self.config.models.get(id)
            if (model is None or model.external) and process.state is ModelState.STOPPED:
                del self._processes[id]
                self._resting.pop(id, None)

    def _process_changed(
        self,
        process: Process,
        previous: ModelState,
        reason: StopReason | None,
        error: str | None,
    ) -> None:
        model = process.model.id
        self.bus.publish(ModelStateChanged(model, process.state, previous, reason, error))
        if previous is ModelState.READY:
            for turn in list(self._use_of(model).beside):
                turn.end(f"{model} was unloaded")
        if previous is ModelState.READY and reason is StopReason.FAILED:
            self._end_turns(model, error or f"{model} stopped by itself", died=True)
            self._feed(Died(model, error or "", time.monotonic()))

    def snapshot_of(self, model: Model) -> ModelSnapshot:
        """What is known now of one configured model."""
        return self._snapshot_of(model, self._scheduler.waiting(model.id))

    def _snapshot_of(self, model: Model, waiting: int) -> ModelSnapshot:
        process = self._processes.get(model.id)
        use = self._uses.get(model.id)
        resting = process is not None and process.state is ModelState.STOPPED
        if process is None or not resting or waiting or self._scheduler.in_flight(model.id):
            return self._look(model, waiting)
        facts = (
            *(model, self._pins.get(model.id), use.last_used_at if use else None),
            *(process, process.error, process.port, process.load_seconds),
        )
        known = self._resting.get(model.id)
        if known is None or known[0] != facts:
            known = self._resting[model.id] = (facts, self._look(model, waiting))
        return known[1]

    def _look(self, model: Model, waiting: int) -> ModelSnapshot:
        process = self._processes.get(model.id)
        use = self._uses.get(model.id)
        progress, eta = self.progress(model.id)
        return ModelSnapshot(
            id=model.id,
            name=model.name,
            description=model.description,
            state=self.state(model.id),
            in_flight=self._scheduler.in_flight(model.id),
            waiting=waiting,
            aliases=model.aliases,
            unlisted=model.unlisted,
            external=model.external,
            outdated=process.outdated if process else False,
            pinned=self._pins.get(model.id, model.pinned),
            pid=process.pid if process else None,
            port=process.port if process else None,
            proxy=process.base_url if process else model.proxy,
            launch=process.launch if process else "",
            ttl=model.ttl,
            ready_at=process.ready_at if process else None,
            last_used_at=use.last_used_at if use else None,
            load_seconds=process.load_seconds if process else None,
            progress=progress,
            eta=eta,
            error=process.error if process else None,
        )


async def _started(process: Process) -> StartFailed | StartAborted | None:
    """Start ``process``; its failure as a value, because the swap expects it."""
    try:
        await process.start()
    except (StartFailed, StartAborted) as failure:
        return failure
    return None
