"""The requests under way: for whoever looks, and for whoever wants one ended."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from aiohttp import web

from qmdesk.events import Bus, RequestFinished, RequestStarted
from qmdesk.gateway.captures import Recording, RecordingTap
from qmdesk.gateway.usage import Tap
from qmdesk.router import Turn

log = logging.getLogger(__name__)

CANCELLED = 499
"""The status, in the log and for the client, of a request that was ended from outside."""

GATHER = 0.02
"""Seconds for which requests that are over gather before they are written down."""

current: ContextVar[OpenRequest | None] = ContextVar("current", default=None)
"""The request that this task answers."""


class OpenRequest:
    """One request, from its arrival to its end."""

    def __init__(self, id: int, model: str, route: str, client: str, method: str = "") -> None:
        self.id = id
        self.model = model
        self.route = route
        self.client = client
        self.method = method
        self.tap = Tap()
        """Sees the answer pass."""
        self.load_seconds = 0.0
        """Of the load that it waited for, where it waited for one."""
        self.waited = 0.0
        """Seconds for which it has waited for its turns."""
        self.loaded = False
        self.status = 0
        self.error: str | None = None
        self.cancelled: str | None = None
        """Why, where somebody ended it from outside."""
        self._began = time.monotonic()
        self.arrived_at = time.time()
        """Unix time."""
        self.recording: Recording | None = None
        """What is kept of it for a look, where anything is."""
        self.asked: web.BaseRequest | None = None
        """As its client has sent it, where the access log is still to tell of it."""
        self._age: float | None = None
        """Once it is over."""
        self._turn: Turn | None = None
        self._task = asyncio.current_task()

    @property
    def age(self) -> float:
        """Seconds since its arrival, until its end where that has been."""
        return time.monotonic() - self._began if self._age is None else self._age

    @property
    def ended_at(self) -> float:
        """Unix time of its end; now where it is not over."""
        return self.arrived_at + self.age

    @property
    def bytes_out(self) -> int:
        """Of the upstream's answer, as far as it has come."""
        return self.tap.bytes_seen

    @property
    def first_token_seconds(self) -> float | None:
        """From its arrival to the first token, or the first byte of what has no tokens."""
        return None if self.tap.first_at is None else self.tap.first_at - self._began

    @property
    def waits(self) -> bool:
        """It has no turn: not yet, or the first one has come to nothing."""
        return self._turn is None or self._turn.given_back

    def record(self, recording: Recording | None) -> None:
        """Have its answer recorded; to be called before there is any."""
        self.recording = recording
        if recording is not None:
            self.tap = RecordingTap(recording)

    def handled(self) -> None:
        """The task that runs now answers it from here on."""
        self._task = asyncio.current_task()

    def served(self, turn: Turn) -> None:
        """Its turn has come."""
        self._turn = turn
        self.waited += turn.waited
        self.loaded = self.loaded or turn.loaded

    def cancel(self, by: str) -> None:
        """End it: its upstream is let go, its client gets an error."""
        self.cancelled = f"the request was cancelled by {by}"
        if self._turn is not None and not self.waits:
            self._turn.end(self.cancelled)
        elif self._task is not None:
            self._task.cancel()

    def end(self) -> None:
        """It is over."""
        self._age = self.age
        self._task = None

    def finished(self) -> RequestFinished:
        return RequestFinished(
            self.id,
            self.model,
            self.route,
            self.status,
            self.waited,
            self.age,
            self.loaded,
            self.error,
        )

    def row(self) -> dict[str, Any]:
        """For ``/api/requests``."""
        first = self.first_token_seconds
        return {
            "id": self.id,
            "model": self.model,
            "route": self.route,
            "client": self.client,
            "state": "waiting" if self.waits else "running",
            "arrived_at": self.arrived_at,
            "age_seconds": round(self.age, 3),
            "waited_seconds": round(self.age if self.waits else self.waited, 3),
            "load_seconds": round(self.load_seconds, 3),
            "first_token_seconds": None if first is None else round(first, 3),
        }


class OpenRequests:
    """All that are under way, by number."""

    def __init__(self, bus: Bus, ended: Callable[[OpenRequest], None] | None = None) -> None:
        """``ended`` is told of each that is over, soon: together they take less time, and it is
        not the next request's."""
        self._bus = bus
        self._ended = ended
        self._ids = itertools.count(1)
        self._open: dict[int, OpenRequest] = {}
        self._over: list[OpenRequest] = []
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, model: str, route: str, client: str, method: str = "") -> OpenRequest:
        request = OpenRequest(next(self._ids), model, route, client, method)
        self._open[request.id] = request
        self._bus.publish(RequestStarted(request.id, model, route, client))
        return request

    def end(self, request: OpenRequest) -> None:
        del self._open[request.id]
        request.end()
        self._bus.publish(request.finished())
        self._over.append(request)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER, self.settle)

    def settle(self) -> None:
        """Tell of those that are over now, before somebody looks."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        over, self._over = self._over, []
        for request in over:
            try:
                if self._ended is not None:
                    self._ended(request)
            except Exception:
                log.exception("the end of %s was not written down", request.route)

    def rows(self) -> list[dict[str, Any]]:
        return [request.row() for request in self._open.values()]

    def get(self, id: int) -> OpenRequest | None:
        return self._open.get(id)
