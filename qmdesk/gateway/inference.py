"""Requests that a model answers: find it, wait for the turn, pass bytes both ways."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web

from qmdesk.gateway.captures import Captures
from qmdesk.gateway.error import ApiError, speaks_anthropic
from qmdesk.gateway.fields import as_text
from qmdesk.gateway.forward import Failed, Forwarder
from qmdesk.gateway.job import Job
from qmdesk.gateway.loading import LoadingStream
from qmdesk.gateway.meaning import Meanings
from qmdesk.gateway.offer import Meaning, Offer
from qmdesk.gateway.open_request import CANCELLED, OpenRequest, OpenRequests, current
from qmdesk.gateway.passage import (
    MODEL,
    MODEL_LOADED,
    TOO_LATE,
    WAIT_MS,
    Unable,
    UpstreamGone,
)
from qmdesk.gateway.target import Draft, body_limit, target_of, untouched
from qmdesk.gateway.tunnel import wants_upgrade
from qmdesk.gateway.variant import HEADER
from qmdesk.gateway.video_job import SUBMIT, VideoJobs
from qmdesk.gateway.visitor import visitor_of
from qmdesk.router import Rejected, Router, Turn

log = logging.getLogger(__name__)

# The routes whose streams are server-sent events, as their upstreams know them.
_CHAT = "/v1/chat/completions"
_STREAMING = frozenset((_CHAT, "/v1/completions", "/v1/responses", "/v1/messages"))


@dataclass(frozen=True, slots=True)
class Begun:
    """A request that has its turn, but whose first try has failed."""

    job: Job
    open_request: OpenRequest
    turn: Turn
    failed: Failed


class Inference:
    """Serves inference requests."""

    def __init__(
        self,
        router: Router,
        requests: OpenRequests,
        forwarder: Forwarder,
        *,
        video_jobs: VideoJobs,
        meanings: Meanings,
        captures: Captures,
    ) -> None:
        self._router = router
        self._requests = requests
        self._forwarder = forwarder
        self._video_jobs = video_jobs
        self._meanings = meanings
        self._captures = captures

    async def serve(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Answer ``request``; ``path`` is what the upstream is asked for."""
        find = functools.partial(
            self._meanings.find,
            scope=visitor_of(request).scope,
            context=request.headers.get(HEADER),
        )
        target = await target_of(request, path, find, body_limit(self._router.config))
        meaning, streams = target.meaning, target.stream
        try:
            job = Job.of(request, meaning, target.draft, target.tools)
            # It may hold a large body, which only another offer would need.
            del target
            streams = streams and job.route in _STREAMING
            return await self._serve(job, job.model.send_loading_state if streams else False)
        finally:
            meaning.release()

    async def serve_upstream(
        self, request: web.BaseRequest, offer: Offer, path: str
    ) -> web.StreamResponse:
        """Pass ``request`` to the server of ``offer`` as it is, at ``path``."""
        draft = Draft(path, await untouched(request, body_limit(self._router.config)))
        job = Job.of(request, Meaning((offer,)), lambda _: draft, tools=False)
        return await self._serve(job, False)

    async def _serve(self, job: Job, loading: bool | str) -> web.StreamResponse:
        open_request = self._requests.begin(job.model.id, job.route, job.client, job.request.method)
        current.set(open_request)
        open_request.record(self._captures.begin(job.request.method, job.draft.path))
        stream = LoadingStream(job.request, self._router, job.model.id)
        if loading:
            stream.begin(reasoning=loading == "reasoning" and job.route == _CHAT)
        return await self._answer(job, stream, open_request)

    async def go_on(self, request: web.BaseRequest, begun: Begun) -> web.StreamResponse:
        """Answer ``request`` from where it stands: as if it had failed here."""
        current.set(begun.open_request)
        begun.open_request.handled()
        job = replace(begun.job, request=request)
        stream = LoadingStream(request, self._router, job.model.id)
        return await self._answer(job, stream, begun.open_request, begun)

    async def _answer(
        self,
        job: Job,
        stream: LoadingStream,
        open_request: OpenRequest,
        begun: Begun | None = None,
    ) -> web.StreamResponse:
        try:
            response = await self._first_to_answer(job, stream, open_request, begun)
            open_request.status = response.status
            open_request.error = open_request.tap.error()
            return response
        except ApiError as error:
            return await self._refuse(job, stream, open_request, error)
        except UpstreamGone as gone:
            # The client has been told; there is no one left to answer.
            open_request.status, open_request.error = 502, str(gone)
            log.warning("%s: %s", job.route, gone)
            raise asyncio.CancelledError from gone
        except asyncio.CancelledError:
            if open_request.cancelled is None:
                open_request.status, open_request.error = CANCELLED, "the client went away"
                raise
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            return await self._refuse(job, stream, open_request, _cancelled(open_request))
        finally:
            job.draft.body.close()
            await stream.end()
            self._requests.end(open_request)

    async def _refuse(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest, error: ApiError
    ) -> web.StreamResponse:
        """Answer with an error: as a status, or in the stream that has begun already."""
        open_request.status, open_request.error = error.status, error.message
        await stream.end()
        if stream.response is None:
            raise error
        return await _end_with_error(job.request, stream.response, error)

    async def _first_to_answer(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest, begun: Begun | None
    ) -> web.StreamResponse:
        """Ask one offer after the other for as long as it is a peer that does not answer."""
        failures: list[ApiError] = []
        offers = job.meaning.offers
        for offer in offers:
            each = job.by(offer)
            job.meaning.use(offer)
            open_request.model = offer.model.id
            if offer.peer is None:
                return await self._try_twice(each, stream, open_request, begun)
            others = offer is not offers[-1] and each.draft.body.replayable
            failure = await self._ask_peer(each, stream, open_request, others=others)
            if not isinstance(failure, ApiError):
                return failure
            failures.append(failure)
            log.info("%s: %s", job.route, failure)
            if not each.draft.body.replayable:
                break
        if len(failures) == 1:
            raise failures[0]
        raise ApiError(502, "; ".join(each.message for each in failures), code="peer_unavailable")

    async def _ask_peer(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest, *, others: bool
    ) -> web.StreamResponse | ApiError:
        """Forward the request to the peer of its offer, or say why another one may be asked.

        Nobody waits for a turn there, and nobody is evicted.  Where there are ``others``, one
        that answers that it is not able now is passed over as well.
        """
        assert job.offer.peer is not None
        peer = job.offer.peer.id
        try:
            with self._router.elsewhere(job.model) as turn:
                open_request.served(turn)
                response = await self._forward(job, stream, open_request, turn, others=others)
        except Rejected as rejected:
            raise ApiError.of(rejected) from None
        except Unable as unable:
            if unable.status != 429:
                self._meanings.peers.doubted(peer)
            return ApiError(502, f"the peer {peer} answered {unable}", code="peer_unavailable")
        except ApiError as error:
            if error.code != TOO_LATE:
                raise
            # Slow is not gone.
            self._meanings.peers.doubted(peer)
            return error
        except UpstreamGone as gone:
            if turn.ended is None:
                self._meanings.peers.failed(peer, _why(gone))
            if gone.started:
                raise
            if open_request.cancelled is not None:
                raise _cancelled(open_request) from None
            if self._router.shutting_down:
                raise ApiError(503, str(gone), code="shutting_down") from None
            message = f"the peer {peer} does not answer: {_why(gone)}"
            return ApiError(502, message, code="peer_unavailable")
        if response.status < 500:
            self._meanings.peers.answered(peer)
        return response

    async def _try_twice(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest, begun: Begun | None
    ) -> web.StreamResponse:
        """Forward the request; once more where its server died before it said anything."""
        if job.model.ignore_websockets and wants_upgrade(job.request):
            return await self._beside(job, stream, open_request)
        for last in (False, True):
            try:
                async with self._turn(job, stream, open_request, begun) as turn:
                    failed = begun.failed if begun is not None else None
                    begun = None
                    return await self._forward(job, stream, open_request, turn, failed)
            except Rejected as rejected:
                raise ApiError.of(rejected) from None
            except UpstreamGone as gone:
                if gone.started:
                    raise
                if open_request.cancelled is not None:
                    raise _cancelled(open_request) from None
                if last or not gone.again or not job.draft.body.replayable:
                    raise _gone_error(gone, turn) from None
                log.info("%s; the request is sent once more", gone)
        raise AssertionError

    @asynccontextmanager
    async def _turn(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest, begun: Begun | None
    ) -> AsyncIterator[Turn]:
        """Hold the turn that has begun, or wait for one."""
        if begun is not None:
            with self._router.held(begun.turn) as turn:
                yield turn
            return
        async with self._router.serve(
            job.model.id,
            by=job.client,
            hold=hold_of(job.request),
            patience=_seconds(job.request, "X-QM-Patience-Ms"),
            position=stream.position,
        ) as turn:
            await stream.end()
            open_request.served(turn)
            if turn.loaded:
                snapshot = self._router.snapshot_of(turn.model)
                open_request.load_seconds = snapshot.load_seconds or 0.0
            yield turn

    async def _beside(
        self, job: Job, stream: LoadingStream, open_request: OpenRequest
    ) -> web.StreamResponse:
        """A WebSocket that neither loads its model nor keeps it (``compat.ignoreWebsockets``)."""
        with self._router.beside(job.model.id) as turn:
            if turn is None:
                raise ApiError(
                    409,
                    f"{job.model.id} is not loaded, and WebSockets do not load it"
                    " (compat.ignoreWebsockets)",
                    code="model_not_loaded",
                )
            try:
                return await self._forward(job, stream, open_request, turn)
            except UpstreamGone as gone:
                if gone.started:
                    raise
                raise _gone_error(gone, turn) from None

    async def _forward(
        self,
        job: Job,
        stream: LoadingStream,
        open_request: OpenRequest,
        turn: Turn,
        failed: Failed | None = None,
        *,
        others: bool = False,
    ) -> web.StreamResponse:
        seen = None
        if job.route == SUBMIT and job.offer.peer is None:
            # Under a lease before the client knows of the job.
            seen = functools.partial(self._video_jobs.accepted, job.model)
        try:
            outgoing = job.outgoing(turn)
            if open_request.recording is not None:
                open_request.recording.request(as_text(outgoing.headers), outgoing.body)
            return await self._forwarder.forward(
                job.request,
                outgoing,
                turn,
                answer_headers(open_request),
                tap=open_request.tap,
                begun=stream.response,
                seen=seen,
                failed=failed,
                others=others,
            )
        except BaseException:
            # The end of an agent's answer was not seen: it may well have been a tool call.
            turn.loop = turn.loop or job.tools
            raise


