"""The submenu of profiles: one of them is on, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.menu_entry import make_readable, set_checked, set_text, set_visible, switch
from qmdesk.desktop.words import tr


class ProfileMenu:
    """Seen only where the configuration has profiles; entries are made anew with their names."""

    def __init__(self, commands: Commands, parent: QMenu) -> None:
        self._commands = commands
        self._names: tuple[str, ...] | None = None
        self._actions: dict[str | None, QAction] = {}
        self.menu = QMenu(tr("Profile"), parent)
        set_visible(self.menu.menuAction(), False)

    def show_profiles(self, names: Sequence[str], active: str | None) -> None:
        """Offer the profiles called ``names``; ``active`` is on."""
        if self._names != tuple(names):
            self._names = tuple(names)
            self.menu.clear()
            self._actions = {None: switch(self.menu, tr("None"), self._chosen(None))}
            self.menu.addSeparator()
            for name in names:
                self._actions[name] = switch(self.menu, "", self._chosen(name))
                set_text(self._actions[name], name)
            set_visible(self.menu.menuAction(), bool(names))
            make_readable(self.menu)
        # Always: the click itself has moved the tick.
        for key, action in self._actions.items():
            set_checked(action, key == active)

    def _chosen(self, name: str | None) -> Callable[[bool], None]:
        return lambda _: self._commands.switch_profile(name)
