"""One client's connection: limits on the heads of its requests, errors in the API's shape, and
requests that are answered without a task."""

from __future__ import annotations

import asyncio
import json
import logging
from http import HTTPStatus
from typing import Any, Protocol

from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.http_parser import RawRequestMessage
from aiohttp.http_writer import StreamWriter
from aiohttp.web_protocol import RequestHandler

from qmdesk.gateway.error import ApiError

log = logging.getLogger(__name__)

HEAD_TIMEOUT = 20.0
"""Seconds from the first bytes of a request's head to its last."""
HEAD_LIMIT = 1 << 16
"""Bytes of a request's head, as far as it comes in pieces, and of each of its lines."""
HEADERS = 256
# What answering without a task needs of aiohttp that is nobody's promise.
_OF_AIOHTTP = (
    *("_buffer_paused", "_close", "_current_request", "_force_close", "_handler_waiter"),
    *("_keepalive", "_manager", "_messages", "_msg_queue_resume_size"),
    *("_next_keepalive_close_time", "_parser", "_process_keepalive", "_read_bufsize"),
    *("_reading_paused", "_request_factory", "_request_in_progress"),
    *("_resume_reading_if_drained", "_task_handler", "_waiter"),
)


def missing() -> tuple[str, ...]:
    """What this aiohttp lacks of that: with anything, a task answers every request."""
    return tuple(name for name in _OF_AIOHTTP if not hasattr(RequestHandler, name))


class Taken(Protocol):
    """A request that is being answered without a task."""

    def more(self) -> None:
        """Some more of its body has come."""

    def room(self) -> None:
        """The client takes more again."""

    def left(self) -> None:
        """The client has gone."""


class Express(Protocol):
    """Answers what needs no task."""

    def take(self, request: web.Request, body: StreamReader) -> Taken | None:
        """Answer ``request``, now or when all of ``body`` has come; None: somebody else does.

        Whoever takes it calls ``Connection.answered`` or ``Connection.hand_over`` later.
        """


