"""The HTTP server: which route is whose, and what every answer has in common."""

from __future__ import annotations

import errno
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from urllib.parse import unquote

from aiohttp import web

from qmdesk import __version__
from qmdesk.configuration import Configuration
from qmdesk.events import Bus
from qmdesk.gateway.access import (
    add_cors,
    check_host,
    check_key,
    check_operator,
    check_upgrade,
    preflight,
)
from qmdesk.gateway.access_log import logged
from qmdesk.gateway.activity import Activity, Row, activity_page
from qmdesk.gateway.catalogue import Catalogue
from qmdesk.gateway.config_routes import ConfigRoutes
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.event_stream import EventStream
from qmdesk.gateway.forward import Answer, Forwarder
from qmdesk.gateway.inference import Inference
from qmdesk.gateway.log_stream import LogStream
from qmdesk.gateway.metrics import Metrics
from qmdesk.gateway.open_request import OpenRequest, OpenRequests
from qmdesk.gateway.operations import Operations
from qmdesk.gateway.page import page
from qmdesk.gateway.pause_routes import PauseRoutes
from qmdesk.gateway.target import upstream_path
from qmdesk.gateway.tunnel import wants_upgrade
from qmdesk.gateway.video_job import JOBS, VideoJobs
from qmdesk.logs import Logs
from qmdesk.memory import Memory
from qmdesk.router import Router

log = logging.getLogger(__name__)

HEADER_LIMIT = 1 << 16
"""Bytes of one header line, and of the request line."""
HEADERS = 256
CLOSE_TIMEOUT = 0.5
"""Seconds for connections to end by themselves; aiohttp spends it twice."""

