"""How a server is started: once, in its place, on a port of its own."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from qmdesk.config import Model
from qmdesk.events import ModelState, StopReason
from qmdesk.process import StartAborted, StartFailed, second_try
from qmdesk.process.child import Child
from qmdesk.process.hooks import Hooks, StartRefused
from tests.conftest import pid_runs, until
from tests.process.conftest import Make, fake, free_port, listen, python, shell


class TestStates:
    async def test_every_transition_is_told(self, make: Make) -> None:
        server = make()
        await server.process.start()
        await server.process.stop(StopReason.TTL, 5.0)
        assert server.states == ["starting", "ready", "stopping", "stopped"]
        assert server.told[-1][1] is StopReason.TTL

    async def test_starting_twice_is_one_start(self, make: Make) -> None:
        server = make()
        await asyncio.gather(*(server.process.start() for _ in range(5)))
        await server.process.start()
        assert server.states == ["starting", "ready"]

    async def test_all_who_wait_get_the_failure_once(self, make: Make) -> None:
        server = make(fake("--exit-after", 0.1, "--exit-code", 3))
        results = await asyncio.gather(
            *(server.process.start() for _ in range(3)), return_exceptions=True
        )
        assert [type(each) for each in results] == [StartFailed] * 3
        assert server.states == ["starting", "stopped"]

    async def test_stopping_what_is_stopped_does_nothing(self, make: Make) -> None:
        server = make()
        await server.process.stop(StopReason.MANUAL, 5.0)
        assert server.told == []

    async def test_a_start_while_stopping_waits_and_then_starts(self, make: Make) -> None:
        server = make(fake("--stop-after", 0.2))
        await server.process.start()
        first = server.pid()
        stopping = asyncio.ensure_future(server.process.stop(StopReason.EVICT, 5.0))
        await asyncio.sleep(0)
        assert server.process.state is ModelState.STOPPING
        await server.process.start()
        await stopping
        assert server.pid() != first
        assert not pid_runs(first)
        assert server.states == ["starting", "ready", "stopping", "stopped", "starting", "ready"]

    async def test_a_failed_start_is_tried_again_by_the_next(
        self, make: Make, tmp_path: Path
    ) -> None:
        marker = tmp_path / "marker"
        server = make(shell(f"test -e {marker} && exec FAKE; touch {marker}; exit 1"))
        with pytest.raises(StartFailed):
            await server.process.start()
        assert server.process.error is not None
        await server.process.start()
        assert server.process.state is ModelState.READY
        assert server.process.error is None

    async def test_nothing_starts_after_the_last_stop(self, make: Make) -> None:
        server = make()
        await server.process.start()
        await server.process.close(5.0)
        assert server.states[-2:] == ["stopped", "shutdown"]
        with pytest.raises(StartAborted):
            await server.process.start()
        await server.process.close(5.0)
        assert server.states[-2:] == ["stopped", "shutdown"]


class TestStopDuringTheStart:
    async def test_what_came_up_is_ended_and_who_waits_is_told(self, make: Make) -> None:
        server = make(fake("--ready-after", 60))
        waiting = [asyncio.ensure_future(server.process.start()) for _ in range(2)]
        await until(lambda: server.wrote("listens"))
        pid = server.pid()
        await server.process.stop(StopReason.MANUAL, 10.0)
        assert not pid_runs(pid)
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in results] == [StartAborted] * 2
        assert server.told[-2:] == [
            (ModelState.STOPPING, StopReason.MANUAL, None),
            (ModelState.STOPPED, StopReason.MANUAL, None),
        ]

    async def test_before_the_process_is_there(self, make: Make) -> None:
        entered = asyncio.Event()

        async def hook(model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
            entered.set()
            await asyncio.sleep(60)
            return argv

        server = make(hooks=Hooks(spawn=hook))
        waiting = asyncio.ensure_future(server.process.start())
        await entered.wait()
        await server.process.stop(StopReason.MANUAL, 10.0)
        with pytest.raises(StartAborted):
            await waiting
        assert not any("starting" in line for line in server.log.lines())

    async def test_in_the_same_step_as_the_start(self, make: Make) -> None:
        server = make()
        waiting = asyncio.ensure_future(server.process.start())
        await asyncio.sleep(0)
        assert server.process.state is ModelState.STARTING
        await server.process.stop(StopReason.MANUAL, 10.0)
        with pytest.raises(StartAborted):
            await waiting

    async def test_during_the_post_start_hook(self, make: Make) -> None:
        entered = asyncio.Event()

        async def hook(model: Model, base: str) -> None:
            entered.set()
            await asyncio.sleep(60)

        server = make(hooks=Hooks(post_start=hook))
        waiting = asyncio.ensure_future(server.process.start())
        await entered.wait()
        pid = server.pid()
        await server.process.stop(StopReason.MANUAL, 10.0)
        with pytest.raises(StartAborted):
            await waiting
        assert not pid_runs(pid)

    async def test_one_that_ignores_it_is_killed(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("qmdesk.process.process.ABORT_GRACE", 0.1)
        server = make(fake("--ready-after", 60, "--ignore-term"))
        waiting = asyncio.ensure_future(server.process.start())
        await until(lambda: server.wrote("listens"))
        pid = server.pid()
        await server.process.stop(StopReason.EVICT, 60.0)
        assert not pid_runs(pid)
        with pytest.raises(StartAborted):
            await waiting

    async def test_a_start_that_nobody_waits_for_is_given_up(self, make: Make) -> None:
        server = make(fake("--ready-after", 60))
        waiting = [asyncio.ensure_future(server.process.start()) for _ in range(2)]
        await until(lambda: server.wrote("listens"))
        waiting[0].cancel()
        await asyncio.sleep(0.05)
        assert server.process.state is ModelState.STARTING
        waiting[1].cancel()
        await server.process.stopped()
        assert server.process.state is ModelState.STOPPED

    async def test_a_caller_that_leaves_while_it_stops_starts_nothing(self, make: Make) -> None:
        server = make(fake("--stop-after", 0.2))
        await server.process.start()
        stopping = asyncio.ensure_future(server.process.stop(StopReason.EVICT, 5.0))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(server.process.start())
        await asyncio.sleep(0)
        waiting.cancel()
        await stopping
        assert server.process.state is ModelState.STOPPED


class TestPort:
    async def test_a_taken_port_is_left_and_the_log_says_so(self, make: Make) -> None:
        port = free_port()
        with listen(port):
            server = make(port=port)
            await server.process.start()
            assert server.process.port != port
            assert server.wrote(f"port {port} is taken")
            assert server.process.base_url.endswith(f":{server.process.port}")

    @pytest.mark.parametrize("host", ["0.0.0.0", "::1", "::"])
    async def test_taken_on_another_address_is_taken(self, make: Make, host: str) -> None:
        port = free_port()
        with listen(port, host):
            server = make(port=port)
            await server.process.start()
            assert server.process.port != port

    async def test_a_port_is_free_again_after_the_stop(self, make: Make) -> None:
        server = make()
        for _ in range(2):
            await server.process.start()
            assert server.process.port == server.process.model.port
            await server.process.stop(StopReason.MANUAL, 5.0)

    async def test_one_taken_in_the_last_moment_costs_a_second_start(self, make: Make) -> None:
        port = free_port()
        stolen = []

        async def steal(model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
            if not stolen:
                stolen.append(listen(port))
            return argv

        server = make(port=port, hooks=Hooks(spawn=steal))
        try:
            await server.process.start()
        finally:
            stolen[0].close()
        assert server.process.port not in (None, port)
        assert server.wrote(f"another program took port {port}")
        assert server.states == ["starting", "ready"]

    async def test_but_no_third(self, make: Make, tmp_path: Path) -> None:
        count = tmp_path / "count"
        server = make(shell(f"echo x >> {count}; echo ${{PORT}}: Address already in use; exit 1"))
        with pytest.raises(StartFailed, match="Address already in use"):
            await server.process.start()
        assert count.read_text() == "x\nx\n"

    async def test_a_stop_ends_the_second_start_too(self, make: Make) -> None:
        script = "echo the name web is already in use by container 1234; exit 125"
        server = make(shell(script), proxy="http://127.0.0.1:9")
        waiting = asyncio.ensure_future(server.process.start())
        await until(lambda: server.wrote("tried again"))
        await server.process.stop(StopReason.MANUAL, 5.0)
        with pytest.raises(StartAborted):
            await waiting


class TestCausesThatGoAway:
    async def test_a_container_of_the_same_name_that_is_still_there(
        self, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(second_try, "SETTLE", 0.1)
        lock = tmp_path / "name"
        script = f"""
            if test -e {lock}; then
                echo 'Conflict. The container name "/m" is already in use by container "1f".'
                rm {lock}
                exit 125
            fi
            touch {lock}
            FAKE & wait
        """
        server = make(shell(script))
        await server.process.start()
        await server.process.stop(StopReason.EVICT, 5.0)
        await server.process.start()
        assert server.process.state is ModelState.READY
        assert server.wrote("it is tried again")
        assert server.states.count("starting") == 2

    async def test_memory_that_the_last_server_still_holds(
        self, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(second_try, "SETTLE", 0.1)
        before = make()
        await before.process.start()
        await before.process.stop(StopReason.EVICT, 5.0)
        marker = tmp_path / "marker"
        server = make(
            shell(
                f"test -e {marker} && exec FAKE; touch {marker};"
                "echo CUDA error: out of memory; exit 1"
            )
        )
        await server.process.start()
        assert server.wrote("may not be free yet")

    async def test_memory_that_nobody_has_given_back_is_no_reason(self, make: Make) -> None:
        server = make(shell("echo CUDA error: out of memory; exit 1"))
        with pytest.raises(StartFailed, match="out of memory"):
            await server.process.start()
        assert not server.wrote("tried again")


class TestHooks:
    async def test_the_spawn_hook_may_change_the_arguments(self, make: Make) -> None:
        async def hook(model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
            return (*argv, "--prints", "from the hook")

        server = make(hooks=Hooks(spawn=hook))
        await server.process.start()
        assert server.wrote("from the hook")
        assert server.process.argv[-1] == "from the hook"

    async def test_it_may_refuse_with_a_reason(self, make: Make) -> None:
        async def hook(model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
            raise StartRefused("it would not fit")

        server = make(hooks=Hooks(spawn=hook))
        with pytest.raises(StartFailed, match="m was not started: it would not fit"):
            await server.process.start()

    async def test_one_that_takes_too_long_is_passed_over(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("qmdesk.process.process.HOOK_LIMIT", 0.05)

        async def hook(model: Model, argv: tuple[str, ...]) -> tuple[str, ...]:
            await asyncio.sleep(60)
            return ()

        server = make(hooks=Hooks(spawn=hook))
        await server.process.start()
        assert server.process.state is ModelState.READY

    async def test_the_post_start_hook_runs_before_anybody_is_served(self, make: Make) -> None:
        seen: list[tuple[str, ModelState]] = []

        async def hook(model: Model, base: str) -> None:
            seen.append((base, server.process.state))

        server = make(hooks=Hooks(post_start=hook))
        await server.process.start()
        assert seen == [(server.process.base_url, ModelState.STARTING)]

    async def test_a_post_start_hook_that_fails_keeps_nobody(self, make: Make) -> None:
        async def hook(model: Model, base: str) -> None:
            raise ValueError("no slots")

        server = make(hooks=Hooks(post_start=hook))
        await server.process.start()
        assert server.process.state is ModelState.READY


class TestCircumstances:
    async def test_standard_input_is_closed_and_both_outputs_are_the_log(self, make: Make) -> None:
        source = (
            "import sys; print('in', repr(sys.stdin.read()));"
            "print('out', flush=True); print('err', file=sys.stderr); sys.exit(1)"
        )
        server = make(python(source), proxy="http://127.0.0.1:9")
        with pytest.raises(StartFailed):
            await server.process.start()
        assert server.wrote("in ''")
        assert server.wrote("out")
        assert server.wrote("err")

    async def test_it_starts_in_its_folder_or_at_home(self, make: Make, tmp_path: Path) -> None:
        source = "import os; print('in', os.getcwd()); raise SystemExit(1)"
        for more, folder in (({}, Path.home()), ({"cwd": str(tmp_path)}, tmp_path)):
            server = make(python(source), proxy="http://127.0.0.1:9", **more)
            with pytest.raises(StartFailed):
                await server.process.start()
            assert server.wrote(f"in {folder}")

    async def test_a_program_may_be_named_from_its_folder(self, make: Make, tmp_path: Path) -> None:
        (tmp_path / "serve").symlink_to(sys.executable)
        server = make(("./serve", *fake()[1:]), cwd=str(tmp_path))
        await server.process.start()
        assert server.process.state is ModelState.READY

    async def test_its_environment_is_ours_with_its_own_on_top(self, make: Make) -> None:
        script = "echo has $HOME $MINE; exit 1"
        server = make(("sh", "-c", script), env=("MINE=port ${PORT}",))
        with pytest.raises(StartFailed):
            await server.process.start()
        assert server.wrote(f"has {os.environ['HOME']} port {server.process.model.port}")

    async def test_it_leads_a_session_of_its_own(self, make: Make) -> None:
        server = make()
        await server.process.start()
        assert os.getsid(server.pid()) == server.pid()
        assert os.getpgid(server.pid()) == server.pid()

    async def test_another_thread_may_not_start_one(self) -> None:
        """Linux would end the server with that thread."""
        failures: list[BaseException] = []
        loop = asyncio.new_event_loop()

        async def start() -> None:
            Child.start(("sleep", "60"), {}, None, lambda data: None)

        def run() -> None:
            try:
                loop.run_until_complete(start())
            except RuntimeError as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        await asyncio.to_thread(thread.join)
        loop.close()
        assert "main thread" in str(failures[0])


class TestWhatCannotStart:
    @pytest.mark.parametrize(
        ("cmd", "more", "said"),
        [
            (("no-such-program",), {}, "there is no program 'no-such-program' on the PATH"),
            (("/no/such/program",), {}, "write its full path in models.m.cmd"),
            (("/etc/passwd",), {}, "may not be run"),
            (("sleep", "1"), {"cwd": "/no/such/folder"}, "there is no folder /no/such/folder"),
        ],
    )
    async def test_says_what_to_do(
        self, make: Make, cmd: tuple[str, ...], more: dict[str, str], said: str
    ) -> None:
        server = make(cmd, **more)
        with pytest.raises(StartFailed) as caught:
            await server.process.start()
        assert said in str(caught.value)
        assert server.process.error == str(caught.value)

    async def test_the_last_words_and_the_status_are_in_the_message(self, make: Make) -> None:
        server = make(
            shell("echo loading; echo --api-key sk-123; echo error: bad flag >&2; exit 7"),
            proxy="http://127.0.0.1:9",
        )
        with pytest.raises(StartFailed) as caught:
            await server.process.start()
        assert str(caught.value) == (
            "m did not start: sh ended with code 7 before it was ready. Its last words:\n"
            "loading\n--api-key ***\nerror: bad flag"
        )

    async def test_words_of_an_earlier_run_are_not(self, make: Make, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        server = make(
            shell(f"test -e {marker} && exit 2; touch {marker}; echo first; exit 1"),
            proxy="http://127.0.0.1:9",
        )
        with pytest.raises(StartFailed, match="first"):
            await server.process.start()
        with pytest.raises(StartFailed, match="It wrote nothing"):
            await server.process.start()
