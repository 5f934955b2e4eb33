"""The data path: one request to an upstream, its answer to the client, as bytes come.

Everything about moving bytes is behind ``Forwarder.forward``, which is all that the rest
calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from urllib.parse import urlsplit

import aiohttp
from aiohttp import HttpVersion11, web
from multidict import CIMultiDict
from yarl import URL

from qmdesk import __version__
from qmdesk.gateway.body import Body, WholeBody
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.framing import Framing
from qmdesk.gateway.head import Head, RawHeaders, written
from qmdesk.gateway.splice import Exchange, Held, Sink, ToClient
from qmdesk.gateway.tunnel import tunnel, wants_upgrade
from qmdesk.gateway.upstream import Connection, Origin, Upstreams
from qmdesk.gateway.usage import Tap
from qmdesk.gateway.visitor import visitor_of
from qmdesk.router import Turn
from qmdesk.tasks import spawn

FETCH_TIMEOUT = 30.0
FETCH_LIMIT = 256 << 20
"""Bytes; a rendered video comes inside its job's document."""
TOO_LATE = "upstream_timeout"
"""The code of an error that says only that the answer has not begun in time."""
REFUSAL_LIMIT = 1 << 16
"""Bytes of an upstream's error that are told inside a stream."""

# RFC 9110, section 7.6.1, and what was always treated like them.
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te"
    b" transfer-encoding upgrade".split()
)
# Ours: for qmdesk itself, or made anew for the upstream.
_OWN_REQUEST = _HOP_BY_HOP | frozenset(
    b"host expect trailer authorization x-api-key x-qm-hold-ms x-qm-patience-ms x-qm-ctx"
    b" x-forwarded-for x-forwarded-proto x-forwarded-host".split()
)
_EVENTS = b"text/event-stream"
_DEATH_NOTICE = 0.5
"""Seconds in which a server whose connection broke is usually seen to have died."""
_SERVER = f"qmdesk/{__version__}".encode()


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
    headers: RawHeaders
    """All but ``Host``, and but what says where the body ends if it is sent in chunks."""
    body: Body


@dataclass(slots=True)
class Fetched:
    """An upstream's whole answer."""

    status: int
    body: bytes


class Answer(web.StreamResponse):
    """An answer that has been written to the client's connection already."""

    def __init__(self, status: int, *, keep_alive: bool) -> None:
        super().__init__(status=status)
        self._stays = keep_alive

    @property
    def keep_alive(self) -> bool:
        """The client's connection may be used again."""
        return self._stays

    async def prepare(self, request: web.BaseRequest) -> None:
        """Nothing is left to be written."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to be written."""


