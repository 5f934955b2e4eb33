"""Turns are counted exactly, whatever happens to whoever waits for them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qmdesk.config import Config, ConfigError, Matrix, parse
from qmdesk.events import (
    Bus,
    Evicted,
    LoadFailed,
    ModelState,
    ModelStateChanged,
    QueueChanged,
    StopReason,
)
from qmdesk.logs import Logs
from qmdesk.process.hooks import StartRefused
from qmdesk.router import Rejected, Router
from qmdesk.scheduler import Refusal
from tests.conftest import fake, models, pid_runs, simple, until

Make = Callable[[Config], Router]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes routers, and shuts them down when the test ends."""
    made: list[Router] = []

    def router(config: Config) -> Router:
        made.append(Router(config, Bus(), Logs(), tmp_path / "servers"))
        return made[-1]

    yield router
    for each in made:
        await each.shutdown(4.0)


async def use(router: Router, model: str) -> None:
    async with router.serve(model):
        pass


class TestServe:
    async def test_a_turn_names_the_address_and_whether_it_was_loaded(self, make: Make) -> None:
        router = make(simple("a"))
        async with router.serve("a") as turn:
            assert turn.base_url.startswith("http://127.0.0.1:")
            assert turn.loaded
            assert turn.waited > 0
            assert router.snapshot().in_flight == 1
        async with router.serve("a") as turn:
            assert not turn.loaded
        assert router.snapshot().in_flight == 0

    async def test_an_error_in_the_block_gives_it_back(self, make: Make) -> None:
        router = make(simple("a"))
        with pytest.raises(ZeroDivisionError):
            async with router.serve("a"):
                raise ZeroDivisionError
        assert router.snapshot().in_flight == 0

    async def test_an_error_before_the_block_gives_it_back_too(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        router = make(simple("a"))

        def fails(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(router, "_turn", fails)
        with pytest.raises(ZeroDivisionError):
            await use(router, "a")
        assert router.snapshot().in_flight == 0

    async def test_a_refusal_has_a_reason(self, make: Make) -> None:
        router = make(simple("a"))
        with pytest.raises(Rejected) as caught:
            await use(router, "x")
        assert caught.value.refusal is Refusal.UNKNOWN_MODEL

    @pytest.mark.parametrize("steps", range(12))
    async def test_a_waiter_may_be_cancelled_at_any_moment(self, make: Make, steps: int) -> None:
        """Also between the grant and its taking: nothing stays in flight."""
        router = make(simple("a"))
        await router.load("a", by="the test")
        blocker = router.serve("a")
        await blocker.__aenter__()
        router.apply_config(simple("a", "b"))
        waiter = asyncio.ensure_future(use(router, "b"))
        await asyncio.sleep(0)
        await blocker.__aexit__(None, None, None)
        for _ in range(steps):
            await asyncio.sleep(0)
        waiter.cancel()
        await asyncio.wait((waiter,))
        assert router.snapshot().in_flight == 0
        assert router.snapshot().waiting == 0

    async def test_a_grant_that_is_cancelled_in_the_same_step(self, make: Make) -> None:
        router = make(simple("a"))
        started = asyncio.Event()

        async def hold() -> None:
            async with router.serve("a"):
                started.set()
                await asyncio.sleep(60)

        waiters = [asyncio.ensure_future(hold()) for _ in range(3)]
        seen: list[ModelStateChanged] = []
        router.bus.subscribe(seen.append, ModelStateChanged)

        def cancel_all(fact: object) -> None:
            if isinstance(fact, QueueChanged) and fact.in_flight:
                # Granted, and not one of them has run since.
                for waiter in waiters:
                    waiter.cancel()

        router.bus.subscribe(cancel_all, QueueChanged)
        await asyncio.wait(waiters)
        assert not started.is_set()
        assert router.snapshot().in_flight == 0
        assert router.state("a") is ModelState.READY

    async def test_random_cancels_leave_nothing_in_flight(self, make: Make) -> None:
        router = make(simple("a", "b"))
        dice = random.Random(7)

        async def one(model: str) -> None:
            async with router.serve(model, patience=0.0):
                await asyncio.sleep(dice.random() / 50)

        tasks = []
        for _ in range(120):
            tasks.append(asyncio.ensure_future(one(dice.choice("ab"))))
            await asyncio.sleep(dice.random() / 100)
            if dice.random() < 0.5:
                dice.choice(tasks).cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(each) for each in results} <= {type(None), asyncio.CancelledError, Rejected}
        assert router.snapshot().in_flight == 0
        assert router.snapshot().waiting == 0

    async def test_positions_are_told(self, make: Make) -> None:
        router = make(simple("a", "b"))
        told: list[int] = []
        async with router.serve("a"):
            waiting = asyncio.ensure_future(self._use_told(router, told))
            await until(lambda: told)
            assert told == [1]
        await waiting
        assert told == [1, 0]

    async def _use_told(self, router: Router, told: list[int]) -> None:
        async with router.serve("b", position=told.append):
            pass


class TestSwaps:
    async def test_the_evicted_has_stopped_before_the_other_starts(self, make: Make) -> None:
        command = fake("--stop-after", 0.4, name="a")
        router = make(models(f"a: {{cmd: {command}}}", f"b: {{cmd: {fake(name='b')}}}"))
        await router.load("a", by="x")
        pid = router.snapshot().model("a").pid
        states: list[tuple[str, ModelState, bool]] = []
        router.bus.subscribe(
            lambda fact: states.append((fact.model, fact.state, pid_runs(pid))), ModelStateChanged
        )
        await router.load("b", by="x")
        assert [each[:2] for each in states] == [
            ("a", "stopping"),
            ("a", "stopped"),
            ("b", "starting"),
            ("b", "ready"),
        ]
        assert not states[2][2]

    async def test_a_swap_back_and_forth_never_refuses(self, make: Make) -> None:
        router = make(simple("a", "b"))
        for _ in range(6):
            await asyncio.gather(*(use(router, model) for model in "abab"))
        assert router.snapshot().in_flight == 0

    async def test_a_load_that_nobody_wants_any_more_makes_room(self, make: Make) -> None:
        slow = fake("--ready-after", 30, name="a")
        router = make(models(f"a: {{cmd: {slow}}}", f"b: {{cmd: {fake(name='b')}}}"))
        waiter = asyncio.ensure_future(use(router, "a"))
        await until(lambda: router.state("a") is ModelState.STARTING)
        waiter.cancel()
        async with asyncio.timeout(8):
            await use(router, "b")
        assert router.state("a") is ModelState.STOPPED

    async def test_an_eviction_names_who_asked_and_why(self, make: Make) -> None:
        router = make(simple("a", "b"))
        told: list[Evicted] = []
        router.bus.subscribe(told.append, Evicted)
        await router.load("a", by="x")
        await router.load("b", by="Zed")
        assert (told[0].models, told[0].for_model, told[0].asked_by) == (("a",), "b", "Zed")
        assert "one model at a time" in told[0].why

    async def test_a_failed_load_is_told_to_all(self, make: Make) -> None:
        command = fake("--prints", "boom", "--exit-after", 0.1, "--exit-code", 3)
        router = make(models(f"a: {{cmd: {command}}}"))
        told: list[LoadFailed] = []
        router.bus.subscribe(told.append, LoadFailed)
        results = await asyncio.gather(use(router, "a"), use(router, "a"), return_exceptions=True)
        assert all(isinstance(each, Rejected) and "boom" in str(each) for each in results)
        assert len(told) == 1
        assert "ended with code 3" in told[0].error
        assert router.snapshot().model("a").error == told[0].error


class TestHopelessStarts:
    """What cannot start is refused before anybody is evicted for it."""

    async def refused(self, router: Router, says: str) -> None:
        await router.load("a", by="x")
        told: list[LoadFailed] = []
        router.bus.subscribe(told.append, LoadFailed)
        with pytest.raises(Rejected, match=says) as caught:
            await use(router, "b")
        assert caught.value.refusal is Refusal.START_FAILED
        assert router.state("a") is ModelState.READY
        assert told[0].error == str(caught.value) == router.snapshot().model("b").error

    async def test_a_missing_program(self, make: Make) -> None:
        good = f"a: {{cmd: {fake(name='a')}}}"
        router = make(models(good, 'b: {cmd: "no-such-program --port ${PORT}"}'))
        await self.refused(router, "there is no program 'no-such-program'")

    async def test_a_missing_model_file(self, make: Make, tmp_path: Path) -> None:
        server = tmp_path / "llama-server"
        server.write_text("#!/bin/sh\n", encoding="utf-8")
        server.chmod(0o755)
        good = f"a: {{cmd: {fake(name='a')}}}"
        missing = f'["{server}", "-m", "{tmp_path}/none.gguf", "--port", "${{PORT}}"]'
        router = make(models(good, f"b: {{cmd: {missing}}}"))
        await self.refused(router, "there is no model file .*none.gguf")

    async def test_but_a_wrapper_may_see_other_folders(self, make: Make, tmp_path: Path) -> None:
        command = fake(name="a").replace("]", ', "-m", "/inside/the/container.gguf"]')
        router = make(models(f"a: {{cmd: {command}}}"))
        with pytest.raises(Rejected, match="unrecognized arguments"):
            await use(router, "a")


class TestUnload:
    async def test_returns_when_it_has_stopped(self, make: Make) -> None:
        router = make(simple("a"))
        await router.load("a", by="x")
        pid = router.snapshot().model("a").pid
        assert await router.unload(["a"], by="x") == ("a",)
        assert not pid_runs(pid)
        assert await router.unload(by="x") == ()

    async def test_others_are_served_while_a_stubborn_one_stops(self, make: Make) -> None:
        stubborn = fake("--ignore-term", name="a")
        router = make(
            parse(
                f"models:\n  a: {{cmd: {stubborn}, unloadTimeout: 2}}\n"
                f"  b: {{cmd: {fake(name='b')}}}\n"
                "groups: {all: {swap: false, members: [a, b]}}\n"
            )
        )
        await router.load("a", by="x")
        await router.load("b", by="x")
        unload = asyncio.ensure_future(router.unload(["a"], by="x"))
        await until(lambda: router.state("a") is ModelState.STOPPING)
        for _ in range(20):
            await use(router, "b")
        assert not unload.done()
        assert await unload == ("a",)

    async def test_turns_are_told_that_their_model_goes(self, make: Make) -> None:
        router = make(simple("a"))
        async with router.serve("a") as turn:
            gone = asyncio.Event()
            turn.on_end(gone.set)
            unload = asyncio.ensure_future(router.unload(by="the test"))
            await gone.wait()
            assert turn.ended == "a was unloaded (manual, by the test)"
            assert not turn.died
        await unload

    async def test_during_a_start(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake('--ready-after', 30)}}}"))
        waiter = asyncio.ensure_future(use(router, "a"))
        await until(lambda: router.state("a") is ModelState.STARTING)
        async with asyncio.timeout(8):
            await router.unload(by="the test")
        with pytest.raises(Rejected, match="unloaded by the test"):
            await waiter
        assert router.state("a") is ModelState.STOPPED

    async def test_a_request_during_the_stop_waits_and_starts_it_again(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake('--stop-after', 0.5)}}}"))
        await router.load("a", by="x")
        unload = asyncio.ensure_future(router.unload(by="x"))
        await until(lambda: router.state("a") is ModelState.STOPPING)
        async with router.serve("a") as turn:
            assert turn.loaded
        await unload

    async def test_ttl(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake()}, ttl: 1}}"))
        told: list[ModelStateChanged] = []
        router.bus.subscribe(told.append, ModelStateChanged)
        await router.load("a", by="x")
        await until(lambda: router.state("a") is ModelState.STOPPED)
        assert told[-1].reason is StopReason.TTL

    async def test_restart_takes_the_new_arguments(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake(name='one')}}}"))
        await router.load("a", by="x")
        router.apply_config(models(f"a: {{cmd: {fake(name='two')}}}"))
        snapshot = router.snapshot().model("a")
        assert snapshot.outdated
        assert "one" in snapshot.command
        await router.restart("a", by="x")
        snapshot = router.snapshot().model("a")
        assert not snapshot.outdated
        assert "two" in snapshot.command


