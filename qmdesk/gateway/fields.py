"""Header fields on their way through: which are passed on, and which are made anew."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache

from aiohttp import web

from qmdesk.gateway.head import Head, RawHeaders
from qmdesk.gateway.tunnel import wants_upgrade
from qmdesk.gateway.visitor import visitor_of

# RFC 9110, section 7.6.1, and what was always treated like them.
HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te"
    b" transfer-encoding upgrade".split()
)
# Ours: for qmdesk itself, or made anew for the upstream.
_OWN_REQUEST = HOP_BY_HOP | frozenset(
    b"host expect trailer authorization x-api-key x-qm-hold-ms x-qm-patience-ms x-qm-ctx"
    b" x-forwarded-for x-forwarded-proto x-forwarded-host".split()
)


def request_headers(request: web.BaseRequest, length: int | None) -> RawHeaders:
    """The client's headers for the upstream: all but those between two neighbours and ours.

    ``length`` is that of the body, None where it is sent in chunks.
    """
    headers = passed_on(request.raw_headers, _OWN_REQUEST)
    lengths = [at for at, each in enumerate(headers) if each[0].lower() == b"content-length"]
    if length is None:
        headers = [each for at, each in enumerate(headers) if at not in lengths]
    elif lengths:
        # In its old place and spelling.
        headers[lengths[0]] = (headers[lengths[0]][0], b"%d" % length)
        headers = [each for at, each in enumerate(headers) if at not in lengths[1:]]
    elif length:
        headers.append((b"Content-Length", b"%d" % length))
    if wants_upgrade(request):
        headers.append((b"Connection", b"Upgrade"))
        headers.append((b"Upgrade", request.headers["Upgrade"].encode()))
    visitor = visitor_of(request)
    headers.append((b"X-Forwarded-For", to_bytes(visitor.forwarded_for)))
    headers.append((b"X-Forwarded-Proto", to_bytes(visitor.scheme)))
    headers.append((b"X-Forwarded-Host", to_bytes(visitor.host)))
    return headers


@lru_cache(maxsize=64)
def _key(name: str) -> bytes:
    return name.lower().encode()


class Texts:
    """The fields of a head for people, decoded when they are asked for."""

    __slots__ = ("_head",)

    def __init__(self, head: Head) -> None:
        self._head = head

    def get(self, name: str, default: str, /) -> str:
        """The first value of ``name``, in any case."""
        values = self._head.fields.get(_key(name))
        return values[0].decode("utf-8", "replace") if values else default

    def items(self) -> list[tuple[str, str]]:
        """All of them, in their order."""
        return as_text(self._head.headers)


def as_text(headers: RawHeaders) -> list[tuple[str, str]]:
    """``headers`` for people."""
    return [(name.decode("latin-1"), value.decode("utf-8", "replace")) for name, value in headers]


def passed_on(raw: Sequence[tuple[bytes, bytes]], without: Set[bytes]) -> list[tuple[bytes, bytes]]:
    """``raw`` but for ``without`` (lower case) and what its ``Connection`` names."""
    names = [name.lower() for name, _ in raw]
    if b"connection" in names:
        named = {
            word.strip().lower()
            for name, (_, value) in zip(names, raw, strict=True)
            if name == b"connection"
            for word in value.split(b",")
        }
        without = {*without, *(named - {b"close", b"keep-alive", b"upgrade"})}
    elif without.isdisjoint(names):
        return list(raw)
    return [each for name, each in zip(names, raw, strict=True) if name not in without]


def without_cors(headers: RawHeaders, method: str) -> RawHeaders:
    """``headers`` without what an upstream says of other origins; that is ours to say."""
    kept = (b"allow-methods", b"allow-headers", b"max-age") if method == "OPTIONS" else ()
    keep = {b"access-control-" + name for name in kept}
    return [
        each
        for each in headers
        if not each[0].lower().startswith(b"access-control-") or each[0].lower() in keep
    ]


def to_bytes(text: str) -> bytes:
    """What aiohttp has read as ``text``, as it came."""
    return text.encode("utf-8", "surrogateescape")