def answer_headers(request: OpenRequest) -> Sequence[tuple[bytes, bytes]]:
    """What an answer says of its model."""
    return _answer_headers(request.model, request.loaded, round(request.waited * 1000))


@functools.lru_cache(maxsize=64)
def _answer_headers(model: str, loaded: bool, wait_ms: int) -> Sequence[tuple[bytes, bytes]]:
    return (
        (MODEL, model.encode()),
        (MODEL_LOADED, b"%d" % loaded),
        (WAIT_MS, b"%d" % wait_ms),
    )


def hold_of(request: web.BaseRequest) -> float | None:
    """Seconds for which the model is to be held after ``request``; None: as configured."""
    return _seconds(request, "X-QM-Hold-Ms")


def _why(gone: UpstreamGone) -> str:
    """What went wrong underneath, where it is known."""
    cause = gone.__cause__
    return str(cause) if cause is not None and str(cause) else str(gone)


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


def _cancelled(open_request: OpenRequest) -> ApiError:
    return ApiError(CANCELLED, open_request.cancelled or "", code="request_cancelled")


async def _end_with_error(
    request: web.BaseRequest, response: web.StreamResponse, error: ApiError
) -> web.StreamResponse:
    """End an event stream that has begun, but in which no model has said anything yet."""
    await response.write(error.event(request.path))
    if not speaks_anthropic(request.path):
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
