"""A model's server process through its life: stopped, starting, ready, stopping."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path

import psutil

from qmdesk.config import Model
from qmdesk.config.command import redact, shown
from qmdesk.events import ModelState, StopReason
from qmdesk.logs import Log, plain
from qmdesk.process import import_table, progress, stop, tree
from qmdesk.process.child import Child
from qmdesk.process.exit_status import DLL_MISSING, describe
from qmdesk.process.hooks import LIMIT as HOOK_LIMIT
from qmdesk.process.hooks import Hooks, StartRefused, bounded
from qmdesk.process.launch import Launch
from qmdesk.process.listener import listener, stranger
from qmdesk.process.port import NoFreePort, Ports
from qmdesk.process.readiness import Readiness, addresses, answers
from qmdesk.process.record import Records
from qmdesk.process.second_try import second_try
from qmdesk.said import said
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

KILL_WAIT = stop.KILL_WAIT
"""Seconds that a stop may take beyond its grace."""
ABORT_GRACE = 5.0
"""Seconds that a process which is still starting gets to end by itself."""
DETACHED_WAIT = 2.0
"""Seconds in which the server of a launcher that ended with code 0 must answer."""
TAIL = 4
"""Log lines that go into the message of a failed start."""
START_MARK = "[qmdesk] starting: "
"""How the line begins that each run has in the model's log."""
_STORY = 200
"""Log lines of a failed run in which its cause is looked for."""

Changed = Callable[["Process", ModelState, StopReason | None, str | None], None]
"""Told of every transition: the process, the previous state, why, and what failed."""


class StartFailed(Exception):
    """The server did not become ready; the message says why, in words for people."""


class StartAborted(Exception):
    """The start was ended by a stop, or comes after the last one."""


class _Ended(StartFailed):
    """... because it ended by itself."""


