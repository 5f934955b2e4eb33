"""WebSockets pass through as bytes: messages, subprotocols, close codes, pressure."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
from aiohttp import WSMsgType, web

from qmdesk.config import parse
from tests.conftest import models, until
from tests.gateway.raw_upstream import RawUpstream, exchange, read_head

MIB = 1 << 20
SWITCH = (
    b"GET /v1/realtime?model=a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\n\r\n"
)


@dataclass
class Echo:
    """An upstream that says every message again, and does what a few words ask for."""

    address: str = ""
    asked: list[web.Request] = field(default_factory=list)
    closed: list[int | None] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        if request.path.endswith("/refused"):
            return web.Response(status=418, text="no sockets here")
        socket = web.WebSocketResponse(protocols=("realtime", "other"), max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.data == "close 4001":
                await socket.close(code=4001, message=b"as asked")
            elif message.type is WSMsgType.TEXT:
                await socket.send_str(message.data)
            else:
                await socket.send_bytes(message.data)
        self.closed.append(socket.close_code)
        return socket


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    upstream = Echo()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", upstream.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    upstream.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield upstream
    await runner.cleanup()


@pytest.fixture
async def instance(start, echo):
    return await start(parse(f"models:\n  a: {{proxy: '{echo.address}'}}\n"))


PATHS = ["/upstream/a/some/where?x=1", "/v1/realtime?model=a"]


@pytest.mark.parametrize("path", PATHS)
async def test_messages_go_both_ways(instance, echo, http, path) -> None:
    address = instance.addresses[0] + path
    async with http.ws_connect(address, protocols=("realtime",), compress=15) as socket:
        assert socket.protocol == "realtime"
        await socket.send_str("Grüße")
        assert await socket.receive_str() == "Grüße"
        await socket.send_bytes(bytes(range(256)) * 1000)
        assert await socket.receive_bytes() == bytes(range(256)) * 1000
        await socket.ping()
        await socket.send_str("after the ping")
        assert await socket.receive_str() == "after the ping"
        assert instance.router.snapshot().model("a").in_flight == 1
    await until(lambda: instance.router.snapshot().in_flight == 0)
    (asked,) = echo.asked
    assert asked.raw_path == path.replace("/upstream/a", "")
    assert asked.headers["X-Forwarded-For"] == "127.0.0.1"


async def test_the_servers_close_code(instance, http) -> None:
    async with http.ws_connect(instance.addresses[0] + PATHS[0]) as socket:
        await socket.send_str("close 4001")
        message = await socket.receive()
        assert (message.type, message.data, message.extra) == (WSMsgType.CLOSE, 4001, "as asked")


async def test_the_clients_close_code(instance, echo, http) -> None:
    socket = await http.ws_connect(instance.addresses[0] + PATHS[0])
    await socket.close(code=4002)
    await until(lambda: echo.closed)
    assert echo.closed == [4002]


async def test_a_client_that_vanishes(instance, echo, http) -> None:
    socket = await http.ws_connect(instance.addresses[0] + PATHS[0])
    socket._response.connection.transport.abort()
    await until(lambda: echo.closed)
    await until(lambda: instance.router.snapshot().in_flight == 0)
    await socket.close()


async def test_a_refusal_is_passed_on(instance, http) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(instance.addresses[0] + "/upstream/a/refused")
    assert refused.value.status == 418


async def test_much_at_once(instance, http) -> None:
    data = bytes(MIB)
    async with http.ws_connect(instance.addresses[0] + PATHS[0], max_msg_size=0) as socket:
        for _ in range(16):
            await socket.send_bytes(data)
            assert await socket.receive_bytes() == data


async def test_a_reader_that_stops_stops_the_sender(start) -> None:
    sent = 0

    async def flood(_asked, _reader, writer) -> None:
        nonlocal sent
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        )
        while sent < 64 * MIB:
            writer.write(bytes(MIB))
            await writer.drain()
            sent += MIB

    upstream = RawUpstream(handle=flood)
    instance = await start(parse(f"models:\n  a: {{proxy: '{await upstream.start()}'}}\n"))
    host, _, port = instance.addresses[0].removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(SWITCH)
    await reader.readuntil(b"\r\n\r\n")
    still, last = 0, -1

    def stopped() -> bool:
        nonlocal still, last
        still, last = (still + 1, last) if sent == last else (0, sent)
        return still >= 20

    await until(stopped)
    assert sent < 32 * MIB
    rest = 0
    while piece := await reader.read(MIB):
        rest += len(piece)
    assert rest == 64 * MIB
    writer.close()
    await upstream.close()


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [(b"http://localhost:1", True), (b"https://evil.example", False), (b"http://10.1.2.3", True)],
)
async def test_pages_of_other_sites_are_refused(instance, origin, allowed) -> None:
    answer = await exchange(
        instance.addresses[0],
        b"GET /upstream/a/x HTTP/1.1\r\nHost: 10.1.2.3\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: %s\r\n\r\n" % origin,
        empty=True,
    )
    assert answer.line.split(b" ")[1] == (b"101" if allowed else b"403")


async def test_it_ends_when_the_model_is_unloaded(start) -> None:
    server = Path(__file__).with_name("socket_server.py")
    instance = await start(models(f'a: {{cmd: "{sys.executable} -S -E {server} ${{PORT}}"}}'))
    host, _, port = instance.addresses[0].removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(SWITCH)
    assert (await read_head(reader)).line.startswith(b"HTTP/1.1 101")
    assert instance.router.snapshot().model("a").in_flight == 1
    unload = asyncio.ensure_future(instance.router.unload(by="the test"))
    assert await reader.read() == b""
    assert await unload == ("a",)
    writer.close()


async def test_it_ends_when_it_is_cancelled(instance, http) -> None:
    async with http.ws_connect(instance.addresses[0] + PATHS[1]) as socket:
        async with http.get(f"{instance.addresses[0]}/api/requests") as response:
            (row,) = (await response.json())["requests"]
        async with http.post(f"{instance.addresses[0]}/api/requests/{row['id']}/cancel"):
            pass
        assert (await socket.receive()).type in (WSMsgType.CLOSED, WSMsgType.CLOSE)


class TestIgnored:
    """With ``compat.ignoreWebsockets`` a page that is left open counts for nothing."""

    SERVER = f"{sys.executable} -S -E {Path(__file__).with_name('socket_server.py')} ${{PORT}}"

    @pytest.fixture
    async def instance(self, start):
        return await start(models(f"a: {{cmd: '{self.SERVER}', compat: {{ignoreWebsockets: on}}}}"))

    async def test_they_do_not_load_the_model(self, instance, http) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(f"{instance.addresses[0]}/upstream/a/ws")
        assert refused.value.status == 409
        assert instance.router.snapshot().model("a").state == "stopped"

    async def test_they_are_not_in_flight_and_end_with_the_model(self, instance, http) -> None:
        await instance.router.load("a", by="the test")
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(SWITCH)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        assert instance.router.snapshot().in_flight == 0
        # It says so itself: nobody has to be asked to let go.
        await instance.router.unload(("a",), by="the test")
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