class TestCrashes:
    async def test_a_killed_server_is_seen_and_started_again(self, make: Make) -> None:
        router = make(simple("a"))
        await router.load("a", by="x")
        async with router.serve("a") as turn:
            os.kill(router.snapshot().model("a").pid, signal.SIGKILL)
            assert await turn.ended_within(5)
            assert turn.died
            assert "SIGKILL" in turn.ended
        await until(lambda: router.state("a") is ModelState.STOPPED)
        assert router.snapshot().in_flight == 0
        assert "SIGKILL" in router.snapshot().model("a").error
        async with router.serve("a") as turn:
            assert turn.loaded


class TestConfigure:
    async def test_a_removed_model_lets_its_stream_finish(self, make: Make) -> None:
        router = make(simple("a", "b"))
        async with router.serve("a") as turn:
            pid = router.snapshot().model("a").pid
            router.apply_config(simple("b"))
            with pytest.raises(Rejected):
                await use(router, "a")
            await asyncio.sleep(0.1)
            assert turn.ended is None
            assert pid_runs(pid)
        await until(lambda: not pid_runs(pid))
        await use(router, "b")

    async def test_a_matrix_that_makes_no_sense_changes_nothing(self, make: Make) -> None:
        router = make(simple("a"))
        before = router.config
        bad = replace(simple("b"), matrix=Matrix(sets={"x": "+x"}))
        with pytest.raises(ConfigError, match="refer to each other"):
            router.apply_config(bad)
        assert router.config is before
        await use(router, "a")


