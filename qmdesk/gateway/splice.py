"""One request at a server and its answer: bytes go from one connection to the other as they
come, without a turn of the loop between.

``Exchange`` reads the answer; ``ToClient`` writes it to the client's own connection, and
``Held`` keeps it for somebody who takes it piece by piece.  Whoever waits is woken once, at
the end, unless somebody is too slow: then the server is not read from until there is room.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from aiohttp import web

from qmdesk.gateway.framing import Framing, framing_of
from qmdesk.gateway.head import LIMIT, BadAnswer, Head, end_of_head, parse_head
from qmdesk.gateway.upstream import Connection

HELD = 1 << 16
"""Bytes that are held for a slow taker."""


class Sink(Protocol):
    """Where an answer's body goes."""

    @property
    def full(self) -> bool:
        """It has no room for more."""

    def take(self, contents: Sequence[bytes]) -> None:
        """Some more of the body; the first call comes with the head, maybe with nothing."""

    def end(self, failure: Exception | None) -> None:
        """That was all of it, unless there is a ``failure``."""

    async def room(self) -> None:
        """Wait until it is not full."""


class Exchange:
    """What happens on one connection for one request."""

    def __init__(
        self,
        connection: Connection,
        method: str,
        begin: Callable[[Head, Framing], Sink],
        interim: Callable[[Head], None],
    ) -> None:
        """``begin`` is told of the answer's head and says where its body goes; ``interim``
        of heads before it (1xx)."""
        self.head: Head | None = None
        self.answered = False
        """A byte of an answer has come."""
        self.reusable = False
        """The answer is whole and nothing came after it."""
        self._connection = connection
        self._method = method
        self._begin = begin
        self._interim = interim
        self._text = b""
        self._framing: Framing | None = None
        self._sink: Sink | None = None
        self._over = False
        self.failure: Exception | None = None
        """What has ended it too early."""
        self.ended: Callable[[], None] | None = None
        """To be called once it is over."""
        self._news: asyncio.Event | None = None
        """Set when there is something for whoever waits."""
        connection.receiver = self

    async def sent(self, sending: asyncio.Task[None]) -> None:
        """Wait until ``sending`` is over, or the answer has begun without that."""
        sending.add_done_callback(lambda _: self._tell())
        while not sending.done() and self.head is None and self.failure is None:
            await self._news_come()

    async def begun(self) -> Head:
        """Wait for the answer's head; raises as ``finished`` does."""
        while self.head is None and self.failure is None:
            await self._news_come()
        if self.head is None:
            assert self.failure is not None
            raise self.failure
        return self.head

    async def finished(self) -> None:
        """Wait until all of the answer has been passed on.

        Raises what ended it too early: ``ConnectionError``, or what ``fail`` was given.
        """
        while True:
            if self.failure is not None:
                raise self.failure
            if self._sink is not None and self._sink.full:
                await self._sink.room()
                self._connection.resume()
            elif self._over:
                return
            else:
                await self._news_come()

    async def _news_come(self) -> None:
        self._news = asyncio.Event()
        await self._news.wait()

    def _tell(self) -> None:
        if self._news is not None:
            self._news.set()

    def fail(self, why: Exception) -> None:
        """End it: whoever waits for it gets ``why``."""
        if self._over:
            return
        self._over = True
        self.failure = why
        self._connection.close()
        if self._sink is not None:
            self._sink.end(why)
        self._tell()
        if self.ended is not None:
            self.ended()

    def take_away(self) -> None:
        """Its model goes."""
        self.fail(ConnectionAbortedError("taken"))

    # What comes from the connection

    def received(self, data: bytes) -> None:
        if self._over:
            # More than the whole answer.
            self.reusable = False
            return
        self.answered = True
        try:
            if self._framing is None:
                data = self._read_head(data)
            if self._framing is not None:
                self._read_body(self._framing, data)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
            self.fail(error)

    def lost(self, why: Exception | None) -> None:
        if self._over:
            self.reusable = False
            return
        if self._framing is not None and self._framing.whole_at_end and why is None:
            self._end(reusable=False)
            return
        if not self.answered:
            said = "it closed the connection without an answer"
        elif self._framing is None:
            said = "it closed the connection within its answer's head"
        else:
            said = "it closed the connection before its answer was whole"
        self.fail(ConnectionResetError(said))

    def _read_head(self, data: bytes) -> bytes:
        """What follows the head, once there is one."""
        self._text += data
        while True:
            at, after = end_of_head(self._text)
            if at < 0:
                if len(self._text) > LIMIT:
                    raise BadAnswer("its answer's head is too long")
                return b""
            head = parse_head(self._text[:at])
            rest, self._text = self._text[after:], b""
            if head.status >= 200 or head.status == 101:
                break
            self._interim(head)
            self._text = rest
        framing = framing_of(head, self._method)
        self._sink = self._begin(head, framing)
        self._framing = framing
        self.head = head
        self._tell()
        return rest

    def _read_body(self, framing: Framing, data: bytes) -> None:
        sink = self._sink
        assert sink is not None
        used, contents = framing.take(data) if data else (0, ())
        sink.take(contents)
        if framing.ended:
            self._end(reusable=used == len(data))
        elif sink.full:
            self._connection.pause()
            self._tell()

    def _end(self, *, reusable: bool) -> None:
        assert self._sink is not None
        self._over = True
        self.reusable = reusable
        self._sink.end(None)
        self._tell()
        if self.ended is not None:
            self.ended()