class Connection(RequestHandler):
    """aiohttp's, but nobody can hold it with a head that never ends.

    Between two requests it may be idle as long as it likes, and a body may be as slow
    as it likes.
    """

    __slots__ = ("_body", "_express", "_handed", "_head_bytes", "_head_timer", "_taken", "known")

    def __init__(
        self, server: web.Server, loop: asyncio.AbstractEventLoop, express: Express | None
    ) -> None:
        """``express`` may take what needs no task; None: nobody does."""
        super().__init__(server, loop=loop, **server._kwargs)
        self._express = express
        self._taken: Taken | None = None
        self._handed: Taken | None = None
        self.known: Any = None
        """What ``express`` keeps of the last request for the next one."""
        self._body: StreamReader | None = None
        """Of the request that has come last."""
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: BaseException | None) -> None:
        self._end_head()
        super().connection_lost(exc)
        taken, handed = self._taken, self.handed()
        if taken is not None:
            self._end_taken()
        for each in (taken, handed):
            if each is not None:
                each.left()

    def resume_reading(self, resume_parser: bool = True) -> None:
        # aiohttp's readers ask for it each time they have been read.
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taken is not None:
            self._taken.room()

    def data_received(self, data: bytes) -> None:
        begins = self._is_between_requests()
        count = self._request_count
        if self._express is None:
            super().data_received(data)
        else:
            # aiohttp's task is not woken for what needs none.
            waiter, self._waiter = self._waiter, None
            try:
                super().data_received(data)
            finally:
                self._waiter = waiter
        if self._request_count != count:
            if self._messages:
                self._body = self._messages[-1][1]
            self._end_head()
        elif begins and data.strip(b"\r\n"):
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_LIMIT:
                self._refuse(_too_large())
            elif self._head_timer is None:
                self._head_timer = self._loop.call_later(HEAD_TIMEOUT, self._late)
        if self._taken is not None:
            self._taken.more()
        elif self._messages and self._express is not None:
            self._next()

    # Requests that need no task

    def _next(self) -> None:
        """Answer the request that is next, or wake aiohttp's task, which does."""
        idle = self._waiter is not None and not self._waiter.done()
        if not idle or self._current_request is not None:
            return
        message, body = self._messages[0]
        factory, task = self._request_factory, self._task_handler
        if isinstance(message, RawRequestMessage) and factory is not None and task is not None:
            request = factory(message, body, self, StreamWriter(self, self._loop), task)
            assert isinstance(request, web.Request)
            self._current_request = request
            self._request_in_progress = True
            taken = self._express.take(request, body) if self._express is not None else None
            if taken is not None:
                self._taken = taken
                taken.more()
                return
            self._end_taken()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _is_between_requests(self) -> bool:
        return (
            self._current_request is None
            and not self._messages
            and self._payload_parser is None
            and not self._upgraded
            and (self._body is None or self._body.is_eof())
        )

    def answered(self, *, keep_alive: bool) -> None:
        """The answer to the request that was taken has been written."""
        self._end_taken()
        self._messages.popleft()
        if self._parser is not None:
            self._parser.message_consumed()
        if self._buffer_paused and len(self._messages) <= self._msg_queue_resume_size:
            self._resume_reading_if_drained()
        if self._manager is not None:
            self._manager.requests_count += 1
        self._keepalive = keep_alive
        if not keep_alive or self._close or self._force_close:
            self.force_close()
            return
        self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout
        if self._messages:
            self._next()

    def hand_over(self, body: bytes, taken: Taken | None = None) -> bool:
        """Let aiohttp's task answer the request that was taken, whose whole body is ``body``.

        ``taken`` is what has come of it so far; its handler finds it with ``handed``.  False
        where there is no such task any more; then the connection ends.
        """
        self._end_taken()
        message, _ = self._messages.popleft()
        again = StreamReader(self, self._read_bufsize, loop=self._loop)
        again.feed_data(body)
        again.feed_eof()
        self._messages.appendleft((message, again))
        self._handed = taken
        if self._waiter is None or self._waiter.done():
            self.force_close()
            return False
        self._wake()
        return True

    def handed(self) -> Taken | None:
        """What was handed over with the request that is answered now."""
        handed, self._handed = self._handed, None
        return handed

    def _end_taken(self) -> None:
        self._taken = None
        self._current_request = None
        self._request_in_progress = False
        if self._handler_waiter is not None and not self._handler_waiter.done():
            self._handler_waiter.set_result(None)

    def _process_keepalive(self) -> None:
        if self._taken is not None:
            # It is not idle, whatever aiohttp's task thinks.
            self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout
        super()._process_keepalive()

    def _end_head(self) -> None:
        self._head_bytes = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _late(self) -> None:
        message = f"the request's headers have not ended after {HEAD_TIMEOUT:g} s"
        self._refuse(ApiError(408, message, code="request_timeout"))

    def _refuse(self, error: ApiError) -> None:
        """Answer a request that there is not yet, and hang up."""
        self._end_head()
        if self.transport is not None:
            body = json.dumps(error.body("/")).encode()
            phrase = HTTPStatus(error.status).phrase
            head = (
                f"HTTP/1.1 {error.status} {phrase}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what is no HTTP, and to what failed outside of all handlers."""
        if request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        if isinstance(exc, HttpProcessingError):
            error = _unreadable(exc)
            log.info("a request of %s is refused: %s", request.remote or "somebody", error)
        else:
            log.error("%s %s failed", request.method, request.path, exc_info=exc)
            error = ApiError(status, "qmdesk failed on this request; its log says more")
        response = error.response(request)
        response.force_close()
        return response


def _unreadable(error: HttpProcessingError) -> ApiError:
    if isinstance(error, LineTooLong) or "Too many headers" in error.message:
        return _too_large()
    # Its first line says what, the others show where.
    what = error.message.strip().partition("\n")[0].rstrip(":")[:200]
    return ApiError(400, f"the request cannot be read as HTTP: {what}", code="bad_request")


def _too_large() -> ApiError:
    return ApiError(
        431,
        f"the request's headers are too large: {HEAD_LIMIT >> 10} KiB and {HEADERS} headers are the"
        " most; remove cookies or shorten the address",
        code="headers_too_large",
    )