class TestLeases:
    async def test_a_leased_model_is_not_evicted(self, make: Make) -> None:
        router = make(simple("a", "b"))
        await router.load("a", by="x")
        release = router.lease("a")
        assert router.snapshot().model("a").in_flight == 1
        waiter = asyncio.ensure_future(router.load("b", by="x"))
        await until(lambda: router.snapshot().waiting)
        no_hold = "routing: {scheduler: {settings: {fifo: {holdMs: 0}}}}\n"
        router.apply_config(simple("a", "b", more=no_hold))
        assert router.state("a") is ModelState.READY
        release()
        release()
        await waiter
        assert router.state("b") is ModelState.READY

    async def test_one_on_an_unknown_model_is_none(self, make: Make) -> None:
        router = make(simple("a"))
        router.lease("x")()
        assert router.snapshot().in_flight == 0


class TestHooks:
    async def test_each_is_asked_and_told(self, make: Make) -> None:
        router = make(simple("a"))
        told: list[object] = []

        async def spawn(model, argv):
            told.append("spawn")
            return tuple(word if word != "a" else "renamed" for word in argv)

        async def post_start(model, base):
            told.append(base.startswith("http://"))
            assert router.state(model.id) is ModelState.STARTING

        async def pre_stop(model, base, reason):
            told.append(reason)

        router.hooks.spawn, router.hooks.post_start = spawn, post_start
        router.hooks.pre_stop = pre_stop
        await router.load("a", by="x")
        assert "renamed" in router.snapshot().model("a").command
        await router.unload(by="x")
        assert told == ["spawn", True, StopReason.MANUAL]

    async def test_a_refused_start_says_why(self, make: Make) -> None:
        router = make(simple("a"))

        async def spawn(model, argv):
            raise StartRefused("it needs 9 GiB and 4 are free")

        router.hooks.spawn = spawn
        with pytest.raises(Rejected, match="needs 9 GiB"):
            await use(router, "a")

    async def test_one_that_fails_costs_nothing_but_a_line(self, make: Make, caplog) -> None:
        router = make(simple("a"))

        async def fails(*_):
            raise RuntimeError("no")

        router.hooks.post_start = router.hooks.pre_stop = fails
        await router.load("a", by="x")
        await router.unload(by="x")
        assert "post-start hook failed" in caplog.text
        assert "pre-stop hook failed" in caplog.text


