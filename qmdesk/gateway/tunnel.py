"""What a connection is after ``101 Switching Protocols``: bytes both ways, untouched.

Frames, their masks, their compression and the close codes are the two ends' own business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.base_protocol import BaseProtocol

from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.gateway.splice import Exchange
    from qmdesk.gateway.upstream import Connection

WAITING = 1 << 16
"""Bytes of the client that wait to be passed on; beyond that it has to wait."""


def wants_upgrade(request: web.BaseRequest) -> bool:
    """The client asks for another protocol that can be passed through."""
    # What aiohttp's parser takes for one; others (h2c) it lets be, as a server may.
    if "Upgrade" not in request.headers:
        return False
    upgrade = request.headers["Upgrade"].strip().lower()
    connection = request.headers.get("Connection", "").lower()
    return upgrade in ("websocket", "tcp") and "upgrade" in connection


class _Pipe:
    """What comes from the client, in the place of its connection's parser."""

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


async def tunnel(request: web.BaseRequest, connection: Connection, exchange: Exchange) -> None:
    """Pass the client's bytes on until one of the two ends its connection.

    Its ``101`` has gone out, and the server's bytes follow it by themselves.  Cancelling it
    passes on what came before.  Raises what broke the server's side, if anything did.
    """
    pipe = _Pipe(request.protocol)
    request.protocol.set_parser(pipe)  # type: ignore[arg-type]
    both = (
        spawn(_copy(pipe, connection), "tunnel to the upstream"),
        spawn(_failure(exchange), "tunnel to the client"),
    )
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if both[1].done() and (failure := both[1].result()) is not None:
            raise failure
    finally:
        for task in both:
            task.cancel()
        # A last word, such as a close frame, before its sender hung up.
        if connection.alive and (rest := pipe.taken()):
            connection.write(rest)
        connection.finish()


async def _copy(pipe: _Pipe, connection: Connection) -> None:
    try:
        while data := await pipe.read():
            connection.write(data)
            await connection.drain()
    except ConnectionError:
        pass  # The server has gone; that ends the tunnel.


async def _failure(exchange: Exchange) -> OSError | None:
    """What ended the server's side too early, as a value."""
    try:
        await exchange.finished()
    except OSError as error:
        return error
    return None
