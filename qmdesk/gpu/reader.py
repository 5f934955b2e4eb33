"""A thread that reads the cards, and can be left behind when it hangs."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from qmdesk.gpu.sample import Sample, attribute
from qmdesk.gpu.sampler import Sampler

log = logging.getLogger(__name__)

_Wish = tuple[Mapping[str, int], bool, "Future[Sample]"]


class Reader:
    """One look at a time, in the order in which they are asked for."""

    def __init__(self, sampler: Callable[[], Sampler]) -> None:
        """``sampler`` makes one, within the thread."""
        self._make = sampler
        self._wishes: queue.SimpleQueue[_Wish | None] | None = None

    def read(self, leaders: Mapping[str, int], *, idle: bool) -> Future[Sample]:
        """Ask for a sample; ``leaders`` are the processes of our servers by model."""
        if self._wishes is None:
            self._wishes = queue.SimpleQueue()
            # A daemon: a driver that hangs must not keep qmdesk from ending.
            threading.Thread(
                target=_serve, args=(self._make, self._wishes), name="cards", daemon=True
            ).start()
        future: Future[Sample] = Future()
        self._wishes.put((dict(leaders), idle, future))
        return future

    def leave(self) -> None:
        """Begin anew with the next look; a thread that hangs ends once the driver answers."""
        if self._wishes is not None:
            self._wishes.put(None)
            self._wishes = None

    close = leave


def _serve(make: Callable[[], Sampler], wishes: queue.SimpleQueue[_Wish | None]) -> None:
    sampler = make()
    while (wish := wishes.get()) is not None:
        leaders, idle, future = wish
        if not future.set_running_or_notify_cancel():
            continue
        began = time.monotonic()
        try:
            reading = sampler.read(tuple(leaders.values()), idle=idle)
            future.set_result(attribute(reading, leaders, began))
        except Exception as error:
            log.exception("the cards could not be read")
            future.set_result(Sample(problem=f"the cards could not be read: {error}", at=began))
    try:
        sampler.close()
    except Exception:
        log.exception("the cards' driver could not be let go")
