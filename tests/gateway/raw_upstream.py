"""An upstream on a bare socket: records every byte of a request, answers byte for byte.

And a client on one, so that nothing between the two tidies up what is compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

Handle = Callable[["Asked", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Asked:
    """One request, as it came."""

    line: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""

    def named(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def target(self) -> bytes:
        return self.line.split(b" ")[1]


@dataclass
class RawUpstream:
    """``answer`` is sent to each request, or ``handle`` does what it likes."""

    answer: bytes = OK
    handle: Handle | None = None
    read_body: bool = True
    asked: list[Asked] = field(default_factory=list)
    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    async def start(self) -> str:
        """Listen; returns the address."""
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            asked = await read_head(reader)
            self.asked.append(asked)
            if self.read_body:
                asked.body = await read_body(asked, reader, no_length_is_none=True)
            if self.handle is not None:
                await self.handle(asked, reader, writer)
            else:
                writer.write(self.answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


async def read_head(reader: asyncio.StreamReader) -> Asked:
    head = await reader.readuntil(b"\r\n\r\n")
    line, *lines = head[:-4].split(b"\r\n")
    headers = []
    for each in lines:
        name, _, value = each.partition(b":")
        headers.append((name, value.strip(b" ")))
    return Asked(line, headers)


async def read_body(
    head: Asked, reader: asyncio.StreamReader, *, no_length_is_none: bool = False
) -> bytes:
    if any(b"chunked" in value for value in head.named(b"Transfer-Encoding")):
        body = b""
        while size := int((await reader.readline()).partition(b";")[0], 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return body
    if lengths := head.named(b"Content-Length"):
        return await reader.readexactly(int(lengths[0]))
    return b"" if no_length_is_none else await reader.read()


async def exchange(address: str, request: bytes, *, empty: bool = False) -> Asked:
    """Send ``request`` as it is; the answer.  ``empty``: its body is none whatever it says."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request)
        await writer.drain()
        answer = await read_head(reader)
        while answer.line.split(b" ")[1] in (b"100", b"103"):
            answer = await read_head(reader)
        if not empty and answer.line.split(b" ")[1] not in (b"204", b"304"):
            answer.body = await read_body(answer, reader)
        return answer
    finally:
        writer.close()
