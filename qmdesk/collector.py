"""Python's search for garbage in circles, for a process that answers all the time."""

from __future__ import annotations

import gc

OBJECTS = 2000
"""New objects after which the youngest are searched; the usual 700 are one request."""
YOUNG = 10
MIDDLE = 10
"""Searches of one generation for each of the next."""


def settle() -> None:
    """What is there now stays to the end: leave it out of every search, and search less often.

    To be called once all has started.  Going through all of it again and again would hold the
    event loop, and cost each request a fifth of its time.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS, YOUNG, MIDDLE)
