"""The pause that somebody has asked for: who, since when, until when."""

from __future__ import annotations

import time
from dataclasses import dataclass

FAR = 12 * 3600.0
"""Seconds ahead from which a time is told with its day."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The card is kept free: models of ours are unloaded and not loaded again."""

    by: str
    since: float
    """Unix time."""
    until: float | None = None
    """Unix time; None: nobody has said."""
    program: str = ""
    """The program whose end resumes; empty where there is none."""

    def seconds_left(self, now: float) -> float | None:
        """From ``now``, a Unix time; None where nobody has said."""
        return None if self.until is None else max(0.0, self.until - now)

    def end(self) -> str:
        """When it ends, in words such as ``until 21:30``."""
        if self.until is not None:
            form = "%H:%M" if self.until - self.since < FAR else "%Y-%m-%d %H:%M"
            return f"until {time.strftime(form, time.localtime(self.until))}"
        return f"until {self.program} ends" if self.program else "until somebody resumes"
