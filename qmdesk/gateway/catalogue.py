"""The list of models, as OpenAI's and llama.cpp's clients expect it."""

from __future__ import annotations

import time
from typing import Any

from aiohttp import web

from qmdesk.config import Config, Model
from qmdesk.events import ModelState
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.scope import EVERYTHING, Scope
from qmdesk.router import Router

_STATUS = {
    ModelState.READY: "loaded",
    ModelState.STARTING: "loading",
    ModelState.STOPPING: "unloading",
    ModelState.STOPPED: "unloaded",
    ModelState.SHUTDOWN: "unloaded",
}


class Catalogue:
    """Answers ``/v1/models``; never loads anything."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._created = int(time.time())

    def all(self, scope: Scope = EVERYTHING) -> web.Response:
        """The models that ``scope`` sees."""
        config = self._router.config
        rows = [
            row
            for model in config.models.values()
            if scope.sees(model.id)
            for row in self._rows(model, config)
        ]
        return web.json_response({"object": "list", "data": rows})

    def one(self, name: str, scope: Scope = EVERYTHING) -> web.Response:
        """The entry of the model that ``name`` means; raises ``ApiError``."""
        model = self._router.config.resolve(name)
        if model is None:
            raise ApiError(404, f"there is no model {name!r}", code="model_not_found")
        scope.check(model.id, name)
        return web.json_response(self._entry(model, name))

    def _rows(self, model: Model, config: Config) -> list[dict[str, Any]]:
        if model.unlisted:
            return []
        names = [model.id]
        if config.include_aliases_in_list:
            names += model.aliases
        return [self._entry(model, name) for name in names]

    def _entry(self, model: Model, name: str) -> dict[str, Any]:
        state = self._router.state(model.id)
        process = self._router.snapshot_of(model)
        status = _STATUS[state]
        if state is ModelState.STOPPED and process.error:
            status = "failed"
        entry: dict[str, Any] = {
            "id": name,
            "object": "model",
            "created": self._created,
            "owned_by": "qmdesk",
        }
        if model.name:
            entry["name"] = model.name
        if model.description:
            entry["description"] = model.description
        if model.context_length:
            entry["context_length"] = model.context_length
        if model.capabilities_in or model.capabilities_out:
            inputs, outputs = list(model.capabilities_in), list(model.capabilities_out)
            entry["architecture"] = {
                "input_modalities": inputs,
                "output_modalities": outputs,
                "modality": f"{'+'.join(inputs)}->{'+'.join(outputs)}",
            }
        if model.capabilities_tools:
            entry["supported_parameters"] = ["tools", "tool_choice"]
        entry["status"] = {"value": status}
        entry["aliases"] = list(model.aliases)
        if model.metadata:
            entry["meta"] = {"llamaswap": dict(model.metadata)}
        return entry
