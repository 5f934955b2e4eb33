"""The keys that undo and redo, wherever the focus is: they are the whole text's."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeySequence


def undo_of(event: QEvent) -> bool | None:
    """True where ``event`` is the keys for undo, False for redo; None: it is neither."""
    if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
        return None
    keys = QKeySequence.StandardKey
    for sequence, undo in ((keys.Undo, True), (keys.Redo, False)):
        if event.matches(sequence):  # type: ignore[attr-defined]
            return undo
    return None
