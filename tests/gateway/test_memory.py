"""However much goes through, and however slowly: little of it is held."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import psutil
import pytest

from qmdesk.config import parse
from tests.conftest import until
from tests.gateway.raw_upstream import RawUpstream, read_head

MIB = 1 << 20
PIECE = bytes(MIB)
PIECES = 256
ALLOWED = 48 * MIB
"""For everything of a test: its upstream and its client are in the same process."""


@pytest.fixture
async def upstream() -> AsyncIterator[RawUpstream]:
    server = RawUpstream(read_body=False)
    yield server
    await server.close()


@pytest.fixture
async def gateway(start, upstream) -> str:
    address = await upstream.start()
    instance = await start(parse(f"models:\n  a: {{proxy: '{address}'}}\n"))
    address = instance.addresses[0]
    return str(address)


@contextmanager
def grows_little() -> Iterator[None]:
    """Looks all the time: a peak that is gone at the end counts."""
    me = psutil.Process()
    before = me.memory_info().rss
    peak = before
    done = threading.Event()

    def look() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, me.memory_info().rss)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    assert peak - before < ALLOWED, f"{(peak - before) / MIB:.0f} MiB more"


async def connect(gateway: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = gateway.removeprefix("http://").rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def test_a_reader_that_stops_stops_the_upstream(upstream, gateway) -> None:
    sent = 0

    async def handle(_asked, _reader, writer) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (64 * MIB))
        for _ in range(64 * 16):
            writer.write(PIECE[: MIB // 16])
            await writer.drain()
            sent += MIB // 16

    upstream.handle = handle
    with grows_little():
        reader, writer = await connect(gateway)
        writer.write(b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await read_head(reader)
        still, last = 0, -1

        def stopped() -> bool:
            nonlocal still, last
            still, last = (still + 1, last) if sent == last else (0, sent)
            return still >= 20

        await until(stopped)
        # What the system's own buffers hold, and no more.
        assert sent < 32 * MIB
        rest = 0
        while rest < 64 * MIB:
            rest += len(await reader.read(MIB))
    writer.close()


async def test_a_large_answer(upstream, gateway) -> None:
    async def handle(_asked, _reader, writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (PIECES * MIB))
        for _ in range(PIECES):
            writer.write(PIECE)
            await writer.drain()

    upstream.handle = handle
    with grows_little():
        reader, writer = await connect(gateway)
        writer.write(b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await read_head(reader)
        got = 0
        while got < PIECES * MIB:
            got += len(await reader.read(MIB))
    writer.close()


MODEL = b'--B\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n'
FILE = b'--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
TYPED = b"Content-Type: multipart/form-data; boundary=B\r\n"


@pytest.mark.parametrize(
    ("path", "head", "before", "after"),
    [
        (b"/v1/images/edits", TYPED, MODEL + FILE, b"\r\n--B--\r\n"),
        (b"/v1/images/edits", TYPED, FILE, b"\r\n" + MODEL + b"--B--\r\n"),
        (b"/v1/x?model=a", b"Content-Type: application/octet-stream\r\n", b"x", b"y"),
        (b"/upstream/a/x", b"Content-Type: application/json\r\n", b"{", b"}"),
    ],
    ids=["form", "model last", "raw", "to a model's server"],
)
async def test_a_large_body(*, upstream, gateway, path, head, before, after) -> None:
    size = len(before) + PIECES * MIB + len(after)
    got = 0

    async def handle(asked, reader, writer) -> None:
        nonlocal got
        assert asked.named(b"Content-Length") == [b"%d" % size]
        while got < size:
            got += len(await reader.read(MIB))
        writer.write(upstream.answer)

    upstream.handle = handle
    with grows_little():
        reader, writer = await connect(gateway)
        writer.write(b"POST %s HTTP/1.1\r\nHost: localhost\r\n" % path + head)
        writer.write(b"Content-Length: %d\r\n\r\n" % size + before)
        for _ in range(PIECES):
            writer.write(PIECE)
            await writer.drain()
        writer.write(after)
        assert (await read_head(reader)).line == b"HTTP/1.1 200 OK"
    writer.close()
    assert got == size
