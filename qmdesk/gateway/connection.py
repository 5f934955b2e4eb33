"""One client's connection: limits on the heads of its requests, errors in the API's shape."""

from __future__ import annotations

import asyncio
import json
import logging
from http import HTTPStatus

from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.web_protocol import RequestHandler

from qmdesk.gateway.error import ApiError

log = logging.getLogger(__name__)

HEAD_TIMEOUT = 20.0
"""Seconds from the first bytes of a request's head to its last."""
HEAD_LIMIT = 1 << 16
"""Bytes of a request's head, as far as it comes in pieces, and of each of its lines."""
HEADERS = 256


class Connection(RequestHandler):
    """aiohttp's, but nobody can hold it with a head that never ends.

    Between two requests it may be idle as long as it likes, and a body may be as slow
    as it likes.
    """

    __slots__ = ("_body", "_head_bytes", "_head_timer")

    def __init__(self, server: web.Server, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(server, loop=loop, **server._kwargs)
        self._body: StreamReader | None = None
        """Of the request that has come last."""
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: BaseException | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        begins = self._is_between_requests()
        count = self._request_count
        super().data_received(data)
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

    def _is_between_requests(self) -> bool:
        return (
            self._current_request is None
            and not self._messages
            and self._payload_parser is None
            and not self._upgraded
            and (self._body is None or self._body.is_eof())
        )

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
