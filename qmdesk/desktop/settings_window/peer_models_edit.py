"""The models of a peer: those that it lists itself, or these."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QVBoxLayout, QWidget

from qmdesk.desktop.settings_window.field import AUTO
from qmdesk.desktop.words import tr


class PeerModelsEdit(QWidget):
    """A box for all models that the peer lists, and lines for some of them."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(tr("All that it lists itself"))
        self.lines = QPlainTextEdit()
        self.lines.setTabChangesFocus(True)
        self.lines.setPlaceholderText(tr("one name a line"))
        self.setFocusProxy(self.box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.box)
        column.addWidget(self.lines)
        self.box.toggled.connect(self._show_lines)
        self.box.clicked.connect(self.edited)
        self.lines.textChanged.connect(self.edited)

    def text(self) -> str:
        """``AUTO``, or the names, one a line."""
        return AUTO if self.box.isChecked() else self.lines.toPlainText()

    def put(self, text: str) -> None:
        """Show ``text``, as ``text()`` has it; names stay below ``AUTO`` for a change of mind."""
        auto = text.strip().lower() == AUTO
        with QSignalBlocker(self), QSignalBlocker(self.lines):
            self.box.setChecked(auto)
            if not auto:
                self.lines.setPlainText(text)
        self._show_lines(auto)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.lines.setAccessibleName(name)

    def _show_lines(self, auto: bool) -> None:
        self.lines.setVisible(not auto)
