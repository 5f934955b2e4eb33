"""Requests that a model answers: find it, wait for the turn, pass bytes both ways."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from dataclasses import dataclass

from aiohttp import web

from qmdesk.config import Config, Model
from qmdesk.events import Bus, RequestFinished, RequestStarted
from qmdesk.gateway.error import ApiError, speaks_anthropic
from qmdesk.gateway.forward import Forwarder, Outgoing, UpstreamGone, request_headers
from qmdesk.gateway.loading import LoadingStream
from qmdesk.gateway.target import join, target_of
from qmdesk.router import Rejected, Router, Turn

log = logging.getLogger(__name__)

# The routes whose streams are server-sent events, as their upstreams know them.
_STREAMING = frozenset(("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"))


class Inference:
    """Serves inference requests."""

    def __init__(self, router: Router, bus: Bus, forwarder: Forwarder) -> None:
        self._router = router
        self._bus = bus
        self._forwarder = forwarder
        self._ids = itertools.count(1)

    @property
    def _config(self) -> Config:
        return self._router.config

    async def serve(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Answer ``request``; ``path`` is what the upstream is asked for."""
        target = await target_of(request, path, self._config)
        job = _Job(request, target.model, target.path, target.body)
        streams = target.stream and job.route in _STREAMING
        return await self._serve(job, loading=streams and bool(job.model.send_loading_state))

    async def serve_upstream(
        self, request: web.BaseRequest, model: Model, path: str
    ) -> web.StreamResponse:
        """Pass ``request`` to ``model``'s server as it is, at ``path``."""
        return await self._serve(_Job(request, model, path, await request.read()), loading=False)

    async def _serve(self, job: _Job, *, loading: bool) -> web.StreamResponse:
        if "websocket" in job.request.headers.get("Upgrade", "").lower():
            raise ApiError(501, "WebSockets are not passed through yet", code="not_supported")
        record = _Record(next(self._ids), job)
        self._bus.publish(RequestStarted(record.id, job.model.id, job.route, job.client))
        stream = LoadingStream(job.request, self._router, job.model.id)
        if loading:
            stream.begin()
        try:
            response = await self._try_twice(job, stream, record)
            record.status = response.status
            return response
        except ApiError as error:
            record.status, record.error = error.status, error.message
            await stream.end()
            if stream.response is None:
                raise
            return await _end_with_error(job.request, stream.response, error)
        except UpstreamGone as gone:
            # The client has been told; there is no one left to answer.
            record.status, record.error = 502, str(gone)
            log.warning("%s: %s", job.route, gone)
            raise asyncio.CancelledError from gone
        except asyncio.CancelledError:
            record.status, record.error = 499, "the client went away"
            raise
        finally:
            await stream.end()
            self._bus.publish(record.finished())

    async def _try_twice(
        self, job: _Job, stream: LoadingStream, record: _Record
    ) -> web.StreamResponse:
        """Forward the request; once more where its server died before it said anything."""
        for last in (False, True):
            try:
                async with self._router.serve(
                    job.model.id,
                    by=job.client,
                    hold=_seconds(job.request, "X-QM-Hold-Ms"),
                    patience=_seconds(job.request, "X-QM-Patience-Ms"),
                    position=stream.position,
                ) as turn:
                    await stream.end()
                    record.turn(turn)
                    headers = {
                        "X-QM-Model": job.model.id,
                        "X-QM-Model-Loaded": str(int(record.loaded)),
                        "X-QM-Wait-Ms": str(round(record.waited * 1000)),
                    }
                    return await self._forwarder.forward(
                        job.request, job.outgoing(turn), turn, headers, stream.response
                    )
            except Rejected as rejected:
                raise ApiError.of(rejected) from None
            except UpstreamGone as gone:
                if gone.started:
                    raise
                if last or not gone.again:
                    raise _gone_error(gone, turn) from None
                log.info("%s; the request is sent once more", gone)
        raise AssertionError


@dataclass(frozen=True, slots=True)
class _Job:
    """What is to be done for one request."""

    request: web.BaseRequest
    model: Model
    path: str
    body: bytes

    @property
    def route(self) -> str:
        return self.path.partition("?")[0]

    @property
    def client(self) -> str:
        return client_of(self.request)

    def outgoing(self, turn: Turn) -> Outgoing:
        url = join(turn.base_url, self.path)
        return Outgoing(self.request.method, url, request_headers(self.request), self.body)


def client_of(request: web.BaseRequest) -> str:
    """Who asks, for people: the first word of the user agent, else the address."""
    agent = request.headers.get("User-Agent", "").partition(" ")[0]
    return agent[:60] or request.remote or "somebody"


def _seconds(request: web.BaseRequest, header: str) -> float | None:
    """A header in milliseconds, in seconds; None where absent or no such number."""
    try:
        value = int(request.headers[header])
    except (KeyError, ValueError):
        return None
    return value / 1000 if value >= 0 else None


def _gone_error(gone: UpstreamGone, turn: Turn) -> ApiError:
    if turn.ended and not turn.died:
        return ApiError(503, str(gone), code="model_unloaded", retry_after=1)
    return ApiError(502, str(gone), code="upstream_failed")


async def _end_with_error(
    request: web.BaseRequest, response: web.StreamResponse, error: ApiError
) -> web.StreamResponse:
    """End an event stream that has begun, but in which no model has said anything yet."""
    await response.write(error.event(request.path))
    if not speaks_anthropic(request.path):
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


class _Record:
    """One request, for whoever watches."""

    def __init__(self, id: int, job: _Job) -> None:
        self.id = id
        self.job = job
        self.began = time.monotonic()
        self.waited = 0.0
        self.loaded = False
        self.status = 0
        self.error: str | None = None

    def turn(self, turn: Turn) -> None:
        self.waited += turn.waited
        self.loaded = self.loaded or turn.loaded

    def finished(self) -> RequestFinished:
        return RequestFinished(
            self.id,
            self.job.model.id,
            self.job.route,
            self.status,
            self.waited,
            time.monotonic() - self.began,
            self.loaded,
            self.error,
        )
