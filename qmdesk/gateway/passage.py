"""One try to get an answer through to the client: its head, its bytes, its end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from email.utils import formatdate

from aiohttp import HttpVersion11, web

from qmdesk import __version__
from qmdesk.gateway.body import Body
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.fields import HOP_BY_HOP, Texts, passed_on, without_cors
from qmdesk.gateway.framing import Framing
from qmdesk.gateway.head import Head, RawHeaders, written
from qmdesk.gateway.splice import Exchange, Held, Sink, ToClient
from qmdesk.gateway.tunnel import tunnel, wants_upgrade
from qmdesk.gateway.upstream import Connection
from qmdesk.gateway.usage import Tap, error_text
from qmdesk.router import Turn

TOO_LATE = "upstream_timeout"
"""The code of an error that says only that the answer has not begun in time."""
REFUSAL_LIMIT = 1 << 16
"""Bytes of an upstream's error that are told inside a stream."""
MODEL, MODEL_LOADED, WAIT_MS = b"X-QM-Model", b"X-QM-Model-Loaded", b"X-QM-Wait-Ms"
"""Headers of ours in every answer."""
_MADE_ANEW = HOP_BY_HOP | {name.lower() for name in (MODEL, MODEL_LOADED, WAIT_MS)}
_EVENTS = b"text/event-stream"
_DEATH_NOTICE = 0.5
"""Seconds in which a server whose connection broke is usually seen to have died."""
_UNABLE = frozenset((429, 502, 503, 504))
"""Statuses that say: not here, or not now.  Another one may well be able."""
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


class Unable(Exception):
    """The upstream answered that it cannot serve the request; the client got nothing of it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}".strip())
        self.status = status


@dataclass(slots=True)
class Outgoing:
    """A request as it goes to the upstream."""

    method: str
    url: str
    headers: RawHeaders
    """All but ``Host``, and but what says where the body ends if it is sent in chunks."""
    body: Body
    lines: bytes = b""
    """The headers as they are written, where that is known already."""


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


class Passage:
    """One try to get an answer through to the client."""

    def __init__(
        self,
        request: web.BaseRequest,
        outgoing: Outgoing,
        turn: Turn,
        ours: tuple[Sequence[tuple[bytes, bytes]], Mapping[str, str] | None],
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
        self.others = False
        """Somebody else can be asked where this one is not able."""
        self._keep_alive = request.keep_alive and not wants_upgrade(request)

    @property
    def keep_alive(self) -> bool:
        """The client's connection may be used again, as far as is known now."""
        return self._keep_alive

    def close(self) -> None:
        """Let go of the exchange, which refers to this: all of it goes at once then."""
        self._exchange = None

    @property
    def silent(self) -> bool:
        """The upstream has said nothing."""
        return self._exchange is not None and not self._exchange.answered

    def open(self, connection: Connection, *, held: bool) -> Exchange:
        """Listen for the answer; ``held``: its bytes are not to go to the client at once."""
        self._connection = connection
        if held:
            self._held = Held(connection, self._tap.feed)
        exchange = Exchange(connection, self._outgoing.method, self._begin, self._interim)
        self._exchange = exchange
        self._turn.on_end(exchange.take_away)
        return exchange

    async def answer(
        self, begun: web.StreamResponse | None, seen: Callable[[Fetched], None] | None
    ) -> web.StreamResponse:
        """What has been answered, once all of it has gone out (or is to)."""
        exchange = self._exchange
        assert exchange is not None
        if self.others:
            head = await exchange.begun()
            if head.status in _UNABLE:
                assert self._held is not None
                raise Unable(head.status, error_text(await _some(self._held)))
        held = self._held
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
            raise _refusal(head, await _some(held))
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
        if self.others and head.status in _UNABLE:
            assert self._connection is not None
            self._held = Held(self._connection, lambda _: None)
            return self._held
        self._tap.begin(head.status, Texts(head))
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
            client.write(written(self._first_line(head), passed_on(head.headers, HOP_BY_HOP)))

    def _first_line(self, head: Head) -> bytes:
        minor = 1 if self._request.version >= HttpVersion11 else 0
        return b"HTTP/1.%d %d %b" % (minor, head.status, head.reason)

    def _answer_headers(self, head: Head) -> RawHeaders:
        """The upstream's headers for the client, and ours in the place of their like."""
        plain = _MADE_ANEW.isdisjoint(head.fields)
        headers = head.headers.copy() if plain else passed_on(head.headers, _MADE_ANEW)
        events = head.content_type == _EVENTS
        if events:
            headers = [each for each in headers if each[0].lower() != b"x-accel-buffering"]
        if self._cors is not None:
            headers = without_cors(headers, self._request.method)
        names: Collection[bytes] = head.fields
        if len(headers) < len(head.headers):
            names = {name.lower() for name, _ in headers}
        headers += self._extra
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
        why = turn.ended or f"{turn.model.id} cannot answer: {words(error)}"
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


async def _some(held: Held) -> bytes:
    """What is told of an upstream's error."""
    text = b""
    while len(text) < REFUSAL_LIMIT and (piece := await held.next()):
        text += piece
    return text[:REFUSAL_LIMIT]


def _refusal(head: Head, text: bytes) -> ApiError:
    """The upstream's own error, for a stream whose 200 has gone out already."""
    said = text.decode("utf-8", "replace").strip()
    return ApiError(
        head.status if head.status >= 400 else 502,
        f"the upstream answered {head.status}: {said[:2000]}",
        code="upstream_error",
    )


@functools.lru_cache(maxsize=2)
def _date(now: int) -> bytes:
    return formatdate(now, usegmt=True).encode()


def words(error: BaseException) -> str:
    """What went wrong, in the error's own words."""
    return str(error) or type(error).__name__
