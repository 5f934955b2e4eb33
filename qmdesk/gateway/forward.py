"""The data path: one request to an upstream, its answer to the client, as bytes come.

Everything about moving bytes is in here, so that another way to move them can
take this module's place: ``Forwarder.forward`` is all that the rest calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from qmdesk.gateway.body import Body
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.tunnel import tunnel, wants_upgrade
from qmdesk.gateway.usage import Tap
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
    "host expect authorization x-api-key x-qm-hold-ms"
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

RawHeaders = tuple[tuple[bytes, bytes], ...]


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
    body: Body
    connect_timeout: float = CONNECT_TIMEOUT
    """Seconds, a TLS handshake included; 0 is no limit."""


@dataclass(slots=True)
class Fetched:
    """An upstream's whole answer."""

    status: int
    body: bytes


class Answer(web.StreamResponse):
    """An upstream's answer on its way to the client."""

    typed = True
    """It has a content type; one that has none is to be given none."""


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
        tap: Tap,
        begun: web.StreamResponse | None = None,
        seen: Callable[[Fetched], None] | None = None,
    ) -> web.StreamResponse:
        """Send ``outgoing`` and pass the answer to ``request``'s client as it comes.

        ``extra`` are headers of ours for the answer.  ``tap`` sees it pass.  ``begun`` is an
        event stream whose head has gone out already: the upstream's events follow in it.
        ``seen`` gets the whole answer before the client gets any of it.  Raises
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
                    data=outgoing.body.pieces() if outgoing.body.length != 0 else None,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(
                        total=None, sock_connect=outgoing.connect_timeout or None
                    ),
                ) as upstream,
            ):
                first = True
                tap.begin(upstream.status, upstream.headers)
                if begun is not None and not _is_stream_of_events(upstream):
                    raise await _refusal(upstream)
                if seen is not None:
                    body = await upstream.content.read()
                    tap.feed(body)
                    seen(Fetched(upstream.status, body))
                    return web.Response(
                        status=upstream.status, body=body, headers=answer_headers(upstream, extra)
                    )
                if upstream.status == 101:
                    response = await _switched(request, upstream, extra)
                    await tunnel(request, upstream)
                    return response
                if response is None:
                    response = Answer(
                        status=upstream.status,
                        reason=upstream.reason,
                        headers=answer_headers(upstream, extra),
                    )
                    response.typed = "Content-Type" in upstream.headers
                    if wants_upgrade(request):
                        # No other request can be read from this connection any more.
                        response.force_close()
                    await response.prepare(request)
                await _copy(upstream, response, turn, tap)
                await response.write_eof()
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            if (failure := outgoing.body.failure) is not None and not first:
                raise failure from None
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


async def _switched(
    request: web.BaseRequest, upstream: aiohttp.ClientResponse, extra: Mapping[str, str]
) -> web.StreamResponse:
    """Tell the client that its connection is now another protocol's."""
    headers = answer_headers(upstream, extra)
    headers["Connection"] = "Upgrade"
    headers["Upgrade"] = upstream.headers.get("Upgrade", "websocket")
    response = web.StreamResponse(status=101, reason=upstream.reason, headers=headers)
    response.force_close()
    await response.prepare(request)
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


async def _copy(
    upstream: aiohttp.ClientResponse, response: web.StreamResponse, turn: Turn, tap: Tap
) -> None:
    tail = b""
    # Only words can be a tool call; looking for one in gigabytes of a file takes its time.
    words = upstream.content_type == "text/event-stream" or "json" in upstream.content_type
    async for chunk in upstream.content.iter_any():
        await response.write(chunk)
        # After it has been passed on: whoever waits for it does not wait for this.
        tap.feed(chunk)
        if words and not turn.loop:
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


def request_headers(request: web.BaseRequest, length: int | None) -> CIMultiDict[str]:
    """The client's headers for the upstream: all but those between two neighbours and ours.

    ``length`` is that of the body, None where it is sent in chunks.
    """
    headers = _passed_on(request.raw_headers, _OWN_REQUEST)
    if length is None or len(headers.getall("Content-Length", ())) > 1:
        headers.popall("Content-Length", None)
    if length or "Content-Length" in headers:
        # In its old place where it has one.
        headers["Content-Length"] = str(length)
    if wants_upgrade(request):
        headers["Connection"] = "Upgrade"
        headers["Upgrade"] = request.headers["Upgrade"]
    headers["X-Forwarded-For"] = request.remote or ""
    headers["X-Forwarded-Proto"] = request.scheme
    headers["X-Forwarded-Host"] = request.host
    return headers


def answer_headers(upstream: aiohttp.ClientResponse, extra: Mapping[str, str]) -> CIMultiDict[str]:
    """The upstream's headers for the client, and ours."""
    headers = _passed_on(upstream.raw_headers, frozenset())
    if upstream.content_type == "text/event-stream":
        headers.setdefault("Cache-Control", "no-cache")
        headers["X-Accel-Buffering"] = "no"
    headers.update(extra)
    return headers


def _passed_on(raw: RawHeaders, without: frozenset[str]) -> CIMultiDict[str]:
    """``raw`` in its order and spelling, which aiohttp's own headers do not keep."""
    named = {
        word.strip().lower().decode("latin-1")
        for name, value in raw
        if name.lower() == b"connection"
        for word in value.split(b",")
    }
    drop = _HOP_BY_HOP | without | named
    passed: CIMultiDict[str] = CIMultiDict()
    spelled: dict[str, str] = {}
    for raw_name, value in raw:
        name = raw_name.decode("latin-1")
        if name.lower() not in drop:
            # One spelling for all of a name: aiohttp's client takes two for a replacement.
            passed.add(spelled.setdefault(name.lower(), name), _writable(value))
    return passed


def _writable(value: bytes) -> str:
    """``value`` as text; bytes that are not UTF-8 as the characters of Latin-1.

    aiohttp writes headers as UTF-8 only, and would leave such bytes out.
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