class ToClient:
    """Writes to the client's connection itself."""

    def __init__(
        self,
        request: web.BaseRequest,
        head: bytes,
        framing: Framing,
        seen: Callable[[bytes], None],
        *,
        chunked: bool,
    ) -> None:
        """``head`` goes out with the first bytes of the body.  ``seen`` is called with the
        content, after it has been passed on.  ``chunked``: that is how the client is told
        where it ends.
        """
        self._request = request
        self._client = request.protocol
        self._head = head
        self._framing = framing
        self._seen = seen
        self._chunked = chunked

    @property
    def full(self) -> bool:
        return self._client.writing_paused

    def take(self, contents: Sequence[bytes]) -> None:
        if self._chunked and len(contents) == 1 and not self._head:
            content = contents[0]
            data = b"%x\r\n%b\r\n" % (len(content), content)
        elif self._chunked:
            data = self._head + b"".join([b"%x\r\n%b\r\n" % (len(each), each) for each in contents])
        elif len(contents) == 1 and not self._head:
            data = contents[0]
        else:
            data = self._head + b"".join(contents)
        self._head = b""
        self.write(data)
        # After it has been passed on: whoever waits for it does not wait for this.
        for content in contents:
            self._seen(content)

    def write(self, data: bytes) -> None:
        """Send ``data`` as it is."""
        # Without a connection the client has gone; its handler is about to be cancelled.
        if data and (transport := self._client.transport) is not None:
            transport.write(data)

    def say(self, content: bytes) -> None:
        """Send content of our own."""
        self.write(b"%x\r\n%b\r\n" % (len(content), content) if self._chunked else content)

    def end(self, failure: Exception | None) -> None:
        if self._chunked and failure is None:
            self.write(b"0\r\n%b\r\n" % self._framing.trailers)

    async def room(self) -> None:
        await self._request.writer.drain()


class Held:
    """Keeps the content for whoever takes it."""

    def __init__(self, connection: Connection, seen: Callable[[bytes], None]) -> None:
        self._connection = connection
        self._seen = seen
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()
        self._ended = False
        self._failure: Exception | None = None

    @property
    def full(self) -> bool:
        return self._size > HELD

    def take(self, contents: Sequence[bytes]) -> None:
        for content in contents:
            self._pieces.append(content)
            self._size += len(content)
            self._seen(content)
        self._changed.set()

    def end(self, failure: Exception | None) -> None:
        self._ended, self._failure = True, failure
        self._changed.set()

    async def room(self) -> None:
        while self.full:
            self._changed.clear()
            await self._changed.wait()

    async def next(self) -> bytes:
        """What waits, once there is some; empty at the end.  Raises what ended it early."""
        while not self._pieces and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        if not self._pieces and self._failure is not None:
            raise self._failure
        data = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        self._connection.resume()
        self._changed.set()
        return data
