"""Where the windows keep their places: not the configuration, which is a file of its own."""

from __future__ import annotations

from PySide6.QtCore import QSettings


def settings() -> QSettings:
    """The desktop's own small memory, in the place that the system has for it."""
    # The default format is asked for by name: tests point it into their own folder.
    return QSettings(QSettings.defaultFormat(), QSettings.Scope.UserScope, "qmdesk", "qmdesk")
