"""Small requests for a model that is ready and has room: passed on without a task.

Most requests are such.  All about them is decided when their last byte has come, and nothing
is waited for but the answer, whose bytes go out as they come.  What has to wait, what is
refused and what goes wrong on the way is left to ``inference.py``, from where it stands.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import HttpVersion11, StreamReader, web

from qmdesk.config import Config
from qmdesk.gateway.access import check_host, check_key
from qmdesk.gateway.access_log import note
from qmdesk.gateway.body import WholeBody
from qmdesk.gateway.captures import Captures
from qmdesk.gateway.connection import Connection
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.fields import as_text, request_headers
from qmdesk.gateway.forward import Failed, Forwarder, split
from qmdesk.gateway.head import RawHeaders, lines_of
from qmdesk.gateway.inference import Begun, answer_headers, hold_of
from qmdesk.gateway.job import Job
from qmdesk.gateway.json_object import JsonObject, NotAnObject
from qmdesk.gateway.listeners import Listeners
from qmdesk.gateway.meaning import Meanings
from qmdesk.gateway.offer import Meaning
from qmdesk.gateway.open_request import CANCELLED, OpenRequest, OpenRequests
from qmdesk.gateway.passage import Outgoing, Passage
from qmdesk.gateway.rewriting import changes_json, json_for, path_with_name
from qmdesk.gateway.splice import Exchange
from qmdesk.gateway.target import Draft, body_limit, join, upstream_path
from qmdesk.gateway.upstream import Connection as Upstream
from qmdesk.gateway.variant import HEADER as CONTEXT
from qmdesk.gateway.video_job import SUBMIT
from qmdesk.gateway.visitor import KEY, Visitor
from qmdesk.gateway.who import client_of
from qmdesk.router import Router, Turn
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

SMALL = 1 << 16
"""Bytes of a body; a larger one is left to others."""
# What these ask for, others do.
_UNUSUAL = ("Expect", "Upgrade", "Content-Encoding", "Transfer-Encoding", CONTEXT)


class Express:
    """Takes requests from connections."""

    def __init__(
        self,
        router: Router,
        listeners: Callable[[], Listeners],
        *,
        meanings: Meanings,
        requests: OpenRequests,
        captures: Captures,
        forwarder: Forwarder,
    ) -> None:
        self.router = router
        self.meanings = meanings
        self.requests = requests
        self.captures = captures
        self.forwarder = forwarder
        self._listeners = listeners

    def take(self, request: web.Request, body: StreamReader) -> Ride | None:
        """Answer ``request`` once all of ``body`` has come; None: it is not for here."""
        path = upstream_path(request.raw_path) if request.method == "POST" else None
        connection = request.protocol
        if path is None or not isinstance(connection, Connection):
            return None
        sender, config = connection.known, self.router.config
        if not (isinstance(sender, Sender) and sender.sends(request, config, self._listeners())):
            sender = self._sender(request, config)
            connection.known = sender
        if sender is None:
            return None
        if not 0 < int(request.raw_headers[sender.length_at][1]) <= sender.limit:
            return None
        request[KEY] = sender.visitor
        return Ride(self, connection, sender, request=request, body=body, path=path)

    def _sender(self, request: web.Request, config: Config) -> Sender | None:
        """Who sends ``request``, where nothing is against it; who refuses it is asked later."""
        headers = request.headers
        if (
            not request.keep_alive
            or request.version != HttpVersion11
            or "Content-Length" not in headers
            or any(name in headers for name in _UNUSUAL)
            or headers.get("Content-Type", "").strip().lower().startswith("multipart/")
        ):
            return None
        listeners = self._listeners()
        visitor = Visitor.of(request, config, listeners.of(request))
        try:
            check_host(request, config)
            check_key(visitor, config)
        except ApiError:
            return None
        request[KEY] = visitor
        return Sender(request, config, listeners, visitor)


class Sender:
    """What is the same for every request of a client, as long as it sends the same headers."""

    __slots__ = (
        "_after",
        "_before",
        "_changes",
        "_config",
        "_headers",
        "_lines",
        "_sent_length_at",
        "client",
        "hold",
        "length_at",
        "limit",
        "recorded",
        "visitor",
    )

    def __init__(
        self, request: web.Request, config: Config, listeners: Listeners, visitor: Visitor
    ) -> None:
        raw = request.raw_headers
        self.length_at = _length_at(raw)
        """Which of the headers says how long the body is."""
        self._before, self._after = raw[: self.length_at + 1], raw[self.length_at + 1 :]
        self._config = config
        self._changes = listeners.changes
        self.visitor = visitor
        self.client = client_of(request)
        self.hold = hold_of(request)
        limit = body_limit(config)
        self.limit = SMALL if limit is None else min(limit, SMALL)
        """Bytes that a body may have."""
        self.recorded = bool(config.capture_buffer_mb)
        """Its requests may have to be recorded."""
        self._headers = request_headers(request, 1)
        at = self._sent_length_at = _length_at(self._headers)
        # All but the number.
        self._lines = (
            lines_of(self._headers[:at]) + b"%b: " % self._headers[at][0],
            b"\r\n" + lines_of(self._headers[at + 1 :]),
        )

    def sends(self, request: web.Request, config: Config, listeners: Listeners) -> bool:
        """``request`` is another one of the same."""
        raw, at = request.raw_headers, self.length_at
        return (
            config is self._config
            and listeners.changes == self._changes
            and raw[:at] == self._before[:at]
            and raw[at + 1 :] == self._after
            and raw[at][0] == self._before[at][0]
        )

    def headers(self, length: int) -> RawHeaders:
        """For the upstream, with a body of ``length`` bytes."""
        headers, at = self._headers.copy(), self._sent_length_at
        headers[at] = (headers[at][0], b"%d" % length)
        return headers

    def lines(self, length: int) -> bytes:
        """The same as it is written."""
        return b"%b%d%b" % (self._lines[0], length, self._lines[1])


def _length_at(headers: RawHeaders | tuple[tuple[bytes, bytes], ...]) -> int:
    return next(at for at, each in enumerate(headers) if each[0].lower() == b"content-length")


@dataclass(slots=True)
class _Way:
    """How far a request that has its turn has come."""

    job: Job
    turn: Turn
    open_request: OpenRequest
    outgoing: Outgoing
    passage: Passage
    connection: Upstream | None = None
    exchange: Exchange | None = None
    connecting: asyncio.Task[None] | None = None


class Ride:
    """One request, from its head to the end of its answer."""

    def __init__(
        self,
        express: Express,
        connection: Connection,
        sender: Sender,
        *,
        request: web.Request,
        body: StreamReader,
        path: str,
    ) -> None:
        self._express = express
        self._connection = connection
        self._sender = sender
        self._request = request
        self._body = body
        self._path = path
        self._began = time.monotonic()
        self._data: bytes | None = None
        """The whole body."""
        self._way: _Way | None = None
        self._answered = False
        """All of the answer has been written, as far as the client takes it."""
        self._over = False
        self._failed: Failed | None = None

    @property
    def visitor(self) -> Visitor:
        """Who sends it."""
        return self._sender.visitor

    # What its client's connection tells

    def more(self) -> None:
        """Some more of its body has come; when it is all, things happen."""
        if self._data is not None or not self._body.is_eof():
            return
        # Reading may tell the connection to go on, which tells us that there is more.
        self._data = b""
        self._data = self._body.read_nowait()
        way = None
        try:
            way = self._set_out(self._data)
        except Exception:
            # Whoever does it now meets the same, and tells the client.
            log.exception("%s %s failed at first", self._request.method, self._path)
        if way is None:
            self._over = True
            self._connection.hand_over(self._data)
            return
        self._way = way
        if way.turn.ended is not None:
            self._fail(ConnectionAbortedError(way.turn.ended))
            return
        origin, _ = split(way.outgoing.url)
        kept = self._express.forwarder.idle(origin)
        if kept is None:
            way.connecting = spawn(self._connect(way), "connection to a server")
        else:
            self._send(way, kept)

    def room(self) -> None:
        """The client takes more again."""
        if self._answered:
            self._end()
        elif self._way is not None and self._way.connection is not None:
            self._way.connection.resume()

    def left(self) -> None:
        """The client has gone."""
        way = self._way
        if way is None:
            if not self._over:
                note(self._request, None, CANCELLED, 0, time.monotonic() - self._began)
            return
        self._over = True
        if way.connecting is not None:
            way.connecting.cancel()
        if way.connection is not None:
            way.connection.close()
        way.turn.loop = way.turn.loop or way.job.tools or way.open_request.tap.tool_call
        way.open_request.error = "the client went away"
        self._close(way, CANCELLED)

    def begun(self) -> Begun:
        """It has failed, and goes on elsewhere: where it stands."""
        way = self._way
        assert way is not None
        assert self._failed is not None
        self._way = None
        return Begun(way.job, way.open_request, way.turn, self._failed)

    # The way up and down

    def _job(self, data: bytes) -> Job | None:
        """What is to be done; None where that takes more than a look."""
        try:
            content = JsonObject(data.decode("utf-8-sig"))
        except (NotAnObject, UnicodeDecodeError):
            return None
        name = content.get("model")
        if not isinstance(name, str):
            return None
        offer = self._express.meanings.at_once(name, self._sender.visitor.scope)
        if offer is None:
            return None
        if changes_json(offer) and (text := json_for(content, offer)) != content.text:
            data = text.encode()
        path = path_with_name(self._path, offer.sent_as) if offer.sent_as else self._path
        draft = Draft(path, WholeBody(data))
        tools = bool(content.get("tools"))
        job = Job(self._request, Meaning((offer,)), offer, draft, tools, None)
        return job if job.route != SUBMIT and not job.model.timeouts.response_header else None

    def _set_out(self, data: bytes) -> _Way | None:
        """Take a turn for what is to be done; None where it has to be waited for, or looked at."""
        job = self._job(data)
        if job is None:
            return None
        turn = self._express.router.at_once(job.model.id, hold=self._sender.hold)
        if turn is None:
            return None
        try:
            return self._way_of(job, turn)
        except BaseException:
            self._express.router.give_back(turn)
            raise

    def _way_of(self, job: Job, turn: Turn) -> _Way:
        express, method = self._express, self._request.method
        open_request = express.requests.begin(job.model.id, job.route, self._sender.client, method)
        if self._sender.recorded:
            open_request.record(express.captures.begin(method, job.draft.path))
        open_request.served(turn)
        body = job.draft.body
        length = body.length or 0
        headers, url = self._sender.headers(length), join(turn.base_url, job.draft.path)
        outgoing = Outgoing(method, url, headers, body, self._sender.lines(length))
        if open_request.recording is not None:
            open_request.recording.request(as_text(headers), body)
        passage = express.forwarder.passage(
            self._request, outgoing, turn, answer_headers(open_request), open_request.tap
        )
        return _Way(job, turn, open_request, outgoing, passage)

    async def _connect(self, way: _Way) -> None:
        origin, _ = split(way.outgoing.url)
        try:
            connection = await self._express.forwarder.connect(origin, way.turn.model.timeouts)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
            self._fail(error)
        else:
            way.connecting = None
            if self._over:
                connection.close()
            else:
                self._send(way, connection)

    def _send(self, way: _Way, connection: Upstream) -> None:
        way.connection = connection
        way.exchange = exchange = way.passage.open(connection, held=False)
        exchange.ended = self._exchange_ended
        if exchange.failure is not None:
            self._exchange_ended()
            return
        try:
            self._express.forwarder.send(connection, exchange, way.outgoing)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
            exchange.fail(error)

    def _exchange_ended(self) -> None:
        way = self._way
        if way is None or way.exchange is None:
            return
        if way.exchange.failure is not None:
            self._fail(way.exchange.failure)
        elif self._connection.writing_paused:
            # Its client is slow: it has the turn until it has got it all.
            self._answered = True
        else:
            self._end()

    def _end(self) -> None:
        """The answer is whole, and with the client."""
        way = self._way
        if self._over or way is None:
            return
        self._over = True
        assert way.exchange is not None
        assert way.exchange.head is not None
        assert way.connection is not None
        tap, timeouts = way.open_request.tap, way.turn.model.timeouts
        way.turn.loop = way.turn.loop or tap.tool_call
        origin, _ = split(way.outgoing.url)
        self._express.forwarder.keep(origin, way.connection, way.exchange, timeouts)
        way.open_request.error = tap.error()
        self._close(way, way.exchange.head.status)
        self._connection.answered(keep_alive=way.passage.keep_alive)

    def _fail(self, error: Exception) -> None:
        """Something went wrong; it goes on elsewhere."""
        way = self._way
        if self._over or way is None:
            return
        self._over = True
        self._failed = Failed(way.passage, way.connection, error)
        assert self._data is not None
        if not self._connection.hand_over(self._data, self):
            self.left()

    def _close(self, way: _Way, status: int) -> None:
        """Give the turn back and write down what has been."""
        self._way = None
        way.passage.close()
        request = way.open_request
        self._express.router.give_back(way.turn)
        request.status = status
        request.asked = self._request
        self._express.requests.end(request)
