"""Memory of a process that answers all the time: Python's garbage, and what was freed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys

OBJECTS = 2000
"""New objects after which the youngest are searched; the usual 700 are one request."""
YOUNG = 10
MIDDLE = 10
"""Searches of one generation for each of the next."""


def settle() -> None:
    """What is there now stays to the end: leave it out of every search, and search less often.

    To be called once all has started.  Going through all of it again and again would hold the
    event loop, and cost each request a fifth of its time.  What starting took and freed again is
    given back to the system, where the C library can be asked to.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS, YOUNG, MIDDLE)
    if sys.platform.startswith("linux"):
        # Only glibc has it.
        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
