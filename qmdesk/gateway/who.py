"""Who asks, in words for people."""

from __future__ import annotations

from aiohttp import web

from qmdesk.gateway.visitor import visitor_of


def client_of(request: web.BaseRequest) -> str:
    """The name of the API key, else the first word of the user agent, else the address."""
    visitor = visitor_of(request)
    if visitor.key is not None and visitor.key.name:
        return visitor.key.name[:60]
    agent = request.headers.get("User-Agent", "").partition(" ")[0]
    return agent[:60] or visitor.address or request.remote or "somebody"
