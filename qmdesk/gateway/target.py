"""Which model a request names, and what is sent to its server."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar
from urllib.parse import quote_plus, unquote_plus

from aiohttp import web

from qmdesk.config import Config, Model
from qmdesk.gateway.body import Body, Edit, Incoming, WholeBody
from qmdesk.gateway.encoding import Unreadable, decoded
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.json_object import JsonObject, NotAnObject
from qmdesk.gateway.multipart import BrokenMultipart, MultipartScanner, boundary_of
from qmdesk.gateway.scope import EVERYTHING, Scope

# Routes of llama-server's own API that exist only without /v1.
NATIVE = frozenset(
    "/completion /infill /tokenize /detokenize /apply-template /rerank /reranking /props /slots"
    " /sdapi/v1/txt2img /sdapi/v1/img2img /sdapi/v1/loras /sdcpp/v1/vid_gen".split()
)
# Routes that may be asked for without /v1; the upstream is asked with it.
_SHORT = frozenset(
    "/chat/completions /completions /responses /messages /messages/count_tokens /embeddings"
    " /audio/speech /audio/voices /images/generations /moderations"
    " /chat/completions/input_tokens /responses/input_tokens /audio/transcriptions"
    " /audio/translations /images/edits /images/variations".split()
)
_IN_THREAD = 1 << 20
"""Bytes; parsing a larger body would hold up everybody's tokens."""
DECODED_LIMIT = 256 << 20
"""Bytes of an encoded body when it is decoded."""


@dataclass(slots=True)
class Target:
    """A request that is to be served by a model."""

    model: Model
    path: str
    """As the upstream is asked, percent-encoding and query kept."""
    body: Body
    named: str
    """The model's name as the client wrote it."""
    stream: bool = False
    tools: bool = False
    """The request offers tools: an agent is at work."""
    reencoded: bool = False
    """The body has lost its content encoding, because it had to be changed."""


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


def is_known_route(path: str) -> bool:
    """Whether ``path``, as the upstream is asked for it, is one that is listed here."""
    return path in NATIVE or path.removeprefix("/v1") in _SHORT


async def target_of(
    request: web.BaseRequest, path: str, config: Config, scope: Scope = EVERYTHING
) -> Target:
    """What ``request`` asks for; ``path`` is from ``upstream_path``.  Raises ``ApiError``.

    Whoever gets it closes its body.  ``scope`` is what its sender may use.
    """
    incoming = Incoming(request, body_limit(config))
    try:
        target = await _Reader(request, path, config, incoming, scope).target()
    except BaseException:
        incoming.close()
        raise
    if target.body is not incoming:
        incoming.close()
    return target


async def untouched(request: web.BaseRequest, config: Config) -> Body:
    """The body of a request that nobody here reads: whole where it is small."""
    incoming = Incoming(request, body_limit(config))
    try:
        return await incoming.small()
    except BaseException:
        incoming.close()
        raise


