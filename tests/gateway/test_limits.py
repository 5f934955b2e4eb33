"""How much a client may send, and how long it may take over the beginning."""

from __future__ import annotations

import asyncio
import json

import pytest

from qmdesk.gateway import connection
from tests.conftest import simple


@pytest.fixture
async def opened():
    """Opens connections, and closes them when the test ends."""
    writers: list[asyncio.StreamWriter] = []

    async def begin(instance) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writers.append(writer)
        return reader, writer

    yield begin
    for writer in writers:
        writer.close()


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict]:
    """Status and error of what comes before the connection is closed."""
    async with asyncio.timeout(10):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


class TestBodies:
    @pytest.fixture
    async def instance(self, start):
        return await start(simple("a", more="maxBodyMB: 1\n"))

    @pytest.mark.parametrize(
        "path", ["/v1/chat/completions", "/upstream/a/x", "/models/load", "/api/config/diff"]
    )
    async def test_that_are_announced_as_too_large(self, instance, opened, path) -> None:
        reader, writer = await opened(instance)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())
        text = b""
        async with asyncio.timeout(10):
            while b"maxBodyMB" not in text:
                text += await reader.read(4096)
        assert text.startswith(b"HTTP/1.1 413 ")
        assert b'"code": "request_too_large"' in text

    @pytest.mark.parametrize("kind", ["application/json", "application/octet-stream"])
    async def test_that_turn_out_too_large_are_refused_on_the_way(
        self, instance, http, kind
    ) -> None:
        async def pieces():
            yield b'{"model": "a", "x": "'
            for _ in range(40):
                yield b"y" * (1 << 15)

        url = f"{instance.addresses[0]}/v1/chat/completions?model=a"
        async with http.post(url, data=pieces(), headers={"Content-Type": kind}) as response:
            assert response.status == 413
            assert (await response.json())["error"]["code"] == "request_too_large"

    async def test_a_form_too(self, instance, http) -> None:
        async def pieces():
            yield b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n--b\r\n'
            yield b'Content-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
            for _ in range(40):
                yield b"y" * (1 << 15)
            yield b"\r\n--b--\r\n"

        url = f"{instance.addresses[0]}/v1/audio/transcriptions"
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        async with http.post(url, data=pieces(), headers=headers) as response:
            assert response.status == 413

    async def test_that_fit_pass(self, instance, http) -> None:
        body = json.dumps({"model": "a", "x": "y" * 1_000_000})
        async with http.post(f"{instance.addresses[0]}/v1/completions", data=body) as response:
            assert response.status == 200

    async def test_nobody_is_asked_to_send_one_that_is_refused(self, instance, opened) -> None:
        reader, writer = await opened(instance)
        head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        writer.write(f"{head}Content-Length: 2000000\r\n\r\n".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")

    async def test_nor_is_somebody_without_a_key(self, start, opened) -> None:
        instance = await start(simple("a", more="apiKeys: [k]\n"))
        head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        for key, status in (("", "401 "), ("x-api-key: k\r\n", "100 ")):
            reader, writer = await opened(instance)
            writer.write(f"{head}{key}Content-Length: 20\r\n\r\n".encode())
            assert (await reader.readline()).startswith(f"HTTP/1.1 {status}".encode())


class TestHeads:
    @pytest.fixture
    def soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "HEAD_TIMEOUT", 0.2)

    @pytest.mark.usefixtures("soon")
    async def test_that_do_not_end_are_hung_up_on(self, start, opened) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        writer.write(b"GET /health HTTP/1.1\r\nHost: local")
        code, error = await answer(reader)
        assert (code, error["code"]) == (408, "request_timeout")

    @pytest.mark.usefixtures("soon")
    async def test_also_after_a_first_request(self, start, opened) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in await reader.readuntil(b"\r\n\r\nOK")
        writer.write(b"GET /health HTTP/1.1\r\n")
        code, _ = await answer(reader)
        assert code == 408

    @pytest.mark.usefixtures("soon")
    async def test_what_is_idle_or_slow_otherwise_goes_on(self, start, opened) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        for _ in range(2):
            await asyncio.sleep(0.5)
            body = b'{"model": "a", "fake": {"silence": 0.5}}'
            head = f"POST /v1/completions HTTP/1.1\r\nHost: x.local\r\nContent-Length: {len(body)}"
            writer.write(head.encode() + b"\r\n\r\n" + body[:9])
            await asyncio.sleep(0.5)
            writer.write(body[9:])
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            assert head.startswith("HTTP/1.1 200")
            length = int(head.lower().partition("content-length: ")[2].split()[0])
            await reader.readexactly(length)

    @pytest.mark.parametrize(
        "line", ["X: " + "y" * 70_000 + "\r\n\r\n", "X-Y: z\r\n" * 300 + "\r\n"]
    )
    async def test_that_are_too_large_are_told_so(self, start, opened, line) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        writer.write(f"GET /health HTTP/1.1\r\nHost: localhost\r\n{line}".encode())
        code, error = await answer(reader)
        assert (code, error["code"]) == (431, "headers_too_large")

    async def test_that_grow_and_grow_too(self, start, opened) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        writer.write(b"GET /health HTTP/1.1\r\n")
        for number in range(connection.HEAD_LIMIT // 1000 + 1):
            writer.write(f"X-{number % 100}: {'y' * 1000}\r\n".encode())
            await asyncio.sleep(0)
        code, error = await answer(reader)
        assert (code, error["code"]) == (431, "headers_too_large")

    @pytest.mark.parametrize(
        "text", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET / HTTP/9.x\r\n\r\n"]
    )
    async def test_that_are_no_http_get_an_api_error(self, start, opened, text) -> None:
        instance = await start(simple("a"))
        reader, writer = await opened(instance)
        writer.write(text)
        code, error = await answer(reader)
        assert (code, error["type"]) == (400, "invalid_request_error")
