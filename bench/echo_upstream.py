"""A model's server for measurements: answers at once, streams at a given pace.

    python bench/echo_upstream.py PORT

What it does stands in the query: ``stream=COUNT&gap=SECONDS`` sends server-sent events,
each with the time at which it was sent (``time.monotonic_ns``); ``bytes=COUNT`` sends that
many; everything else gets a small completion.  ``/closed`` tells when a stream was last left
by its client.
"""

from __future__ import annotations

import asyncio
import sys
import time
from urllib.parse import parse_qs, urlsplit

ANSWER = (
    b'{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Hello there, this is an answer of usual length."},'
    b'"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":12,'
    b'"total_tokens":21}}'
)
SMALL = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER)
    + ANSWER
)
_left_at = 0


class Connection(asyncio.Protocol):
    """Requests one after the other, read by their ``Content-Length``."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._left = 0
        self._target = ""
        self._task: asyncio.Task[None] | None = None
        self._room = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._room.set()

    def connection_lost(self, _error: Exception | None) -> None:
        global _left_at  # noqa: PLW0603 - one figure for the whole program
        if self._task is not None and not self._task.done():
            _left_at = time.monotonic_ns()
            self._task.cancel()
        self._room.set()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def data_received(self, data: bytes) -> None:
        if self._left:
            # A long body is only counted.
            self._left -= len(data)
            if self._left == 0:
                self._answer()
            return
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._data[:end])
            self._target = head.split(b" ", 2)[1].decode()
            length = 0
            for line in head.split(b"\r\n")[1:]:
                if line[:15].lower() == b"content-length:":
                    length = int(line[15:])
            del self._data[: end + 4]
            have = min(length, len(self._data))
            del self._data[:have]
            self._left = length - have
            if self._left:
                return
            self._answer()

    def _answer(self) -> None:
        parts = urlsplit(self._target)
        if parts.path.endswith("/closed"):
            self._whole(b"%d" % _left_at)
            return
        if not parts.query:
            self._transport.write(SMALL)
            return
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if "stream" in query:
            stream = self._stream(int(query["stream"]), float(query.get("gap", 0)))
            self._task = asyncio.get_running_loop().create_task(stream)
        elif "bytes" in query:
            self._task = asyncio.get_running_loop().create_task(self._bytes(int(query["bytes"])))
        else:
            self._transport.write(SMALL)

    def _whole(self, body: bytes) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async def _stream(self, count: int, gap: float) -> None:
        self._transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Sent: %d\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" % time.monotonic_ns()
        )
        loop = asyncio.get_running_loop()
        due = loop.time()
        for _ in range(count):
            due += gap
            await asyncio.sleep(max(0.0, due - loop.time()))
            event = (
                b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m",'
                b'"sent":%d,"choices":[{"index":0,"delta":{"content":" word"},'
                b'"finish_reason":null}]}\n\n' % time.monotonic_ns()
            )
            self._transport.write(b"%x\r\n%s\r\n" % (len(event), event))
            await self._room.wait()
        self._transport.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    async def _bytes(self, count: int) -> None:
        self._transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
            b"Content-Length: %d\r\n\r\n" % count
        )
        piece = bytes(1 << 18)
        while count > 0:
            self._transport.write(piece[:count])
            count -= len(piece)
            await self._room.wait()


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
