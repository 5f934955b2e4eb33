"""Which model a request names, and what is sent to its server."""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import dataclass

from aiohttp import web

from qmdesk.config import Config, Model
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.json_object import JsonObject, NotAnObject

# Routes of llama-server's own API that exist only without /v1.
NATIVE = frozenset(
    "/completion /infill /tokenize /detokenize /apply-template /rerank /reranking /props /slots"
    " /sdapi/v1/txt2img /sdapi/v1/img2img /sdapi/v1/loras /sdcpp/v1/vid_gen".split()
)
# Routes that may be asked for without /v1; the upstream is asked with it.
_SHORT = frozenset(
    "/chat/completions /completions /responses /messages /messages/count_tokens /embeddings"
    " /audio/speech /audio/voices /images/generations /moderations"
    " /chat/completions/input_tokens /responses/input_tokens".split()
)
_IN_THREAD = 1 << 20
"""Bytes; parsing a larger body would hold up everybody's tokens."""


@dataclass(slots=True)
class Target:
    """A request that is to be served by a model."""

    model: Model
    path: str
    """As the upstream is asked, percent-encoding and query kept."""
    body: bytes
    stream: bool
    tools: bool
    """The request offers tools: an agent is at work."""
    named: str
    """The model's name as the client wrote it."""


def upstream_path(raw: str) -> str | None:
    """The path to ask the upstream for; None where ``raw`` is no inference route.

    ``raw`` is the request target, with its query, as it came.
    """
    path, mark, query = raw.partition("?")
    if path.startswith("/v1/") and len(path) > len("/v1/"):
        return raw
    if path in NATIVE:
        return raw
    if path.startswith("/v/") and len(path) > len("/v/"):
        # llama-swap's way to ask servers whose routes have no version.
        return path[2:] + mark + query
    if path in _SHORT:
        return f"/v1{raw}"
    return None


async def target_of(request: web.BaseRequest, path: str, config: Config) -> Target:
    """What ``request`` asks for; ``path`` is from ``upstream_path``.  Raises ``ApiError``."""
    body = await request.read()
    name = request.query.get("model")
    text = None
    content: JsonObject | None = None
    if body and request.method not in ("GET", "HEAD"):
        content, problem = await _object(body)
        if content is not None:
            text = content.text
            said = content.get("model")
            if said is not None and not isinstance(said, str):
                raise ApiError(400, "'model' must be a text", param="model")
            name = said or name
        elif problem and _looks_like_json(request, body):
            raise ApiError(400, problem, code="invalid_json")
    model = find_model(config, name)
    named = name or model.id
    stream = tools = False
    if content is not None:
        stream = content.get("stream") is True
        tools = bool(content.get("tools")) if "tools" in content else False
        _rewrite(content, model, named)
        if content.text != text:
            body = content.text.encode()
    return Target(model, path, body, stream, tools, named)


async def _object(body: bytes) -> tuple[JsonObject | None, str]:
    try:
        if len(body) > _IN_THREAD:
            return await asyncio.to_thread(_parse, body), ""
        return _parse(body), ""
    except NotAnObject as error:
        return None, str(error)
    except UnicodeDecodeError as error:
        return None, f"the body is not UTF-8: byte {error.start} cannot be read"


def _parse(body: bytes) -> JsonObject:
    return JsonObject(body.decode("utf-8-sig"))


def _looks_like_json(request: web.BaseRequest, body: bytes) -> bool:
    return "json" in request.content_type or body.lstrip()[:1] in (b"{", b"[")


def find_model(config: Config, name: str | None) -> Model:
    """The model that ``name`` means; raises ``ApiError`` with the nearest names."""
    if not name:
        if config.default_model and (model := config.resolve(config.default_model)):
            return model
        raise ApiError(
            404,
            "the request names no model: set 'model' in the body, or defaultModel in the"
            " configuration",
            code="model_required",
            param="model",
        )
    if (model := config.resolve(name)) is not None:
        return model
    if name in config.broken:
        problems = "; ".join(problem.message for problem in config.broken[name])
        raise ApiError(503, f"{name} cannot be used as configured: {problems}", code="model_broken")
    if config.fallback_model and (model := config.resolve(config.fallback_model)):
        return model
    raise ApiError(
        404,
        f"there is no model {name!r}{_nearest(config, name)}",
        code="model_not_found",
        param="model",
    )


def _nearest(config: Config, name: str) -> str:
    known = [each for model in config.models.values() for each in (model.id, *model.aliases)]
    if not known:
        return ": the configuration has none"
    near = difflib.get_close_matches(name, known, 3, 0.5)
    if near:
        return f"; did you mean {' or '.join(repr(each) for each in near)}?"
    return f"; there are {', '.join(known[:8])}{', ...' if len(known) > 8 else ''}"


def _rewrite(content: JsonObject, model: Model, named: str) -> None:
    """Change the body as the model's configuration says: name, strip, set, set by id."""
    if model.use_model_name and "model" in content:
        content.set("model", model.use_model_name)
    for path in model.strip_params:
        if path != "model":
            content.remove(path)
    for values in (model.set_params, model.set_params_by_id.get(named, {})):
        for path in sorted(values):
            if path != "model":
                content.set(path, values[path])


def join(base: str, path: str) -> str:
    """The upstream's URL: a ``/v1`` at the end of ``base`` is not doubled."""
    base = base.rstrip("/")
    if base.endswith("/v1") and path.startswith("/v1/"):
        return base + path[len("/v1") :]
    return base + path
