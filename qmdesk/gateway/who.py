"""Who asks, in words for people."""

from __future__ import annotations

from aiohttp import web


def client_of(request: web.BaseRequest) -> str:
    """The first word of the user agent, else the address."""
    agent = request.headers.get("User-Agent", "").partition(" ")[0]
    return agent[:60] or request.remote or "somebody"