async def whole(request: web.BaseRequest, config: Config) -> bytes:
    """The body of a request to a route of our own, in memory.  Raises ``ApiError``."""
    return await Incoming(request, body_limit(config)).whole()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the model in a request, by what its body is."""

    request: web.BaseRequest
    path: str
    config: Config
    incoming: Incoming
    scope: Scope

    async def target(self) -> Target:
        if self.request.method in ("GET", "HEAD"):
            return await self._opaque()
        encoding = self.request.headers.get("Content-Encoding", "")
        if encoding.strip().lower() not in ("", "identity"):
            return await self._encoded(encoding)
        content_type = self.request.content_type
        if content_type == "multipart/form-data":
            return await self._multipart()
        begin = await self.incoming.begin()
        # JSON whatever its content type says; a byte order mark may precede it.
        if begin and ("json" in content_type or begin in b"{[\xef"):
            return await self._json(await self.incoming.whole())
        if content_type == "application/x-www-form-urlencoded":
            return await self._form()
        return await self._opaque()

    async def _opaque(self) -> Target:
        """A body that only the upstream understands; the model is in the query."""
        # Before the body is read: an unknown name needs no upload.
        model = self._model(self._in_query)
        return self._target(model, await self.incoming.small())

    async def _encoded(self, encoding: str) -> Target:
        """Read from a copy; the upstream gets the encoded bytes unless they must change."""
        body = await self.incoming.whole()
        try:
            text = await _off_loop(len(body), decoded, encoding, body, DECODED_LIMIT)
        except Unreadable as error:
            if self._in_query:
                return self._target(self._model(self._in_query), WholeBody(body))
            raise ApiError(
                400,
                f"the body cannot be decoded: {error}; send it without Content-Encoding, or name"
                " the model as ?model= in the address",
                code="invalid_encoding",
            ) from None
        target = await self._json(text)
        if isinstance(target.body, WholeBody) and target.body.data == text:
            target.body = WholeBody(body)
        else:
            target.reencoded = True
        return target

    async def _json(self, body: bytes) -> Target:
        content, problem = await _object(body)
        if content is None:
            if problem and _looks_like_json(self.request, body):
                raise ApiError(400, problem, code="invalid_json")
            return self._target(self._model(self._in_query), WholeBody(body))
        text = content.text
        said = content.get("model")
        if said is not None and not isinstance(said, str):
            raise ApiError(400, "'model' must be a text", param="model")
        name = said or self._in_query
        model = self._model(name)
        target = self._target(model, WholeBody(body), name)
        target.stream = content.get("stream") is True
        target.tools = bool(content.get("tools")) if "tools" in content else False
        _rewrite(content, model, target.named)
        if content.text != text:
            target.body = WholeBody(content.text.encode())
        return target

    async def _multipart(self) -> Target:
        try:
            boundary = boundary_of(self.request.headers.get("Content-Type", ""))
            scanner = MultipartScanner(boundary)
            while scanner.field is None and (data := await self.incoming.more()):
                scanner.feed(data)
            if scanner.field is None:
                scanner.end()
        except BrokenMultipart as error:
            raise _broken(error) from None
        field = scanner.field
        name = (field.value if field else "") or self._in_query
        model = self._model(name)
        if field is not None and model.use_model_name:
            self.incoming.edit = Edit(field.start, field.end, model.use_model_name.encode())

        def watch(data: bytes) -> None:
            try:
                scanner.feed(data) if data else scanner.end()
            except BrokenMultipart as error:
                raise _broken(error) from None

        self.incoming.watch = watch
        return self._target(model, self.incoming, name)

    async def _form(self) -> Target:
        body = await self.incoming.whole()
        at, name = 0, self._in_query
        edit = None
        for pair in body.split(b"&"):
            key, mark, value = pair.partition(b"=")
            if unquote_plus(key.decode("latin-1")) == "model":
                name = unquote_plus(value.decode("latin-1")) or name
                start = at + len(key) + len(mark)
                edit = (start, start + len(value))
                break
            at += len(pair) + 1
        model = self._model(name)
        if edit is not None and model.use_model_name:
            new = quote_plus(model.use_model_name).encode()
            body = body[: edit[0]] + new + body[edit[1] :]
        return self._target(model, WholeBody(body), name)

    def _model(self, name: str | None) -> Model:
        return find_model(self.config, name, self.scope)

    @property
    def _in_query(self) -> str | None:
        return self.request.query.get("model")

    def _target(self, model: Model, body: Body, name: str | None = None) -> Target:
        return Target(model, self.path, body, named=name or self._in_query or model.id)


def _broken(error: BrokenMultipart) -> ApiError:
    return ApiError(400, f"the multipart body is broken: {error}", code="invalid_multipart")


_P = ParamSpec("_P")
_T = TypeVar("_T")


async def _off_loop(
    size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call ``function``; in a thread where it has much to do."""
    if size > _IN_THREAD:
        return await asyncio.to_thread(function, *args, **kwargs)
    return function(*args, **kwargs)


async def _object(body: bytes) -> tuple[JsonObject | None, str]:
    try:
        return await _off_loop(len(body), _parse, body), ""
    except NotAnObject as error:
        return None, str(error)
    except UnicodeDecodeError as error:
        return None, f"the body is not UTF-8: byte {error.start} cannot be read"


def _parse(body: bytes) -> JsonObject:
    return JsonObject(body.decode("utf-8-sig"))


def _looks_like_json(request: web.BaseRequest, body: bytes) -> bool:
    return "json" in request.content_type or body.lstrip()[:1] in (b"{", b"[")


def body_limit(config: Config) -> int | None:
    """Bytes that a body may have; None: any number."""
    return int(config.max_body_mb * (1 << 20)) if config.max_body_mb else None


def find_model(config: Config, name: str | None, scope: Scope = EVERYTHING) -> Model:
    """The model that ``name`` means; raises ``ApiError`` with the nearest names.

    ``scope`` is what whoever asks may use; nothing else is named.
    """
    if not name:
        if config.default_model and (model := config.resolve(config.default_model)):
            scope.check(model.id, "")
            return model
        raise ApiError(
            404,
            "the request names no model: set 'model' in the body, or defaultModel in the"
            " configuration",
            code="model_required",
            param="model",
        )
    if (model := config.resolve(name)) is not None:
        scope.check(model.id, name)
        return model
    if name in config.broken:
        scope.check(name, name)
        problems = "; ".join(problem.message for problem in config.broken[name])
        raise ApiError(503, f"{name} cannot be used as configured: {problems}", code="model_broken")
    model = config.resolve(config.fallback_model) if config.fallback_model else None
    if model is not None and scope.sees(model.id):
        return model
    raise ApiError(
        404,
        f"there is no model {name!r}{_nearest(config, name, scope)}",
        code="model_not_found",
        param="model",
    )


def _nearest(config: Config, name: str, scope: Scope) -> str:
    known = [
        each
        for model in config.models.values()
        for each in (model.id, *model.aliases)
        if scope.sees(model.id, each)
    ]
    if not known:
        return ": there are none" if config.models else ": the configuration has none"
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
