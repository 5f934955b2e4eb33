"""The one way to start a task: kept, named, and never silent when it fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")

# asyncio itself keeps only weak references: a task that nobody holds may vanish.
_running: set[asyncio.Task[Any]] = set()


def spawn(coro: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """Run ``coro`` as a task of the running loop, under ``name``.

    The task is held until it ends.  An exception that nobody awaits is logged
    with the name; whoever awaits the task gets it as well.
    """
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("task %s failed", task.get_name(), exc_info=error)


def running() -> frozenset[asyncio.Task[Any]]:
    """The tasks that have been spawned and have not ended."""
    return frozenset(_running)
