"""Who sends a request: from where, through whom, with which key, for which models."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from aiohttp import web

from qmdesk.config import Config
from qmdesk.config.settings import ApiKey, Listener
from qmdesk.gateway.networks import address_of, within
from qmdesk.gateway.scope import EVERYTHING, Scope

# What proxies add; whoever sends one of these has come through somebody else.
_FORWARDING = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP")


@dataclass(frozen=True, slots=True)
class Visitor:
    """As far as it is believed: forwarding headers only from ``trustedProxies``."""

    address: str = ""
    """Of the client; of the last hop where that is all that is known."""
    here: bool = False
    """It is on this machine, and nobody stands between."""
    known: bool = True
    """The address is the client's own."""
    scheme: str = "http"
    host: str = ""
    """What the client takes us for, with a port where it said one."""
    forwarded_for: str = ""
    """For the upstream: the hops so far."""
    key: ApiKey | None = field(default=None, repr=False)
    """The one of ``apiKeys`` that it has brought."""
    scope: Scope = EVERYTHING

    @classmethod
    def of(cls, request: web.BaseRequest, config: Config, listener: Listener) -> Visitor:
        """Who sends ``request``, which came in at ``listener``."""
        peer = request.remote or ""
        key = brought(request, config.api_keys)
        scope = Scope.of(config, listener.groups, key.key if key else None)
        headers = request.headers
        peer_address = address_of(peer)
        if not within(peer_address, config.trusted_proxies):
            straight = not any(name in headers for name in _FORWARDING)
            return cls(
                address=peer,
                here=peer_address is not None and peer_address.is_loopback and straight,
                scheme=request.scheme,
                host=headers.get("Host", ""),
                forwarded_for=peer,
                key=key,
                scope=scope,
            )
        hops = [
            hop.strip()
            for each in headers.getall("X-Forwarded-For", ())
            for hop in each.split(",")
            if hop.strip()
        ]
        client = _client(hops, config)
        return cls(
            address=client or peer,
            known=client is not None,
            scheme=_last(headers.getall("X-Forwarded-Proto", ())) or request.scheme,
            host=_last(headers.getall("X-Forwarded-Host", ())) or headers.get("Host", ""),
            forwarded_for=", ".join([*hops, peer]),
            key=key,
            scope=scope,
        )


KEY = web.RequestKey("visitor", Visitor)
"""Where a request carries its visitor."""


def visitor_of(request: web.BaseRequest) -> Visitor:
    """Who sends ``request``; nobody in particular where that has not been asked yet."""
    found: Visitor = request.get(KEY, _NOBODY)
    return found


_NOBODY = Visitor()


def _client(hops: Sequence[str], config: Config) -> str | None:
    """The last hop that is no proxy of ours: whatever stands before it may be made up."""
    client = None
    for hop in reversed(hops):
        address = address_of(hop)
        if address is None:
            return None
        client = str(address)
        if not within(address, config.trusted_proxies):
            break
    return client


def _last(values: Sequence[str]) -> str:
    return values[-1].rpartition(",")[2].strip() if values else ""


def brought(request: web.BaseRequest, keys: Sequence[ApiKey]) -> ApiKey | None:
    """The one of ``keys`` that ``request`` brings; None where it is none of them."""
    if not keys:
        return None
    given = _given(request).encode("utf-8", "surrogateescape")
    found = None
    # Every key is compared, so that the time taken tells nothing.
    for each in keys:
        if hmac.compare_digest(given, each.key.encode()):
            found = each
    return found


def _given(request: web.BaseRequest) -> str:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    match scheme.lower():
        case "bearer":
            return value.strip()
        case "basic":
            try:
                return base64.b64decode(value).decode().partition(":")[2]
            except (binascii.Error, ValueError):
                return ""
    return request.headers.get("x-api-key", "")
