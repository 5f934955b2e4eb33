"""Names for whatever is loaded, and what a client asks before it knows any name."""

from __future__ import annotations

import asyncio
import json

from qmdesk.config import Config, parse
from tests.conftest import fake, until
from tests.gateway.peer_server import PeerServer, rows


def config(more: str = "") -> Config:
    return parse(
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
        "  elsewhere: {proxy: 'http://127.0.0.1:9'}\n"
        f"  current: {{aliases: [title]}}\n{more}"
    )


async def answerer(http, instance, name: str) -> str:
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": name}) as response:
        assert response.status == 200
        return response.headers["X-QM-Model"]


class TestCurrent:
    async def test_a_helpers_request_goes_to_the_model_that_is_loaded(self, start, http) -> None:
        instance = await start(config())
        for loaded in ("a", "b"):
            await instance.router.load(loaded, by="test")
            for name in ("current", "title"):
                assert await answerer(http, instance, name) == loaded
            assert instance.router.state(loaded) == "ready"

    async def test_of_several_the_one_that_was_used_last(self, start, http) -> None:
        both = "groups: {both: {members: [a, b], swap: false}}\n"
        instance = await start(config(both))
        for used in ("b", "a", "b"):
            await answerer(http, instance, used)
            assert await answerer(http, instance, "title") == used
        body = {"model": "a", "stream": True, "fake": {"tokens": 2, "delay": 600}}
        async with http.post(f"{instance.addresses[0]}/v1/chat/completions", json=body):
            # One in use is used now.
            assert await answerer(http, instance, "title") == "a"
            assert await answerer(http, instance, "b") == "b"
            assert await answerer(http, instance, "title") == "a"

    async def test_one_that_is_being_loaded_counts(self, start, http) -> None:
        text = (
            f"models:\n  a: {{cmd: {fake('--ready-after', 0.5)}}}\n  b: {{cmd: {fake()}}}\n"
            "  current: {aliases: [title]}\ndefaultModel: b\n"
        )
        instance = await start(parse(text))
        loading = asyncio.create_task(instance.router.load("a", by="test"))
        await until(lambda: instance.router.state("a") == "starting")
        assert await answerer(http, instance, "title") == "a"
        await loading

    async def test_with_none_loaded_it_is_the_default_one(self, start, http) -> None:
        instance = await start(config("defaultModel: b\n"))
        assert await answerer(http, instance, "title") == "b"

    async def test_without_either_it_is_said_what_to_do(self, start, http) -> None:
        instance = await start(config())
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "title"}) as response:
            assert response.status == 503
            error = (await response.json())["error"]
        assert error["code"] == "no_model_loaded"
        assert "defaultModel" in error["message"]

    async def test_they_are_listed_and_seen_as_loaded(self, start, http) -> None:
        instance = await start(config())
        assert (await rows(http, instance))["title"]["status"] == {"value": "unloaded"}
        await instance.router.load("a", by="test")
        assert (await rows(http, instance))["title"]["status"] == {"value": "loaded"}

    async def test_without_the_entry_the_word_means_nothing(self, start, http) -> None:
        instance = await start(parse(f"models: {{a: {{cmd: {fake()}}}}}"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "current"}) as response:
            assert response.status == 404


class TestProps:
    async def test_without_a_model_they_say_what_kind_of_server_this_is(self, start, http) -> None:
        instance = await start(config("defaultModel: a\n"))
        for query in ("", "?model="):
            async with http.get(f"{instance.addresses[0]}/props{query}") as response:
                assert response.status == 200
                props = await response.json()
            assert props["role"] == "router"
            assert props["default_generation_settings"]["n_ctx"] == 0
        assert instance.router.state("a") == "stopped"

    async def test_with_one_its_server_answers(self, start, http) -> None:
        server = PeerServer()
        address = await server.start()
        instance = await start(parse(f"models: {{a: {{proxy: '{address}', useModelName: in}}}}"))
        async with http.get(f"{instance.addresses[0]}/props?autoload=0&model=a") as response:
            assert response.status == 200
        await server.close()
        assert server.asked[0].path == "/props?autoload=0&model=in"


async def test_states_are_told_in_llama_cpps_shape(start, http) -> None:
    instance = await start(config())
    async with http.get(f"{instance.addresses[0]}/models/sse") as events:
        assert events.content_type == "text/event-stream"
        await events.content.readuntil(b"\n\n")
        await instance.router.load("a", by="test")
        await instance.router.unload(by="test")
        seen = []
        while len(seen) < 4:
            line = (await events.content.readuntil(b"\n\n")).decode()
            assert line.startswith("data: ")
            seen.append(json.loads(line.removeprefix("data: ")))
    assert {(each["model"], each["event"]) for each in seen} == {("a", "status_change")}
    states = [each["data"]["status"] for each in seen]
    assert states == ["loading", "loaded", "unloading", "unloaded"]