class TestShutdown:
    async def test_waiters_first_then_streams_then_servers(self, make: Make) -> None:
        router = make(simple("a", "b"))
        async with router.serve("a") as turn:
            pid = router.snapshot().model("a").pid
            queued = asyncio.ensure_future(use(router, "b"))
            await until(lambda: router.snapshot().waiting)
            ending = asyncio.ensure_future(router.shutdown(20))
            with pytest.raises(Rejected) as caught:
                await queued
            assert caught.value.refusal is Refusal.SHUTTING_DOWN
            with pytest.raises(Rejected):
                await use(router, "a")
            assert turn.ended is None
            assert pid_runs(pid)
        await ending
        assert not pid_runs(pid)

    async def test_a_stream_without_end_is_ended_after_half_the_budget(self, make: Make) -> None:
        router = make(simple("a"))
        async with router.serve("a") as turn:
            gone = asyncio.Event()
            turn.on_end(gone.set)
            ending = asyncio.ensure_future(router.shutdown(0.4))
            await gone.wait()
            assert turn.ended == "qmdesk is shutting down"
        await ending

    async def test_a_second_call_waits_for_the_first(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake('--stop-after', 0.3)}}}"))
        await router.load("a", by="x")
        await asyncio.gather(router.shutdown(20), router.shutdown(20))
        assert router.state("a") is ModelState.SHUTDOWN

    async def test_a_hurry_kills_what_is_left(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake('--ignore-term')}, unloadTimeout: 60}}"))
        async with router.serve("a"):
            ending = asyncio.ensure_future(router.shutdown(120))
            await asyncio.sleep(0)
            router.hurry()
            async with asyncio.timeout(10):
                await ending
        assert router.state("a") is ModelState.SHUTDOWN

    async def test_a_start_under_way_is_ended(self, make: Make) -> None:
        router = make(models(f"a: {{cmd: {fake('--ready-after', 60)}}}"))
        waiter = asyncio.ensure_future(use(router, "a"))
        await until(lambda: router.state("a") is ModelState.STARTING)
        async with asyncio.timeout(15):
            await router.shutdown(10)
        with pytest.raises(Rejected):
            await waiter


class TestPins:
    async def test_a_pinned_model_stays(self, make: Make) -> None:
        side = "groups: {side: {members: [a]}}\n"
        router = make(simple("a", "b", "c", more=side))
        await router.load("a", by="x")
        router.pin("a", True)
        assert router.snapshot().model("a").pinned
        await router.load("b", by="x")
        assert router.state("a") is ModelState.READY
        router.pin("a", False)
        await router.load("c", by="x")
        assert router.state("a") is ModelState.STOPPED

    async def test_a_pin_survives_a_new_configuration(self, make: Make) -> None:
        side = "groups: {side: {members: [a]}}\n"
        router = make(simple("a", "b", more=side))
        router.pin("a", True)
        router.apply_config(simple("a", "b", more=f"{side}globalTTL: 100\n"))
        await router.load("a", by="x")
        await router.load("b", by="x")
        assert router.state("a") is ModelState.READY
