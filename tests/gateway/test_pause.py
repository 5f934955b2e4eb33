"""Freeing the card over HTTP, and what clients are told meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest

from tests.conftest import simple
from tests.gateway.test_streaming import chat as stream_of
from tests.gateway.test_streaming import cut_stream, url


async def post(http: aiohttp.ClientSession, url: str, body: Any = None) -> tuple[int, Any]:
    async with http.post(url, json=body) as response:
        return response.status, await response.json()


async def chat(
    http: aiohttp.ClientSession, address: str, path: str = "/v1/chat/completions", **more: Any
) -> tuple[int, Any, Any]:
    body = {"model": "a", "messages": [], **more}
    async with http.post(f"{address}{path}", json=body) as response:
        return response.status, await response.json(), response.headers


async def test_a_request_gets_503_with_the_time_and_the_reason(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    await chat(http, address)
    status, answer = await post(http, f"{address}/api/pause", {"minutes": 30})
    assert status == 200
    assert answer["unloaded"] == ["a"]
    assert answer["paused"]["seconds_left"] == pytest.approx(1800, abs=10)
    status, answer, headers = await chat(http, address)
    assert status == 503
    assert 1790 <= int(headers["Retry-After"]) <= 1800
    assert answer["error"]["code"] == "paused"
    assert "a is not loaded: qmdesk is paused by" in answer["error"]["message"]
    assert "Resume it in the tray, or with: qmdesk resume" in answer["error"]["message"]


async def test_anthropics_clients_are_told_in_their_shape(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    await post(http, f"{address}/api/pause")
    status, answer, _ = await chat(http, address, "/v1/messages")
    assert status == 503
    assert answer["error"]["type"] == "overloaded_error"


async def test_a_stream_is_refused_before_it_begins(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    await post(http, f"{address}/api/pause")
    status, _, headers = await chat(http, address, stream=True)
    assert status == 503
    assert headers["Retry-After"] == "60"


async def test_a_load_is_refused_the_same(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    await post(http, f"{address}/api/pause")
    status, answer = await post(http, f"{address}/api/models/a/load")
    assert (status, answer["error"]["code"]) == (503, "paused")


async def test_a_stream_under_way_ends_with_the_reason(start, http) -> None:
    instance = await start(simple("a"))
    began = asyncio.Event()
    slow = stream_of("a", stream=True, tokens=1000, delay=0.05)
    stream = asyncio.ensure_future(cut_stream(url(instance), slow, began))
    await began.wait()
    await post(http, f"{instance.addresses[0]}/api/pause")
    assert b"a was unloaded to free the card" in await stream


async def test_the_state_is_told_until_it_is_resumed(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]

    async def paused() -> Any:
        async with http.get(f"{address}/api/status") as response:
            return (await response.json())["paused"]

    assert await paused() is None
    await post(http, f"{address}/api/pause")
    told = await paused()
    assert (told["end"], told["until"], told["until_program"]) == (
        "until somebody resumes",
        None,
        None,
    )
    assert await post(http, f"{address}/api/resume") == (200, {"success": True, "was_paused": True})
    assert await post(http, f"{address}/api/resume") == (
        200,
        {"success": True, "was_paused": False},
    )
    assert await paused() is None
    assert (await chat(http, address))[0] == 200


async def test_it_is_told_on_the_event_stream(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    async with http.get(f"{address}/api/events") as events, asyncio.timeout(10):
        await events.content.readuntil(b"\n\n")
        await post(http, f"{address}/api/pause", {"minutes": 1.5})
        await post(http, f"{address}/api/resume")
        seen = b""
        while b"event: resumed" not in seen:
            seen += await events.content.readuntil(b"\n\n")
    assert b"event: paused" in seen


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"minutes": 0}, "minutes must be a number above 0 and at most 10080"),
        ({"minutes": True}, "minutes must be a number"),
        ({"minutes": "30"}, "minutes must be a number"),
        ({"minutes": 1e9}, "minutes must be a number"),
        ({"until_program": ""}, "until_program must be the name of a program"),
        ({"until_program": 5}, "until_program must be the name of a program"),
        ({"minutes": 5, "until_program": "x"}, "exclude each other"),
        ({"hours": 5}, "unknown key 'hours'"),
        ([30], "the body must be a JSON object"),
    ],
)
async def test_what_makes_no_sense_is_refused(start, http, body: Any, message: str) -> None:
    address = (await start(simple("a"))).addresses[0]
    status, answer = await post(http, f"{address}/api/pause", body)
    assert status == 400
    assert message in answer["error"]["message"]


async def test_a_program_that_does_not_run_is_not_found(start, http) -> None:
    address = (await start(simple("a"))).addresses[0]
    status, answer = await post(http, f"{address}/api/pause", {"until_program": "no-such-game"})
    assert (status, answer["error"]["code"]) == (404, "program_not_found")
