"""Where this user's own files of qmdesk lie, besides the configuration."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def state_folder() -> Path:
    """Where this user's running servers and the address of the running qmdesk are noted."""
    return platformdirs.user_state_path("qmdesk", appauthor=False)


def crash_folder() -> Path:
    """Where records of crashes are kept."""
    return state_folder() / "crashes"
