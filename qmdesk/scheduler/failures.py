"""Starts that failed and servers that died: when to stop trying for a while."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LIMIT = 3
WINDOW = 60.0
"""Seconds; ``LIMIT`` failures within it begin a pause."""
FIRST_PAUSE = 5.0
LONGEST_PAUSE = 60.0


@dataclass(slots=True)
class Failures:
    """The recent failures of one model.

    After ``LIMIT`` of them within ``WINDOW`` the model is left alone for
    ``FIRST_PAUSE`` seconds, and for twice as long after each further one.
    """

    _starts: list[float] = field(default_factory=list)
    _deaths: list[float] = field(default_factory=list)
    _pause: float = 0.0
    _until: float = -math.inf
    last: str = ""
    """The last failure, in words."""

    def start_failed(self, error: str, now: float) -> None:
        self._add(self._starts, error, now)

    def died(self, error: str, now: float) -> None:
        self._add(self._deaths, error, now)

    def _add(self, times: list[float], error: str, now: float) -> None:
        self.last = error
        times.append(now)
        for each in (self._starts, self._deaths):
            each[:] = [time for time in each if now - time <= WINDOW]
        if self._pause or len(self._starts) + len(self._deaths) >= LIMIT:
            self._pause = min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
            self._until = now + self._pause

    def pause_left(self, now: float) -> float:
        """Seconds until the model may be tried again; 0 where it may be now."""
        return max(0.0, self._until - now)

    def started(self) -> None:
        """It has started.  Deaths still count: one that dies at every first request
        starts well each time."""
        self._starts.clear()
        if not self._deaths:
            self._pause = 0.0

    def served(self) -> None:
        """It has answered a request and lives."""
        self._starts.clear()
        self._deaths.clear()
        self._pause = 0.0
