"""The official clients, pointed at the gateway, with servers that answer as the real ones do."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web

from qmdesk.config import parse

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
WAV = b"RIFF" + bytes(range(256)) * 40
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
CALL = {"name": "weather", "arguments": '{"city": "Köln"}'}
TOOL: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def completion(**choice: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", **choice}],
        "usage": USAGE,
    }


def piece(**choice: Any) -> dict[str, Any]:
    body = completion(**choice)
    del body["usage"]
    return {**body, "object": "chat.completion.chunk"}


MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Guten Tag"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
MESSAGE_EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t1", "name": "weather", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": CALL["arguments"]},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 2},
    },
    {"type": "message_stop"},
]


@dataclass
class Server:
    """Answers the routes of both APIs, and keeps what it was asked."""

    address: str = ""
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.asked.append((request.path, body))
        content = json.loads(body) if body.startswith(b"{") else {}
        match request.path:
            case "/v1/chat/completions" if content.get("stream") and content.get("tools"):
                call = {"index": 0, "id": "t1", "type": "function", "function": CALL}
                delta = {"role": "assistant", "tool_calls": [call]}
                done = piece(delta={}, finish_reason="tool_calls")
                return await events(request, [piece(delta=delta, finish_reason=None), done])
            case "/v1/chat/completions" if content.get("stream"):
                words = [
                    piece(delta={"content": each}, finish_reason=None) for each in ("Gu", "ten")
                ]
                return await events(request, [*words, piece(delta={})])
            case "/v1/chat/completions" if content.get("tools"):
                call = {"id": "t1", "type": "function", "function": CALL}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
                return web.json_response(completion(message=message, finish_reason="tool_calls"))
            case "/v1/chat/completions":
                message = {"role": "assistant", "content": "Guten Tag"}
                return web.json_response(completion(message=message))
            case "/v1/embeddings":
                data = {"object": "embedding", "index": 0, "embedding": [0.5, -1.0]}
                answer = {"object": "list", "model": "m", "data": [data], "usage": USAGE}
                return web.json_response(answer)
            case "/v1/audio/speech":
                return web.Response(body=WAV, content_type="audio/wav")
            case "/v1/audio/transcriptions" | "/v1/audio/translations":
                return web.json_response({"text": f"{body.count(WAV)} recording"})
            case "/v1/images/generations" | "/v1/images/edits" | "/v1/images/variations":
                picture = {"b64_json": base64.b64encode(PNG).decode()}
                return web.json_response({"created": 1, "data": [picture]})
            case "/v1/moderations":
                return web.json_response({"id": "x", "model": "m", "results": []})
            case "/v1/messages" if content.get("stream"):
                return await events(request, MESSAGE_EVENTS, named=True)
            case "/v1/messages":
                return web.json_response(MESSAGE)
            case "/v1/messages/count_tokens":
                return web.json_response({"input_tokens": 3})
        return web.json_response({"error": {"message": "no such route"}}, status=404)


async def events(
    request: web.Request, contents: list[dict[str, Any]], *, named: bool = False
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for each in contents:
        name = f"event: {each['type']}\n" if named else ""
        await response.write(f"{name}data: {json.dumps(each)}\n\n".encode())
    if not named:
        await response.write(b"data: [DONE]\n\n")
    return response


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    app = web.Application(client_max_size=0)
    app.router.add_route("*", "/{rest:.*}", made.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def gateway(start, server) -> str:
    text = f"apiKeys: [sk-1]\nmodels:\n  m: {{proxy: '{server.address}', aliases: [gpt-4o]}}\n"
    instance = await start(parse(text))
    address: str = instance.addresses[0]
    return address


@pytest.fixture
async def client(gateway) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{gateway}/v1", api_key="sk-1") as made:
        yield made


@pytest.fixture
async def claude(gateway) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(base_url=gateway, api_key="sk-1") as made:
        yield made


HELLO: Any = [{"role": "user", "content": "Hallo"}]


class TestOpenAI:
    async def test_a_chat(self, client) -> None:
        answer = await client.chat.completions.create(model="gpt-4o", messages=HELLO)
        assert answer.choices[0].message.content == "Guten Tag"
        assert answer.usage is not None
        assert answer.usage.total_tokens == 5

    async def test_a_streamed_chat(self, client) -> None:
        stream = await client.chat.completions.create(model="m", messages=HELLO, stream=True)
        words = [chunk.choices[0].delta.content async for chunk in stream]
        assert words == ["Gu", "ten", None]

    async def test_a_tool_call(self, client) -> None:
        answer = await client.chat.completions.create(model="m", messages=HELLO, tools=[TOOL])
        (call,) = answer.choices[0].message.tool_calls or ()
        assert call.function.arguments == CALL["arguments"]

    async def test_a_streamed_tool_call(self, client) -> None:
        async with client.chat.completions.stream(
            model="m", messages=HELLO, tools=[TOOL]
        ) as stream:
            final = await stream.get_final_completion()
        (call,) = final.choices[0].message.tool_calls or ()
        assert call.function.name == "weather"
        assert final.choices[0].finish_reason == "tool_calls"

    async def test_embeddings(self, client) -> None:
        answer = await client.embeddings.create(model="m", input=["Hallo"], encoding_format="float")
        assert answer.data[0].embedding == [0.5, -1.0]

    async def test_speech(self, client) -> None:
        answer = await client.audio.speech.create(model="m", voice="alloy", input="Hallo")
        assert answer.content == WAV

    async def test_speech_as_it_comes(self, client) -> None:
        async with client.audio.speech.with_streaming_response.create(
            model="m", voice="alloy", input="Hallo"
        ) as answer:
            assert b"".join([part async for part in answer.iter_bytes()]) == WAV

    # The package would have everybody leave translations.
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    @pytest.mark.parametrize("what", ["transcriptions", "translations"])
    async def test_a_recording(self, client, server, what) -> None:
        route = getattr(client.audio, what)
        answer = await route.create(model="m", file=("a.wav", WAV, "audio/wav"))
        assert answer.text == "1 recording"
        assert server.asked[-1][0] == f"/v1/audio/{what}"

    async def test_pictures(self, client) -> None:
        made = await client.images.generate(model="m", prompt="a dot")
        edited = await client.images.edit(model="m", image=("a.png", PNG), prompt="a dot")
        for answer in (made, edited):
            assert base64.b64decode(answer.data[0].b64_json) == PNG

    async def test_moderations(self, client) -> None:
        assert (await client.moderations.create(model="m", input="Hallo")).id == "x"

    async def test_the_list(self, client) -> None:
        assert [model.id async for model in client.models.list()] == ["m"]
        assert (await client.models.retrieve("gpt-4o")).object == "model"

    async def test_errors_are_its_own_kinds(self, client, gateway) -> None:
        with pytest.raises(openai.NotFoundError, match="there is no model 'n'"):
            await client.chat.completions.create(model="n", messages=HELLO)
        stranger = client.with_options(api_key="sk-2")
        with pytest.raises(openai.AuthenticationError):
            await stranger.chat.completions.create(model="m", messages=HELLO)


class TestAnthropic:
    async def test_a_message(self, claude) -> None:
        answer = await claude.messages.create(model="m", max_tokens=9, messages=HELLO)
        assert answer.content[0].text == "Guten Tag"

    async def test_a_streamed_tool_use(self, claude) -> None:
        async with claude.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
            final = await stream.get_final_message()
        assert final.content[0].input == json.loads(CALL["arguments"])
        assert final.stop_reason == "tool_use"

    async def test_counting_tokens(self, claude) -> None:
        assert (await claude.messages.count_tokens(model="m", messages=HELLO)).input_tokens == 3

    async def test_errors_are_its_own_kinds(self, claude) -> None:
        with pytest.raises(anthropic.NotFoundError, match="there is no model 'n'"):
            await claude.messages.create(model="n", max_tokens=9, messages=HELLO)
        stranger = claude.with_options(api_key="sk-2")
        with pytest.raises(anthropic.AuthenticationError):
            await stranger.messages.create(model="m", max_tokens=9, messages=HELLO)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
class TestCurl:
    async def run(self, *arguments: str) -> bytes:
        curl = await asyncio.create_subprocess_exec(
            "curl", "-sS", "-m", "20", *arguments, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await curl.communicate()
        assert curl.returncode == 0
        return out

    async def test_a_form_that_expects_to_be_asked_for_its_body(self, gateway, tmp_path) -> None:
        recording = tmp_path / "a.wav"
        recording.write_bytes(WAV * 200)
        out = await self.run(
            "-H", "Authorization: Bearer sk-1", "-H", "Expect: 100-continue",
            "-F", f"file=@{recording}", "-F", "model=m", f"{gateway}/v1/audio/transcriptions",
        )  # fmt: skip
        assert json.loads(out)["text"] == "200 recording"

    async def test_head(self, gateway) -> None:
        out = await self.run("-I", "-u", "me:sk-1", f"{gateway}/v1/models")
        assert out.startswith(b"HTTP/1.1 200 OK\r\n")

    async def test_a_stream(self, gateway) -> None:
        body = json.dumps({"model": "m", "messages": [], "stream": True})
        out = await self.run("-N", "-u", "me:sk-1", "-d", body, f"{gateway}/v1/chat/completions")
        assert out.count(b"data: ") == 4
        assert out.endswith(b"data: [DONE]\n\n")
