"""Who asks, in words for people."""

from __future__ import annotations

from aiohttp import web

from qmdesk.gateway.visitor import visitor_of


def readable(text: str) -> str:
    """``text`` of a request's head with question marks for the bytes that are not UTF-8.

    Neither files nor databases take it otherwise.
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def client_of(request: web.BaseRequest) -> str:
    """The name of the API key, else the first word of the user agent, else the address."""
    visitor = visitor_of(request)
    if visitor.key is not None and visitor.key.name:
        return visitor.key.name[:60]
    agent = readable(request.headers.get("User-Agent", "").partition(" ")[0])
    return agent[:60] or visitor.address or request.remote or "somebody"
