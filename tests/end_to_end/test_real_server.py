"""The main job on a real llama-server, asked by the clients that people use."""

from __future__ import annotations

import asyncio
import json
import shutil

import aiohttp
import anthropic
import openai
import pytest

from qmdesk.config import parse
from qmdesk.events import Evicted
from tests.conftest import pid_runs, until

HELLO = [{"role": "user", "content": "hello"}]


def openai_client(instance) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{instance.addresses[0]}/v1", api_key="none")


async def test_the_openai_package(start, real) -> None:
    instance = await start(real)
    evictions: list[Evicted] = []
    instance.bus.subscribe(evictions.append, Evicted)
    async with openai_client(instance) as client:
        answer = await client.chat.completions.create(model="alpha", messages=HELLO)
        assert answer.choices[0].message.content == "alpha model speaking here"
        stream = await client.chat.completions.create(
            model="beta-alias", messages=HELLO, stream=True
        )
        words = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
        assert "".join(words) == "beta answers this time"
        listed = [model.id async for model in client.models.list()]
        assert listed == ["alpha", "beta", "endless"]
        with pytest.raises(openai.NotFoundError, match="did you mean 'alpha'"):
            await client.chat.completions.create(model="alphaa", messages=HELLO)
    (eviction,) = evictions
    assert (eviction.models, eviction.for_model) == (("alpha",), "beta")
    assert eviction.asked_by.startswith("AsyncOpenAI")


async def test_the_anthropic_package(start, real) -> None:
    instance = await start(real)
    client = anthropic.AsyncAnthropic(base_url=instance.addresses[0], api_key="none")
    async with client:
        answer = await client.messages.create(model="alpha", max_tokens=20, messages=HELLO)
        assert answer.content[0].text == "alpha model speaking here"
        async with client.messages.stream(model="beta", max_tokens=20, messages=HELLO) as stream:
            text = "".join([piece async for piece in stream.text_stream])
        assert text == "beta answers this time"
        with pytest.raises(anthropic.NotFoundError):
            await client.messages.create(model="nobody", max_tokens=20, messages=HELLO)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_curl(start, real) -> None:
    instance = await start(real)
    body = json.dumps({"model": "alpha", "stream": True, "messages": HELLO})
    curl = await asyncio.create_subprocess_exec(
        "curl",
        "-sN",
        f"{instance.addresses[0]}/v1/chat/completions",
        "-d",
        body,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await curl.communicate()
    assert out.endswith(b"data: [DONE]\n\n")


async def test_other_routes_of_the_server(start, real) -> None:
    instance = await start(real)
    base = instance.addresses[0]
    async with aiohttp.ClientSession() as http:
        async with http.post(f"{base}/v1/completions", json={"model": "alpha", "prompt": "x"}) as r:
            assert (await r.json())["choices"][0]["text"]
        async with http.post(f"{base}/v1/responses", json={"model": "alpha", "input": "x"}) as r:
            assert (await r.json())["output"][0]["content"][0]["text"].startswith("alpha")
        async with http.post(f"{base}/tokenize", json={"model": "alpha", "content": "ab"}) as r:
            assert (await r.json())["tokens"]
        async with http.get(f"{base}/upstream/alpha/props") as r:
            assert (await r.json())["model_alias"] == "alpha"
        async with http.get(f"{base}/props?model=alpha") as r:
            assert r.status == 200


async def test_a_client_that_leaves_frees_the_server(start, real) -> None:
    """The model speaks for ever; once its client is gone its slot is idle again."""
    instance = await start(real)
    base = instance.addresses[0]
    async with aiohttp.ClientSession() as http:
        body = {"model": "endless", "stream": True, "messages": HELLO}
        response = await http.post(f"{base}/v1/chat/completions", json=body)
        assert b"data: " in await response.content.readany()
        proxy = instance.router.snapshot().model("endless").proxy

        async def busy() -> bool:
            async with http.get(f"{proxy}/slots") as slots:
                return any(slot["is_processing"] for slot in await slots.json())

        assert await busy()
        response.close()
        await until(lambda: not instance.router.snapshot().in_flight)
        async with asyncio.timeout(5):
            while await busy():
                await asyncio.sleep(0.02)


async def test_an_unload_under_an_open_stream_is_quick_and_leaves_nothing(start, real) -> None:
    """A llama-server with an open stream ignores the first SIGTERM for half a minute."""
    instance = await start(real)
    host, port = instance.addresses[0].removeprefix("http://").split(":")
    body = json.dumps({"model": "endless", "stream": True, "messages": HELLO})
    # A plain connection: client libraries drop what came just before a broken end.
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    await reader.readuntil(b"data: ")
    pid = instance.router.snapshot().model("endless").pid
    async with asyncio.timeout(6):
        await instance.router.unload(by="the test")
    assert not pid_runs(pid)
    rest = await reader.read()
    writer.close()
    assert b"unloaded (manual, by the test)" in rest
    assert not rest.endswith(b"0\r\n\r\n")


async def refused(instance) -> openai.InternalServerError:
    async with openai_client(instance) as client:
        with pytest.raises(openai.InternalServerError) as caught:
            await client.with_options(max_retries=0).chat.completions.create(
                model="alpha", messages=HELLO
            )
    assert caught.value.status_code == 503
    return caught.value


async def test_a_model_file_that_is_missing_is_named(start, real_text) -> None:
    instance = await start(parse(real_text.replace("alpha.gguf", "nowhere.gguf")))
    assert "there is no model file" in str(error := await refused(instance))
    assert "nowhere.gguf" in str(error)


async def test_a_model_file_that_cannot_be_loaded_is_told_with_the_servers_words(
    start, real_text, model_files
) -> None:
    broken = model_files["alpha"].with_name("broken.gguf")
    broken.write_bytes(model_files["alpha"].read_bytes()[:1000])
    instance = await start(parse(real_text.replace("alpha.gguf", "broken.gguf")))
    error = str(await refused(instance))
    assert "llama-server ended with code 1" in error
    assert "broken.gguf" in error
