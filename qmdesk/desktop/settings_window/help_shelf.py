"""The helps of programs, each read once in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from qmdesk.desktop.settings_window.program_help import Help, read_help
from qmdesk.tasks import spawn

_NONE = Help({})


class HelpShelf(QObject):
    """Gives a program's help at once where it is known, and fetches it where it is not."""

    changed = Signal()
    """Another help is known now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._helps: dict[tuple[str, ...], Help] = {}
        self._closed = False

    def help(self, program: Sequence[str]) -> Help:
        """The help of ``program``; empty where there is none, or not yet."""
        key = tuple(program)
        if key and key not in self._helps and not self._closed:
            self._helps[key] = _NONE
            spawn(self._fetch(key), f"help of {key[0]}")
        return self._helps.get(key, _NONE)

    def close(self) -> None:
        """Tell of nothing any more."""
        self._closed = True

    async def _fetch(self, program: tuple[str, ...]) -> None:
        help = await asyncio.to_thread(read_help, program)
        if not self._closed and help.flags:
            self._helps[program] = help
            self.changed.emit()
