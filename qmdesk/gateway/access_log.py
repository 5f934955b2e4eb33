"""One line for each request, on the logger ``qmdesk.access``."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache

from aiohttp import web

from qmdesk.gateway.open_request import CANCELLED, OpenRequest, current
from qmdesk.gateway.redaction import path_shown
from qmdesk.gateway.visitor import visitor_of
from qmdesk.gateway.who import client_of, readable

log = logging.getLogger("qmdesk.access")

# Asked for all the time, by machines; of no interest afterwards.
_QUIET = ("/health", "/wol-health", "/metrics", "/api/events", "/logs")
_QUIET_FOLDERS = tuple(f"{each}/" for each in _QUIET)
_LONGEST = 500

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def logged(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Call ``handler`` and log what came of it."""
    if not log.isEnabledFor(logging.INFO) or _is_quiet(request.path):
        return await handler(request)
    began = time.monotonic()
    if current.get() is not None:
        current.set(None)
    status, size = CANCELLED, 0
    try:
        response = await handler(request)
        status = response.status
        size = _size(response)
        return response
    except asyncio.CancelledError:
        if (open_request := current.get()) is not None:
            status = open_request.status or status
            size = open_request.bytes_out
        raise
    finally:
        note(request, current.get(), status, size, time.monotonic() - began)


def note(
    request: web.BaseRequest,
    open_request: OpenRequest | None,
    status: int,
    size: int,
    seconds: float,
) -> None:
    """Log that ``request`` is over after ``seconds``, with ``size`` bytes of an answer's body."""
    if not log.isEnabledFor(logging.INFO):
        return
    now = time.time() if open_request is None else open_request.ended_at
    log.handle(_record(_line(request, open_request, status, size, seconds), now))


_PLAIN = log.makeRecord(log.name, logging.INFO, __file__, 0, "", (), None)


def _record(line: str, now: float) -> logging.LogRecord:
    """As ``info`` makes it, but without looking again at what is the same for every line."""
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__.update(_PLAIN.__dict__)
    record.msg = line
    record.created = now
    record.msecs = int((now - int(now)) * 1000) + 0.0
    record.relativeCreated += (now - _PLAIN.created) * 1000
    return record


def _size(response: web.StreamResponse) -> int:
    """Bytes of the body, without what the transfer adds."""
    if isinstance(response, web.Response):
        return response.content_length or 0
    open_request = current.get()
    return open_request.bytes_out if open_request is not None else response.body_length


def _line(
    request: web.BaseRequest,
    open_request: OpenRequest | None,
    status: int,
    size: int,
    seconds: float,
) -> str:
    model, queue, client = "-", 0.0, ""
    if open_request is not None:
        model, queue = open_request.model, open_request.waited
        client, seconds = open_request.client, max(seconds, open_request.age)
    address = readable(visitor_of(request).address or request.remote or "-")
    return (
        f"{address} {client or client_of(request)} {request.method} {shown_path(request)}"
        f" {status} {size} B model={model} queue={queue * 1000:.0f}ms"
        f" total={seconds * 1000:.0f}ms"
    )


def shown_path(request: web.BaseRequest) -> str:
    """The path with its query, without the values of what looks like a secret."""
    return _shown(request.raw_path)


@lru_cache(maxsize=64)
def _shown(path: str) -> str:
    return readable(path_shown(path)[:_LONGEST])


def _is_quiet(path: str) -> bool:
    return path in _QUIET or path.startswith(_QUIET_FOLDERS)
