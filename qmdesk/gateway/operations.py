"""The operations side: what runs, load, unload.  The tray calls the same router methods."""

from __future__ import annotations

import json
import time
from typing import Any

from aiohttp import web

from qmdesk import __version__
from qmdesk.config import Model
from qmdesk.config.variant import split_name
from qmdesk.events import ModelState
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.meaning import local_model
from qmdesk.gateway.memory_rows import memory_row, memory_rows, model_row
from qmdesk.gateway.open_request import OpenRequests
from qmdesk.gateway.pause_routes import pause_row
from qmdesk.gateway.target import body_limit, whole
from qmdesk.gateway.variant import with_context
from qmdesk.gateway.who import client_of
from qmdesk.memory import Memory, ModelMemory
from qmdesk.router import ModelSnapshot, Rejected, Router


def status(router: Router, memory: Memory) -> dict[str, Any]:
    """What runs now, as ``/api/status`` tells it."""
    snapshot = router.snapshot()
    picture = memory.snapshot(foresight=False)
    known = {each.model: each for each in picture.models}
    return {
        "version": __version__,
        "waiting": snapshot.waiting,
        "in_flight": snapshot.in_flight,
        "shutting_down": snapshot.shutting_down,
        "paused": pause_row(snapshot.pause),
        "models": [_row(model, known.get(model.id)) for model in snapshot.models],
        "memory": memory_row(picture),
    }


class Operations:
    """Handlers for operators: people and their scripts on this machine."""

    def __init__(self, router: Router, requests: OpenRequests, memory: Memory) -> None:
        self._router = router
        self._memory = memory
        self._requests = requests

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(text="OK")

    async def version(self, _: web.Request) -> web.Response:
        return web.json_response({"name": "qmdesk", "version": __version__})

    async def running(self, _: web.Request) -> web.Response:
        memory = self._memory.snapshot()
        models = [
            _row(model, memory.model(model.id))
            for model in self._router.snapshot().models
            if model.state is not ModelState.STOPPED and not model.external
        ]
        return web.json_response({"running": models})

    async def status(self, _: web.Request) -> web.Response:
        return web.json_response(status(self._router, self._memory))

    async def memory(self, _: web.Request) -> web.Response:
        """What the cards hold, and per model what it holds, needs and would evict."""
        return web.json_response(memory_rows(self._memory.snapshot()))

    async def requests(self, _: web.Request) -> web.Response:
        return web.json_response({"requests": self._requests.rows()})

    async def cancel(self, request: web.Request) -> web.Response:
        number = request.match_info["id"]
        open_request = self._requests.get(int(number)) if number.isdecimal() else None
        if open_request is None:
            raise ApiError(404, f"no request {number} is under way", code="request_not_found")
        open_request.cancel(_asker(request))
        return web.json_response({"success": True, "id": open_request.id})

    async def load(self, request: web.Request) -> web.Response:
        model = self._model(request.match_info["model"])
        return await self._load(request, model)

    async def load_named(self, request: web.Request) -> web.Response:
        """llama.cpp's spelling: the model is in the body."""
        return await self._load(request, await self._named(request))

    async def _load(self, request: web.Request, model: Model) -> web.Response:
        began = time.monotonic()
        try:
            await self._router.load(model.id, by=_asker(request))
        except Rejected as rejected:
            raise ApiError.of(rejected) from None
        seconds = round(time.monotonic() - began, 3)
        return web.json_response({"success": True, "model": model.id, "seconds": seconds})

    async def unload(self, request: web.Request) -> web.Response:
        return await self._unload(request, self._model(request.match_info["model"]))

    async def unload_named(self, request: web.Request) -> web.Response:
        return await self._unload(request, await self._named(request))

    async def _unload(self, request: web.Request, model: Model) -> web.Response:
        stopped = await self._router.unload((model.id,), by=_asker(request))
        return web.json_response({"success": True, "msg": "ok", "unloaded": list(stopped)})

    async def pin(self, request: web.Request) -> web.Response:
        return self._pin(request, pinned=True)

    async def unpin(self, request: web.Request) -> web.Response:
        return self._pin(request, pinned=False)

    def _pin(self, request: web.Request, *, pinned: bool) -> web.Response:
        model = self._model(request.match_info["model"])
        self._router.pin(model.id, pinned)
        return web.json_response({"success": True, "model": model.id, "pinned": pinned})

    async def unload_all(self, request: web.Request) -> web.Response:
        stopped = await self._router.unload(by=_asker(request))
        return web.json_response({"success": True, "msg": "ok", "unloaded": list(stopped)})

    async def unload_all_by_get(self, request: web.Request) -> web.Response:
        """llama-swap's spelling, which scripts use; pages of other sites may not."""
        await self._router.unload(by=_asker(request))
        return web.Response(text="OK")

    def _model(self, name: str) -> Model:
        base, context = split_name(name)
        model = local_model(self._router.config, base or None)
        return model if context is None else with_context(self._router, model, context)

    async def _named(self, request: web.Request) -> Model:
        try:
            body = json.loads(await whole(request, body_limit(self._router.config)))
            name = body["model"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ApiError(
                400, 'the body must be a JSON object such as {"model": "NAME"}', code="invalid_json"
            ) from None
        return self._model(str(name))


def _asker(request: web.Request) -> str:
    return client_of(request)


def _row(model: ModelSnapshot, memory: ModelMemory | None) -> dict[str, Any]:
    """One model in llama-swap's shape, and what we know more."""
    return {
        "model": model.id,
        "state": str(model.state),
        "cmd": model.command,
        "proxy": model.proxy,
        "ttl": model.ttl,
        "name": model.name,
        "description": model.description,
        "pid": model.pid,
        "port": model.port,
        "in_flight": model.in_flight,
        "waiting": model.waiting,
        "ready_at": model.ready_at,
        "last_used_at": model.last_used_at,
        "load_seconds": model.load_seconds,
        "progress": model.progress,
        "eta": model.eta,
        "outdated": model.outdated,
        "pinned": model.pinned,
        "external": model.external,
        "unlisted": model.unlisted,
        "error": model.error,
        "memory": None if memory is None else model_row(memory),
    }
