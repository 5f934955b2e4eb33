"""The list of models, as OpenAI's and llama.cpp's clients expect it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from qmdesk import __version__
from qmdesk.config import Config, Model
from qmdesk.events import ModelState
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.peers import Peers
from qmdesk.gateway.profile import Profiles
from qmdesk.gateway.scope import EVERYTHING, Scope
from qmdesk.router import Router

STATUS = {
    ModelState.READY: "loaded",
    ModelState.STARTING: "loading",
    ModelState.STOPPING: "unloading",
    ModelState.STOPPED: "unloaded",
    ModelState.SHUTDOWN: "unloaded",
}


class Catalogue:
    """Answers ``/v1/models``; never loads anything."""

    def __init__(self, router: Router, peers: Peers, profiles: Profiles) -> None:
        self._router = router
        self._peers = peers
        self._profiles = profiles
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
        rows += self._named(config, scope)
        return web.json_response({"object": "list", "data": rows})

    def one(self, name: str, scope: Scope = EVERYTHING) -> web.Response:
        """The entry of the model that ``name`` means; raises ``ApiError``."""
        config = self._router.config
        model = config.resolve(name)
        if model is not None:
            scope.check(model.id, name)
            return web.json_response(self._entry(model, name))
        for row in self._named(config, scope, unlisted=True):
            if row["id"] == name:
                return web.json_response(row)
        raise ApiError(404, f"there is no model {name!r}", code="model_not_found")

    def props(self) -> web.Response:
        """What llama.cpp's router says of itself: tools tell the kind of server by it."""
        return web.json_response(
            {
                "role": "router",
                "max_instances": len(self._router.config.models),
                "models_autoload": True,
                "model_alias": "qmdesk",
                "model_path": "none",
                "default_generation_settings": {"params": {}, "n_ctx": 0},
                "build_info": f"qmdesk {__version__}",
            }
        )

    def _rows(self, model: Model, config: Config) -> list[dict[str, Any]]:
        if model.unlisted:
            return []
        names = [model.id]
        if config.include_aliases_in_list:
            names += model.aliases
        return [self._entry(model, name) for name in names]

    def _named(
        self, config: Config, scope: Scope, *, unlisted: bool = False
    ) -> list[dict[str, Any]]:
        """What has a name but is no model of ours; all of it where ``unlisted``."""
        rows = []
        for peer, model in self._peers.models():
            if not scope.sees(f"{peer}/{model}"):
                continue
            status = "unavailable" if self._peers.is_down(peer) else "loaded"
            row = self._row(f"{peer}/{model}", status, {"type": "peer", "peerID": peer}, peer)
            rows.append({**row, "name": f"{peer}: {model}"})
        statuses = {row["id"]: row["status"]["value"] for row in rows}
        for selector in config.selectors.values():
            seen = [target for target in selector.targets if scope.sees(target, selector.id)]
            if not seen or (selector.unlisted and not unlisted):
                continue
            states = [self._status_of(target, statuses) for target in seen]
            status = "loaded" if "loaded" in states else states[0]
            about: dict[str, Any] = {
                **selector.metadata,
                "type": "selector",
                "strategy": str(selector.strategy),
                "targets": seen,
                "spillover": selector.spillover,
            }
            row = self._row(selector.id, status, about)
            for key in ("name", "description"):
                if said := getattr(selector, key):
                    row[key] = said
            rows.append(row)
            statuses[selector.id] = status
        for name in config.current_names:
            own = [model.id for model in config.models.values() if not model.external]
            states = [STATUS[self._router.state(id)] for id in own if scope.sees(id, name)]
            if not states:
                continue
            status = "loaded" if "loaded" in states else "unloaded"
            rows.append(self._row(name, status, {"type": "current"}))
        taken = {*config.models, *statuses}
        for name, target in self._profiles.pins.items():
            meant = config.resolve(target)
            if target and name not in taken and scope.sees(meant.id if meant else target, name):
                meta = {"type": "profile", "target": target}
                rows.append(self._row(name, self._status_of(target, statuses), meta))
        return rows

    def _status_of(self, name: str, others: Mapping[str, str]) -> str:
        model = self._router.config.resolve(name)
        if model is not None:
            return STATUS[self._router.state(model.id)]
        return others.get(name, "unavailable")

    def _row(
        self, id: str, status: str, meta: dict[str, Any], owner: str = "qmdesk"
    ) -> dict[str, Any]:
        return {
            "id": id,
            "object": "model",
            "created": self._created,
            "owned_by": owner,
            "status": {"value": status},
            "meta": {"llamaswap": meta},
        }

    def _entry(self, model: Model, name: str) -> dict[str, Any]:
        state = self._router.state(model.id)
        process = self._router.snapshot_of(model)
        status = STATUS[state]
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
