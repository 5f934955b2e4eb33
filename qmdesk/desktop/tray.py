"""The tray of an app that runs: its icon and menu as the router's state says."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.notification_text import Message
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.tray_icon import TrayIcon
from qmdesk.desktop.tray_menu import TrayMenu
from qmdesk.desktop.tray_state import TrayState
from qmdesk.desktop.words import tr


class Tray(QObject):
    """Shows a ``TrayState`` in the system's tray, wherever and whenever there is one."""

    message_clicked = Signal()

    def __init__(
        self, commands: Commands, parent: QObject | None = None, *, icon: TrayIcon | None = None
    ) -> None:
        """``icon`` is one that is shown already; it is closed with this."""
        super().__init__(parent)
        self._stopping = False
        self.icon = icon or TrayIcon(self)
        self.menu = TrayMenu(commands, self.icon.menu)
        self.icon.clicked.connect(commands.show_window)
        self.icon.message_clicked.connect(self.message_clicked)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._redraw)

    @property
    def available(self) -> bool:
        """Whether the desktop shows tray icons now."""
        return self.icon.available

    def show_state(self, state: TrayState) -> None:
        """Show ``state``; only what differs from the last one is touched."""
        if self._stopping:
            return
        self.icon.show_shape(state.shape, state.progress)
        self.icon.set_tooltip(state.tooltip)
        self.menu.show_state(state)

    def show_stopping(self) -> None:
        """Say that the app is on its way out; nothing but Quit can be chosen any more."""
        self._stopping = True
        line = tr("Stopping models…")
        self.icon.show_shape(Shape.UNLOADING, None)
        self.icon.set_tooltip(f"qmdesk\n{line}")
        self.menu.show_stopping(line)

    def renew(self) -> None:
        """Make the icon anew: one made before the tray came may never show in it."""
        self.icon.renew()

    def notify(self, message: Message) -> None:
        """Show ``message`` as the desktop does; best effort."""
        self.icon.notify(message.title, message.text, urgent=message.urgent)

    def close(self) -> None:
        """Take the icon away."""
        self.menu.close_menu()
        self.icon.close()

    def _redraw(self) -> None:
        self.menu.redraw()
