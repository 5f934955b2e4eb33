"""The shapes that states have, in the tray and in every list."""

from __future__ import annotations

from enum import StrEnum


class Shape(StrEnum):
    """A state's shape; colour comes second."""

    STOPPED = "stopped"
    LOADING = "loading"
    READY = "ready"
    WORKING = "working"
    UNLOADING = "unloading"
    OUTDATED = "outdated"
    PAUSED = "paused"
    PROBLEM = "problem"
