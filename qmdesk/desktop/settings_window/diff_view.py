"""Shows a unified diff in the colours of what comes and what goes."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.settings_window.yaml_pane import fixed_font
from qmdesk.desktop.shape import Shape

MOST = 2_000
"""Lines that are shown; nobody reads more."""


class DiffView(QPlainTextEdit):
    """A text that cannot be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)

    def show_diff(self, diff: str) -> None:
        """Show ``diff``, a line that begins with ``+`` as new, with ``-`` as old."""
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for at, line in enumerate(diff.split("\n")[:MOST]):
            style = QTextCharFormat()
            style.setForeground(self._colour(line[:1]))
            cursor.insertText(f"\n{line}" if at else line, style)
        cursor.endEditBlock()
        self.verticalScrollBar().setValue(0)

    def _colour(self, mark: str) -> QColor:
        if mark in ("+", "-"):
            return state_colour(Shape.READY if mark == "+" else Shape.PROBLEM, dark=is_dark())
        role = QPalette.ColorRole.PlaceholderText if mark == "@" else QPalette.ColorRole.Text
        return self.palette().color(role)