# Asked for all the time by machines, told to nobody.
_OPEN = frozenset(("/health", "/wol-health", "/"))

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class AddressTaken(Exception):
    """An address of ``listen`` cannot be used; the message says which and why."""


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
        self._sites: dict[str, web.TCPSite] = {}
        """By the address as it was asked for."""
        self.addresses: tuple[str, ...] = ()
        """``http://HOST:PORT`` of each listener, with the real port."""

    async def start(self, listen: Sequence[str]) -> None:
        """Listen at each ``HOST:PORT``; port 0 takes a free one.  Raises ``AddressTaken``."""
        self._forwarder = Forwarder()
        self._events = EventStream(self._bus)
        self._log_streams = LogStream(self._logs)
        self._activity = Activity(self._data_folder)
        self._metrics = Metrics(self._router, self._bus, self._memory)
        self._requests = OpenRequests(self._bus, self._request_ended)
        self._video_jobs = VideoJobs(self._router, self._forwarder)
        self._inference = Inference(self._router, self._requests, self._forwarder, self._video_jobs)
        self._catalogue = Catalogue(self._router)
        self._runner = web.AppRunner(
            self._application(),
            handler_cancellation=True,
            access_log=None,
            auto_decompress=False,
            shutdown_timeout=CLOSE_TIMEOUT,
            max_line_size=HEADER_LIMIT,
            max_field_size=HEADER_LIMIT,
            max_headers=HEADERS,
        )
        await self._runner.setup()
        try:
            await self.listen(listen)
        except AddressTaken:
            await self.close()
            raise

    async def listen(self, addresses: Sequence[str]) -> None:
        """Listen at ``addresses`` and nowhere else; open connections go on.

        New ones are opened before old ones are closed.  Raises ``AddressTaken``, and then
        listens where it did before.
        """
        old = {address: site for address, site in self._sites.items() if address not in addresses}
        opened: dict[str, web.TCPSite] = {}
        in_the_way: list[str] = []
        try:
            for address in addresses:
                if address in self._sites:
                    continue
                # An address within another of the same port: the old one has to go first.
                for other in [each for each in old if _port(each) == _port(address) != "0"]:
                    await old.pop(other).stop()
                    del self._sites[other]
                    in_the_way.append(other)
                opened[address] = await self._opened(address)
        except AddressTaken:
            for site in opened.values():
                await site.stop()
            for address in in_the_way:
                self._sites[address] = await self._opened(address)
            raise
        for address, site in old.items():
            await site.stop()
            del self._sites[address]
        self._sites |= opened
        assert self._runner is not None
        self.addresses = tuple(_url(address) for address in self._runner.addresses)

    async def _opened(self, address: str) -> web.TCPSite:
        assert self._runner is not None
        host, _, port = address.rpartition(":")
        site = web.TCPSite(self._runner, host.strip("[]") or None, int(port))
        try:
            await site.start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                why = "another program listens there already"
            elif error.errno == errno.EACCES:
                why = "ports below 1024 need more rights"
            else:
                why = error.strerror or str(error)
            raise AddressTaken(
                f"cannot listen on {address}: {why}. Choose another address with --listen or"
                " 'listen' in the configuration"
            ) from None
        return site

    async def close(self) -> None:
        """Stop listening and end what is still open."""
        if self._runner is not None:
            self._events.close()
            self._log_streams.close()
            self._video_jobs.close()
            self._metrics.close()
            await self._runner.cleanup()
            await self._activity.close()
            self._runner = None
            self._sites.clear()
        if self._forwarder is not None:
            await self._forwarder.close()
            self._forwarder = None

    def _application(self) -> web.Application:
        operations = Operations(self._router, self._requests, self._memory)
        pausing = PauseRoutes(self._router)
        # A limit of our own making would refuse pictures; memory is the limit.
        app = web.Application(client_max_size=0, middlewares=[self._logged, self._guard])
        app.on_response_prepare.append(self._finish)
        routes = app.router
        routes.add_get("/", self._page)
        routes.add_get("/health", operations.health)
        routes.add_get("/wol-health", operations.health)
        for path in ("/v1/models", "/models"):
            routes.add_get(path, self._models)
        routes.add_get("/v1/models/{model:.+}", self._one_model)
        routes.add_get(f"{JOBS}/{{id}}", self._video_job)
        routes.add_post(f"{JOBS}/{{id}}/cancel", self._cancel_video_job)
        operator = self._operator
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
        routes.add_get("/api/config", operator(config.read))
        routes.add_put("/api/config", operator(config.save))
        routes.add_get("/api/config/status", operator(config.status))
        routes.add_post("/api/config/diff", operator(config.diff))
        routes.add_post("/api/config/reload", operator(config.reload))
        routes.add_get("/api/activity", operator(self._activity_page))
        routes.add_get("/metrics", operator(self._metrics.serve))
        routes.add_get("/api/events", operator(self._events.serve))
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
        routes.add_route("*", "/{rest:.*}", self._inference_route)
        return app

    # What every request has in common

    @web.middleware
    async def _logged(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        return await logged(request, handler)

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        try:
            check_host(request, self._router.config)
            if request.method == "OPTIONS" and "Origin" in request.headers:
                return preflight(request, self._router.config)
            if request.path not in _OPEN:
                check_key(request, self._router.config)
            if wants_upgrade(request):
                check_upgrade(request, self._router.config)
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
        if isinstance(response, Answer) and not response.typed:
            # aiohttp has added one.
            response.headers.popall("Content-Type", None)
        response.headers.setdefault("Server", f"qmdesk/{__version__}")

    def _operator(self, handler: _Handler, *, changes: bool = False) -> _Handler:
        async def guarded(request: web.Request) -> web.StreamResponse:
            safe = request.method in ("GET", "HEAD") and not changes
            check_operator(request, self._router.config, changes=not safe)
            return await handler(request)

        return guarded

    # Routes

    async def _page(self, request: web.Request) -> web.Response:
        return page(self._router, f"{request.scheme}://{request.host}")

    async def _models(self, _: web.Request) -> web.Response:
        return self._catalogue.all()

    async def _one_model(self, request: web.Request) -> web.Response:
        return self._catalogue.one(request.match_info["model"])

    async def _video_job(self, request: web.Request) -> web.Response:
        return self._video_jobs.document(request.match_info["id"])

    async def _cancel_video_job(self, request: web.Request) -> web.Response:
        return await self._video_jobs.cancel(request.match_info["id"])

    def _request_ended(self, request: OpenRequest) -> None:
        # Pictures and scripts of a model's own page are no requests to a model.
        if request.method in ("GET", "HEAD") and request.status != 101:
            return
        row = Row.of(request)
        self._activity.add(row)
        self._metrics.add(row)

    async def _activity_page(self, request: web.Request) -> web.Response:
        return await activity_page(self._activity, request)

    async def _logs_now(self, _: web.Request) -> web.Response:
        return self._log_streams.history("")

    async def _logs_stream(self, request: web.Request) -> web.StreamResponse:
        return await self._log_streams.serve(request, request.match_info.get("name", ""))

    async def _upstream(self, request: web.Request) -> web.StreamResponse:
        """``/upstream/MODEL/PATH``: the longest prefix that is a model's name wins."""
        raw, mark, query = request.raw_path.removeprefix("/upstream/").partition("?")
        segments = raw.split("/")
        for count in range(len(segments), 0, -1):
            name = unquote("/".join(segments[:count]))
            model = self._router.config.resolve(name)
            if model is None:
                continue
            if count == len(segments):
                # Relative links of the upstream's pages need the slash.
                place = f"/upstream/{raw}/{mark}{query}"
                code = web.HTTPMovedPermanently if request.method in ("GET", "HEAD") else None
                if code is not None:
                    return web.Response(status=301, headers={"Location": place})
                return web.Response(status=308, headers={"Location": place})
            path = "/" + "/".join(segments[count:]) + mark + query
            return await self._inference.serve_upstream(request, model, path)
        raise ApiError(404, f"no model's name begins {unquote(raw)!r}", code="model_not_found")

    async def _inference_route(self, request: web.Request) -> web.StreamResponse:
        path = upstream_path(request.raw_path)
        if path is None:
            raise ApiError(404, f"there is no route {request.path}", code="route_not_found")
        return await self._inference.serve(request, path)


def _port(address: str) -> str:
    return address.rpartition(":")[2]


def _url(site: tuple[str, int] | tuple[str, int, int, int]) -> str:
    host, port = site[0], site[1]
    return f"http://[{host}]:{port}" if ":" in str(host) else f"http://{host}:{port}"
