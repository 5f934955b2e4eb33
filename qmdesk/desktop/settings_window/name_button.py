"""A button that offers names to be put into a field."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QToolButton, QWidget

from qmdesk.desktop.words import tr

SIGN = "+"


class NameButton(QToolButton):
    """Opens a menu of names; the chosen one goes to where the cursor of the field is."""

    def __init__(
        self,
        editor: QPlainTextEdit,
        names: Callable[[], Sequence[str]],
        *,
        pairs: bool,
        parent: QWidget | None = None,
    ) -> None:
        """``pairs``: the field has lines ``NAME: VALUE``, else a name each."""
        super().__init__(parent)
        self._editor = editor
        self._names = names
        self._pairs = pairs
        self.setText(SIGN)
        self.setToolTip(tr("Insert a name"))
        self.setAccessibleName(tr("Insert a name"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        menu.triggered.connect(lambda action: self.insert(action.data()))
        self.setMenu(menu)

    def insert(self, name: str) -> None:
        """Put ``name`` into the field, as a line of its own or behind the name of its line."""
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        line = cursor.block().text().strip()
        after = f"{name}: " if self._pairs else name
        if not line:
            cursor.insertText(after)
        elif self._pairs and line.endswith(":"):
            cursor.insertText(name if cursor.block().text().endswith(" ") else f" {name}")
        else:
            cursor.insertText(f"\n{after}")
        self._editor.setTextCursor(cursor)
        self._editor.setFocus()

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for name in self._names():
            menu.addAction(name.replace("&", "&&")).setData(name)
        if menu.isEmpty():
            menu.addAction(tr("No models yet.")).setEnabled(False)
