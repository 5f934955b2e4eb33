"""Connections to servers: which are kept, which are not, and what becomes of broken answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from qmdesk.config import parse
from tests.conftest import until
from tests.gateway.raw_upstream import exchange, read_body, read_head

REQUEST = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n" + b'{"model":"a"}'
Say = Callable[[int, int, asyncio.StreamWriter], Awaitable[bool]]


class Server:
    """Counts its connections and the requests on each; ``say`` answers, and says whether the
    connection stays."""

    def __init__(self) -> None:
        self.head = b""
        self.requests: list[int] = []
        """By connection."""
        self.open = 0
        self.address = ""

    async def say(self, connection: int, number: int, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + self.head + b"\r\nok")
        return True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine = len(self.requests)
        self.requests.append(0)
        self.open += 1
        try:
            while True:
                head = await read_head(reader)
                await read_body(head, reader, no_length_is_none=True)
                self.requests[mine] += 1
                if not await self.say(mine, self.requests[mine], writer):
                    break
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open -= 1
            writer.close()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield made
    listening.close()


@pytest.fixture
async def gateway(start, server) -> str:
    instance = await start(parse(f"models:\n  a: {{proxy: '{server.address}'}}\n"))
    address: str = instance.addresses[0]
    return address


async def test_a_connection_is_used_again(server, gateway) -> None:
    for _ in range(3):
        assert (await exchange(gateway, REQUEST)).body == b"ok"
    assert server.requests == [3]


async def test_two_at_once_have_two(server, gateway) -> None:
    await asyncio.gather(*(exchange(gateway, REQUEST) for _ in range(2)))
    await asyncio.gather(*(exchange(gateway, REQUEST) for _ in range(2)))
    assert sum(server.requests) == 4
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "head",
    [
        b"Connection: close\r\n",
        # Such a server has one of its few threads wait at each open connection.
        b"Keep-Alive: timeout=5, max=100\r\n",
        b"Keep-Alive: timeout=1\r\n",
    ],
)
async def test_one_that_cannot_be_kept_is_closed_at_once(server, gateway, head) -> None:
    server.head = head
    for number in range(2):
        await exchange(gateway, REQUEST)
        await until(lambda: server.open == 0)
        assert server.requests == [1] * (number + 1)


async def test_bytes_after_the_answer_end_the_connection(server, gateway) -> None:
    async def say(_connection, _number, writer) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok HTTP/1.1 200 OK\r\n")
        return True

    server.say = say
    assert (await exchange(gateway, REQUEST)).body == b"ok"
    await until(lambda: server.open == 0)


async def test_one_that_ends_just_now_is_replaced(server, gateway) -> None:
    async def say(connection, number, writer) -> bool:
        if connection == 0 and number == 2:
            return False
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        return True

    server.say = say
    await exchange(gateway, REQUEST)
    assert (await exchange(gateway, REQUEST)).line == b"HTTP/1.1 200 OK"
    assert server.requests == [2, 1]


async def test_the_client_that_leaves_ends_its_own(server, gateway) -> None:
    asked = asyncio.Event()

    async def say(_connection, _number, writer) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
        asked.set()
        return True

    server.say = say
    reader, writer = await asyncio.open_connection(*gateway.removeprefix("http://").split(":"))
    writer.write(REQUEST)
    await asked.wait()
    await reader.readuntil(b"ok\r\n")
    writer.close()
    await until(lambda: server.open == 0)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "no length"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * (1 << 17), "head is too long"),
        (b"HTTP/1.1 200 OK\r\nX", "within its answer's head"),
    ],
)
async def test_what_is_no_answer_is_told_as_502(server, gateway, answer, why) -> None:
    async def say(_connection, _number, writer) -> bool:
        writer.write(answer)
        return False

    server.say = say
    refused = await exchange(gateway, REQUEST)
    assert refused.line == b"HTTP/1.1 502 Bad Gateway"
    assert why.encode() in refused.body


async def test_broken_chunks_cut_the_answer(server, gateway) -> None:
    async def say(_connection, _number, writer) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\nno\r\n0\r\n\r\n"
        )
        return True

    server.say = say
    reader, writer = await asyncio.open_connection(*gateway.removeprefix("http://").split(":"))
    writer.write(REQUEST)
    text = await reader.read()
    writer.close()
    assert not text.endswith(b"0\r\n\r\n")
    assert b"zz" not in text


async def test_a_body_may_be_refused_before_it_has_been_sent(start) -> None:
    async def serve(reader, writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await writer.drain()
        # Nothing of the body is read before the client has its answer.
        await answered.wait()
        writer.close()

    answered = asyncio.Event()
    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    instance = await start(parse(f"models:\n  a: {{proxy: '{address}'}}\n"))
    gateway = instance.addresses[0].removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(*gateway)
    size = 64 << 20
    writer.write(
        b"POST /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size
    )
    writer.write(bytes(4 << 20))
    head = await read_head(reader)
    answered.set()
    writer.close()
    listening.close()
    assert head.line == b"HTTP/1.1 413 Too Large"


class TestTimeouts:
    async def test_an_answer_that_does_not_begin_in_time_is_504(self, start, server) -> None:
        async def say(_connection, _number, _writer) -> bool:
            await asyncio.sleep(3600)
            return False

        server.say = say
        text = f"models:\n  a: {{proxy: '{server.address}', timeouts: {{responseHeader: 0.1}}}}\n"
        instance = await start(parse(text))
        answer = await exchange(instance.addresses[0], REQUEST)
        assert answer.line == b"HTTP/1.1 504 Gateway Timeout"
        assert b"a: its answer did not begin within 0.1 s" in answer.body

    async def test_one_that_has_begun_may_take_its_time(self, start, server) -> None:
        async def say(_connection, _number, writer) -> bool:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            await asyncio.sleep(0.3)
            writer.write(b"ok")
            return True

        server.say = say
        text = f"models:\n  a: {{proxy: '{server.address}', timeouts: {{responseHeader: 0.1}}}}\n"
        instance = await start(parse(text))
        assert (await exchange(instance.addresses[0], REQUEST)).body == b"ok"
