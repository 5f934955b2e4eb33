"""Hard work in a thread while windows stay smooth and tokens flow."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SHARE: Final = 0.0002
"""Seconds after which a busy thread lets another one go on.

A repaint asks for the interpreter dozens of times; with Python's own 5 ms each of them
would wait as long.
"""


@dataclass(slots=True)
class _Interpreter:
    """How it was before the first of the threads began."""

    working: int = 0
    interval: float = 0.0
    collects: bool = True


_interpreter: Final = _Interpreter()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What ``work`` returns, done in a thread that keeps the event loop waiting least."""
    with _calm():
        return await asyncio.to_thread(work, *args, **kwargs)


@contextlib.contextmanager
def _calm() -> Iterator[None]:
    now = _interpreter
    if not now.working:
        now.interval, now.collects = sys.getswitchinterval(), gc.isenabled()
        sys.setswitchinterval(SHARE)
        # Reading a large file makes a hundred thousand objects that soon go again; to look
        # for garbage among them stops every thread for up to 0.2 s, and there is none.
        gc.disable()
    now.working += 1
    try:
        yield
    finally:
        now.working -= 1
        if not now.working:
            sys.setswitchinterval(now.interval)
            if now.collects:
                gc.enable()
