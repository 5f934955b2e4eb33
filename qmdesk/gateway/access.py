"""Who may: the Host that was asked for, browsers' origins, API keys, this machine."""

from __future__ import annotations

import re
import socket
from functools import lru_cache
from urllib.parse import urlsplit

from aiohttp import web

from qmdesk.config import Config
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.networks import address_of, within
from qmdesk.gateway.visitor import Visitor

EXPOSED = "X-QM-Model, X-QM-Model-Loaded, X-QM-Wait-Ms, Retry-After"
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ALLOWED_HEADERS = "Content-Type, Authorization, Accept, X-Requested-With"
_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"


def check_host(request: web.BaseRequest, config: Config) -> None:
    """Refuse a Host that is no name of this machine.

    A web page can point a name of its own at 127.0.0.1 (DNS rebinding); the browser
    then sends that name.  Raises ``ApiError``.
    """
    if not _is_ours(request.headers.get("Host", ""), config.allow_hosts):
        raise ApiError(
            403,
            f"the host {request.headers.get('Host', '')!r} is not one of this machine's names;"
            " add it to allowHosts if it should be",
            code="host_not_allowed",
        )


def _host_name(value: str) -> str | None:
    try:
        return urlsplit(f"//{value}").hostname
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _is_ours(value: str, allowed: tuple[str, ...]) -> bool:
    host = _host_name(value)
    if host is None:
        return False
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    if _is_address(host):
        return True
    own = socket.gethostname().lower()
    if host in (own, own.partition(".")[0]):
        return True
    return any(host == each.lower() for each in allowed)


def _is_address(host: str) -> bool:
    return address_of(host) is not None


def origin_allowed(origin: str, config: Config) -> bool:
    """Whether a browser page of ``origin`` may read our answers."""
    if origin in config.allow_origins or "*" in config.allow_origins:
        return True
    host = _host_name(origin.partition("://")[2])
    return host is not None and (
        host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")
    )


def preflight(request: web.BaseRequest, config: Config) -> web.Response:
    """The answer to a browser's question before a cross-origin request."""
    response = web.Response(status=204)
    if origin_allowed(request.headers.get("Origin", ""), config):
        wanted = request.headers.get("Access-Control-Request-Headers", "")
        names = [name.strip() for name in wanted.split(",")]
        allowed = ", ".join(name for name in names if _TOKEN.fullmatch(name))
        response.headers["Access-Control-Allow-Methods"] = _METHODS
        response.headers["Access-Control-Allow-Headers"] = allowed or _ALLOWED_HEADERS
        response.headers["Access-Control-Max-Age"] = "86400"
    return response


def cors(request: web.BaseRequest, config: Config) -> dict[str, str] | None:
    """Our CORS headers for the answer to a browser's page; None for all other clients."""
    origin = request.headers.get("Origin")
    if origin is None:
        return None
    if not origin_allowed(origin, config):
        return {"Vary": "Origin"}
    return {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": EXPOSED,
    }


def add_cors(request: web.BaseRequest, response: web.StreamResponse, config: Config) -> None:
    """Put our CORS headers on an answer of our own."""
    for name, value in (cors(request, config) or {}).items():
        response.headers[name] = value


def check_key(visitor: Visitor, config: Config) -> None:
    """Ask for one of ``apiKeys``, where there are any.  Raises ``ApiError``."""
    if config.api_keys and visitor.key is None:
        raise ApiError(
            401, "an API key is needed: send it as 'Authorization: Bearer KEY' or 'x-api-key: KEY'"
        )


def is_operator(visitor: Visitor, config: Config) -> bool:
    """This machine, a network of ``adminAllow``, or a key with ``admin: true``.

    Whoever is on this machine needs no key, so that a wrong one locks no owner out.
    """
    if visitor.here or (visitor.key is not None and visitor.key.admin):
        return True
    return visitor.known and within(address_of(visitor.address), config.admin_allow)


def check_operator(
    request: web.BaseRequest, visitor: Visitor, config: Config, *, changes: bool, private: bool
) -> None:
    """Operations are for operators; those that change something, not for the pages of
    other sites, and ``private`` ones only for our own pages and those of ``allowOrigins``:
    the configuration says which programs are run, and has the keys.  Raises ``ApiError``."""
    if not is_operator(visitor, config):
        if any(key.admin for key in config.api_keys):
            check_key(visitor, config)
        raise ApiError(
            403,
            "operations are answered only to this machine, without a proxy between; adminAllow"
            " lists other networks that may, and a key of apiKeys with 'admin: true' may from"
            " anywhere",
            code="not_local",
        )
    origin = request.headers.get("Origin")
    if origin is None:
        # A link or a picture of another site sends no origin, but browsers say this.
        refused = changes and request.headers.get("Sec-Fetch-Site") == "cross-site"
    elif private:
        refused = origin not in config.allow_origins and not _is_own(origin, visitor)
    else:
        refused = changes and not (origin_allowed(origin, config) or _is_own(origin, visitor))
    if refused:
        raise ApiError(
            403,
            f"pages of {origin or 'other sites'} may not do this; allowOrigins lists those that"
            " may",
            code="origin_not_allowed",
        )


def _is_own(origin: str, visitor: Visitor) -> bool:
    """A page of ours, by the name that it came by; that is one of this machine's."""
    return origin.lower() == f"{visitor.scheme}://{visitor.host}".lower()


def check_upgrade(request: web.BaseRequest, visitor: Visitor, config: Config) -> None:
    """Refuse the pages of other sites: a browser lets each of them open a WebSocket to us and
    read all of it.  Raises ``ApiError``."""
    origin = request.headers.get("Origin")
    if origin is None or origin_allowed(origin, config) or _is_own(origin, visitor):
        return
    raise ApiError(
        403,
        f"pages of {origin} may not connect here; allowOrigins lists those that may",
        code="origin_not_allowed",
    )
