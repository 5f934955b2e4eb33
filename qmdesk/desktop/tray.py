"""The tray icon and its menu: built once, updated in place."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher
from PySide6.QtGui import QAction, QGuiApplication, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.icon import coloured_icon, panel_colour, state_icon, step
from qmdesk.desktop.notification_text import Message
from qmdesk.desktop.tray_state import ModelView, Shape, TrayState
from qmdesk.desktop.words import tr

FIRST = 12
"""Models that stand in the menu itself; the others are under "More models"."""
WATCHER = "org.kde.StatusNotifierWatcher"
MESSAGE_TIME = 10_000
"""Milliseconds that a message asks to be shown for."""


class Tray(QObject):
    """Shows a ``TrayState`` in the system's tray, wherever and whenever there is one."""

    message_clicked = Signal()

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._state: TrayState | None = None
        self._stopping = False
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
            self._redraw()
        if before is None or before.tooltip != state.tooltip:
            self._icon.setToolTip(state.tooltip)
        self.menu.show_state(state)

    def show_stopping(self) -> None:
        """Say that the app is on its way out; nothing but Quit can be chosen any more."""
        self._stopping = True
        line = tr("Stopping models…")
        self._state = TrayState(Shape.UNLOADING, None, line, f"qmdesk\n{line}", (), False)
        self._redraw()
        self._icon.setToolTip(self._state.tooltip)
        self.menu.show_stopping(line)

    def renew(self) -> None:
        """Make the icon anew: one made before the tray came may never show in it."""
        old, self._icon = self._icon, self._made()
        if self._state is not None:
            self._redraw()
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

    def _redraw(self) -> None:
        self._icon.setIcon(self._drawn_icon())
        self.menu.redraw()

    def _drawn_icon(self) -> QIcon:
        shape = self._state.shape if self._state else Shape.STOPPED
        progress = self._state.progress if self._state else None
        icon = state_icon(shape, panel_colour(), progress)
        if sys.platform == "darwin":
            icon = QIcon(icon)
            icon.setIsMask(True)
        return icon

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        reasons = QSystemTrayIcon.ActivationReason
        # macOS opens the menu itself on a click.
        if sys.platform != "darwin" and reason in (reasons.Trigger, reasons.DoubleClick):
            self._commands.show_window()


