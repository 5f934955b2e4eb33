"""Fields under one heading.

Free of Qt.
"""

from __future__ import annotations

from dataclasses import dataclass

from qmdesk.desktop.settings_window.field import Field


@dataclass(frozen=True, slots=True)
class Section:
    """Fields under one heading."""

    title: str
    """Empty: no heading."""
    fields: tuple[Field, ...]
