"""The requests under way: for whoever looks, and for whoever wants one ended."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

from qmdesk.events import Bus, RequestFinished, RequestStarted
from qmdesk.router import Turn

CANCELLED = 499
"""The status, in the log and for the client, of a request that was ended from outside."""


class OpenRequest:
    """One request, from its arrival to its end."""

    def __init__(self, id: int, model: str, route: str, client: str) -> None:
        self.id = id
        self.model = model
        self.route = route
        self.client = client
        self.waited = 0.0
        """Seconds for which it has waited for its turns."""
        self.loaded = False
        self.status = 0
        self.error: str | None = None
        self.cancelled: str | None = None
        """Why, where somebody ended it from outside."""
        self._began = time.monotonic()
        self._arrived = time.time()
        self._turn: Turn | None = None
        self._task = asyncio.current_task()

    @property
    def age(self) -> float:
        """Seconds since its arrival."""
        return time.monotonic() - self._began

    def served(self, turn: Turn) -> None:
        """Its turn has come."""
        self._turn = turn
        self.waited += turn.waited
        self.loaded = self.loaded or turn.loaded

    def cancel(self, by: str) -> None:
        """End it: its upstream is let go, its client gets an error."""
        self.cancelled = f"the request was cancelled by {by}"
        if self._turn is not None:
            self._turn.end(self.cancelled)
        elif self._task is not None:
            self._task.cancel()

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
        return {
            "id": self.id,
            "model": self.model,
            "route": self.route,
            "client": self.client,
            "state": "waiting" if self._turn is None else "running",
            "arrived_at": self._arrived,
            "age_seconds": round(self.age, 3),
            "waited_seconds": round(self.age if self._turn is None else self.waited, 3),
        }


class OpenRequests:
    """All that are under way, by number."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._ids = itertools.count(1)
        self._open: dict[int, OpenRequest] = {}

    def begin(self, model: str, route: str, client: str) -> OpenRequest:
        request = OpenRequest(next(self._ids), model, route, client)
        self._open[request.id] = request
        self._bus.publish(RequestStarted(request.id, model, route, client))
        return request

    def end(self, request: OpenRequest) -> None:
        del self._open[request.id]
        self._bus.publish(request.finished())

    def rows(self) -> list[dict[str, Any]]:
        return [request.row() for request in self._open.values()]

    def get(self, id: int) -> OpenRequest | None:
        return self._open.get(id)
