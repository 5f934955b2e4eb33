"""How late the event loop was, for the log and the diagnostics."""

from __future__ import annotations

import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)

LIMIT = 0.008
"""Seconds that one callback or slot may hold the loop; a token waits as long."""
WORTH_A_LINE = 0.05
"""Seconds from which a delay is logged as a warning rather than for debugging."""


@dataclass(slots=True)
class Lateness:
    """Counts how often the loop was held longer than ``LIMIT``, and the worst of it."""

    count: int = 0
    worst: float = 0.0
    """Seconds."""
    worst_cause: str = ""

    def note(self, seconds: float, cause: str) -> None:
        """Record that ``cause`` held the loop for ``seconds``."""
        self.count += 1
        if seconds > self.worst:
            self.worst, self.worst_cause = seconds, cause
        level = logging.WARNING if seconds >= WORTH_A_LINE else logging.DEBUG
        log.log(level, "the event loop was held for %.0f ms by %s", seconds * 1000, cause)

    def reset(self) -> None:
        """Start counting anew."""
        self.count, self.worst, self.worst_cause = 0, 0.0, ""
