"""The icon in the system's tray: a shape in the panel's colour, a tooltip, and a menu.

It is there before anything else of the app is, and says that it is starting.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from qmdesk.desktop.icon import panel_colour, state_icon, step
from qmdesk.desktop.menu_entry import entry, make_readable
from qmdesk.desktop.motion import reduced_motion
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import tr

WATCHER = "org.kde.StatusNotifierWatcher"
MESSAGE_TIME = 10_000
"""Milliseconds that a message asks to be shown for."""
TURN_TIME = 500
"""Milliseconds between the places of the ring while nothing is known of a load."""


class TrayIcon(QObject):
    """Shows a shape in the system's tray, wherever and whenever there is one."""

    clicked = Signal()
    message_clicked = Signal()
    quit_wanted = Signal()
    """Quit was chosen in the menu that is there while the app starts."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shape = Shape.LOADING
        self._progress: float | None = None
        self._tooltip = ""
        self._turn = 0
        self._turning = QTimer(self, interval=TURN_TIME)
        self._turning.timeout.connect(self._on_turn)
        self.menu = QMenu()
        """What opens at a click; emptied and filled by whoever has more to offer."""
        self.shown_at = 0.0
        """Unix time since when it is there; 0 while no tray has it."""
        self._fill_menu()
        self._icon = self._made()
        self.set_tooltip(f"qmdesk\n{tr('Starting…')}")
        self._move()
        self._watcher = self._watch()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.redraw)

    @property
    def available(self) -> bool:
        """Whether the desktop shows tray icons now."""
        return QSystemTrayIcon.isSystemTrayAvailable() and self._icon.isVisible()

    @property
    def shown(self) -> QSystemTrayIcon:
        """Qt's own; another one after ``renew``."""
        return self._icon

    def show_shape(self, shape: Shape, progress: float | None) -> None:
        """Show a state; ``progress`` is that of a load, None where it is not known."""
        before = self._shape, step(self._progress)
        self._shape, self._progress = shape, progress
        if before != (shape, step(progress)):
            self._move()
            self.redraw()

    def set_tooltip(self, text: str) -> None:
        """Show ``text`` to whoever points at the icon."""
        if text != self._tooltip:
            self._tooltip = text
            self._icon.setToolTip(text)

    def renew(self) -> None:
        """Make the icon anew: one made before the tray came may never show in it."""
        old, self._icon = self._icon, self._made()
        self._icon.setToolTip(self._tooltip)
        old.hide()
        old.deleteLater()

    def notify(self, title: str, text: str, *, urgent: bool) -> None:
        """Show a message as the desktop does; best effort."""
        kinds = QSystemTrayIcon.MessageIcon
        kind = kinds.Warning if urgent else kinds.Information
        self._icon.showMessage(title, text, kind, MESSAGE_TIME)

    def redraw(self) -> None:
        """Draw in the colours of the present scheme."""
        self._icon.setIcon(self._drawn())

    def close(self) -> None:
        """Take the icon away."""
        self._turning.stop()
        self._icon.hide()
        self.menu.hide()

    def _fill_menu(self) -> None:
        entry(self.menu, tr("Starting…")).setEnabled(False)
        self.menu.addSeparator()
        entry(self.menu, tr("Quit"), self.quit_wanted.emit)
        make_readable(self.menu)

    def _made(self) -> QSystemTrayIcon:
        icon = QSystemTrayIcon(self)
        icon.setContextMenu(self.menu)
        icon.activated.connect(self._on_activated)
        icon.messageClicked.connect(self.message_clicked)
        icon.setIcon(self._drawn())
        icon.show()
        there = QSystemTrayIcon.isSystemTrayAvailable()
        self.shown_at = time.time() if there else 0.0
        return icon

    def _watch(self) -> QDBusServiceWatcher | None:
        if not sys.platform.startswith("linux"):
            return None
        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return None
        watcher = QDBusServiceWatcher(
            WATCHER, bus, QDBusServiceWatcher.WatchModeFlag.WatchForRegistration, self
        )
        # Also when a panel restarts: registering twice does no harm, not registering does.
        watcher.serviceRegistered.connect(self.renew)
        return watcher

    def _move(self) -> None:
        """Turn the ring while there is nothing else to see of a load."""
        unknown = self._shape is Shape.LOADING and self._progress is None
        if not unknown or reduced_motion():
            self._turning.stop()
            self._turn = 0
        elif not self._turning.isActive():
            self._turning.start()

    def _on_turn(self) -> None:
        self._turn += 1
        self.redraw()

    def _drawn(self) -> QIcon:
        icon = state_icon(self._shape, panel_colour(), self._progress, self._turn)
        if sys.platform == "darwin":
            icon = QIcon(icon)
            icon.setIsMask(True)
        return icon

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        reasons = QSystemTrayIcon.ActivationReason
        # macOS opens the menu itself on a click.
        if sys.platform != "darwin" and reason in (reasons.Trigger, reasons.DoubleClick):
            self.clicked.emit()
