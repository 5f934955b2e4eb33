"""Front ends on the left, what to enter in the chosen one on the right."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.connect_text import HIDDEN, Guide, Place, guides
from qmdesk.desktop.label import say, sentence
from qmdesk.desktop.words import tr

COPIED = 2000
"""Milliseconds for which a button says so."""


class GuidesView(QWidget):
    """A key is copied, but never shown."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._place: Place | None = None
        self._guides: list[Guide] = []
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Front ends"))
        self.list.setSpacing(3)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps = sentence()
        self.snippet = QPlainTextEdit()
        self.snippet.setReadOnly(True)
        self.snippet.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.snippet.setAccessibleName(tr("What to enter"))
        self.snippet.setTabChangesFocus(True)
        self.snippet.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.copy = QPushButton(tr("&Copy"))
        self.copy.setAutoDefault(False)
        self._copied = QTimer(self, singleShot=True, interval=COPIED)
        self._copied.timeout.connect(lambda: self.copy.setText(tr("&Copy")))
        self._lay_out()
        self.list.currentRowChanged.connect(lambda _: self._show_guide())
        self.copy.clicked.connect(self._on_copy)

    def show_place(self, place: Place) -> None:
        """Fill all fields for ``place``."""
        if place == self._place:
            return
        self._place = place
        found = guides(place)
        at = max(0, self.list.currentRow())
        if [each.name for each in found] != [each.name for each in self._guides]:
            with QSignalBlocker(self.list):
                self.list.clear()
                self.list.addItems([each.name for each in found])
                self.list.setCurrentRow(at)
            widest = self.list.sizeHintForColumn(0)
            self.list.setFixedWidth(widest + 2 * self.list.frameWidth() + 24)
        self._guides = found
        self._show_guide()

    def _show_guide(self) -> None:
        at = self.list.currentRow()
        if self._place is None or not 0 <= at < len(self._guides):
            return
        guide, key = self._guides[at], self._place.key
        say(self.steps, guide.steps)
        text = guide.snippet.replace(key, HIDDEN) if key else guide.snippet
        if self.snippet.toPlainText() != text:
            self.snippet.setPlainText(text)

    def _on_copy(self) -> None:
        at = self.list.currentRow()
        if 0 <= at < len(self._guides):
            self._commands.copy(self._guides[at].snippet)
            self.copy.setText(tr("Copied"))
            self._copied.start()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.copy)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.steps)
        right.addWidget(self.snippet, 1)
        right.addLayout(buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.list)
        layout.addLayout(right, 1)