class Forwarder:
    """Holds the connections to all upstreams; close it when the gateway closes."""

    def __init__(
        self, cors: Callable[[web.BaseRequest], Mapping[str, str] | None] | None = None
    ) -> None:
        """``cors`` gives our headers for a browser's page, None for all other clients."""
        self._cors = cors or (lambda _request: None)
        self._upstreams = Upstreams()
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        self._upstreams.close()
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
        ``UpstreamGone`` and ``ApiError``; cancelling ends the upstream's request at once.
        """
        origin, target = split(outgoing.url)
        fresh = False
        while True:
            passage = _Passage(request, outgoing, turn, (extra, self._cors(request)), tap)
            connection: Connection | None = None
            try:
                if turn.ended is not None:
                    raise ConnectionAbortedError(turn.ended)
                timeouts = turn.model.timeouts
                connection = await self._upstreams.connect(origin, timeouts, fresh=fresh)
                exchange = passage.open(connection, held=bool(begun or seen))
                turn.on_end(functools.partial(exchange.fail, ConnectionAbortedError("taken")))
                sending = self._send(connection, exchange, outgoing, origin, target)
                try:
                    if timeouts.response_header:
                        if sending is not None:
                            await exchange.sent(sending)
                        async with asyncio.timeout(timeouts.response_header):
                            await exchange.begun()
                    response = await passage.answer(begun, seen)
                finally:
                    turn.loop = turn.loop or tap.tool_call
                    if sending is not None:
                        sending.cancel()
                if exchange.reusable and (sending is None or sending.done()):
                    assert exchange.head is not None
                    self._upstreams.keep(origin, connection, exchange.head, timeouts)
                    connection = None
                return response
            except OSError as error:
                if connection is not None and connection.used and passage.silent:
                    # It was closed just when the next request was sent: a race, no failure.
                    fresh = True
                    if outgoing.body.replayable and turn.ended is None:
                        continue
                await passage.gone(error, begun)
            finally:
                if connection is not None:
                    connection.close()

    def _send(
        self,
        connection: Connection,
        exchange: Exchange,
        outgoing: Outgoing,
        origin: Origin,
        target: str,
    ) -> asyncio.Task[None] | None:
        """Send head and body; the task that sends what does not go at once."""
        body = outgoing.body
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        if origin.port != (443 if origin.secure else 80):
            host = f"{host}:{origin.port}"
        headers = [(b"Host", host.encode()), *outgoing.headers]
        if body.length is None:
            headers.append((b"Transfer-Encoding", b"chunked"))
        head = written(_bytes(f"{outgoing.method} {target} HTTP/1.1"), headers)
        if isinstance(body, WholeBody):
            connection.write(head + body.data)
            return None
        connection.write(head)
        return spawn(_send_body(connection, exchange, body), "request body")


class _Passage:
    """One try to get an answer through to the client."""

    def __init__(
        self,
        request: web.BaseRequest,
        outgoing: Outgoing,
        turn: Turn,
        ours: tuple[Mapping[str, str], Mapping[str, str] | None],
        tap: Tap,
    ) -> None:
        """``ours`` are headers for the answer: of the request, and for a browser's page."""
        self._request = request
        self._outgoing = outgoing
        self._turn = turn
        self._extra, self._cors = ours
        self._tap = tap
        self._connection: Connection | None = None
        self._exchange: Exchange | None = None
        self._held: Held | None = None
        self._to_client: ToClient | None = None
        self._keep_alive = bool(request.keep_alive) and not wants_upgrade(request)

    @property
    def silent(self) -> bool:
        """The upstream has said nothing."""
        return self._exchange is not None and not self._exchange.answered

    def open(self, connection: Connection, *, held: bool) -> Exchange:
        """Listen for the answer; ``held``: its bytes are not to go to the client at once."""
        self._connection = connection
        if held:
            self._held = Held(connection, self._tap.feed)
        self._exchange = Exchange(connection, self._outgoing.method, self._begin, self._interim)
        return self._exchange

    async def answer(
        self, begun: web.StreamResponse | None, seen: Callable[[Fetched], None] | None
    ) -> web.StreamResponse:
        """What has been answered, once all of it has gone out (or is to)."""
        exchange, held = self._exchange, self._held
        assert exchange is not None
        if held is not None:
            head = await exchange.begun()
            if begun is not None:
                return await self._within(head, held, begun)
            body = b""
            while piece := await held.next():
                body += piece
            assert seen is not None
            seen(Fetched(head.status, body))
            return self._whole(head, body)
        if self._is_upgrade:
            head = await exchange.begun()
            if head.status == 101:
                assert self._connection is not None
                await tunnel(self._request, self._connection, exchange)
                return self._told(head)
        await exchange.finished()
        assert exchange.head is not None
        return self._told(exchange.head)

    @property
    def _is_upgrade(self) -> bool:
        return wants_upgrade(self._request)

    async def _within(
        self, head: Head, held: Held, begun: web.StreamResponse
    ) -> web.StreamResponse:
        """The upstream's events in a stream that has begun already."""
        if head.status != 200 or head.content_type != _EVENTS:
            text = b""
            while len(text) < REFUSAL_LIMIT and (piece := await held.next()):
                text += piece
            raise _refusal(head, text[:REFUSAL_LIMIT])
        while piece := await held.next():
            await begun.write(piece)
        await begun.write_eof()
        return begun

    def _told(self, head: Head) -> web.StreamResponse:
        return Answer(head.status, keep_alive=self._keep_alive)

    def _whole(self, head: Head, body: bytes) -> web.StreamResponse:
        framing_free = [
            (name, value)
            for name, value in self._answer_headers(head)
            if name.lower() not in (b"content-length", b"trailer")
        ]
        framing_free.append((b"Content-Length", b"%d" % len(body)))
        client = self._request.transport
        if client is not None:
            client.write(written(self._first_line(head), framing_free) + body)
        return self._told(head)

    # Heads

    def _begin(self, head: Head, framing: Framing) -> Sink:
        self._tap.begin(head.status, CIMultiDict(as_text(head.headers)))
        if self._held is not None:
            return self._held
        headers = self._answer_headers(head)
        chunked = False
        if head.status == 101:
            self._keep_alive = False
            upgrade = head.first(b"upgrade") or b"websocket"
            headers += [(b"Connection", b"Upgrade"), (b"Upgrade", upgrade)]
        else:
            if framing.length is None:
                headers = [each for each in headers if each[0].lower() != b"content-length"]
                chunked = self._request.version >= HttpVersion11
                if chunked:
                    headers.append((b"Transfer-Encoding", b"chunked"))
                else:
                    self._keep_alive = False
            if not self._keep_alive:
                headers.append((b"Connection", b"close"))
            elif self._request.version < HttpVersion11:
                headers.append((b"Connection", b"keep-alive"))
        self._to_client = ToClient(
            self._request,
            written(self._first_line(head), headers),
            framing,
            self._tap.feed,
            chunked=chunked,
        )
        return self._to_client

    def _interim(self, head: Head) -> None:
        """A head before the answer's own; who sends ``100`` has been answered here."""
        client = self._request.transport
        newer = self._request.version >= HttpVersion11
        if head.status != 100 and newer and self._held is None and client is not None:
            client.write(written(self._first_line(head), passed_on(head.headers, _HOP_BY_HOP)))

    def _first_line(self, head: Head) -> bytes:
        minor = 1 if self._request.version >= HttpVersion11 else 0
        return b"HTTP/1.%d %d %b" % (minor, head.status, head.reason)

    def _answer_headers(self, head: Head) -> RawHeaders:
        """The upstream's headers for the client, and ours in the place of their like."""
        ours = {name.lower().encode(): (name, value) for name, value in self._extra.items()}
        headers = passed_on(head.headers, _HOP_BY_HOP | ours.keys())
        events = head.content_type == _EVENTS
        if events:
            headers = [each for each in headers if each[0].lower() != b"x-accel-buffering"]
        if self._cors is not None:
            headers = without_cors(headers, self._request.method)
        names = {name.lower() for name, _ in headers}
        headers += [(name.encode(), value.encode()) for name, value in ours.values()]
        if self._cors is not None:
            headers += [(name.encode(), value.encode()) for name, value in self._cors.items()]
        if events:
            headers.append((b"X-Accel-Buffering", b"no"))
            if b"cache-control" not in names:
                headers.append((b"Cache-Control", b"no-cache"))
        if b"date" not in names:
            headers.append((b"Date", _date(int(time.time()))))
        if b"server" not in names:
            headers.append((b"Server", _SERVER))
        return headers

    # The end

    async def gone(self, error: OSError, begun: web.StreamResponse | None) -> None:
        """Say what has become of the upstream; always raises."""
        turn, body, exchange = self._turn, self._outgoing.body, self._exchange
        started = exchange is not None and exchange.head is not None
        if (failure := body.failure) is not None and not started:
            raise failure from None
        if self._request.transport is None or self._request.transport.is_closing():
            # It is the client that has gone; its handler is about to be cancelled.
            raise asyncio.CancelledError from error
        if isinstance(error, TimeoutError) and not started and not turn.ended:
            raise self._too_late(error) from None
        if not turn.model.external:
            await turn.ended_within(_DEATH_NOTICE)
        why = turn.ended or f"{turn.model.id} cannot answer: {_words(error)}"
        gone = UpstreamGone(why, started, again=not started and (turn.died or not turn.ended))
        if started:
            await self._break_off(gone, begun)
        raise gone from error

    def _too_late(self, error: TimeoutError) -> ApiError:
        timeouts = self._turn.model.timeouts
        why = str(error)
        if self._exchange is not None:
            why = (
                f"its answer did not begin within {timeouts.response_header:g} s; see"
                " timeouts.responseHeader"
            )
        return ApiError(504, f"{self._turn.model.id}: {why}", code=TOO_LATE)

    async def _break_off(self, gone: UpstreamGone, begun: web.StreamResponse | None) -> None:
        """Tell the client that the answer is not whole: an error event where it is a stream,
        and never the end mark of a whole body."""
        # Two line ends first: the last event may have been cut in its middle.
        error = ApiError(502, str(gone), code="upstream_failed")
        event = b"\n\n" + error.event(self._request.path)
        with contextlib.suppress(ConnectionError):
            if begun is not None:
                await begun.write(event)
            elif self._to_client is not None and self._tap.content_type == "text/event-stream":
                self._to_client.say(event)
        if self._request.transport is not None:
            self._request.transport.close()


