"""A model with another context, made when somebody asks for it."""

from __future__ import annotations

import aiohttp
import pytest

from qmdesk.config import Model, parse
from qmdesk.config.variant import NoVariant, context_of, split_name, variant_of
from qmdesk.events import ModelState
from tests.conftest import fake
from tests.router.test_turns import make, use

__all__ = ["make"]


def text(*names: str, more: str = "") -> str:
    """Fakes that pass for a llama-server."""
    return (
        "models:\n"
        + "".join(
            f"  {name}:\n    cmd: {fake(name='llama-server')}\n    aliases: [{name}-alias]\n"
            for name in names
        )
        + more
    )


class TestNames:
    def test_what_follows_the_mark(self) -> None:
        assert split_name("m?ctx=5") == ("m", "5")
        assert split_name("m") == ("m", None)
        assert split_name("m?x=5") == ("m?x=5", None)

    @pytest.mark.parametrize("asked", ["511", "4194305", "", "-1", "big", "1e5"])
    def test_a_context_has_bounds(self, asked: str) -> None:
        with pytest.raises(NoVariant, match="from 512 to 4194304"):
            context_of(asked)

    def test_the_flag_is_put_in_place_or_appended(self) -> None:
        base = Model("m", cmd="llama-server -m x -c 100 --jinja", aliases=("n",))
        made = variant_of(base, 8192)
        assert made.cmd == ("llama-server", "-m", "x", "-c", "8192", "--jinja")
        assert (made.id, made.unlisted, made.aliases) == ("m?ctx=8192", True, ())
        assert variant_of(Model("m", cmd=("llama-server",)), 512).cmd == (
            "llama-server",
            "-c",
            "512",
        )

    def test_what_was_said_of_the_bases_size_does_not_count(self) -> None:
        assert variant_of(Model("m", cmd="llama-server", est_vram_gb=5), 512).est_vram_gb == 0

    def test_other_servers_have_none(self) -> None:
        with pytest.raises(NoVariant, match="not a llama-server"):
            variant_of(Model("m", cmd="vllm serve x"), 512)


async def test_a_variant_is_a_model_of_its_own_in_the_groups_of_its_base(make) -> None:
    router = make(parse(text("a", "b", more="groups: {g: {swap: false, members: [a, b]}}\n")))
    made = router.variant("a", 1024)
    assert router.variant("a", 1024) is made
    await use(router, "a")
    await use(router, made.id)
    assert router.state("a") is ModelState.READY
    snapshot = router.snapshot().model("a?ctx=1024")
    assert snapshot is not None
    assert snapshot.command.endswith("-c 1024")
    await use(router, "b")
    assert router.state(made.id) is ModelState.READY


async def test_it_goes_when_the_configuration_changes(make) -> None:
    router = make(parse(text("a")))
    made = router.variant("a", 1024)
    await use(router, made.id)
    changes = router.apply_config(parse(text("a", "b")))
    assert changes == ('model "b" added',)
    assert router.config.resolve(made.id) is None


async def test_there_are_four_of_a_model_and_unused_ones_make_place(make) -> None:
    router = make(parse(text("a", more="groups: {g: {swap: false, members: [a]}}\n")))
    for number in range(4):
        await use(router, router.variant("a", 1024 + number).id)
    with pytest.raises(NoVariant, match="4 variants of a are in use already"):
        router.variant("a", 5000)
    await router.unload(("a?ctx=1025",), by="the test")
    router.variant("a", 5000)
    assert router.config.resolve("a?ctx=1025") is None
    assert router.config.resolve("a?ctx=1024") is not None


async def test_a_variant_can_be_loaded_and_unloaded_by_its_name(
    start, http: aiohttp.ClientSession
) -> None:
    instance = await start(parse(text("a")))
    base = instance.addresses[0]
    async with http.post(f"{base}/api/models/a-alias%3Fctx=2048/load") as answer:
        assert (await answer.json())["model"] == "a?ctx=2048"
    async with http.get(f"{base}/v1/models") as answer:
        assert [each["id"] for each in (await answer.json())["data"]] == ["a"]
    async with http.post(f"{base}/api/models/a%3Fctx=2048/unload") as answer:
        assert (await answer.json())["unloaded"] == ["a?ctx=2048"]
    async with http.post(f"{base}/api/models/a%3Fctx=9/load") as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["code"] == "invalid_context"
