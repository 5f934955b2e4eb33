"""What others may do around a start and a stop; each bounded in time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from qmdesk.config import Model
from qmdesk.events import StopReason

log = logging.getLogger(__name__)

LIMIT = 10.0
"""Seconds that a hook may take."""


class StartRefused(Exception):
    """Raised by a spawn hook that does not let the model start; says why."""


@dataclass(slots=True)
class Hooks:
    """Plain callables, None where nobody is interested."""

    spawn: Callable[[Model, tuple[str, ...]], Awaitable[tuple[str, ...]]] | None = None
    """May change the arguments, or raise ``StartRefused``."""
    wanted: Callable[[], Awaitable[None]] | None = None
    """Called when a model is asked for that does not run, before it is decided who must go."""
    freed: Callable[[str, tuple[str, ...]], Awaitable[None]] | None = None
    """Called before a start with its model and with those that were stopped for it; returns
    when their memory is free."""
    post_start: Callable[[Model, str], Awaitable[None]] | None = None
    """Called with the base URL when the server is ready, before anybody is served."""
    pre_stop: Callable[[Model, str, StopReason], Awaitable[None]] | None = None
    """Called with the base URL while the server still runs, and the reason."""


async def bounded(call: Awaitable[None], what: str, limit: float = LIMIT) -> None:
    """Await a hook that must not keep a start or a stop: late or failed, it is logged."""
    try:
        async with asyncio.timeout(limit):
            await call
    except TimeoutError:
        log.warning("%s took longer than %g s and was given up", what, limit)
    except Exception:
        log.exception("%s failed", what)
