"""The data path: one request to an upstream, its answer to the client, as bytes come.

Everything about moving bytes is in here, so that another way to move them can
take this module's place: ``Forwarder.forward`` is all that the rest calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from qmdesk.gateway.error import ApiError
from qmdesk.router import Turn

CONNECT_TIMEOUT = 30.0
"""Seconds; an answer itself may take as long as it takes."""

FETCH_TIMEOUT = 30.0
FETCH_LIMIT = 256 << 20
"""Bytes; a rendered video comes inside its job's document."""

# RFC 9110, section 7.6.1, and what was always treated like them.
_HOP_BY_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    " transfer-encoding upgrade".split()
)
# Ours: for qmdesk itself, or made anew for the upstream.
_OWN_REQUEST = frozenset(
    "host content-length content-encoding expect authorization x-api-key x-qm-hold-ms"
    " x-qm-patience-ms x-forwarded-for x-forwarded-proto x-forwarded-host".split()
)
_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_TOOL_CALL = re.compile(
    rb'"finish_reason"\s*:\s*"tool_calls"|"stop_reason"\s*:\s*"tool_use"'
    rb'|"type"\s*:\s*"function_call"'
)
_OVERLAP = 64
"""Bytes of the last chunk that are looked at again: a word may be cut by it."""
_DEATH_NOTICE = 0.5
"""Seconds in which a server whose connection broke is usually seen to have died."""


class UpstreamGone(Exception):
    """The upstream went away.

    Where it had ``started`` to answer, the client has been told and the connection closed.
    """

    def __init__(self, message: str, started: bool, *, again: bool) -> None:
        super().__init__(message)
        self.started = started
        self.again = again
        """The same request may be sent once more."""


@dataclass(slots=True)
class Outgoing:
    """A request as it goes to the upstream."""

    method: str
    url: str
    headers: CIMultiDict[str]
    body: bytes


@dataclass(slots=True)
class Fetched:
    """An upstream's whole answer."""

    status: int
    body: bytes


class Forwarder:
    """Holds the client side towards all upstreams; close it when the gateway closes."""

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            # No connection is kept: the server at the same address may be another one by
            # then, and many close idle connections just when the next request is sent.
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_AUTOMATIC,
            max_line_size=1 << 16,
            max_field_size=1 << 16,
        )

    async def close(self) -> None:
        await self._session.close()

    async def fetch(self, method: str, url: str) -> Fetched | None:
        """Ask an upstream something of our own; None where it does not answer.

        For small answers: they are held whole, up to ``FETCH_LIMIT``.
        """
        try:
            async with (
                asyncio.timeout(FETCH_TIMEOUT),
                self._session.request(method, URL(url, encoded=True)) as upstream,
            ):
                body = bytearray()
                async for chunk in upstream.content.iter_any():
                    body += chunk
                    if len(body) > FETCH_LIMIT:
                        return None
                return Fetched(upstream.status, bytes(body))
        except (aiohttp.ClientError, TimeoutError, OSError):
            return None

    async def forward(
        self,
        request: web.BaseRequest,
        outgoing: Outgoing,
        turn: Turn,
        extra: Mapping[str, str],
        *,
        begun: web.StreamResponse | None = None,
        seen: Callable[[Fetched], None] | None = None,
    ) -> web.StreamResponse:
        """Send ``outgoing`` and pass the answer to ``request``'s client as it comes.

        ``extra`` are headers of ours for the answer.  ``begun`` is an event stream whose
        head has gone out already: the upstream's events follow in it.  ``seen`` gets the
        whole answer before the client gets any of it.  Raises
        ``UpstreamGone``; cancelling ends the upstream's request at once.
        """
        response = begun
        first = False
        try:
            async with (
                _until_taken(turn),
                self._session.request(
                    outgoing.method,
                    URL(outgoing.url, encoded=True),
                    headers=outgoing.headers,
                    # As a file: aiohttp then hands a large body over in pieces.
                    data=io.BytesIO(outgoing.body) if outgoing.body else None,
                    allow_redirects=False,
                ) as upstream,
            ):
                first = True
                if begun is not None and not _is_stream_of_events(upstream):
                    raise await _refusal(upstream)
                if seen is not None:
                    body = await upstream.content.read()
                    seen(Fetched(upstream.status, body))
                    return web.Response(
                        status=upstream.status, body=body, headers=answer_headers(upstream, extra)
                    )
                if response is None:
                    response = web.StreamResponse(
                        status=upstream.status,
                        reason=upstream.reason,
                        headers=answer_headers(upstream, extra),
                    )
                    await response.prepare(request)
                await _copy(upstream, response, turn)
                await response.write_eof()
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            if request.transport is None or request.transport.is_closing():
                # It is the client that has gone; its handler is about to be cancelled.
                raise asyncio.CancelledError from error
            if not turn.model.external:
                await turn.ended_within(_DEATH_NOTICE)
            why = turn.ended or f"{turn.model.id} closed the connection: {_words(error)}"
            gone = UpstreamGone(why, first, again=not first and (turn.died or not turn.ended))
            if first and response is not None:
                await _break_off(request, response, gone)
            raise gone from error
        assert response is not None
        return response


