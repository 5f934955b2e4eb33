"""The data path: one request to an upstream, its answer to the client, as bytes come.

Everything about moving bytes is behind ``Forwarder.forward``, which is all that the rest
calls.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from yarl import URL

from qmdesk.config.target import Timeouts
from qmdesk.gateway.body import Body, WholeBody
from qmdesk.gateway.fields import to_bytes
from qmdesk.gateway.head import lines_of
from qmdesk.gateway.passage import Fetched, Outgoing, Passage, words
from qmdesk.gateway.splice import Exchange
from qmdesk.gateway.upstream import Connection, Origin, Upstreams
from qmdesk.gateway.usage import Tap
from qmdesk.router import Turn
from qmdesk.tasks import spawn

FETCH_TIMEOUT = 30.0
FETCH_LIMIT = 256 << 20
"""Bytes; a rendered video comes inside its job's document."""


class Failed(NamedTuple):
    """A try that has come to nothing, or to half of an answer."""

    passage: Passage
    connection: Connection | None
    error: Exception


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
        extra: Sequence[tuple[bytes, bytes]],
        *,
        tap: Tap,
        begun: web.StreamResponse | None = None,
        seen: Callable[[Fetched], None] | None = None,
        failed: Failed | None = None,
        others: bool = False,
    ) -> web.StreamResponse:
        """Send ``outgoing`` and pass the answer to ``request``'s client as it comes.

        ``extra`` are headers of ours for the answer.  ``tap`` sees it pass.  ``begun`` is an
        event stream whose head has gone out already: the upstream's events follow in it.
        ``seen`` gets the whole answer before the client gets any of it.  ``failed`` is the
        first try where that has been made already.  Raises ``UpstreamGone`` and ``ApiError``,
        and where there are ``others`` to be asked, ``Unable``; cancelling ends the upstream's
        request at once.
        """
        origin, _ = split(outgoing.url)
        fresh = False
        while True:
            passage = self.passage(request, outgoing, turn, extra, tap)
            passage.others = others
            connection: Connection | None = None
            try:
                if failed is not None:
                    (passage, connection, error), failed = failed, None
                    raise error
                if turn.ended is not None:
                    raise ConnectionAbortedError(turn.ended)
                timeouts = turn.model.timeouts
                connection = await self._upstreams.connect(origin, timeouts, fresh=fresh)
                exchange = passage.open(connection, held=bool(begun or seen))
                sending = self.send(connection, exchange, outgoing)
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
                if sending is None or sending.done():
                    self.keep(origin, connection, exchange, timeouts)
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

    # The steps of a try, also for whoever takes them by himself

    def passage(
        self,
        request: web.BaseRequest,
        outgoing: Outgoing,
        turn: Turn,
        extra: Sequence[tuple[bytes, bytes]],
        tap: Tap,
    ) -> Passage:
        """A try that has not begun."""
        return Passage(request, outgoing, turn, (extra, self._cors(request)), tap)

    def idle(self, origin: Origin) -> Connection | None:
        """A connection that is kept, if there is one."""
        return self._upstreams.idle(origin)

    async def connect(self, origin: Origin, timeouts: Timeouts) -> Connection:
        """A new connection.  Raises ``OSError``."""
        return await self._upstreams.connect(origin, timeouts, fresh=True)

    def keep(
        self, origin: Origin, connection: Connection, exchange: Exchange, timeouts: Timeouts
    ) -> None:
        """Keep a connection whose answer is whole, or end it where that is not safe."""
        if exchange.reusable and exchange.head is not None:
            self._upstreams.keep(origin, connection, exchange.head, timeouts)
        else:
            connection.close()

    def send(
        self, connection: Connection, exchange: Exchange, outgoing: Outgoing
    ) -> asyncio.Task[None] | None:
        """Send head and body; the task that sends what does not go at once."""
        origin, target = split(outgoing.url)
        body = outgoing.body
        head = b"%b %b HTTP/1.1\r\nHost: %b\r\n%b%b\r\n" % (
            outgoing.method.encode(),
            to_bytes(target),
            _host(origin),
            outgoing.lines or lines_of(outgoing.headers),
            _CHUNKED if body.length is None else b"",
        )
        if isinstance(body, WholeBody):
            connection.write(head + body.data)
            return None
        connection.write(head)
        return spawn(_send_body(connection, exchange, body), "request body")


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
        exchange.fail(ConnectionAbortedError(words(error)))


_CHUNKED = b"Transfer-Encoding: chunked\r\n"


@functools.lru_cache(maxsize=64)
def _host(origin: Origin) -> bytes:
    """What the server is called in a request."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    if origin.port != (443 if origin.secure else 80):
        host = f"{host}:{origin.port}"
    return host.encode()


@functools.lru_cache(maxsize=64)
def split(url: str) -> tuple[Origin, str]:
    """Where the server of ``url`` listens, and what is asked of it there."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    origin = Origin(parts.hostname or "", parts.port or (443 if secure else 80), secure)
    # Not put together from the parts: a question mark with nothing behind it counts.
    at = url.find("/", url.find("//") + 2)
    return origin, url[at:] if at >= 0 else "/"
