"""Bytes both ways, with fake upstreams that are real processes."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from qmdesk.events import Evicted, RequestFinished
from qmdesk.instance import Instance
from tests.conftest import fake, models, simple, until


def chat(model: str, *, stream: bool = False, **fake_options: object) -> dict[str, Any]:
    return {"model": model, "stream": stream, "messages": [], "fake": fake_options}


def url(instance: Instance, path: str = "/v1/chat/completions") -> str:
    return instance.addresses[0] + path


async def cut_stream(address: str, body: object, began: asyncio.Event | None = None) -> bytes:
    """What came of a stream that ends without its proper end; ``began`` tells of its first.

    Over a plain connection: client libraries drop what came just before a broken end.
    """
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    content = json.dumps(body).encode()
    writer.write(
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n".encode()
        + content
    )
    text = b""
    while piece := await reader.read(1 << 16):
        text += piece
        if began is not None and b"data: " in text:
            began.set()
    writer.close()
    assert not text.endswith(b"0\r\n\r\n"), f"the stream ended as if it were whole: {text!r}"
    return text


async def asked(instance: Instance, http: aiohttp.ClientSession, model: str) -> list[Any]:
    """What the upstream of ``model`` has been asked."""
    snapshot = instance.router.snapshot().model(model)
    assert snapshot is not None
    async with http.get(f"{snapshot.proxy}/fake/requests") as response:
        requests: list[Any] = await response.json()
    return requests


async def test_a_request_loads_its_model_and_is_answered_by_it(start, http) -> None:
    instance = await start(simple("a", "b"))
    async with http.post(url(instance), json=chat("a")) as response:
        answer = await response.json()
    assert answer["choices"][0]["message"]["content"] == "a-0 a-1 a-2"
    assert response.headers["X-QM-Model"] == "a"
    assert response.headers["X-QM-Model-Loaded"] == "1"
    assert int(response.headers["X-QM-Wait-Ms"]) > 0
    async with http.post(url(instance), json=chat("a")) as response:
        assert response.headers["X-QM-Model-Loaded"] == "0"


async def test_another_model_evicts_the_first_and_the_eviction_is_told(start, http) -> None:
    instance = await start(simple("a", "b"))
    told: list[Evicted] = []
    instance.bus.subscribe(told.append, Evicted)
    for model in ("a", "b"):
        async with http.post(url(instance), json=chat(model)) as response:
            assert response.status == 200
    (eviction,) = told
    assert (eviction.models, eviction.for_model) == (("a",), "b")
    assert eviction.asked_by.startswith("Python")
    states = {model.id: model.state for model in instance.router.snapshot().models}
    assert states == {"a": "stopped", "b": "ready"}


async def test_a_stream_comes_piece_by_piece_and_whole(start, http) -> None:
    instance = await start(simple("a"))
    body = chat("a", stream=True, tokens=4, delay=0.05)
    async with http.post(url(instance), json=body) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        assert response.headers["X-Accel-Buffering"] == "no"
        pieces = [piece async for piece in response.content.iter_any()]
    assert len(pieces) >= 4
    text = b"".join(pieces).decode()
    assert text.count("data: ") == 6
    assert text.endswith("data: [DONE]\n\n")


async def test_the_body_arrives_byte_for_byte(start, http) -> None:
    instance = await start(simple("a"))
    body = (
        b'{ "seed":12345678901234567890, "temperature" : 1.0,\n"model":"a", "x":"\\u00e9\xc3\xa9" }'
    )
    async with http.post(url(instance), data=body) as response:
        assert response.status == 200
    (request,) = await asked(instance, http, "a")
    assert request["body"].encode() == body
    assert dict(request["headers"])["Content-Length"] == str(len(body))


@pytest.mark.parametrize("stream", [True, False])
async def test_the_clients_leaving_reaches_the_upstream(start, http, stream) -> None:
    instance = await start(simple("a"))
    await instance.router.load("a", by="the test")
    body = chat("a", stream=stream, tokens=1000, delay=0.05)

    async def ask() -> None:
        async with http.post(url(instance), json=body) as response:
            await response.read()

    request = asyncio.ensure_future(ask())
    await until(lambda: instance.router.snapshot().in_flight)
    while not await asked(instance, http, "a"):
        await asyncio.sleep(0.01)
    request.cancel()
    await until(lambda: not instance.router.snapshot().in_flight)
    async with asyncio.timeout(2):
        while not (await asked(instance, http, "a"))[0]["left"]:
            await asyncio.sleep(0.01)


async def test_an_upstream_that_dies_within_its_answer_ends_the_stream_with_an_error(
    start, http
) -> None:
    instance = await start(simple("a"))
    body = chat("a", stream=True, tokens=5, die="within")
    text = await cut_stream(url(instance), body)
    assert b"a-0" in text
    last = text.decode().strip().rpartition("data: ")[2]
    message = json.loads(last)["error"]["message"]
    assert "ended with code 9" in message
    async with http.post(url(instance), json=chat("a")) as response:
        assert response.status == 200


async def test_an_upstream_that_dies_before_its_answer_is_asked_once_more(start, http) -> None:
    instance = await start(models(f"a: {{cmd: {fake('--die-at', 2, name='a')}}}"))
    for _ in range(4):
        async with http.post(url(instance), json=chat("a")) as response:
            assert response.status == 200


async def test_but_only_once(start, http) -> None:
    instance = await start(simple("a"))
    async with http.post(url(instance), json=chat("a", die="before")) as response:
        assert response.status == 502
        error = (await response.json())["error"]
    assert "ended with code 9" in error["message"]
    assert error["type"] == "server_error"


async def test_a_start_that_fails_says_why(start, http) -> None:
    command = fake("--prints", "error: bad flag", "--exit-after", 0, "--exit-code", 1)
    instance = await start(models(f"a: {{cmd: {command}}}"))
    async with http.post(url(instance), json=chat("a")) as response:
        assert response.status == 503
        message = (await response.json())["error"]["message"]
    assert "ended with code 1" in message
    assert "error: bad flag" in message


async def test_a_missing_program_is_named(start, http) -> None:
    instance = await start(models('a: {cmd: "no-such-program --port ${PORT}"}'))
    async with http.post(url(instance), json=chat("a")) as response:
        assert response.status == 503
        message = (await response.json())["error"]["message"]
    assert "no program 'no-such-program'" in message
    assert "models.a.cmd" in message


async def test_unload_ends_a_stream_with_an_error(start, http) -> None:
    instance = await start(simple("a"))
    body = chat("a", stream=True, tokens=1000, delay=0.05)
    began = asyncio.Event()
    stream = asyncio.ensure_future(cut_stream(url(instance), body, began))
    await began.wait()
    unload = asyncio.ensure_future(instance.router.unload(by="the test"))
    text = await stream
    assert b"unloaded (manual, by the test)" in text
    assert await unload == ("a",)


async def test_a_configuration_is_applied_while_a_stream_runs(start, http) -> None:
    instance = await start(simple("a", "b"))
    body = chat("a", stream=True, tokens=20, delay=0.02)
    async with http.post(url(instance), json=body) as response:
        first = await response.content.readany()
        pid = instance.router.snapshot().model("a").pid
        changes = instance.router.apply_config(simple("a", "c", more="globalTTL: 100\n"))
        rest = await response.content.read()
    assert (first + rest).endswith(b"data: [DONE]\n\n")
    assert changes
    snapshot = instance.router.snapshot()
    assert [model.id for model in snapshot.models] == ["a", "c"]
    assert snapshot.model("a").pid == pid
    assert snapshot.model("a").ttl == 100


class TestLoadingStatus:
    async def test_comments_while_it_loads_and_then_the_stream(self, start, http) -> None:
        command = fake("--ready-after", 0.6, name="a")
        instance = await start(models(f"a: {{cmd: {command}, sendLoadingState: true}}"))
        async with http.post(url(instance), json=chat("a", stream=True)) as response:
            assert response.status == 200
            text = (await response.read()).decode()
        assert text.startswith(": qm-status: loading")
        assert text.endswith("data: [DONE]\n\n")
        assert response.headers["X-QM-Model-Loaded"] == "1"

    async def test_the_place_in_the_queue(self, start, http) -> None:
        instance = await start(simple("a", "b", more="sendLoadingState: true\n"))
        busy = asyncio.ensure_future(http.post(url(instance), json=chat("a", silence=0.5)))
        await until(lambda: instance.router.snapshot().in_flight)
        async with http.post(url(instance), json=chat("b", stream=True)) as response:
            text = (await response.read()).decode()
        assert text.startswith(": qm-status: waiting 1")
        (await busy).close()

    async def test_none_where_the_model_is_ready(self, start, http) -> None:
        instance = await start(simple("a", more="sendLoadingState: true\n"))
        await instance.router.load("a", by="the test")
        async with http.post(url(instance), json=chat("a", stream=True)) as response:
            assert (await response.read()).startswith(b"data: ")

    @pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
    async def test_a_failed_load_ends_it_with_an_error_of_the_api(self, start, http, path) -> None:
        command = fake("--exit-after", 0.5, "--exit-code", 1)
        instance = await start(models(f"a: {{cmd: {command}, sendLoadingState: true}}"))
        async with http.post(url(instance, path), json=chat("a", stream=True)) as response:
            assert response.status == 200
            text = (await response.read()).decode()
        if path.endswith("messages"):
            assert "event: error\ndata: " in text
        else:
            assert text.endswith("data: [DONE]\n\n")
        assert "ended with code 1" in text

    async def test_a_refusal_at_the_door_is_a_real_status(self, start, http) -> None:
        command = fake("--ready-after", 1)
        line = f"a: {{cmd: {command}, sendLoadingState: true, concurrencyLimit: 1}}"
        instance = await start(models(line))
        first = asyncio.ensure_future(http.post(url(instance), json=chat("a", stream=True)))
        await until(lambda: instance.router.snapshot().waiting)
        async with http.post(url(instance), json=chat("a", stream=True)) as response:
            assert response.status == 429
            assert response.headers["Retry-After"] == "1"
        (await first).close()


async def test_every_request_is_told_with_its_end(start, http) -> None:
    instance = await start(simple("a"))
    told: list[RequestFinished] = []
    instance.bus.subscribe(told.append, RequestFinished)
    async with http.post(url(instance), json=chat("a")) as response:
        await response.read()
    await until(lambda: told)
    assert (told[0].model, told[0].status, told[0].loaded) == ("a", 200, True)


async def test_an_agents_tool_call_holds_the_model_for_a_moment(start, http) -> None:
    instance = await start(simple("a", "b"))
    async with http.post(url(instance), json=chat("a", stream=True, tool_call=True)) as response:
        await response.read()
    other = asyncio.ensure_future(http.post(url(instance), json=chat("b")))
    await until(lambda: instance.router.snapshot().waiting)
    async with http.post(url(instance), json=chat("a")) as response:
        assert response.headers["X-QM-Model-Loaded"] == "0"
    headers = {"X-QM-Patience-Ms": "0"}
    async with http.post(url(instance), json=chat("b"), headers=headers) as response:
        assert response.status == 200
    (await other).close()


class TestOpenRequests:
    async def rows(self, instance, http) -> list[Any]:
        async with http.get(f"{instance.addresses[0]}/api/requests") as response:
            rows: list[Any] = (await response.json())["requests"]
        return rows

    async def cancel(self, instance, http, number: int) -> int:
        address = f"{instance.addresses[0]}/api/requests/{number}/cancel"
        async with http.post(address) as response:
            return response.status

    async def test_they_are_listed_with_what_they_do(self, start, http) -> None:
        instance = await start(simple("a", "b"))
        running = asyncio.ensure_future(http.post(url(instance), json=chat("a", silence=60)))
        await until(lambda: instance.router.snapshot().in_flight)
        waiting = asyncio.ensure_future(http.post(url(instance), json=chat("b")))
        await until(lambda: instance.router.snapshot().waiting)
        first, second = await self.rows(instance, http)
        assert (first["model"], first["state"]) == ("a", "running")
        assert (second["model"], second["state"]) == ("b", "waiting")
        assert first["client"].startswith("Python")
        for number in (second["id"], first["id"]):
            assert await self.cancel(instance, http, number) == 200
        for request in (running, waiting):
            async with await request as response:
                assert response.status == 499
                error = (await response.json())["error"]
            assert "cancelled by Python" in error["message"]
        assert await self.rows(instance, http) == []
        assert await self.cancel(instance, http, first["id"]) == 404
        assert instance.router.snapshot().in_flight == 0

    async def test_a_cancelled_stream_ends_with_an_error_and_frees_the_server(
        self, start, http
    ) -> None:
        instance = await start(simple("a"))
        body = chat("a", stream=True, tokens=1000, delay=0.05)
        began = asyncio.Event()
        stream = asyncio.ensure_future(cut_stream(url(instance), body, began))
        await began.wait()
        (row,) = await self.rows(instance, http)
        await self.cancel(instance, http, row["id"])
        assert b"cancelled by" in await stream
        async with asyncio.timeout(2):
            while not (await asked(instance, http, "a"))[0]["left"]:
                await asyncio.sleep(0.01)

    async def test_one_that_waits_in_a_begun_stream(self, start, http) -> None:
        command = fake("--ready-after", 30)
        instance = await start(models(f"a: {{cmd: {command}, sendLoadingState: true}}"))
        async with http.post(url(instance), json=chat("a", stream=True)) as response:
            (row,) = await self.rows(instance, http)
            await self.cancel(instance, http, row["id"])
            text = (await response.read()).decode()
        assert "cancelled by" in text
        assert text.endswith("data: [DONE]\n\n")


async def test_the_loading_status_as_reasoning(start, http) -> None:
    command = fake("--ready-after", 0.5, name="a")
    instance = await start(models(f"a: {{cmd: {command}, sendLoadingState: reasoning}}"))
    async with http.post(url(instance), json=chat("a", stream=True)) as response:
        text = (await response.read()).decode()
    first = json.loads(text.partition("\n")[0].removeprefix("data: "))
    assert first["object"] == "chat.completion.chunk"
    assert first["model"] == "a"
    assert first["choices"][0]["delta"]["reasoning_content"] == "loading\n"
    assert text.endswith("data: [DONE]\n\n")


async def test_an_agent_whose_answer_was_not_seen_to_its_end_is_held_too(start, http) -> None:
    instance = await start(simple("a", "b"))
    body = {**chat("a", stream=True, tokens=1000, delay=0.05), "tools": [{"type": "function"}]}
    async with http.post(url(instance), json=body) as response:
        await response.content.readany()
    await until(lambda: not instance.router.snapshot().in_flight)
    other = asyncio.ensure_future(http.post(url(instance), json=chat("b")))
    await until(lambda: instance.router.snapshot().waiting)
    assert instance.router.snapshot().model("a").state == "ready"
    other.cancel()