class Process:
    """The one owner of one model's process.  All methods run on the event loop."""

    def __init__(
        self,
        model: Model,
        log_of_model: Log,
        ports: Ports,
        records: Records,
        *,
        hooks: Hooks,
        changed: Changed,
    ) -> None:
        self.model = model
        self.hooks = hooks
        self.log = log_of_model
        self.state = ModelState.STOPPED
        self.error: str | None = None
        """Why it failed last, until it starts again."""
        self.launched: Model | None = None
        """What the running process was started from; ``model`` may be newer."""
        self.port: int | None = None
        self.base_url = ""
        """Where it answers, without a slash at the end; set while it is ready."""
        self.started_at: float | None = None
        self.ready_at: float | None = None
        """Unix times."""
        self.returncode: int | None = None
        """How the last process ended, as ``subprocess`` has it; None while it runs."""
        self._ports = ports
        self._records = records
        self._changed = changed
        self._launch: Launch | None = None
        self._child: Child | None = None
        self._start: asyncio.Task[StartFailed | StartAborted | None] | None = None
        self._attempt: asyncio.Task[StartFailed | None] | None = None
        self._waiting = 0
        """Callers that wait for the start under way."""
        self._aborted: StopReason | None = None
        self._polite: asyncio.Task[None] | None = None
        """The part of a stop that waits for the server's own will."""
        self._forced = False
        self._force_timer: asyncio.TimerHandle | None = None
        self._stopped = asyncio.Event()
        self._stopped.set()
        self._stuck: tuple[psutil.Process, ...] = ()
        self._progress = progress.Progress()
        self._sampled_at = 0.0
        self._sampling: asyncio.Task[None] | None = None
        self._body = b""

    # Facts

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child and self._child.returncode is None else None

    async def pids(self) -> tuple[int, ...]:
        """Every process of it that runs, the leader first."""
        if self._child is None:
            return ()
        return tuple(each.pid for each in await asyncio.to_thread(self._child.tree.look))

    @property
    def argv(self) -> tuple[str, ...]:
        """What was launched, secrets included; empty while it is stopped."""
        return self._launch.argv if self._launch else ()

    @property
    def outdated(self) -> bool:
        """It runs with another launch than the configuration now has."""
        return self.launched is not None and self.launched.launch() != self.model.launch()

    @property
    def load_seconds(self) -> float | None:
        """How long the last successful start took."""
        return self._progress.seconds

    @property
    def load_bytes(self) -> int | None:
        """What it read during the last successful start, where the system tells."""
        return self._progress.bytes

    @property
    def exit_status(self) -> str | None:
        """How its last process ended, in words; None while it runs."""
        return None if self.returncode is None else describe(self.returncode)

    @property
    def stuck(self) -> tuple[int, ...]:
        """Processes of it that the kernel does not let go."""
        return tuple(each.pid for each in self._stuck)

    @property
    def launch(self) -> str | tuple[str, ...]:
        """The launched command, or the configured one, secrets included."""
        return self.argv or self.model.cmd

    def command_line(self) -> str:
        """The launched command, or the configured one, with secrets hidden."""
        return shown(self.launch)

    def progress(self) -> tuple[float | None, float | None]:
        """How far a start under way is (0 to 1), and the seconds left; None: unknown.

        Asking has what the processes read be looked at, at most twice a second.
        """
        if self.state is not ModelState.STARTING:
            return None, None
        now = time.monotonic()
        if (
            self._child is not None
            and (self._sampling is None or self._sampling.done())
            and now - self._sampled_at >= progress.SAMPLE_EVERY
        ):
            self._sampled_at = now
            self._sampling = spawn(self._sample(self._child), f"progress of {self.model.id}")
        said = progress.said_in_body(self._body)
        if said is None:
            said = progress.said_in_log([*self._story(4), self.log.unfinished])
        self._progress.said(said)
        return self._progress.estimate(now)

    async def _sample(self, child: Child) -> None:
        read = await asyncio.to_thread(lambda: progress.bytes_read(child.tree.look()))
        if child is self._child:
            self._progress.read(read)

    # Start

    def impossible(self) -> str | None:
        """Why a start would fail at once, where that is certain without trying.

        For whoever would have to stop another server first.  Harmless while it runs.
        """
        if self.state is not ModelState.STOPPED:
            return None
        why = Launch.of(self.model, self.model.port).impossible()
        if why is None:
            return None
        self.error = said("{model} was not started: {why}", model=self.model.id, why=why)
        return self.error

    async def start(self) -> None:
        """Start it, unless it runs, and wait until it is ready.

        Waits for a stop under way first, and joins a start under way.  Raises
        ``StartFailed`` or ``StartAborted``; then nothing of the attempt is left running.
        A start that every caller has been cancelled of is aborted.
        """
        while self.state is ModelState.STOPPING:
            await self._stopped.wait()
        if self.state is ModelState.READY:
            return
        if self.state is ModelState.SHUTDOWN:
            raise StartAborted(f"{self.model.id} is not started any more")
        if self.state is ModelState.STOPPED:
            self._begin()
        assert self._start is not None
        self._waiting += 1
        try:
            failure = await asyncio.shield(self._start)
        finally:
            self._waiting -= 1
            if self._waiting == 0 and self.state is ModelState.STARTING:
                self._abort(StopReason.ABORT)
        if failure is not None:
            # One of its own for each caller: a raised exception keeps its trace.
            kind = StartFailed if isinstance(failure, StartFailed) else StartAborted
            raise kind(*failure.args)

    def _begin(self) -> None:
        self._stopped.clear()
        self.error = None
        self.returncode = None
        self._aborted = None
        self._forced = False
        self.launched = self.model
        self.started_at = time.time()
        self._start = spawn(self._starting(self.model), f"start {self.model.id}")
        self._to(ModelState.STARTING)

    async def _starting(self, model: Model) -> StartFailed | StartAborted | None:
        # A task within the task: it can be cancelled at any moment, the clearing cannot.
        attempt = self._attempt = spawn(self._attempts(model), f"attempt at {model.id}")
        if self._aborted is not None:
            attempt.cancel()
        try:
            await asyncio.wait((attempt,))
        except asyncio.CancelledError:
            # The loop ends; there is no time for more.
            self.kill()
            raise
        if self._aborted is not None or attempt.cancelled():
            reason = self._aborted or StopReason.ABORT
            self._to(ModelState.STOPPING, reason)
            await self._clear()
            await self._tell_open_port()
            self._to_stopped(reason)
            return StartAborted(f"the start of {model.id} was stopped")
        error = attempt.exception()
        failure = attempt.result() if error is None else StartFailed(f"{model.id}: {error}")
        if failure is not None:
            await self._clear()
            self._to_stopped(StopReason.FAILED, str(failure))
            return failure
        self.ready_at = time.time()
        self._to(ModelState.READY)
        spawn(self._watch(), f"watch {model.id}")
        return None

    def _abort(self, reason: StopReason) -> None:
        if self._aborted is None:
            self._aborted = reason
            if self._attempt is not None:
                self._attempt.cancel()

    async def _attempts(self, model: Model) -> StartFailed | None:
        """Start it, and once more where the first failure goes away by itself."""
        deadline = time.monotonic() + model.health_check_timeout
        ended_before = self._records.ended_at
        began = time.monotonic()
        try:
            await self._attempt_at(model, model.port, deadline)
            return None
        except _Ended as failure:
            again = second_try(
                self._story(_STORY),
                port=self.port,
                since_other=None if ended_before is None else began - ended_before,
            )
            if again is None:
                return failure
        except StartFailed as failure:
            return failure
        self._say(again.why)
        await self._clear()
        await asyncio.sleep(again.wait)
        taken, self.port = self.port, None
        try:
            # The first port is given back only now, so that it is not taken again.
            wanted = model.port if not again.other_port or taken is None else taken + 1
            await self._attempt_at(model, wanted, deadline)
        except StartFailed as failure:
            return failure
        finally:
            self._ports.free(taken)
        return None

    async def _attempt_at(self, model: Model, port: int | None, deadline: float) -> None:
        launch = await self._prepare(model, port)
        child = self._spawn(launch)
        await self._become_ready(launch, child, deadline)
        if self.hooks.post_start is not None:
            await bounded(
                self.hooks.post_start(model, self.base_url), f"{model.id}: post-start hook"
            )

    async def _prepare(self, model: Model, wanted: int | None) -> Launch:
        self._stuck = tree.alive(self._stuck)
        if self._stuck:
            raise StartFailed(
                said(
                    "{model} cannot be started: the system does not end its last process (number"
                    " {pid}), which may still hold memory",
                    model=model.id,
                    pid=self._stuck[0].pid,
                )
            )
        if wanted is not None:
            try:
                self.port = self._ports.take(wanted)
            except NoFreePort as error:
                raise StartFailed(_not_started(model.id, str(error))) from None
            if self.port != wanted:
                self._say(f"port {wanted} is taken; it is started on {self.port}")
        launch = Launch.of(model, self.port)
        if self.hooks.spawn is not None:
            try:
                # Before Python 3.12 wait_for can lose a cancellation; here and elsewhere.
                async with asyncio.timeout(HOOK_LIMIT):
                    argv = await self.hooks.spawn(model, launch.argv)
            except StartRefused as refusal:
                raise StartFailed(_not_started(model.id, str(refusal))) from None
            except TimeoutError:
                log.warning("%s: the spawn hook took too long; started as configured", model.id)
            else:
                launch = replace(launch, argv=argv)
        return launch

    def _spawn(self, launch: Launch) -> Child:
        self._launch = launch
        self.log.write(f"{START_MARK}{self.command_line()}")
        self._progress.begin(time.monotonic())
        self._body = b""
        try:
            child = Child.start(launch.argv, launch.environment(), launch.folder, self.log.feed)
        except OSError as error:
            why = launch.why_not(error)
            raise StartFailed(
                said("{model} did not start: {why}", model=launch.model.id, why=why)
            ) from None
        self._child = child
        self._records.add(child.pid, launch.argv[0], launch.model.id)
        return child

    async def _become_ready(self, launch: Launch, child: Child, deadline: float) -> None:
        model = launch.model
        if model.check_endpoint == "none":
            self.base_url = launch.base_url
            self._progress.finish(time.monotonic(), None)
            return
        readiness = Readiness(
            addresses(launch.base_url), model.check_endpoint, hint=self._say, heard=self._heard
        )
        probe = spawn(readiness.wait(), f"probe {model.id}")
        ended = spawn(child.wait(), f"end of {model.id}")
        watched: set[asyncio.Task[object]] = {probe, ended}
        try:
            while not probe.done():
                done, _ = await asyncio.wait(
                    watched,
                    timeout=max(0.0, deadline - time.monotonic()),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if ended in done:
                    if ended.result() != 0:
                        raise _Ended(await self._why_it_ended(child))
                    # A launcher whose work is done; its server may be up elsewhere.
                    watched.discard(ended)
                    deadline = min(deadline, time.monotonic() + DETACHED_WAIT)
                elif not done:
                    if child.returncode is not None:
                        raise _Ended(await self._why_it_ended(child))
                    raise StartFailed(self._why_so_late(launch, readiness))
            await self._check_identity(launch, child)
            self.base_url = probe.result()
        finally:
            for task in (probe, ended):
                task.cancel()
            await asyncio.wait((probe, ended))

    async def _check_identity(self, launch: Launch, child: Child) -> None:
        """Make sure that it is our server which has answered; get to know its tree."""
        port = launch.own_port
        answered = time.monotonic()

        def inspect() -> tuple[str | None, int | None]:
            processes = child.tree.look()
            other = stranger(port, processes, child.tree.started) if port else None
            return str(other) if other else None, progress.bytes_read(processes)

        other, read = await asyncio.to_thread(inspect)
        if child.returncode not in (None, 0):
            raise _Ended(await self._why_it_ended(child))
        if other is not None:
            raise StartFailed(
                said(
                    "{model} did not start: port {port} is answered by another program, {program}."
                    " End that program, or give the model another port.",
                    model=launch.model.id,
                    port=port,
                    program=other,
                )
                + self._tail()
            )
        if strays := child.tree.strays():
            self._records.add_strays(child.pid, strays)
        self._progress.finish(answered, read)

    async def _clear(self) -> None:
        """End what a failed or aborted start has left."""
        if self._child is not None:
            await self._end(self._child, stop.ask(self._child, ABORT_GRACE))
            self._child = None

    def _heard(self, body: bytes) -> None:
        self._body = body

    # What went wrong, in words

    async def _why_it_ended(self, child: Child) -> str:
        assert child.returncode is not None
        how = await self._how_it_ended(child.returncode)
        return (
            said(
                "{model} did not start: {program} {how} before it was ready.",
                model=self.model.id,
                program=self._program(),
                how=how,
            )
            + self._tail()
        )

    async def _how_it_ended(self, returncode: int) -> str:
        missing: tuple[str, ...] = ()
        if returncode == DLL_MISSING and self._launch and (program := self._launch.program):
            missing = await asyncio.to_thread(import_table.missing, Path(program))
        return describe(returncode, missing)

    def _why_so_late(self, launch: Launch, readiness: Readiness) -> str:
        model = launch.model
        answer = said("gave no answer")
        if readiness.status is not None:
            answer = said("answered {status}", status=readiness.status)
        return (
            said(
                "{model} was not ready within {n} s (healthCheckTimeout): {url} {answer}, not 200.",
                model=model.id,
                n=f"{model.health_check_timeout:g}",
                url=f"{launch.base_url}{model.check_endpoint}",
                answer=answer,
            )
            + self._tail()
        )

    def _program(self) -> str:
        return self._launch.name if self._launch else said("its server")

    def _story(self, last: int) -> list[str]:
        """The last lines that the server wrote in this run, oldest first."""
        lines: list[str] = []
        for line in reversed(self.log.lines(last)):
            if line.startswith(START_MARK):
                break
            lines.append(plain(line))
        return lines[::-1]

    def _tail(self) -> str:
        """The last words of this run, for a message."""
        self.log.finish()
        lines = [text for line in self._story(40) if (text := line.strip())][-TAIL:]
        lines = [line for line in lines if not line.startswith("[qmdesk] ")] or lines
        if not lines:
            return said(" It wrote nothing.")
        wrote = "\n".join(" ".join(redact(line.split(" "))) for line in lines)
        return said(" Its last words:") + f"\n{wrote}"

    # Running

    async def _watch(self) -> None:
        """See the end of a ready process that nobody has asked for."""
        child = self._child
        assert child is not None
        returncode = await child.wait()
        if returncode == 0 and await answers(addresses(self.base_url)):
            # A launcher whose work is done; the server that it started goes on.
            return
        if self._child is not child or self.state is not ModelState.READY:
            return
        self._stopped.clear()
        how = await self._how_it_ended(returncode)
        error = (
            said(
                "{model} stopped by itself: {program} {how}.",
                model=self.model.id,
                program=self._program(),
                how=how,
            )
            + self._tail()
        )
        log.warning("%s", error)
        self._to(ModelState.STOPPING, StopReason.FAILED, error)
        await self._end(child)
        await self._tell_open_port()
        self._to_stopped(StopReason.FAILED, error)

    # Stop

    async def stopped(self) -> None:
        """Wait until nothing of it runs."""
        await self._stopped.wait()

    def kill(self) -> None:
        """End it by force, at once, in whatever state it is; for the last moment."""
        if self.state is ModelState.STARTING:
            self._abort(StopReason.ABORT)
        self._force()

    async def stop(self, reason: StopReason, grace: float) -> None:
        """End the process and all that belongs to it; returns when it is gone.

        ``grace`` is in seconds, for the polite part; ``KILL_WAIT`` may follow it.  A
        stop under way is not repeated, but hurried where ``grace`` ends sooner; a start
        under way is aborted, with a grace of its own.  What the kernel does not let go is
        noted in ``stuck`` and left.
        """
        if self.state is ModelState.STARTING:
            self._abort(reason)
        elif self.state is ModelState.READY:
            self._stopped.clear()
            self._to(ModelState.STOPPING, reason)
            # A task of its own: whoever asked may be cancelled, the stop must not be.
            spawn(self._stop(reason, grace), f"stop {self.model.id}")
        elif self.state is ModelState.STOPPING:
            self._force_within(grace)
        await self._stopped.wait()

    async def close(self, grace: float) -> None:
        """Stop it for good: the state ``shutdown``, from which nothing starts."""
        while self.state not in (ModelState.STOPPED, ModelState.SHUTDOWN):
            await self.stop(StopReason.SHUTDOWN, grace)
        if self.state is ModelState.STOPPED:
            self._to(ModelState.SHUTDOWN, StopReason.SHUTDOWN)

    async def _stop(self, reason: StopReason, grace: float) -> None:
        child, launch = self._child, self._launch
        assert child is not None
        assert launch is not None
        await self._end(child, self._ask(launch, child, reason, grace))
        await self._tell_open_port()
        self._to_stopped(reason)

    async def _ask(self, launch: Launch, child: Child, reason: StopReason, grace: float) -> None:
        if self.hooks.pre_stop is not None:
            await bounded(
                self.hooks.pre_stop(launch.model, self.base_url, reason),
                f"{launch.model.id}: pre-stop hook",
            )
        left = await stop.ask_by_command(launch, child, grace, self._say)
        if left > 0:
            await stop.ask(child, left, twice=launch.llama_server)

    async def _end(self, child: Child, polite: Coroutine[None, None, None] | None = None) -> None:
        """End ``child`` with its tree, after ``polite`` has asked it to."""
        if self._sampling is not None:
            await asyncio.wait((self._sampling,))
        if polite is not None and self._forced:
            polite.close()
        elif polite is not None:
            self._polite = spawn(polite, f"asking {self.model.id} to stop")
            try:
                await asyncio.wait((self._polite,))
            finally:
                self._polite.cancel()
                self._polite = None
        try:
            self._stuck = await stop.end(child)
        except Exception:
            # Whatever it was: nobody may wait for ever for this stop.
            log.exception("%s: ending its processes failed; they are killed", self.model.id)
            child.tree.kill()
            self._stuck = ()
        self.returncode = child.returncode
        if self._stuck:
            log.error("%s: process %s cannot be ended by the system", self.model.id, self.stuck[0])
            self._say(f"process {self.stuck[0]} cannot be ended by the system")
        else:
            self._records.remove(child.pid)

    def _force_within(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        when = loop.time() + seconds
        if self._force_timer is None or when < self._force_timer.when():
            if self._force_timer is not None:
                self._force_timer.cancel()
            self._force_timer = loop.call_at(when, self._force)

    def _force(self) -> None:
        if self.state in (ModelState.STARTING, ModelState.STOPPING):
            self._forced = True
            if self._polite is not None:
                self._polite.cancel()
        if self._child is not None:
            # On the event loop, for once: there may be no other moment.
            self._child.tree.look()
            self._child.tree.kill()

    async def _tell_open_port(self) -> None:
        """Say so where the port is still open though all that we know of has ended."""
        port = self._launch.own_port if self._launch else None
        if port is None or self._stuck or await stop.port_closed(port):
            return
        try:
            holder = await asyncio.to_thread(listener, port)
        except Exception:
            log.exception("%s: who holds port %s cannot be told", self.model.id, port)
            holder = None
        text = (
            f"port {port} is still open after the stop, held by {holder or 'an unknown program'};"
            " if its server runs elsewhere, as in a container, set cmdStop"
        )
        log.warning("%s: %s", self.model.id, text)
        self._say(text)

    # Transitions

    def _to(
        self, state: ModelState, reason: StopReason | None = None, error: str | None = None
    ) -> None:
        previous, self.state = self.state, state
        self._changed(self, previous, reason, error)

    def _to_stopped(self, reason: StopReason, error: str | None = None) -> None:
        self._child = None
        self._start = self._attempt = None
        self._launch = None
        if self._force_timer is not None:
            self._force_timer.cancel()
            self._force_timer = None
        self._ports.free(self.port)
        self.port = None
        self.base_url = ""
        self.launched = None
        self.ready_at = None
        self.started_at = None
        self.error = error
        self.log.finish()
        self._say(f"stopped: {error or reason.value}".splitlines()[0])
        self._to(ModelState.STOPPED, reason, error)
        self._stopped.set()

    def _say(self, text: str) -> None:
        self.log.write(f"[qmdesk] {text}")


def _not_started(model: str, why: str) -> str:
    return said("{model} was not started: {why}", model=model, why=why)
