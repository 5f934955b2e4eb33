"""The submenu that frees the card: for a time, until a program ends, or until resumed."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.menu_entry import entry, make_readable, set_text, set_visible
from qmdesk.desktop.words import plural, tr

MINUTES = (30, 120)
PROGRAMS = 5
"""Programs that are offered."""


class PauseMenu:
    """Its entries are made once; whoever opens it has the programs looked up."""

    def __init__(self, commands: Commands, parent: QMenu | None = None) -> None:
        self.menu = QMenu(tr("Free the card"), parent)
        self._programs: tuple[str, ...] = ()
        for minutes in MINUTES:
            entry(self.menu, _time(minutes), partial(commands.pause, minutes))
        entry(self.menu, tr("Until I resume"), commands.pause)
        self._line = self.menu.addSeparator()
        self._entries = [
            entry(self.menu, "", partial(self._choose, commands, at)) for at in range(PROGRAMS)
        ]
        self._show(())
        make_readable(self.menu)
        commands.programs_found.connect(self._show)

    def _show(self, programs: tuple[str, ...]) -> None:
        self._programs = programs[:PROGRAMS]
        for at, action in enumerate(self._entries):
            if at < len(self._programs):
                set_text(action, tr("Until {program} ends", program=self._programs[at]))
            set_visible(action, at < len(self._programs))
        set_visible(self._line, bool(self._programs))

    def _choose(self, commands: Commands, at: int) -> None:
        if at < len(self._programs):
            commands.pause_until(self._programs[at])


def _time(minutes: int) -> str:
    if minutes % 60:
        return tr("{n} minutes", n=minutes)
    return plural(minutes // 60, "1 hour", "{n} hours")
