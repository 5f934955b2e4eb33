"""What the router says it knows: always true, and cheap enough to be asked ten times a second."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from qmdesk.config import command, parse
from qmdesk.events import ModelState
from qmdesk.router.snapshot import ModelSnapshot
from tests.conftest import simple, until
from tests.router.test_turns import make, use

__all__ = ["make"]

MANY = "models:\n" + "".join(
    f"  m{n}: {{cmd: 'llama-server --port ${{PORT}} --api-key secret{n} -m m{n}.gguf'}}\n"
    for n in range(500)
)


async def test_models_that_rest_are_not_looked_at_again(make) -> None:
    router = make(parse(MANY))
    before, after = router.snapshot(), router.snapshot()
    assert all(one is two for one, two in zip(before.models, after.models, strict=True))


async def test_commands_are_read_only_where_somebody_looks(
    make, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    split = command.split
    monkeypatch.setattr(command, "split", lambda text: read.append(text) or split(text))
    command.shown.cache_clear()
    snapshot = make(parse(MANY)).snapshot()
    assert not read
    assert snapshot.models[7].command == "llama-server --port ${PORT} --api-key *** -m m7.gguf"
    assert len(read) == 1


async def test_the_secrets_of_a_command_are_not_in_its_representation(make) -> None:
    assert "secret7" not in repr(make(parse(MANY)).snapshot())


async def test_whatever_happens_to_a_model_is_in_the_next_snapshot(make) -> None:
    router = make(simple("a", "b"))

    def now(id: str = "a") -> ModelSnapshot:
        found = router.snapshot().model(id)
        assert found is not None
        assert found == router.snapshot_of(router.config.models[id])
        return found

    assert now().state is ModelState.STOPPED
    router.pin("a", True)
    assert now().pinned
    router.pin("a", False)
    assert not now().pinned
    async with router.serve("a"):
        assert now().state is ModelState.READY
        assert now().in_flight == 1
        waiting = asyncio.ensure_future(use(router, "b"))
        await until(lambda: now("b").waiting == 1)
    await waiting
    assert now().state is ModelState.STOPPED
    assert now().last_used_at is not None
    assert now().load_seconds is not None
    changed = replace(router.config.models["a"], description="another one")
    router.apply_config(replace(router.config, models={**router.config.models, "a": changed}))
    assert now().description == "another one"


async def test_why_a_start_failed_is_in_the_next_snapshot(make) -> None:
    router = make(parse("models: {a: {cmd: 'no-such-program --port ${PORT}'}}"))
    assert router.snapshot().models[0].error is None
    with pytest.raises(Exception, match="no-such-program"):
        await router.load("a", by="test")
    assert "no-such-program" in (router.snapshot().models[0].error or "")
