"""The tray icon: a state's shape in the panel's colour, a tooltip, and the menu."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QSystemTrayIcon

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.icon import panel_colour, state_icon, step
from qmdesk.desktop.motion import reduced_motion
from qmdesk.desktop.notification_text import Message
from qmdesk.desktop.tray_menu import TrayMenu
from qmdesk.desktop.tray_state import Shape, TrayState
from qmdesk.desktop.words import tr

WATCHER = "org.kde.StatusNotifierWatcher"
MESSAGE_TIME = 10_000
"""Milliseconds that a message asks to be shown for."""
TURN_TIME = 500
"""Milliseconds between the places of the ring while nothing is known of a load."""


class Tray(QObject):
    """Shows a ``TrayState`` in the system's tray, wherever and whenever there is one."""

    message_clicked = Signal()

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._state: TrayState | None = None
        self._stopping = False
        self._turn = 0
        self._turning = QTimer(self, interval=TURN_TIME)
        self._turning.timeout.connect(self._on_turn)
        self.menu = TrayMenu(commands)
        self._icon = self._made()
        self._watcher = self._watch()
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._redraw)

    @property
    def available(self) -> bool:
        """Whether the desktop shows tray icons now."""
        return QSystemTrayIcon.isSystemTrayAvailable() and self._icon.isVisible()

    @property
    def icon(self) -> QSystemTrayIcon:
        return self._icon

    def show_state(self, state: TrayState) -> None:
        """Show ``state``; only what differs from the last one is touched."""
        if self._stopping:
            return
        before, self._state = self._state, state
        if before is None or _drawn(before) != _drawn(state):
            self._move(state)
            self._icon.setIcon(self._drawn_icon())
        if before is None or before.tooltip != state.tooltip:
            self._icon.setToolTip(state.tooltip)
        self.menu.show_state(state)

    def show_stopping(self) -> None:
        """Say that the app is on its way out; nothing but Quit can be chosen any more."""
        self._stopping = True
        line = tr("Stopping models…")
        self._state = TrayState(Shape.UNLOADING, None, line, f"qmdesk\n{line}", (), False)
        self._move(self._state)
        self._icon.setIcon(self._drawn_icon())
        self._icon.setToolTip(self._state.tooltip)
        self.menu.show_stopping(line)

    def renew(self) -> None:
        """Make the icon anew: one made before the tray came may never show in it."""
        old, self._icon = self._icon, self._made()
        if self._state is not None:
            self._icon.setToolTip(self._state.tooltip)
        old.hide()
        old.deleteLater()

    def notify(self, message: Message) -> None:
        """Show ``message`` as the desktop does; best effort."""
        kinds = QSystemTrayIcon.MessageIcon
        kind = kinds.Warning if message.urgent else kinds.Information
        self._icon.showMessage(message.title, message.text, kind, MESSAGE_TIME)

    def close(self) -> None:
        """Take the icon away."""
        self._turning.stop()
        self._icon.hide()
        self.menu.close_menu()

    def _made(self) -> QSystemTrayIcon:
        icon = QSystemTrayIcon(self)
        icon.setContextMenu(self.menu.menu)
        icon.activated.connect(self._on_activated)
        icon.messageClicked.connect(self.message_clicked)
        icon.setIcon(self._drawn_icon())
        icon.show()
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

    def _move(self, state: TrayState) -> None:
        """Turn the ring while there is nothing else to see of a load."""
        unknown = state.shape is Shape.LOADING and state.progress is None
        if not unknown or reduced_motion():
            self._turning.stop()
            self._turn = 0
        elif not self._turning.isActive():
            self._turning.start()

    def _on_turn(self) -> None:
        self._turn += 1
        self._icon.setIcon(self._drawn_icon())

    def _redraw(self) -> None:
        self._icon.setIcon(self._drawn_icon())
        self.menu.redraw()

    def _drawn_icon(self) -> QIcon:
        shape = self._state.shape if self._state else Shape.STOPPED
        progress = self._state.progress if self._state else None
        icon = state_icon(shape, panel_colour(), progress, self._turn)
        if sys.platform == "darwin":
            icon = QIcon(icon)
            icon.setIsMask(True)
        return icon

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        reasons = QSystemTrayIcon.ActivationReason
        # macOS opens the menu itself on a click.
        if sys.platform != "darwin" and reason in (reasons.Trigger, reasons.DoubleClick):
            self._commands.show_window()


def _drawn(state: TrayState) -> tuple[Shape, int | None]:
    return state.shape, step(state.progress)