async def _break_off(
    request: web.BaseRequest, response: web.StreamResponse, gone: UpstreamGone
) -> None:
    """Tell the client that the answer is not whole: an error event where it is a stream,
    and never the end mark of a whole body."""
    with contextlib.suppress(ConnectionError):
        if response.content_type == "text/event-stream":
            error = ApiError(502, str(gone), code="upstream_failed")
            # Two line ends first: the last event may have been cut in its middle.
            await response.write(b"\n\n" + error.event(request.path))
    if request.transport is not None:
        request.transport.close()


@asynccontextmanager
async def _until_taken(turn: Turn) -> AsyncIterator[None]:
    """End the block with ``TimeoutError`` when the model is taken away under it."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:

        def take() -> None:
            # After the block nothing is left to be ended.
            with contextlib.suppress(RuntimeError):
                limit.reschedule(loop.time())

        turn.on_end(take)
        yield


async def _copy(upstream: aiohttp.ClientResponse, response: web.StreamResponse, turn: Turn) -> None:
    tail = b""
    async for chunk in upstream.content.iter_any():
        await response.write(chunk)
        if not turn.loop:
            seen = tail + chunk
            turn.loop = _TOOL_CALL.search(seen) is not None
            tail = seen[-_OVERLAP:]


async def _refusal(upstream: aiohttp.ClientResponse) -> ApiError:
    """The upstream's own error, for a stream whose 200 has gone out already."""
    text = (await upstream.content.read(1 << 16)).decode("utf-8", "replace").strip()
    return ApiError(
        upstream.status if upstream.status >= 400 else 502,
        f"the upstream answered {upstream.status}: {text[:2000]}",
        code="upstream_error",
    )


def _is_stream_of_events(upstream: aiohttp.ClientResponse) -> bool:
    return upstream.status == 200 and upstream.content_type == "text/event-stream"


def request_headers(request: web.BaseRequest) -> CIMultiDict[str]:
    """The client's headers for the upstream: all but those between two neighbours and ours."""
    headers = _passed_on(request.headers, _OWN_REQUEST)
    headers["X-Forwarded-For"] = request.remote or ""
    headers["X-Forwarded-Proto"] = request.scheme
    headers["X-Forwarded-Host"] = request.host
    return headers


def answer_headers(upstream: aiohttp.ClientResponse, extra: Mapping[str, str]) -> CIMultiDict[str]:
    """The upstream's headers for the client, and ours."""
    headers = _passed_on(upstream.headers, frozenset())
    if upstream.content_type == "text/event-stream":
        headers.setdefault("Cache-Control", "no-cache")
        headers["X-Accel-Buffering"] = "no"
    headers.update(extra)
    return headers


def _passed_on(headers: CIMultiDictProxy[str], without: frozenset[str]) -> CIMultiDict[str]:
    named = {
        name.strip().lower()
        for value in headers.getall("Connection", ())
        for name in value.split(",")
    }
    drop = _HOP_BY_HOP | without | named
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in drop)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
