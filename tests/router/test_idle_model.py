"""The idle model comes back when the others have aged out, and at no other time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from qmdesk import tasks
from qmdesk.config import Config, parse
from qmdesk.events import Bus, ModelState, ModelStateChanged, StopReason
from qmdesk.logs import Logs
from qmdesk.router import IdleModel, Router
from tests.conftest import fake


def config(*, ttl: float = 0.0, more: str = "") -> Config:
    rows = [
        f"  {name}: {{cmd: {fake(name=name)}, ttl: {ttl if name != 'small' else 0}}}\n"
        for name in ("small", "big", "other")
    ]
    return parse(f"models:\n{''.join(rows)}idleModel: small\n{more}")


class Seen:
    """A router with an idle model, and the states that models reach."""

    def __init__(self, router: Router) -> None:
        self.router = router
        self._reached: asyncio.Queue[tuple[str, ModelState]] = asyncio.Queue()
        router.bus.subscribe(self._hear, ModelStateChanged)

    def _hear(self, fact: object) -> None:
        assert isinstance(fact, ModelStateChanged)
        self._reached.put_nowait((fact.model, fact.state))

    async def reaches(self, model: str, state: ModelState) -> None:
        async with asyncio.timeout(20):
            while await self._reached.get() != (model, state):
                pass


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator:
    made = []

    def begin(wanted: Config) -> Seen:
        router = Router(wanted, Bus(), Logs(), tmp_path / "servers")
        made.append((router, IdleModel(router, router.bus)))
        return Seen(router)

    yield begin
    for router, idle in made:
        idle.close()
        await router.shutdown(4.0)


def is_coming_back() -> bool:
    return any("idle model" in task.get_name() for task in tasks.running())


async def test_it_is_loaded_when_the_last_of_the_others_has_aged_out(make) -> None:
    seen = make(config(ttl=0.2))
    await seen.router.load("small", by="test")
    await seen.router.load("big", by="test")
    assert seen.router.state("small") is ModelState.STOPPED
    await seen.reaches("big", ModelState.READY)
    await seen.reaches("small", ModelState.READY)
    assert seen.router.state("big") is ModelState.STOPPED


@pytest.mark.parametrize("reason", [StopReason.MANUAL, StopReason.MEMORY])
async def test_it_is_not_after_any_other_unload(make, reason: StopReason) -> None:
    seen = make(config())
    await seen.router.load("big", by="test")
    await seen.router.unload(("big",), reason=reason, by="test")
    assert not is_coming_back()


async def test_it_evicts_nobody(make) -> None:
    together = "groups:\n  two: {members: [big, other], swap: false}\n"
    seen = make(config(more=together))
    for name in ("big", "other"):
        await seen.router.load(name, by="test")
    await seen.router.unload(("big",), reason=StopReason.TTL, by="test")
    assert not is_coming_back()
    await seen.router.unload(("other",), reason=StopReason.TTL, by="test")
    await seen.reaches("small", ModelState.READY)


async def test_one_that_ages_out_itself_stays_away(make) -> None:
    seen = make(config())
    await seen.router.load("small", by="test")
    await seen.router.unload(("small",), reason=StopReason.TTL, by="test")
    assert not is_coming_back()


async def test_without_one_nothing_is_loaded(make) -> None:
    seen = make(parse(f"models:\n  big: {{cmd: {fake()}}}\n"))
    await seen.router.load("big", by="test")
    await seen.router.unload(("big",), reason=StopReason.TTL, by="test")
    assert not is_coming_back()
