"""Connections to servers: one asyncio protocol each, kept for the next request where that
is safe.

A kept connection belongs to the process that accepted it: when that ends, the connection
does.  Servers of cpp-httplib (llama-server, whisper.cpp, stable-diffusion.cpp) give each
connection a thread for as long as it is open, even an idle one, and let further ones wait;
they are known by the ``max`` of their ``Keep-Alive`` header, and theirs are never kept.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from qmdesk.config.target import Timeouts
from qmdesk.gateway.head import Head

IDLE = 4.0
"""Seconds for which a connection is kept; most servers close theirs after five."""
KEPT = 32
"""Idle connections to one server."""
_NEVER = 1e9
"""Seconds."""
FINISH = 5.0
"""Seconds in which a connection's last bytes are taken, or dropped."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a server listens."""

    host: str
    port: int
    secure: bool = False


class Receiver(Protocol):
    """What comes from a server, for whoever has sent it a request."""

    def received(self, data: bytes) -> None:
        """Some more of the answer."""

    def lost(self, why: Exception | None) -> None:
        """The connection has ended: no more will come."""


class Connection(asyncio.Protocol):
    """One connection to a server."""

    def __init__(self) -> None:
        self.receiver: Receiver | None = None
        """Gets what comes; None while it is idle."""
        self.used = False
        """It has answered a request before."""
        self.gone: Callable[[Connection], None] | None = None
        """To be told when an idle connection ends."""
        self._transport: asyncio.Transport | None = None
        self._paused = False
        self._finishing = False
        self._writable: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self.receiver is not None:
            self.receiver.received(data)
        else:
            # Nobody has asked: what comes now can be trusted by nobody.
            self.close()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, why: Exception | None) -> None:
        self._transport = None
        self._wake()
        if self.receiver is not None:
            self.receiver.lost(why)
        if self.gone is not None:
            self.gone(self)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._wake()

    def _wake(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)

    @property
    def alive(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send ``data``; raises ``ConnectionError`` where the connection has ended."""
        if self._transport is None:
            raise ConnectionResetError("the connection has ended")
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait until there is room to write; raises ``ConnectionError``."""
        while self._paused and self._transport is not None:
            self._writable = asyncio.get_running_loop().create_future()
            try:
                await self._writable
            finally:
                self._writable = None
        if self._transport is None:
            raise ConnectionResetError("the connection has ended")

    def pause(self) -> None:
        """Take no more from the server for now; harmless when repeated."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()

    def finish(self) -> None:
        """End the connection once all that waits has been sent, which may take a moment."""
        self.receiver = None
        if self._transport is None or self._finishing:
            return
        self._finishing = True
        self._transport.close()
        if self._transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(FINISH, self._abort)

    def close(self) -> None:
        """End the connection at once; what waits to be sent is dropped."""
        self.receiver = None
        if not self._finishing:
            self._abort()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Upstreams:
    """Opens connections to servers and keeps idle ones."""

    def __init__(self) -> None:
        self._idle: dict[Origin, list[tuple[Connection, float]]] = {}
        """The last one is the one that was used last."""
        self._timer: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """End all that are idle."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        idle, self._idle = self._idle, {}
        for kept in idle.values():
            for connection, _ in kept:
                connection.gone = None
                connection.close()

    def idle(self, origin: Origin) -> Connection | None:
        """The idle connection that was used last; None where there is none."""
        kept = self._idle.get(origin)
        while kept:
            connection, _ = kept.pop()
            connection.gone = None
            if connection.alive:
                return connection
        return None

    async def connect(
        self, origin: Origin, timeouts: Timeouts, *, fresh: bool = False
    ) -> Connection:
        """A connection, an idle one unless it is to be ``fresh``.

        Raises ``OSError`` (``TimeoutError`` is one).
        """
        if not fresh and (kept := self.idle(origin)) is not None:
            return kept
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeouts.connect or None):
                _, connection = await loop.create_connection(
                    Connection,
                    origin.host,
                    origin.port,
                    ssl=_verified() if origin.secure else None,
                    ssl_handshake_timeout=(
                        (timeouts.tls_handshake or _NEVER) if origin.secure else None
                    ),
                )
        except TimeoutError:
            raise TimeoutError(f"it took more than {timeouts.connect:g} s to connect") from None
        return connection

    def keep(self, origin: Origin, connection: Connection, head: Head, timeouts: Timeouts) -> None:
        """Take back a connection whose answer, with ``head``, is whole."""
        seconds = min(_idle_seconds(head), timeouts.idle_connection or IDLE)
        kept = self._idle.get(origin)
        if kept is None:
            kept = self._idle[origin] = []
        if seconds <= 0 or len(kept) >= KEPT or not connection.alive:
            connection.close()
            return
        connection.receiver = None
        connection.used = True
        connection.gone = self._gone
        kept.append((connection, time.monotonic() + seconds))
        if self._timer is None:
            self._look_later()

    def _gone(self, connection: Connection) -> None:
        for origin, kept in list(self._idle.items()):
            self._idle[origin] = [each for each in kept if each[0] is not connection]

    def _look_later(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(IDLE / 2, self._look)

    def _look(self) -> None:
        """End those that have been idle for too long; a server might do it any moment."""
        self._timer = None
        now = time.monotonic()
        for origin, kept in list(self._idle.items()):
            self._idle[origin] = [each for each in kept if each[1] > now]
            for connection, until in kept:
                if until <= now:
                    connection.gone = None
                    connection.close()
            if not self._idle[origin]:
                del self._idle[origin]
        if self._idle:
            self._look_later()


def _idle_seconds(head: Head) -> float:
    """For how long a connection may be kept after ``head``; 0: not at all."""
    fields = head.fields
    if not head.minor or (b"connection" in fields and b"close" in head.words(b"connection")):
        return 0.0
    seconds = IDLE
    if b"keep-alive" not in fields:
        return seconds
    for word in head.words(b"keep-alive"):
        name, _, value = word.partition(b"=")
        if name == b"max":
            return 0.0
        if name == b"timeout":
            try:
                seconds = min(seconds, float(value) - 1.0)
            except ValueError:
                return 0.0
    return seconds


@cache
def _verified() -> ssl.SSLContext:
    return ssl.create_default_context()
