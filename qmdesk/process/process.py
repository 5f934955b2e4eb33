"""A model's server process through its life: stopped, starting, ready, stopping."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import psutil

from qmdesk.config import Model
from qmdesk.config.command import redact, split
from qmdesk.events import ModelState, StopReason
from qmdesk.logs import Log, plain
from qmdesk.process import tree
from qmdesk.process.child import Child
from qmdesk.process.environment import child_environment
from qmdesk.process.exit_status import describe
from qmdesk.process.hooks import LIMIT as HOOK_LIMIT
from qmdesk.process.hooks import Hooks, StartRefused, bounded
from qmdesk.process.port import NoFreePort, Ports
from qmdesk.process.readiness import addresses, answers, until_ready
from qmdesk.process.record import Records
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

ABORT_GRACE = 5.0
"""Seconds that a process which is still starting gets to end by itself."""
SECOND_TERM = 2.0
"""Seconds after which a llama-server that is asked to end is asked again: with a
stream open it does not end at the first SIGTERM."""
KILL_WAIT = 5.0
"""Seconds to wait for a killed process before it counts as stuck in the kernel."""
DETACHED_WAIT = 2.0
"""Seconds in which the server of a launcher that ended with code 0 must answer."""
TAIL = 4
"""Log lines that go into the message of a failed start."""

Changed = Callable[["Process", ModelState, StopReason | None, str | None], None]
"""Told of every transition: the process, the previous state, why, and what failed."""


SpawnHook = Callable[[Model, tuple[str, ...]], Awaitable[tuple[str, ...]]]


class StartFailed(Exception):
    """The server did not become ready; the message says why, in words for people."""


class StartAborted(Exception):
    """The start was ended by a stop."""


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
        self.argv: tuple[str, ...] = ()
        self.port: int | None = None
        self.base_url = ""
        """Where it answers, without a slash at the end; set while it is ready."""
        self.started_at: float | None = None
        self.ready_at: float | None = None
        """Unix times."""
        self.load_seconds: float | None = None
        """How long the last successful start took."""
        self.stuck: tuple[int, ...] = ()
        """Processes of it that the kernel does not let go."""
        self._ports = ports
        self._records = records
        self._changed = changed
        self._child: Child | None = None
        self._abort: asyncio.Event | None = None
        self._abort_reason = StopReason.ABORT
        self._stopped = asyncio.Event()
        self._stopped.set()

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child and self._child.returncode is None else None

    @property
    def outdated(self) -> bool:
        """It runs with another launch than the configuration now has."""
        return self.launched is not None and self.launched.launch() != self.model.launch()

    def command_line(self) -> str:
        """The launched command, or the configured one, with secrets hidden."""
        argv: Sequence[str] = self.argv
        if not argv:
            argv = _argv(self.model.cmd)
        return " ".join(redact(argv))

    # Start

    async def start(self) -> None:
        """Start it, unless it runs, and wait until it is ready.

        Waits for a stop under way first.  Raises ``StartFailed`` or ``StartAborted``;
        then nothing of the attempt is left running.
        """
        while self.state is not ModelState.READY:
            if self.state is ModelState.STOPPED:
                await self._start()
                return
            await self._stopped.wait()

    async def _start(self) -> None:
        model = self.model
        self._abort = asyncio.Event()
        self._abort_reason = StopReason.ABORT
        self._stopped.clear()
        self.error = None
        self.launched = model
        self.started_at = time.time()
        began = time.monotonic()
        self._to(ModelState.STARTING)
        try:
            await self._launch(model)
            await self._become_ready(model)
            if self.hooks.post_start is not None:
                await bounded(
                    self.hooks.post_start(model, self.base_url), f"{model.id}: post-start hook"
                )
        except StartFailed as failure:
            await self._clear_failed_start()
            self._to_stopped(StopReason.FAILED, str(failure))
            raise
        except StartAborted:
            self._to(ModelState.STOPPING, self._abort_reason)
            await self._clear_failed_start()
            self._to_stopped(self._abort_reason)
            raise
        except BaseException:
            await asyncio.shield(self._clear_failed_start())
            self._to_stopped(StopReason.ABORT)
            raise
        self.ready_at = time.time()
        self.load_seconds = time.monotonic() - began
        self._to(ModelState.READY)
        spawn(self._watch(), f"watch {model.id}")

    async def _launch(self, model: Model) -> None:
        if self.stuck:
            still = tree.alive(each for pid in self.stuck for each in tree.members(pid)[:1])
            self.stuck = tuple(each.pid for each in still)
            if self.stuck:
                raise StartFailed(
                    f"{model.id} cannot be started: the system does not end its last process"
                    f" (number {self.stuck[0]}), which may still hold memory"
                )
        if model.port is not None:
            try:
                self.port = self._ports.take(model.port)
            except NoFreePort as error:
                raise StartFailed(f"{model.id} was not started: {error}") from None
        self.argv = tuple(self._fill(word) for word in _argv(model.cmd))
        if self.hooks.spawn is not None:
            self.argv = await self._ask_spawn_hook(model, self.hooks.spawn)
        program = shutil.which(self.argv[0], path=_search_path(model))
        env = child_environment(
            os.environ, (self._fill(entry) for entry in model.env), program=program
        )
        cwd = _folder(model)
        self.log.write(f"[qmdesk] starting: {self.command_line()}")
        try:
            self._child = Child.start(self.argv, env, cwd, self.log.feed)
        except OSError as error:
            raise StartFailed(_spawn_error(model, self.argv[0], cwd, error)) from None
        self._records.add(self._child.pid, self.argv[0], model.id)

    async def _ask_spawn_hook(self, model: Model, hook: SpawnHook) -> tuple[str, ...]:
        assert self._abort is not None
        try:
            argv = await asyncio.wait_for(hook(model, self.argv), HOOK_LIMIT)
        except StartRefused as refusal:
            raise StartFailed(f"{model.id} was not started: {refusal}") from None
        except TimeoutError:
            log.warning("%s: the spawn hook took too long; started as configured", model.id)
            return self.argv
        if self._abort.is_set():
            raise StartAborted
        return argv

    async def _become_ready(self, model: Model) -> None:
        assert self._child is not None
        assert self._abort is not None
        base = self._fill(model.proxy)
        if model.check_endpoint == "none":
            self.base_url = base
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + model.health_check_timeout
        probe = spawn(
            until_ready(addresses(base), model.check_endpoint, self._hint), f"probe {model.id}"
        )
        ended = spawn(self._child.wait(), f"end of {model.id}")
        abort = spawn(self._abort.wait(), f"abort of {model.id}")
        watched: set[asyncio.Task[object]] = {probe, ended, abort}
        try:
            while True:
                done, _ = await asyncio.wait(
                    watched,
                    timeout=max(0.0, deadline - loop.time()),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if abort in done:
                    raise StartAborted
                if ended in done:
                    if ended.result() != 0:
                        raise StartFailed(self._end_message(ended.result()))
                    if probe not in done:
                        # A launcher whose work is done; its server may be up elsewhere.
                        watched.discard(ended)
                        deadline = min(deadline, loop.time() + DETACHED_WAIT)
                        continue
                if probe in done:
                    self.base_url = probe.result()
                    return
                if ended not in watched:
                    raise StartFailed(self._end_message(0))
                raise StartFailed(
                    f"{model.id} was not ready within {model.health_check_timeout:g} s"
                    f" (healthCheckTimeout): {base}{model.check_endpoint} did not answer 200."
                    f"{self._tail()}"
                )
        finally:
            for task in (probe, ended, abort):
                task.cancel()
            await asyncio.wait((probe, ended, abort))

    def _hint(self, text: str) -> None:
        self.log.write(f"[qmdesk] {text}")

    async def _clear_failed_start(self) -> None:
        if self._child is not None:
            await self._end_tree(self._child, ABORT_GRACE, ask_again=False)

    def _end_message(self, returncode: int) -> str:
        return (
            f"{self.model.id} did not start: {self._program()} {describe(returncode)}"
            f" before it was ready.{self._tail()}"
        )

    def _program(self) -> str:
        return Path(self.argv[0]).name if self.argv else "its server"

    def _tail(self) -> str:
        """The last lines that the server wrote in this run, for a message."""
        self.log.finish()
        lines: list[str] = []
        for line in reversed(self.log.lines(40)):
            if line.startswith("[qmdesk] starting"):
                break
            if text := plain(line).strip():
                lines.append(text)
            if len(lines) == TAIL:
                break
        if not lines:
            return " It wrote nothing."
        said = "\n".join(" ".join(redact(line.split(" "))) for line in reversed(lines))
        return f" Its last words:\n{said}"

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
        error = f"{self.model.id} stopped by itself: {self._program()} {describe(returncode)}."
        error += self._tail()
        log.warning("%s", error)
        self._stopped.clear()
        self._to(ModelState.STOPPING, StopReason.FAILED, error)
        await self._end_tree(child, 0.0, ask_again=False)
        self._to_stopped(StopReason.FAILED, error)

    # Stop

    async def stopped(self) -> None:
        """Wait until nothing of it runs."""
        await self._stopped.wait()

    def kill(self) -> None:
        """End it by force, at once, in whatever state it is; for the last moment."""
        if self._child is not None:
            tree.kill(self._child.pid)

    async def stop(self, reason: StopReason, grace: float) -> None:
        """End the process and all that belongs to it; returns when it is gone.

        ``grace`` is in seconds, for the polite part; ``KILL_WAIT`` may follow it.  A
        process that the kernel does not let go is noted in ``stuck`` and left.
        """
        if self.state is ModelState.STARTING:
            assert self._abort is not None
            self._abort_reason = reason
            self._abort.set()
        elif self.state is ModelState.READY:
            self._stopped.clear()
            self._to(ModelState.STOPPING, reason)
            # A task of its own: whoever asked may be cancelled, the stop must not be.
            spawn(self._stop(reason, grace), f"stop {self.model.id}")
        await self._stopped.wait()

    async def _stop(self, reason: StopReason, grace: float) -> None:
        child, model = self._child, self.launched
        assert child is not None
        assert model is not None
        if self.hooks.pre_stop is not None:
            await bounded(
                self.hooks.pre_stop(model, self.base_url, reason), f"{model.id}: pre-stop hook"
            )
        await self._ask_to_stop(child, grace)
        self._to_stopped(reason)

    async def _ask_to_stop(self, child: Child, grace: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + grace
        if self.launched is not None and self.launched.cmd_stop:
            await self._run_stop_command(self.launched, child, grace)
            grace = max(0.0, deadline - loop.time())
            if not await _ended_within(child, grace):
                log.warning("%s: cmdStop did not end it; it is killed", self.model.id)
            grace = 0.0
        await self._end_tree(child, grace, ask_again=_is_llama_server(self.argv))

    async def _run_stop_command(self, model: Model, child: Child, grace: float) -> None:
        argv = tuple(
            self._fill(word).replace("${PID}", str(child.pid)) for word in _argv(model.cmd_stop)
        )
        env = child_environment(os.environ, (self._fill(entry) for entry in model.env))
        cwd = _folder(model)
        self.log.write(f"[qmdesk] stopping: {' '.join(redact(argv))}")
        try:
            command = Child.start(argv, env, cwd, self.log.feed)
        except OSError as error:
            self.log.write(f"[qmdesk] cmdStop failed: {_spawn_error(model, argv[0], cwd, error)}")
            return
        if not await _ended_within(command, grace):
            self.log.write(f"[qmdesk] cmdStop did not end within {grace:g} s")
            tree.kill(command.pid)
            await _ended_within(command, KILL_WAIT)
        elif command.returncode:
            self.log.write(f"[qmdesk] cmdStop {describe(command.returncode)}")

    async def _end_tree(self, child: Child, grace: float, *, ask_again: bool) -> None:
        """Ask the whole tree to end, then make it; at last note what cannot be ended."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + grace
        # Before the first signal: children of a dead parent cannot be found any more.
        processes = await asyncio.to_thread(tree.members, child.pid)
        if grace > 0:
            tree.terminate(child.pid, processes)
            if ask_again and not await _ended_within(child, min(grace, SECOND_TERM)):
                tree.terminate(child.pid)
            await _ended_within(child, max(0.0, deadline - loop.time()))
        # The leader is gone or will be killed; what it started gets the rest of the time.
        if not await _gone(child, processes, deadline):
            processes = (*processes, *await asyncio.to_thread(tree.members, child.pid))
            tree.kill(child.pid, processes)
            await _ended_within(child, KILL_WAIT)
            await _gone(child, processes, loop.time() + KILL_WAIT)
        if child.returncode is None:
            self.stuck = (child.pid,)
            log.error("%s: process %s cannot be ended by the system", self.model.id, child.pid)
        else:
            self._records.remove(child.pid)

    # Transitions

    def _to(
        self, state: ModelState, reason: StopReason | None = None, error: str | None = None
    ) -> None:
        previous, self.state = self.state, state
        self._changed(self, previous, reason, error)

    def _to_stopped(self, reason: StopReason, error: str | None = None) -> None:
        self._child = None
        self._ports.free(self.port)
        self.port = None
        self.base_url = ""
        self.argv = ()
        self.launched = None
        self.ready_at = None
        self.started_at = None
        self.error = error
        self.log.finish()
        self.log.write(f"[qmdesk] stopped: {error or reason.value}".splitlines()[0])
        self._to(ModelState.STOPPED, reason, error)
        self._stopped.set()

    def _fill(self, text: str) -> str:
        return text.replace("${PORT}", str(self.port)) if self.port is not None else text