class TrayMenu:
    """The menu; models that come and go change it, what stays is not rebuilt."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._models: dict[str, ModelMenu] = {}
        self._here: list[str] = []
        self._there: list[str] = []
        self._state: TrayState | None = None
        self.menu = QMenu()
        self.status = self._add(tr("Starting…"))
        self.status.setEnabled(False)
        self.menu.addSeparator()
        self.more = QMenu(tr("More models"), self.menu)
        self._more_action = self.menu.addMenu(self.more)
        self._more_action.setVisible(False)
        self.menu.addSeparator()
        self.unload_all = self._add(tr("Unload all"), commands.unload_all)
        self.unload_all.setEnabled(False)
        self.menu.addSeparator()
        self.copy_address = self._add(tr("Copy API address"), commands.copy_address)
        self.open_window = self._add(tr("Open qmdesk"), commands.show_window)
        self.settings = self._add(tr("Settings…"), commands.show_settings)
        self.quit = self._add(tr("Quit"), commands.quit)

    def show_state(self, state: TrayState) -> None:
        """Bring texts, entries and what can be chosen up to date."""
        before, self._state = self._state, state
        if before is None or _drawn(before) != _drawn(state):
            self._draw_status()
        _set_text(self.status, state.line)
        _set_enabled(self.unload_all, state.can_unload_all)
        ids = [each.id for each in state.models]
        for gone in self._models.keys() - set(ids):
            self._remove(gone)
        for view in state.models:
            if view.id not in self._models:
                self._models[view.id] = ModelMenu(view.id, self._commands, self.menu)
            self._models[view.id].show_view(view)
        # One more fits than a submenu with a single entry would save.
        first = ids if len(ids) <= FIRST else ids[:FIRST]
        _arrange(self.menu, self._here, first, self._actions(), self._more_action)
        _arrange(self.more, self._there, ids[len(first) :], self._actions(), None)
        self._more_action.setVisible(len(ids) > len(first))

    def show_stopping(self, line: str) -> None:
        """Leave nothing to choose but Quit."""
        self.status.setText(line)
        for model in self._models.values():
            model.menu.setEnabled(False)
        for action in (self.unload_all, self.copy_address, self.open_window, self.settings):
            action.setEnabled(False)
        self.more.setEnabled(False)
        self.quit.setText(tr("Quit now"))

    def redraw(self) -> None:
        """Draw the state icons in the colours of the present scheme."""
        self._draw_status()
        for model in self._models.values():
            model.redraw()

    def model(self, id: str) -> ModelMenu | None:
        return self._models.get(id)

    def close_menu(self) -> None:
        self.menu.hide()

    def _actions(self) -> dict[str, QAction]:
        return {id: each.menu.menuAction() for id, each in self._models.items()}

    def _draw_status(self) -> None:
        if self._state is not None:
            self.status.setIcon(coloured_icon(self._state.shape, self._state.progress))

    def _remove(self, id: str) -> None:
        model = self._models.pop(id)
        action = model.menu.menuAction()
        for menu, shown in ((self.menu, self._here), (self.more, self._there)):
            if id in shown:
                shown.remove(id)
                menu.removeAction(action)
        model.menu.deleteLater()

    def _add(self, text: str, slot: Callable[[], None] | None = None) -> QAction:
        action = QAction(text, self.menu)
        if slot is not None:
            # `triggered` brings a flag that the slot does not take.
            action.triggered.connect(lambda _=False: slot())
        self.menu.addAction(action)
        return action


class ModelMenu:
    """One model's submenu."""

    def __init__(self, id: str, commands: Commands, parent: QMenu) -> None:
        self._id = id
        self._view: ModelView | None = None
        self.menu = QMenu(parent)
        self.start = self._add(tr("Start"), commands.start)
        self.unload = self._add(tr("Unload"), commands.unload)
        self.restart = self._add(tr("Restart"), commands.restart)
        self.menu.addSeparator()
        self.copy_name = self._add(tr("Copy model name"), commands.copy)
        self.show_log = self._add(tr("Show log"), commands.show_log)

    def show_view(self, view: ModelView) -> None:
        before, self._view = self._view, view
        if before == view:
            return
        if before is None or before.label != view.label:
            # An ampersand in a name is not a mnemonic.
            self.menu.setTitle(view.label.replace("&", "&&"))
        if before is None or _drawn(before) != _drawn(view):
            self.redraw()
        _set_enabled(self.start, view.can_start)
        _set_enabled(self.unload, view.can_unload)
        _set_enabled(self.restart, view.can_restart)

    def redraw(self) -> None:
        if self._view is not None:
            self.menu.setIcon(coloured_icon(self._view.shape, self._view.progress))

    def _add(self, text: str, slot: Callable[[str], None]) -> QAction:
        action = QAction(text, self.menu)
        action.triggered.connect(lambda: slot(self._id))
        self.menu.addAction(action)
        return action


def _drawn(view: TrayState | ModelView) -> tuple[Shape, int | None]:
    return view.shape, step(view.progress)


def _set_text(action: QAction, text: str) -> None:
    # Each change travels to a menu on D-Bus, even one to the same text.
    text = text.replace("&", "&&")
    if action.text() != text:
        action.setText(text)


def _set_enabled(action: QAction, enabled: bool) -> None:
    if action.isEnabled() != enabled:
        action.setEnabled(enabled)


def _arrange(
    menu: QMenu,
    shown: list[str],
    wanted: list[str],
    actions: dict[str, QAction],
    end: QAction | None,
) -> None:
    """Make ``menu`` show ``wanted`` before ``end``, moving as little as possible."""
    for id in [each for each in shown if each not in wanted]:
        shown.remove(id)
        menu.removeAction(actions[id])
    for at, id in enumerate(wanted):
        if at < len(shown) and shown[at] == id:
            continue
        if id in shown:
            shown.remove(id)
            menu.removeAction(actions[id])
        before = actions[shown[at]] if at < len(shown) else end
        if before is None:
            menu.addAction(actions[id])
        else:
            menu.insertAction(before, actions[id])
        shown.insert(at, id)
