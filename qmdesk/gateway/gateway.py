"""The HTTP server: which route is whose, and what every answer has in common."""

from __future__ import annotations

import asyncio
import functools
import logging
import re
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from aiohttp import web
from multidict import MultiDict

from qmdesk import __version__
from qmdesk.config import Config, Model
from qmdesk.config.settings import Listener
from qmdesk.configuration import Configuration
from qmdesk.events import Bus, ModelState
from qmdesk.gateway.access import (
    add_cors,
    check_host,
    check_key,
    check_operator,
    check_upgrade,
    cors,
    is_operator,
    preflight,
)
from qmdesk.gateway.access_log import logged, note
from qmdesk.gateway.activity import Activity, Row, activity_page, place
from qmdesk.gateway.body import too_large
from qmdesk.gateway.captures import Captures
from qmdesk.gateway.catalogue import Catalogue
from qmdesk.gateway.certificate import BadCertificate, load
from qmdesk.gateway.config_routes import ConfigRoutes
from qmdesk.gateway.connection import HEAD_LIMIT, HEADERS, Connection, missing
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.event_stream import EventStream
from qmdesk.gateway.express import Express, Ride
from qmdesk.gateway.forward import Forwarder
from qmdesk.gateway.inference import Inference
from qmdesk.gateway.listeners import AddressTaken, Listeners
from qmdesk.gateway.log_stream import LogStream
from qmdesk.gateway.meaning import Meanings
from qmdesk.gateway.metrics import Metrics
from qmdesk.gateway.model_events import ModelEvents
from qmdesk.gateway.open_request import OpenRequest, OpenRequests
from qmdesk.gateway.operations import Operations, status
from qmdesk.gateway.page import Page
from qmdesk.gateway.pause_routes import PauseRoutes
from qmdesk.gateway.peers import Peers, PeerState
from qmdesk.gateway.profile import Profiles
from qmdesk.gateway.target import body_limit, upstream_path
from qmdesk.gateway.tunnel import wants_upgrade
from qmdesk.gateway.video_job import JOBS, VideoJobs
from qmdesk.gateway.visitor import KEY, Visitor, visitor_of
from qmdesk.logs import Logs
from qmdesk.memory import Memory
from qmdesk.router import Router

log = logging.getLogger(__name__)