async def _ended_within(child: Child, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(child.wait(), seconds)
    return child.returncode is not None


async def _gone(child: Child, processes: Sequence[psutil.Process], deadline: float) -> bool:
    """Wait until the whole tree is gone, but not past ``deadline``; whether it is."""
    loop = asyncio.get_running_loop()
    pause = 0.005
    while True:
        if child.returncode is not None and not tree.alive(processes):
            if not tree.group_lives(child.pid):
                return True
            # Started since the tree was walked, or dead and not yet cleared away.
            processes = await asyncio.to_thread(tree.group, child.pid)
            if not processes:
                return True
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(0.1, pause * 2)


def _argv(command: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(split(command)) if isinstance(command, str) else command


def _folder(model: Model) -> str:
    return os.path.expanduser(model.cwd) if model.cwd else str(Path.home())


def _search_path(model: Model) -> str | None:
    path = next((entry[5:] for entry in reversed(model.env) if entry.startswith("PATH=")), None)
    return path if path is not None else os.environ.get("PATH")


def _is_llama_server(argv: Sequence[str]) -> bool:
    return any("llama-server" in word or "llama_server" in word for word in argv[:3])


def _spawn_error(model: Model, program: str, cwd: str, error: OSError) -> str:
    if not os.path.isdir(cwd):
        return f"{model.id} did not start: there is no folder {cwd} (cwd)"
    if isinstance(error, FileNotFoundError):
        where = "" if os.sep in program else " on the PATH"
        return (
            f"{model.id} did not start: there is no program {program!r}{where}. Install it, or"
            f" write its full path in models.{model.id}.cmd"
        )
    if isinstance(error, PermissionError):
        return f"{model.id} did not start: {program} may not be run (permission denied)"
    return f"{model.id} did not start: {program}: {error.strerror or error}"