async def _send_body(connection: Connection, exchange: Exchange, body: Body) -> None:
    chunked = body.length is None
    try:
        async for piece in body.pieces():
            connection.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            await connection.drain()
        if chunked:
            connection.write(b"0\r\n\r\n")
    except ConnectionError:
        # The exchange has heard of it, and may have had its answer before.
        pass
    except Exception as error:  # noqa: BLE001 - the client's body is at fault
        exchange.fail(ConnectionAbortedError(_words(error)))


def _refusal(head: Head, text: bytes) -> ApiError:
    """The upstream's own error, for a stream whose 200 has gone out already."""
    said = text.decode("utf-8", "replace").strip()
    return ApiError(
        head.status if head.status >= 400 else 502,
        f"the upstream answered {head.status}: {said[:2000]}",
        code="upstream_error",
    )


def request_headers(request: web.BaseRequest, length: int | None) -> RawHeaders:
    """The client's headers for the upstream: all but those between two neighbours and ours.

    ``length`` is that of the body, None where it is sent in chunks.
    """
    headers = passed_on(request.raw_headers, _OWN_REQUEST)
    lengths = [at for at, each in enumerate(headers) if each[0].lower() == b"content-length"]
    if length is None:
        headers = [each for at, each in enumerate(headers) if at not in lengths]
    elif lengths:
        # In its old place and spelling.
        headers[lengths[0]] = (headers[lengths[0]][0], b"%d" % length)
        headers = [each for at, each in enumerate(headers) if at not in lengths[1:]]
    elif length:
        headers.append((b"Content-Length", b"%d" % length))
    if wants_upgrade(request):
        headers.append((b"Connection", b"Upgrade"))
        headers.append((b"Upgrade", request.headers["Upgrade"].encode()))
    visitor = visitor_of(request)
    headers.append((b"X-Forwarded-For", _bytes(visitor.forwarded_for)))
    headers.append((b"X-Forwarded-Proto", _bytes(visitor.scheme)))
    headers.append((b"X-Forwarded-Host", _bytes(visitor.host)))
    return headers


