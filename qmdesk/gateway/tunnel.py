"""What a connection is after ``101 Switching Protocols``: bytes both ways, untouched.

Frames, their masks, their compression and the close codes are the two ends' own business.
"""

from __future__ import annotations

import asyncio
from collections import deque

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import StreamWriter

from qmdesk.tasks import spawn

WAITING = 1 << 16
"""Bytes of one direction that wait to be passed on; beyond that the sender has to wait."""


def wants_upgrade(request: web.BaseRequest) -> bool:
    """The client asks for another protocol that can be passed through."""
    # What aiohttp's parser takes for one; others (h2c) it lets be, as a server may.
    upgrade = request.headers.get("Upgrade", "").strip().lower()
    connection = request.headers.get("Connection", "").lower()
    return upgrade in ("websocket", "tcp") and "upgrade" in connection


class _Pipe:
    """One direction, in the place of a connection's parser."""

    def __init__(self, protocol: BaseProtocol) -> None:
        self._protocol = protocol
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._paused = False
        self._changed = asyncio.Event()

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        if data:
            self._waiting.append(bytes(data))
            self._size += len(data)
            if self._size > WAITING and not self._paused:
                self._paused = True
                self._protocol.pause_reading()
            self._changed.set()
        return False, b""

    def feed_eof(self) -> None:
        self._ended = True
        self._changed.set()

    def set_exception(self, _error: BaseException, _cause: BaseException | None = None) -> None:
        self.feed_eof()

    async def read(self) -> bytes:
        """What has come; empty at the end."""
        while not self._waiting and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        return self.taken()

    def taken(self) -> bytes:
        """What waits, without waiting for more."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        if self._paused:
            self._paused = False
            if not self._ended:
                self._protocol.resume_reading()
        return data


async def tunnel(request: web.BaseRequest, upstream: aiohttp.ClientResponse) -> None:
    """Pass bytes between the two until one of them ends its connection.

    The client's ``101`` has gone out.  Cancelling it passes on what came before.
    """
    connection = upstream.connection
    if connection is None or connection.protocol is None or connection.transport is None:
        return  # It has hung up already.
    to_upstream = StreamWriter(connection.protocol, asyncio.get_running_loop())
    from_client = _Pipe(request.protocol)
    from_upstream = _Pipe(connection.protocol)
    connection.protocol.set_parser(from_upstream, from_upstream)
    request.protocol.set_parser(from_client)  # type: ignore[arg-type]
    transport = connection.transport
    both = (
        spawn(_copy(from_client, to_upstream), "tunnel to the upstream"),
        spawn(_copy(from_upstream, request.writer), "tunnel to the client"),
    )
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
        # A last word, such as a close frame, before its sender hung up.
        if (rest := from_client.taken()) and not transport.is_closing():
            transport.write(rest)
        if (rest := from_upstream.taken()) and request.transport is not None:
            request.transport.write(rest)
        upstream.close()


async def _copy(pipe: _Pipe, writer: AbstractStreamWriter) -> None:
    try:
        while data := await pipe.read():
            await writer.write(data)
    except ConnectionError:
        pass  # The other end has gone; that ends the tunnel.
