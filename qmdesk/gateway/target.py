"""Which model a request names, and what is sent to its server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ParamSpec, TypeVar

from aiohttp import web

from qmdesk.config import Config
from qmdesk.gateway.body import Body, Edit, Incoming, WholeBody
from qmdesk.gateway.encoding import Unreadable, decoded
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.json_object import JsonObject, NotAnObject
from qmdesk.gateway.multipart import BrokenMultipart, MultipartScanner, boundary_of
from qmdesk.gateway.offer import Meaning, Offer
from qmdesk.gateway.rewriting import form_with_name, json_for, name_in_form, path_with_name

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
    " /audio/translations /images/edits /images/variations /chat/completions/control /segment"
    " /realtime".split()
)
_AUDIO = "/audioapi"
"""llama-swap's prefix for servers of speech; they do not know it."""
_IN_THREAD = 1 << 20
"""Bytes; parsing a larger body would hold up everybody's tokens."""
DECODED_LIMIT = 256 << 20
"""Bytes of an encoded body when it is decoded."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A request as the server of one offer is to get it."""

    path: str
    """As the upstream is asked, percent-encoding and query kept."""
    body: Body
    reencoded: bool = False
    """The body has lost its content encoding, because it had to be changed."""


@dataclass(slots=True)
class Target:
    """A request, and who can answer it."""

    meaning: Meaning
    draft: Callable[[Offer], Draft]
    """The request for one of the offers; of a body that is streamed only one may be used."""
    stream: bool = False
    tools: bool = False
    """The request offers tools: an agent is at work."""


Find = Callable[[str | None], Awaitable[Meaning]]
"""What a name means; raises ``ApiError``."""


@lru_cache(maxsize=64)
def upstream_path(raw: str) -> str | None:
    """The path to ask the upstream for; None where ``raw`` is no inference route.

    ``raw`` is the request target, with its query, as it came.
    """
    if raw.startswith(f"{_AUDIO}/v1/"):
        raw = raw.removeprefix(_AUDIO)
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
    request: web.BaseRequest, path: str, find: Find, limit: int | None = None
) -> Target:
    """What ``request`` asks for; ``path`` is from ``upstream_path``.  Raises ``ApiError``.

    ``limit`` is how many bytes its body may have.  Whoever gets it closes the body of its
    draft and releases its meaning.
    """
    incoming = Incoming(request, limit)
    reader = _Reader(request, path, find, incoming)
    try:
        return await reader.target()
    except BaseException:
        incoming.close()
        if reader.meaning is not None:
            reader.meaning.release()
        raise


async def untouched(request: web.BaseRequest, limit: int | None) -> Body:
    """The body of a request that nobody here reads: whole where it is small."""
    incoming = Incoming(request, limit)
    try:
        return await incoming.small()
    except BaseException:
        incoming.close()
        raise


async def whole(request: web.BaseRequest, limit: int | None) -> bytes:
    """The body of a request to a route of our own, in memory.  Raises ``ApiError``."""
    return await Incoming(request, limit).whole()


@dataclass(slots=True)
class _Reader:
    """Finds the model in a request, by what its body is."""

    request: web.BaseRequest
    path: str
    find: Find
    incoming: Incoming
    meaning: Meaning | None = None
    """What the name has turned out to mean."""

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
        meaning = await self._means(self._in_query)
        body = await self.incoming.small()
        if body is not self.incoming:
            self.incoming.close()
        return self._target(meaning, body)

    async def _encoded(self, encoding: str) -> Target:
        """Read from a copy; the upstream gets the encoded bytes unless they must change."""
        body = await self.incoming.whole()
        try:
            text = await _off_loop(len(body), decoded, encoding, body, DECODED_LIMIT)
        except Unreadable as error:
            if self._in_query:
                return self._target(await self._means(self._in_query), WholeBody(body))
            raise ApiError(
                400,
                f"the body cannot be decoded: {error}; send it without Content-Encoding, or name"
                " the model as ?model= in the address",
                code="invalid_encoding",
            ) from None
        target = await self._json(text)
        plain = target.draft

        def draft(offer: Offer) -> Draft:
            made = plain(offer)
            if isinstance(made.body, WholeBody) and made.body.data is text:
                return replace(made, body=WholeBody(body))
            return replace(made, reencoded=True)

        target.draft = draft
        return target

    async def _json(self, body: bytes) -> Target:
        content, problem = await _object(body)
        if content is None:
            if problem and _looks_like_json(self.request, body):
                raise ApiError(400, problem, code="invalid_json")
            return self._target(await self._means(self._in_query), WholeBody(body))
        said = content.get("model")
        if said is not None and not isinstance(said, str):
            raise ApiError(400, "'model' must be a text", param="model")
        meaning = await self._means(said or self._in_query)

        def draft(offer: Offer) -> Draft:
            text = json_for(content, offer)
            same = text == content.text
            return Draft(self._path(offer), WholeBody(body if same else text.encode()))

        return Target(
            meaning,
            draft,
            stream=content.get("stream") is True,
            tools=bool(content.get("tools")) if "tools" in content else False,
        )

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
        meaning = await self._means((field.value if field else "") or self._in_query)

        def watch(data: bytes) -> None:
            try:
                scanner.feed(data) if data else scanner.end()
            except BrokenMultipart as error:
                raise _broken(error) from None

        self.incoming.watch = watch

        def draft(offer: Offer) -> Draft:
            self.incoming.edit = None
            if field is not None and offer.sent_as:
                self.incoming.edit = Edit(field.start, field.end, offer.sent_as.encode())
            return Draft(self._path(offer), self.incoming)

        return Target(meaning, draft)

    async def _form(self) -> Target:
        body = await self.incoming.whole()
        name, place = name_in_form(body)
        meaning = await self._means(name or self._in_query)

        def draft(offer: Offer) -> Draft:
            return Draft(self._path(offer), WholeBody(form_with_name(body, place, offer)))

        return Target(meaning, draft)

    async def _means(self, name: str | None) -> Meaning:
        self.meaning = await self.find(name)
        return self.meaning

    @property
    def _in_query(self) -> str | None:
        return self.request.query.get("model")

    def _path(self, offer: Offer) -> str:
        return path_with_name(self.path, offer.sent_as)

    def _target(self, meaning: Meaning, body: Body) -> Target:
        return Target(meaning, lambda offer: Draft(self._path(offer), body))


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


@lru_cache(maxsize=64)
def join(base: str, path: str) -> str:
    """The upstream's URL: a ``/v1`` at the end of ``base`` is not doubled."""
    base = base.rstrip("/")
    if base.endswith("/v1") and path.startswith("/v1/"):
        return base + path[len("/v1") :]
    return base + path