def as_text(headers: RawHeaders) -> list[tuple[str, str]]:
    """``headers`` for people."""
    return [(name.decode("latin-1"), value.decode("utf-8", "replace")) for name, value in headers]


def passed_on(
    raw: Iterable[tuple[bytes, bytes]], without: Collection[bytes]
) -> list[tuple[bytes, bytes]]:
    """``raw`` but for ``without`` (lower case) and what its ``Connection`` names."""
    passed = [each for each in raw if each[0].lower() not in without]
    named = {
        word.strip().lower()
        for name, value in raw
        if name.lower() == b"connection"
        for word in value.split(b",")
    } - {b"close", b"keep-alive", b"upgrade"}
    return [each for each in passed if each[0].lower() not in named] if named else passed


def without_cors(headers: RawHeaders, method: str) -> RawHeaders:
    """``headers`` without what an upstream says of other origins; that is ours to say."""
    kept = (b"allow-methods", b"allow-headers", b"max-age") if method == "OPTIONS" else ()
    keep = {b"access-control-" + name for name in kept}
    return [
        each
        for each in headers
        if not each[0].lower().startswith(b"access-control-") or each[0].lower() in keep
    ]


@functools.lru_cache(maxsize=64)
def split(url: str) -> tuple[Origin, str]:
    """Where the server of ``url`` listens, and what is asked of it there."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    origin = Origin(parts.hostname or "", parts.port or (443 if secure else 80), secure)
    # Not put together from the parts: a question mark with nothing behind it counts.
    at = url.find("/", url.find("//") + 2)
    return origin, url[at:] if at >= 0 else "/"


def _bytes(text: str) -> bytes:
    """What aiohttp has read as ``text``, as it came."""
    return text.encode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=2)
def _date(now: int) -> bytes:
    return formatdate(now, usegmt=True).encode()


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
