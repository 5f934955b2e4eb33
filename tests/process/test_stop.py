"""How a server is stopped: with its whole tree, within its time, whatever it does."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from qmdesk.config import Model
from qmdesk.events import ModelState, StopReason
from qmdesk.process import StartFailed, stop
from qmdesk.process import child as child_module
from qmdesk.process.hooks import Hooks, bounded
from qmdesk.process.listener import listener
from qmdesk.process.port import is_held
from qmdesk.process.tree import Tree
from tests.conftest import pid_runs, until
from tests.process.conftest import Make, Server, fake, python, shell

# Ends at the second SIGTERM only, as a llama-server with an open stream does.
TWICE = (
    "import os, signal, time\n"
    "seen = []\n"
    # No buffer and no unwinding: the second signal may come within the first's handler.
    "def on(*_):\n"
    "    seen.append(1); os.write(1, b'asked %d\\n' % len(seen))\n"
    "    if len(seen) == 2: os._exit(0)\n"
    "signal.signal(signal.SIGTERM, on)\n"
    "print('serving', flush=True)\n"
    "time.sleep(60)\n"
    "time.sleep(60)\n"
)


async def tree_of(server: Server, count: int) -> tuple[int, ...]:
    """The numbers of its processes, once there are ``count``."""
    found: tuple[int, ...] = ()

    def enough() -> bool:
        nonlocal found
        leader = psutil.Process(server.pid())
        found = (leader.pid, *(each.pid for each in leader.children(recursive=True)))
        return len(found) >= count

    await until(enough)
    return found


class TestAsking:
    async def test_one_that_ends_when_asked_is_not_killed(self, make: Make) -> None:
        server = make()
        await server.process.start()
        await server.process.stop(StopReason.MANUAL, 10.0)
        assert server.process.returncode == 0
        assert server.process.exit_status == "ended with code 0"

    async def test_one_that_does_not_is_killed_after_its_grace(self, make: Make) -> None:
        server = make(fake("--ignore-term"))
        await server.process.start()
        began = time.monotonic()
        await server.process.stop(StopReason.MANUAL, 0.3)
        assert time.monotonic() - began >= 0.3
        assert server.process.returncode == -signal.SIGKILL
        await server.process.start()
        assert server.process.state is ModelState.READY

    async def test_a_request_that_hangs_does_not_keep_it(self, make: Make) -> None:
        server = make(fake("--ignore-term"))
        await server.process.start()
        assert server.process.port is not None
        _, writer = await asyncio.open_connection("127.0.0.1", server.process.port)
        writer.write(b"POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
        async with asyncio.timeout(10):
            await server.process.stop(StopReason.MANUAL, 0.1)
        writer.close()
        assert not is_held(server.process.model.port or 0)

    async def test_a_llama_server_is_asked_twice(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stop, "SECOND_TERM", 0.2)
        server = make((*python(TWICE), "llama-server"), check_endpoint="none")
        await server.process.start()
        await until(lambda: server.wrote("serving"))
        await server.process.stop(StopReason.MANUAL, 30.0)
        assert server.process.returncode == 0
        assert server.wrote("asked 2")

    async def test_others_are_asked_once(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stop, "SECOND_TERM", 0.05)
        server = make(python(TWICE), check_endpoint="none")
        await server.process.start()
        await until(lambda: server.wrote("serving"))
        await server.process.stop(StopReason.MANUAL, 0.5)
        assert server.process.returncode == -signal.SIGKILL
        assert not server.wrote("asked 2")


class TestWholeTree:
    async def test_a_wrapper_whose_server_ignores_the_signal(self, make: Make) -> None:
        server = make(shell("FAKE --ignore-term & wait"))
        await server.process.start()
        pids = await tree_of(server, 2)
        await server.process.stop(StopReason.MANUAL, 0.2)
        assert not any(pid_runs(pid) for pid in pids)
        assert not is_held(server.process.model.port or 0)

    @pytest.mark.parametrize("escape", [(), ("--fork-escapes",)])
    async def test_a_grandchild_that_ignores_the_signal_in_its_session_or_its_own(
        self, make: Make, escape: tuple[str, ...]
    ) -> None:
        server = make(fake("--fork", *escape))
        await server.process.start()
        pids = await tree_of(server, 2)
        await server.process.stop(StopReason.MANUAL, 0.2)
        assert not any(pid_runs(pid) for pid in pids)

    async def test_one_that_left_and_whose_parent_has_died(self, make: Make) -> None:
        """It was seen when the server got ready; no parent leads to it any more."""
        server = make(shell("FAKE --fork --fork-escapes & wait"))
        await server.process.start()
        pids = await tree_of(server, 3)
        os.kill(pids[0], signal.SIGKILL)
        await until(lambda: server.process.state is ModelState.STOPPED)
        await until(lambda: not any(pid_runs(pid) for pid in pids))

    async def test_the_end_of_a_server_ends_what_it_started(self, make: Make) -> None:
        server = make(fake("--fork"))
        await server.process.start()
        pids = await tree_of(server, 2)
        os.kill(pids[0], signal.SIGKILL)
        await until(lambda: server.process.state is ModelState.STOPPED)
        assert not any(pid_runs(pid) for pid in pids)

    async def test_what_a_launcher_left_in_its_group_is_ended(self, make: Make) -> None:
        server = make(shell("FAKE & exit 0"))
        await server.process.start()
        assert server.process.state is ModelState.READY
        assert server.process.pid is None
        pids = await server.process.pids()
        assert len(pids) == 1
        await server.process.stop(StopReason.MANUAL, 5.0)
        assert not pid_runs(pids[0])


class TestPipe:
    async def test_a_grandchild_that_holds_it_hangs_nobody(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(child_module, "_DRAIN", 0.2)
        # The parent between ends at once, so no walk finds the one that holds the pipe.
        server = make(shell("(setsid sleep 60 & echo holder $!); sleep 0.2; exit 3"))
        async with asyncio.timeout(10):
            with pytest.raises(StartFailed):
                await server.process.start()
        holder = next(line for line in server.log.lines() if line.startswith("holder "))
        os.kill(int(holder.split()[1]), signal.SIGKILL)

    async def test_reading_stops_a_while_after_the_end(
        self, make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(child_module, "_DRAIN", 0.2)
        go = tmp_path / "go"
        late = f"until test -e {go}; do sleep 0.05; done; echo late || echo closed >{go}"
        server = make(shell(f"(setsid sh -c 'trap \"\" PIPE; {late}' & ); sleep 0.2; exit 3"))
        with pytest.raises(StartFailed):
            await server.process.start()
        await asyncio.sleep(0.4)
        go.touch()
        await until(lambda: go.read_text() == "closed\n")
        assert not server.wrote("late")


class TestStopCommand:
    async def test_it_is_run_in_place_of_the_signal(self, make: Make, tmp_path: Path) -> None:
        note = tmp_path / "note"
        server = make(
            fake("--ignore-term"),
            cmd_stop=("sh", "-c", f"echo ${{PORT}} $X >{note}; kill -KILL ${{PID}}"),
            env=("X=own",),
        )
        await server.process.start()
        port = server.process.port
        async with asyncio.timeout(10):
            await server.process.stop(StopReason.MANUAL, 60.0)
        assert note.read_text() == f"{port} own\n"

    async def test_one_without_effect_is_followed_by_force(self, make: Make) -> None:
        server = make(fake(), cmd_stop="true")
        await server.process.start()
        await server.process.stop(StopReason.MANUAL, 0.3)
        assert server.process.returncode == -signal.SIGKILL
        assert server.wrote("it still runs after true")

    @pytest.mark.parametrize("command", ["false", "no-such-program"])
    async def test_one_that_fails_is_followed_by_the_signal(self, make: Make, command: str) -> None:
        server = make(fake(), cmd_stop=command)
        await server.process.start()
        await server.process.stop(StopReason.MANUAL, 10.0)
        assert server.process.returncode == 0
        assert server.wrote("cmdStop")

    async def test_one_that_hangs_is_ended_with_its_time(self, make: Make) -> None:
        server = make(fake(), cmd_stop="sleep 61")
        await server.process.start()
        async with asyncio.timeout(10):
            await server.process.stop(StopReason.MANUAL, 0.3)
        assert server.wrote("cmdStop did not end within 0.3 s")

    def test_windows_asks_first(self) -> None:
        assert stop.default_command(7, "win32") == ("taskkill", "/PID", "7", "/T")
        assert stop.default_command(7, "linux") == ()


class TestHooks:
    async def test_the_pre_stop_hook_hears_why_while_the_server_runs(self, make: Make) -> None:
        heard: list[tuple[str, StopReason, bool]] = []

        async def hook(model: Model, base: str, reason: StopReason) -> None:
            heard.append((base, reason, pid_runs(server.pid())))

        server = make(hooks=Hooks(pre_stop=hook))
        await server.process.start()
        base = server.process.base_url
        await server.process.stop(StopReason.TTL, 5.0)
        assert heard == [(base, StopReason.TTL, True)]

    async def test_one_that_fails_or_hangs_keeps_nobody(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fails() -> None:
            raise ValueError("no slots")

        async with asyncio.timeout(10):
            await bounded(asyncio.sleep(60), "m: pre-stop hook", 0.05)
            await bounded(fails(), "m: pre-stop hook", 0.05)
        assert "took longer than 0.05 s" in caplog.text
        assert "m: pre-stop hook failed" in caplog.text


class TestWhoAsks:
    async def test_twice_is_once(self, make: Make) -> None:
        server = make(fake("--stop-after", 0.2))
        await server.process.start()
        await asyncio.gather(
            server.process.stop(StopReason.MANUAL, 10.0), server.process.stop(StopReason.TTL, 10.0)
        )
        assert server.states == ["starting", "ready", "stopping", "stopped"]
        assert server.told[-1][1] is StopReason.MANUAL

    async def test_a_caller_that_leaves_does_not_stop_the_stop(self, make: Make) -> None:
        server = make(fake("--stop-after", 0.2))
        await server.process.start()
        asking = asyncio.ensure_future(server.process.stop(StopReason.MANUAL, 10.0))
        await asyncio.sleep(0.05)
        asking.cancel()
        await server.process.stopped()
        assert server.process.returncode == 0

    async def test_one_with_less_time_hurries_it(self, make: Make) -> None:
        server = make(fake("--ignore-term"))
        await server.process.start()
        async with asyncio.timeout(15):
            patient = asyncio.ensure_future(server.process.stop(StopReason.MANUAL, 600.0))
            await asyncio.sleep(0)
            await server.process.stop(StopReason.SHUTDOWN, 0.1)
            await patient

    async def test_a_kill_ends_every_waiting(self, make: Make) -> None:
        server = make(fake("--ignore-term"), cmd_stop="sleep 62")
        await server.process.start()
        asking = asyncio.ensure_future(server.process.stop(StopReason.MANUAL, 600.0))
        await until(lambda: any("sleep" in each for each in commands()))
        server.process.kill()
        async with asyncio.timeout(15):
            await asking
        await until(lambda: not any("sleep 62" in each for each in commands()))

    async def test_a_kill_during_the_start(self, make: Make) -> None:
        server = make(fake("--ready-after", 60, "--ignore-term"))
        asking = asyncio.ensure_future(server.process.start())
        await until(lambda: server.wrote("listens"))
        server.process.kill()
        async with asyncio.timeout(10):
            await asyncio.wait((asking,))
        assert asking.exception() is not None
        assert server.process.state is ModelState.STOPPED


class TestWhateverGoesWrong:
    async def test_a_stop_that_fails_in_our_own_code_ends_all_the_same(
        self, make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fails(*_: object) -> None:
            raise RuntimeError("out of ideas")

        monkeypatch.setattr(stop, "end", fails)
        server = make(fake("--ignore-term"))
        await server.process.start()
        pid = server.pid()
        async with asyncio.timeout(10):
            await server.process.stop(StopReason.MANUAL, 0.1)
        await until(lambda: not pid_runs(pid))
        assert "out of ideas" in caplog.text
        assert server.process.state is ModelState.STOPPED


class TestEndSeen:
    async def test_an_end_of_its_own_is_told_with_its_cause(self, make: Make) -> None:
        server = make()
        await server.process.start()
        os.kill(server.pid(), signal.SIGKILL)
        await until(lambda: server.process.state is ModelState.STOPPED)
        state, reason, error = server.told[-1]
        assert (state, reason) == (ModelState.STOPPED, StopReason.FAILED)
        assert error is not None
        assert "m stopped by itself" in error
        assert "was ended by SIGKILL" in error
        assert "listens on" in error
        await server.process.start()
        assert server.process.error is None


class TestStuck:
    @pytest.fixture
    def immortal(self, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
        """The system does not end what is killed, as in a driver call that hangs."""
        monkeypatch.setattr(stop, "KILL_WAIT", 0.3)
        monkeypatch.setattr(Tree, "kill", lambda tree: None)
        return monkeypatch

    async def test_it_is_marked_and_said_and_nobody_waits(
        self, make: Make, immortal: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        server, other = make(fake("--ignore-term")), make()
        await server.process.start()
        pid = server.pid()
        try:
            async with asyncio.timeout(10):
                await server.process.stop(StopReason.MANUAL, 0.1)
            assert server.process.stuck == (pid,)
            said = [each for each in caplog.records if each.levelno == logging.ERROR]
            assert [each.getMessage() for each in said] == [
                f"m: process {pid} cannot be ended by the system"
            ]
            with pytest.raises(StartFailed, match=f"number {pid}"):
                await server.process.start()
            await other.process.start()
        finally:
            immortal.undo()
            os.kill(pid, signal.SIGKILL)
        await until(lambda: not pid_runs(pid))
        await server.process.start()
        assert server.process.stuck == ()


class TestPortAfterwards:
    async def test_a_server_that_got_away_is_told_by_its_port(
        self, make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(stop, "PORT_WAIT", 0.2)
        server = make(shell("(setsid FAKE >/dev/null &); exec sleep 60"))
        await server.process.start()
        port = server.process.port
        assert port is not None
        await server.process.stop(StopReason.EVICT, 5.0)
        holder = listener(port)
        assert holder is not None
        os.kill(holder.pid, signal.SIGKILL)
        assert server.wrote(f"port {port} is still open after the stop, held by {holder}")
        assert f"port {port} is still open" in caplog.text

    async def test_a_port_that_closes_a_little_later_is_waited_for(self, make: Make) -> None:
        server = make(
            shell("(setsid sh -c 'FAKE & sleep 1.5; kill $!' >/dev/null &); exec sleep 60")
        )
        await server.process.start()
        await server.process.stop(StopReason.EVICT, 5.0)
        assert not is_held(server.process.model.port or 0)
        assert not server.wrote("still open")


def commands() -> list[str]:
    """The command lines of our children."""
    found = []
    for each in psutil.Process().children(recursive=True):
        try:
            found.append(" ".join(each.cmdline()))
        except psutil.Error:
            continue
    return found
