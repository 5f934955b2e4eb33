"""The card is freed, and models come back when it is over."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from pathlib import Path

import pytest

from qmdesk.config import Config, Model
from qmdesk.events import Fact, ModelState, Paused, Resumed, StopReason
from qmdesk.process.programs import ProgramNotFound
from qmdesk.router import Rejected, Router
from qmdesk.router.pause import Pause
from qmdesk.scheduler import Refusal
from tests.conftest import pid_runs, simple
from tests.router.test_turns import make, use

__all__ = ["make"]


def heard(router: Router) -> list[Fact]:
    facts: list[Fact] = []
    router.bus.subscribe(facts.append, Paused, Resumed)
    return facts


async def resumed(router: Router) -> None:
    over = asyncio.Event()
    router.bus.subscribe(lambda _: over.set(), Resumed)
    await asyncio.wait_for(over.wait(), 10)


@pytest.fixture
def config() -> Config:
    return simple("a", "b", more="  far: {proxy: 'http://127.0.0.1:9'}\n")


async def test_the_server_has_ended_when_it_returns(make, config: Config) -> None:
    router = make(config)
    facts = heard(router)
    reasons: list[StopReason] = []

    async def note(_: Model, __: str, reason: StopReason) -> None:
        reasons.append(reason)

    router.hooks.pre_stop = note
    await use(router, "a")
    pid = router.snapshot().models[0].pid
    assert await router.pause(by="the test") == ("a",)
    assert not pid_runs(pid)
    assert reasons == [StopReason.PAUSE]
    assert facts == [Paused("the test")]
    pause = router.snapshot().pause
    assert pause is not None
    assert pause.until is None


async def test_requests_and_loads_are_refused_with_the_reason(make, config: Config) -> None:
    router = make(config)
    await router.pause(seconds=1800.0, by="the test")
    with pytest.raises(Rejected) as refused:
        await router.load("a", by="somebody")
    assert refused.value.refusal is Refusal.PAUSED
    assert "a is not loaded: qmdesk is paused by the test until " in str(refused.value)
    assert refused.value.retry_after == pytest.approx(1800.0, abs=5.0)


async def test_a_server_elsewhere_is_served_all_the_time(make, config: Config) -> None:
    router = make(config)
    await router.pause(by="the test")
    async with router.serve("far") as turn:
        assert turn.base_url == "http://127.0.0.1:9"
        await router.pause(by="the test")
        assert turn.ended is None


async def test_whoever_streams_is_told(make, config: Config) -> None:
    router = make(config)
    async with router.serve("a") as turn:
        await router.pause(by="the test")
        assert turn.ended == "a was unloaded to free the card, by the test"
    assert router.snapshot().in_flight == 0


async def test_it_ends_at_its_time(make, config: Config) -> None:
    router = make(config)
    facts = heard(router)
    await router.pause(seconds=0.2, by="the test")
    if router.paused is not None:
        await resumed(router)
    assert facts[1:] == [Resumed("its time is over")]
    await use(router, "a")


async def test_it_ends_when_somebody_resumes(make, config: Config) -> None:
    router = make(config)
    facts = heard(router)
    await router.pause(by="the test")
    assert router.resume(by="somebody")
    assert not router.resume(by="somebody")
    assert facts[1:] == [Resumed("resumed by somebody")]
    await use(router, "a")
    assert router.state("a") is ModelState.READY


@pytest.mark.skipif(sys.platform != "linux", reason="copies a Linux program")
async def test_it_ends_with_a_program(make, config: Config, tmp_path: Path) -> None:
    router = make(config)
    game = tmp_path / "some-game"
    shutil.copy("/bin/sleep", game)
    process = await asyncio.create_subprocess_exec(game, "100")
    await router.pause(program="some-game", by="the test")
    with pytest.raises(Rejected, match="until some-game ends"):
        await use(router, "a")
    process.terminate()
    await resumed(router)
    await process.wait()
    await use(router, "a")


async def test_a_program_that_does_not_run_changes_nothing(make, config: Config) -> None:
    router = make(config)
    await use(router, "a")
    with pytest.raises(ProgramNotFound):
        await router.pause(program="no-such-game", by="the test")
    assert router.paused is None
    assert router.state("a") is ModelState.READY


async def test_shutdown_does_not_wait_for_the_program(make, config: Config, tmp_path: Path) -> None:
    router = make(config)
    game = tmp_path / "some-game"
    shutil.copy(shutil.which("sleep") or "", game)
    process = await asyncio.create_subprocess_exec(game, "100")
    await router.pause(program="some-game", by="the test")
    await router.shutdown(4.0)
    process.kill()
    await process.wait()


def test_the_end_in_words() -> None:
    noon = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))
    assert Pause("x", noon, noon + 1800).end() == "until 12:30"
    assert Pause("x", noon, noon + 24 * 3600).end() == "until 2026-03-03 12:00"
    assert Pause("x", noon, program="game.exe").end() == "until game.exe ends"
    assert Pause("x", noon).end() == "until somebody resumes"