CLOSE_TIMEOUT = 0.5
"""Seconds for connections to end by themselves; aiohttp spends it twice."""

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Gateway:
    """Serves the router over HTTP.  ``start`` once, ``close`` once."""

    def __init__(
        self,
        router: Router,
        bus: Bus,
        logs: Logs,
        configuration: Configuration,
        data_folder: Path | None = None,
        *,
        memory: Memory,
    ) -> None:
        """``data_folder`` is where the activity is kept; None: in memory only."""
        self._router = router
        self._configuration = configuration
        self._bus = bus
        self._logs = logs
        self._data_folder = data_folder
        self._memory = memory
        self._runner: web.AppRunner | None = None
        self._forwarder: Forwarder | None = None
        self._listeners: Listeners | None = None
        self._tls: ssl.SSLContext | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """``http://HOST:PORT`` or ``https://...`` of each listener, with the real port."""
        return self._listeners.addresses if self._listeners is not None else ()

    @property
    def exposed(self) -> tuple[str, ...]:
        """Those of ``addresses`` that other machines can reach."""
        return self._listeners.exposed if self._listeners is not None else ()

    async def start(self, listen: Sequence[Listener]) -> None:
        """Listen at each; port 0 takes a free one.

        Raises ``AddressTaken`` and ``BadCertificate``.
        """
        self._forwarder = Forwarder(lambda request: cors(request, self._router.config))
        self._events = EventStream(self._bus)
        self._model_events = ModelEvents(self._bus)
        self._log_streams = LogStream(self._logs)
        self._activity = Activity(*place(self._router.config, self._data_folder))
        self._metrics = Metrics(self._router, self._bus, self._memory)
        self._requests = OpenRequests(self._bus, self._request_ended)
        self._video_jobs = VideoJobs(self._router, self._forwarder)
        self._peers = Peers(self._router, self._bus)
        self._profiles = Profiles(self._router, self._bus)
        self._meanings = Meanings(self._router, self._peers, self._profiles)
        self._captures = Captures(
            lambda: int(self._router.config.capture_buffer_mb * (1 << 20)), self._bus
        )
        self._inference = Inference(
            self._router,
            self._requests,
            self._forwarder,
            video_jobs=self._video_jobs,
            meanings=self._meanings,
            captures=self._captures,
        )
        self._catalogue = Catalogue(self._router, self._peers, self._profiles)
        self._shown = await asyncio.to_thread(Page, self._router)
        self._runner = web.AppRunner(
            self._application(),
            handler_cancellation=True,
            access_log=None,
            auto_decompress=False,
            shutdown_timeout=CLOSE_TIMEOUT,
            max_line_size=HEAD_LIMIT,
            max_field_size=HEAD_LIMIT,
            max_headers=HEADERS,
        )
        await self._runner.setup()
        server = self._runner.server
        assert server is not None
        self._own_routes = server.request_handler
        server.request_handler = self._handle
        self._listeners = Listeners(self._runner, self._express())
        try:
            await self.listen(listen, self._router.config)
        except (AddressTaken, BadCertificate):
            await self.close()
            raise

    def _express(self) -> Express | None:
        if lacks := missing():
            log.warning("this aiohttp has no %s: small requests take longer", ", ".join(lacks))
            return None

        def listeners() -> Listeners:
            assert self._listeners is not None
            return self._listeners

        assert self._forwarder is not None
        return Express(
            self._router,
            listeners,
            meanings=self._meanings,
            requests=self._requests,
            captures=self._captures,
            forwarder=self._forwarder,
        )

    async def listen(self, listen: Sequence[Listener], config: Config) -> None:
        """Listen at each of ``listen`` and nowhere else; open connections go on.

        New connections get the certificate that ``config``'s files have now.  Raises
        ``AddressTaken`` and ``BadCertificate``, and then everything is as it was before.
        """
        assert self._listeners is not None
        tls = await asyncio.to_thread(load, config)
        if tls is not None and self._tls is not None:
            await self._listeners.use(listen, self._tls)
            await asyncio.to_thread(load, config, self._tls)
        else:
            await self._listeners.use(listen, tls)
            self._tls = tls

    async def follow(self, config: Config) -> None:
        """Do what else ``config`` says, now that it is in force."""
        self._requests.settle()
        if await self._activity.move(*place(config, self._data_folder)):
            # The numbers of the rows begin anew there.
            self._captures.trim(0)

    async def close(self) -> None:
        """Stop listening and end what is still open."""
        if self._runner is not None:
            self._events.close()
            self._model_events.close()
            self._log_streams.close()
            self._video_jobs.close()
            self._metrics.close()
            await self._runner.cleanup()
            self._requests.settle()
            await self._activity.close()
            self._profiles.close()
            await self._peers.close()
            await self._captures.close()
            self._runner = None
            self._listeners = None
        if self._forwarder is not None:
            await self._forwarder.close()
            self._forwarder = None

    # What the desktop shows of it

    def peers(self) -> tuple[PeerState, ...]:
        """Every peer and how it is; none before the start."""
        return self._peers.states() if self._runner is not None else ()

    @property
    def profile(self) -> str | None:
        """The profile that is on; None: none."""
        active = self._profiles.active if self._runner is not None else None
        return None if active is None else active.id

    def switch_profile(self, name: str | None) -> None:
        """Turn a profile on, or with None the one that is on off.  Raises ``ApiError``."""
        if self._runner is not None:
            self._profiles.switch(name)

    def status(self) -> dict[str, Any]:
        """What runs, as ``/api/status`` tells it."""
        return status(self._router, self._memory)

    def requests(self) -> list[dict[str, Any]]:
        """The requests under way, as ``/api/requests`` tells them; none before the start."""
        return self._requests.rows() if self._runner is not None else []

    def cancel_request(self, id: int, *, by: str) -> bool:
        """End a request; False where it is over already."""
        request = self._requests.get(id) if self._runner is not None else None
        if request is not None:
            request.cancel(by)
        return request is not None

    async def activity(self, *, after: int, limit: int) -> list[dict[str, Any]]:
        """The requests that are over, newest first, with numbers above ``after``."""
        if self._runner is None:
            return []
        query = MultiDict({"min_id": str(after + 1), "limit": str(limit)})
        self._requests.settle()
        rows: list[dict[str, Any]] = (await self._activity.page(query))["data"]
        return rows

    def _application(self) -> web.Application:
        operations = Operations(self._router, self._requests, self._memory)
        pausing = PauseRoutes(self._router)
        # A limit of our own making would refuse pictures; memory is the limit.
        app = web.Application(client_max_size=0, middlewares=[self._logged, self._guard])
        app.on_response_prepare.append(self._finish)
        routes = app.router
        routes.add_get("/", self._page)
        for path in Page.paths:
            routes.add_get(path, self._part_of_page)
        routes.add_get("/health", operations.health)
        routes.add_get("/wol-health", operations.health)
        member, operator = self._member, self._operator
        for path in ("/v1/models", "/models"):
            routes.add_get(path, member(self._models))
        routes.add_get("/models/sse", operator(self._model_events.serve))
        routes.add_get("/v1/models/{model:.+}", member(self._one_model))
        routes.add_get("/props", member(self._props))
        routes.add_get(f"{JOBS}/{{id}}", member(self._video_job))
        routes.add_post(f"{JOBS}/{{id}}/cancel", member(self._cancel_video_job))
        routes.add_get("/running", operator(operations.running))
        routes.add_get("/unload", operator(operations.unload_all_by_get, changes=True))
        routes.add_get("/api/version", operator(operations.version))
        routes.add_get("/api/status", operator(operations.status))
        routes.add_get("/api/memory", operator(operations.memory))
        routes.add_post("/api/pause", operator(pausing.pause))
        routes.add_post("/api/resume", operator(pausing.resume))
        routes.add_get("/api/requests", operator(operations.requests))
        routes.add_post("/api/requests/{id}/cancel", operator(operations.cancel))
        config = ConfigRoutes(self._configuration)
        routes.add_get("/api/config", operator(config.read, private=True))
        routes.add_put("/api/config", operator(config.save, private=True))
        routes.add_get("/api/config/status", operator(config.status))
        routes.add_post("/api/config/diff", operator(config.diff, private=True))
        routes.add_post("/api/config/reload", operator(config.reload))
        routes.add_get("/api/activity", operator(self._activity_page))
        routes.add_get("/api/captures/{id}", operator(self._captures.serve, private=True))
        routes.add_get("/metrics", operator(self._metrics_now))
        routes.add_get("/api/events", operator(self._events.serve))
        routes.add_get("/api/profiles", operator(self._profiles.read))
        routes.add_put("/api/profiles/active", operator(self._profiles.put))
        routes.add_post("/api/models/unload", operator(operations.unload_all))
        routes.add_post("/api/models/unload/{model:.+}", operator(operations.unload))
        routes.add_post("/api/models/{model:.+}/load", operator(operations.load))
        routes.add_post("/api/models/{model:.+}/unload", operator(operations.unload))
        routes.add_post("/api/models/{model:.+}/pin", operator(operations.pin))
        routes.add_post("/api/models/{model:.+}/unpin", operator(operations.unpin))
        routes.add_post("/models/load", operator(operations.load_named))
        routes.add_post("/models/unload", operator(operations.unload_named))
        routes.add_get("/logs", operator(self._logs_now))
        routes.add_get("/logs/stream", operator(self._logs_stream))
        routes.add_get("/logs/stream/{name:.+}", operator(self._logs_stream))
        routes.add_route("*", "/upstream/{rest:.*}", operator(self._upstream))
        routes.add_route("*", "/{rest:.*}", member(self._inference_route))
        for route in routes.routes():
            # Before it is known whether the request is refused, no body is asked for.
            route._expect_handler = _not_yet
        return app

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Each request; those for a model do not look through our own routes first."""
        if request.method == "POST" and upstream_path(request.raw_path) is not None:
            assert isinstance(request, web.Request)
            connection = request.protocol
            handed = connection.handed() if isinstance(connection, Connection) else None
            if isinstance(handed, Ride):
                return await logged(request, functools.partial(self._go_on, handed))
            return await logged(request, self._guarded_inference)
        return await self._own_routes(request)

    async def _guarded_inference(self, request: web.Request) -> web.StreamResponse:
        return await self._guarded(request, self._member(self._inference_route))

    async def _go_on(self, ride: Ride, request: web.Request) -> web.StreamResponse:
        request[KEY] = ride.visitor
        return await self._answered(
            request, lambda request: self._inference.go_on(request, ride.begun())
        )

    # What every request has in common

    @web.middleware
    async def _logged(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        return await logged(request, handler)

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        return await self._guarded(request, handler)

    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        return await self._answered(request, functools.partial(self._checked, handler))

    async def _checked(self, handler: _Handler, request: web.Request) -> web.StreamResponse:
        config = self._router.config
        assert self._listeners is not None
        visitor = Visitor.of(request, config, self._listeners.of(request))
        request[KEY] = visitor
        check_host(request, config)
        if request.method == "OPTIONS" and "Origin" in request.headers:
            return preflight(request, config)
        if wants_upgrade(request):
            check_upgrade(request, visitor, config)
        limit = body_limit(config)
        if limit is not None and (request.content_length or 0) > limit:
            raise too_large(limit)
        return await handler(request)

    async def _answered(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except ApiError as error:
            return error.response(request)
        except web.HTTPException as error:
            return ApiError(error.status, error.reason).response(request)
        except Exception:
            log.exception("%s %s failed", request.method, request.path)
            return ApiError(
                500, "qmdesk failed on this request; its log says more", code="internal_error"
            ).response(request)

    async def _finish(self, request: web.Request, response: web.StreamResponse) -> None:
        """What every answer carries."""
        add_cors(request, response, self._router.config)
        # aiohttp has put its own there; an upstream's never comes through here.
        response.headers["Server"] = f"qmdesk/{__version__}"

    def _operator(
        self, handler: _Handler, *, changes: bool = False, private: bool = False
    ) -> _Handler:
        """For operators only; see ``check_operator``."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            safe = request.method in ("GET", "HEAD") and not changes
            visitor = visitor_of(request)
            check_operator(request, visitor, self._router.config, changes=not safe, private=private)
            _go_on(request)
            return await handler(request)

        return guarded

    def _member(self, handler: _Handler) -> _Handler:
        """For whoever may use models."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            check_key(visitor_of(request), self._router.config)
            _go_on(request)
            return await handler(request)

        return guarded

    # Routes

    async def _page(self, request: web.Request) -> web.Response:
        visitor, config = visitor_of(request), self._router.config
        known = visitor.key is not None or not config.api_keys
        return self._shown.show(
            f"{visitor.scheme}://{visitor.host}",
            visitor.scope if known else None,
            operator=is_operator(visitor, config),
        )

    async def _part_of_page(self, request: web.Request) -> web.Response:
        return self._shown.part(request.path)

    async def _models(self, request: web.Request) -> web.Response:
        return self._catalogue.all(visitor_of(request).scope)

    async def _one_model(self, request: web.Request) -> web.Response:
        return self._catalogue.one(request.match_info["model"], visitor_of(request).scope)

    async def _props(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("model"):
            return await self._inference_route(request)
        return self._catalogue.props()

    async def _video_job(self, request: web.Request) -> web.Response:
        number = request.match_info["id"]
        return self._video_jobs.document(number, visitor_of(request).scope)

    async def _cancel_video_job(self, request: web.Request) -> web.Response:
        number = request.match_info["id"]
        return await self._video_jobs.cancel(number, visitor_of(request).scope)

    def _request_ended(self, request: OpenRequest) -> None:
        if request.asked is not None:
            note(request.asked, request, request.status, request.bytes_out, request.age)
        # Pictures and scripts of a model's own page are no requests to a model.
        recording = request.recording
        if request.method in ("GET", "HEAD") and request.status != 101:
            if recording is not None:
                recording.drop()
            return
        row = Row.of(request)
        keep = functools.partial(self._captures.keep, recording=recording) if recording else None
        self._activity.add(row, keep)
        self._metrics.add(row)

    async def _activity_page(self, request: web.Request) -> web.Response:
        self._requests.settle()
        return await activity_page(self._activity, self._captures, request)

    async def _metrics_now(self, request: web.Request) -> web.Response:
        self._requests.settle()
        return await self._metrics.serve(request)

    async def _logs_now(self, _: web.Request) -> web.Response:
        return self._log_streams.history("")

    async def _logs_stream(self, request: web.Request) -> web.StreamResponse:
        return await self._log_streams.serve(request, request.match_info.get("name", ""))

    async def _upstream(self, request: web.Request) -> web.StreamResponse:
        """``/upstream/MODEL/PATH``: the longest prefix that is a model's name wins."""
        raw, mark, query = request.raw_path.removeprefix("/upstream/").partition("?")
        segments = raw.split("/")
        names = [unquote("/".join(segments[:count])) for count in range(len(segments), 0, -1)]
        if not any(self._meanings.found(name) for name in names):
            await self._peers.look_again(names)
        for count, name in zip(range(len(segments), 0, -1), names, strict=True):
            offer = self._meanings.found(name)
            if offer is None:
                continue
            if count == len(segments):
                # Relative links of the upstream's pages need the slash.
                place = f"/upstream/{raw}/{mark}{query}"
                code = web.HTTPMovedPermanently if request.method in ("GET", "HEAD") else None
                if code is not None:
                    return web.Response(status=301, headers={"Location": place})
                return web.Response(status=308, headers={"Location": place})
            path = "/" + "/".join(segments[count:])
            if offer.peer is None:
                self._check_loads(offer.model, path)
            return await self._inference.serve_upstream(request, offer, path + mark + query)
        raise ApiError(404, f"no model's name begins {unquote(raw)!r}", code="model_not_found")

    def _check_loads(self, model: Model, path: str) -> None:
        """Parts of a page that somebody has left open load nothing.  Raises ``ApiError``."""
        if self._router.state(model.id) is ModelState.READY:
            return
        if any(re.search(each, path) for each in self._router.config.ignore_paths):
            raise ApiError(
                409,
                f"{model.id} is not loaded, and {path} does not load it (upstream.ignorePaths)",
                code="model_not_loaded",
            )

    async def _inference_route(self, request: web.Request) -> web.StreamResponse:
        path = upstream_path(request.raw_path)
        if path is None:
            raise ApiError(404, f"there is no route {request.path}", code="route_not_found")
        return await self._inference.serve(request, path)


async def _not_yet(_: web.Request) -> None:
    pass


def _go_on(request: web.Request) -> None:
    """Ask for the body where its sender waits to be asked; other expectations are nobody's."""
    expects = request.headers.get("Expect", "").strip().lower() == "100-continue"
    if expects and request.transport is not None:
        # It is no part of the answer, which the request's writer counts.
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
