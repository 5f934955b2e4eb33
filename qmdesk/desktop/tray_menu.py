"""The tray's menu: built once, updated in place."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.icon import coloured_icon, step
from qmdesk.desktop.menu_entry import (
    entry,
    make_readable,
    set_checked,
    set_enabled,
    set_text,
    set_visible,
    switch,
)
from qmdesk.desktop.model_menu import ModelMenu
from qmdesk.desktop.pause_menu import PauseMenu
from qmdesk.desktop.profile_menu import ProfileMenu
from qmdesk.desktop.tray_state import ModelView, TrayState
from qmdesk.desktop.words import tr

AT_ONCE = 4
"""Submenus that are made in one turn of the loop."""


class TrayMenu:
    """Models that come and go change it; what stays is not rebuilt, nor moved while open."""

    def __init__(self, commands: Commands, menu: QMenu) -> None:
        """Takes the place of what ``menu`` has shown before."""
        self._commands = commands
        self._models: dict[str, ModelMenu] = {}
        self._here: list[str] = []
        self._there: list[str] = []
        self._placed: set[str] = set()
        """All models of the last state."""
        self._state: TrayState | None = None
        menu.clear()
        self.menu = menu
        self.status = entry(self.menu, tr("Starting…"))
        self.status.setEnabled(False)
        self.menu.addSeparator()
        self.more = QMenu(tr("More models"), self.menu)
        self._more_action = self.menu.addMenu(self.more)
        self._more_action.setVisible(False)
        self.menu.addSeparator()
        self.unload_all = entry(self.menu, tr("Unload all"), commands.unload_all)
        self.unload_all.setEnabled(False)
        self.resume = entry(self.menu, tr("Resume"), commands.resume)
        self.resume.setVisible(False)
        self.pause = PauseMenu(commands, self.menu)
        self.menu.addMenu(self.pause.menu)
        self.profiles = ProfileMenu(commands, self.menu)
        self.menu.addMenu(self.profiles.menu)
        self.menu.addSeparator()
        self.copy_address = entry(self.menu, tr("Copy API address"), commands.copy_address)
        self.open_window = entry(self.menu, tr("Open qmdesk"), commands.show_window)
        self.settings = entry(self.menu, tr("Settings…"), commands.show_settings)
        self.login = switch(self.menu, tr("Start at login"), commands.start_at_login)
        self.quit = entry(self.menu, tr("Quit"), commands.quit)
        self._rest = QTimer(self.menu, singleShot=True, interval=0)
        self._rest.timeout.connect(self._make_some)
        make_readable(self.menu)
        commands.login_known.connect(lambda on: set_checked(self.login, on))
        self.menu.aboutToShow.connect(self._on_open)
        self.menu.aboutToHide.connect(self._on_closed)

    def show_state(self, state: TrayState) -> None:
        """Bring texts, entries and what can be chosen up to date."""
        before, self._state = self._state, state
        if before is None or _drawn(before) != _drawn(state):
            self._draw_status()
        set_text(self.status, state.line)
        set_enabled(self.unload_all, state.can_unload_all)
        set_visible(self.resume, state.paused)
        ids = [each.id for each in state.models]
        for gone in self._models.keys() - set(ids):
            self._remove(gone)
        first = set(state.first)
        for view in state.models:
            if view.id in self._models:
                self._models[view.id].show_view(view)
            elif view.id in first:
                self._make(view)
        self._place(state)
        if len(self._models) < len(ids):
            self._rest.start()

    def _make(self, view: ModelView) -> None:
        model = self._models[view.id] = ModelMenu(view.id, self._commands, self.menu)
        model.show_view(view)

    def _make_some(self) -> None:
        """Make some of the submenus that are not in sight yet: all at once would take long."""
        state = self._state
        if state is None:
            return
        missing = [view for view in state.models if view.id not in self._models]
        for view in missing[:AT_ONCE]:
            self._make(view)
        self._place(state)
        if len(missing) > AT_ONCE:
            self._rest.start()

    def show_stopping(self, line: str) -> None:
        """Leave nothing to choose but Quit."""
        self._rest.stop()
        self.status.setText(line)
        for model in self._models.values():
            model.menu.setEnabled(False)
        self.pause.menu.setEnabled(False)
        self.profiles.menu.setEnabled(False)
        for action in (
            self.unload_all,
            self.resume,
            self.copy_address,
            self.open_window,
            self.settings,
            self.login,
        ):
            action.setEnabled(False)
        self.more.setEnabled(False)
        self.quit.setText(tr("Quit now"))

    def redraw(self) -> None:
        """Draw in the colours of the present scheme."""
        for menu in (self.menu, self.more, self.pause.menu, self.profiles.menu):
            make_readable(menu)
        self._draw_status()
        for model in self._models.values():
            model.redraw()

    def model(self, id: str) -> ModelMenu | None:
        return self._models.get(id)

    def close_menu(self) -> None:
        self._rest.stop()
        self.menu.hide()

    def _on_open(self) -> None:
        # Looked up each time: the user may have changed it elsewhere.
        self._commands.look_for_login()
        self._commands.look_for_programs()

    def _on_closed(self) -> None:
        if self._state is not None:
            self._place(self._state, closing=True)

    def _place(self, state: TrayState, *, closing: bool = False) -> None:
        """Put the models where they belong; those that are there stay put in an open menu."""
        first = list(state.first)
        ids = [each.id for each in state.models]
        if self.menu.isVisible() and not closing:
            here = set(self._here)
            kept = [id for id in ids if id in here]
            first = kept + [id for id in first if id not in self._placed]
        self._placed = set(ids)
        chosen = set(first)
        rest = [id for id in ids if id not in chosen and id in self._models]
        set_visible(self._more_action, len(ids) > len(first))
        if (first, rest) == (self._here, self._there):
            return
        actions = {id: each.menu.menuAction() for id, each in self._models.items()}
        _arrange(self.menu, self._here, first, actions, self._more_action)
        _arrange(self.more, self._there, rest, actions, None)

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


def _drawn(state: TrayState) -> tuple[str, int | None]:
    return state.shape, step(state.progress)


def _arrange(
    menu: QMenu,
    shown: list[str],
    wanted: list[str],
    actions: dict[str, QAction],
    end: QAction | None,
) -> None:
    """Make ``menu`` show ``wanted`` before ``end``, moving as little as possible."""
    if shown == wanted:
        return
    staying = set(wanted)
    for id in [each for each in shown if each not in staying]:
        shown.remove(id)
        menu.removeAction(actions[id])
    there = set(shown)
    for at, id in enumerate(wanted):
        if at < len(shown) and shown[at] == id:
            continue
        if id in there:
            shown.remove(id)
            menu.removeAction(actions[id])
        before = actions[shown[at]] if at < len(shown) else end
        if before is None:
            menu.addAction(actions[id])
        else:
            menu.insertAction(before, actions[id])
        shown.insert(at, id)
