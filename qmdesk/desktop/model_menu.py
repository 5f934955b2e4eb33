"""One model's submenu in the tray."""

from __future__ import annotations

from collections.abc import Callable

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
    switch,
)
from qmdesk.desktop.tray_state import ModelView
from qmdesk.desktop.words import tr


class ModelMenu:
    """What can be done with one model, and what it does; updated in place."""

    def __init__(self, id: str, commands: Commands, parent: QMenu) -> None:
        self._id = id
        self._view: ModelView | None = None
        self.menu = QMenu(parent)
        self.start = self._add(tr("Start"), commands.start)
        self.unload = self._add(tr("Unload"), commands.unload)
        self.restart = self._add(tr("Restart"), commands.restart)
        self.pin = switch(self.menu, tr("Pin"), lambda on: commands.pin(id, on))
        self.pin.setToolTip(tr("Other models do not evict it"))
        self.menu.addSeparator()
        self.copy_name = self._add(tr("Copy model name"), commands.copy)
        self.show_log = self._add(tr("Show log"), commands.show_log)
        self.open_page = self._add(tr("Open its page"), commands.open_page)
        self.menu.addSeparator()
        self.detail = entry(self.menu, "")
        self.detail.setEnabled(False)
        make_readable(self.menu)

    def show_view(self, view: ModelView) -> None:
        """Bring texts, icon and what can be chosen up to date."""
        before, self._view = self._view, view
        # Before all else: the click itself has moved the tick.
        set_checked(self.pin, view.pinned)
        if before == view:
            return
        set_text(self.menu.menuAction(), view.label)
        if before is None or _drawn(before) != _drawn(view):
            self._draw(view)
        set_text(self.detail, view.detail)
        set_enabled(self.start, view.can_start)
        set_enabled(self.unload, view.can_unload)
        set_enabled(self.restart, view.can_restart)
        set_enabled(self.pin, view.can_pin)
        set_enabled(self.open_page, view.can_open)

    def redraw(self) -> None:
        """Draw in the colours of the present scheme."""
        make_readable(self.menu)
        if self._view is not None:
            self._draw(self._view)

    def _draw(self, view: ModelView) -> None:
        self.menu.setIcon(coloured_icon(view.shape, view.progress))

    def _add(self, text: str, slot: Callable[[str], None]) -> QAction:
        return entry(self.menu, text, lambda: slot(self._id))


def _drawn(view: ModelView) -> tuple[str, int | None]:
    return view.shape, step(view.progress)
