"""The page that says what to enter in a front end, and tries it out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.connect_text import HIDDEN, Guide, Place, guides
from qmdesk.desktop.label import say, sentence
from qmdesk.desktop.trial import Trial, TrialFailed, ask
from qmdesk.desktop.words import tr
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

COPIED = 2000
"""Milliseconds for which a button says so."""


class ConnectPage(QWidget):
    """Front ends on the left, their fields on the right, a test below.

    A key is copied, but never shown.
    """

    def __init__(
        self, instance: Instance, commands: Commands, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._commands = commands
        self._guides: list[Guide] = []
        self._models: list[str] = []
        self._place: Place | None = None
        self._trial: asyncio.Task[None] | None = None

        self.model = QComboBox()
        self.model.setAccessibleName(tr("Model"))
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.setMinimumContentsLength(28)
        self.test = _button(tr("&Test"), self._on_test)
        self.test.setToolTip(tr("Ask the model a real question through the gateway"))
        self.key = QLabel()
        self.copy_key = _button(tr("Copy &key"), self._on_copy_key)
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
        self.copy = _button(tr("&Copy"), self._on_copy)
        self.answer = sentence()
        self.timing = sentence()
        self._copied = QTimer(self, singleShot=True, interval=COPIED)
        self._copied.timeout.connect(self._say_copy)
        self._lay_out()
        self.list.currentRowChanged.connect(lambda _: self._show_guide())
        self.model.currentIndexChanged.connect(lambda _: self._fill())
        self._fill()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Offer the models that there are, and fill in the address."""
        wanted = [each.id for each in snapshot.models if not each.unlisted]
        if wanted != self._models:
            self._models = wanted
            chosen = self.model.currentText()
            with QSignalBlocker(self.model):
                self.model.clear()
                self.model.addItems(wanted)
                self.model.setCurrentIndex(wanted.index(chosen) if chosen in wanted else 0)
        self._fill()

    def place(self) -> Place:
        """Where front ends are pointed at now."""
        base = self._commands.address().removesuffix("/v1")
        keys = self._instance.config.api_keys
        return Place(base, keys[0].key if keys else "", self.model.currentText())

    def _fill(self) -> None:
        place = self.place()
        if place != self._place:
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
        self.key.setText(HIDDEN if place.key else tr("no key is asked for"))
        self.copy_key.setEnabled(bool(place.key))
        self.test.setEnabled(bool(place.base and place.model) and self._trial is None)

    def _show_guide(self) -> None:
        at = self.list.currentRow()
        if not 0 <= at < len(self._guides):
            return
        guide = self._guides[at]
        key = self.place().key
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

    def _on_copy_key(self) -> None:
        self._commands.copy(self.place().key)

    def _say_copy(self) -> None:
        self.copy.setText(tr("&Copy"))

    def _on_test(self) -> None:
        place = self.place()
        say(self.timing, "")
        self.answer.setText(tr("Asking {model}…", model=place.model))
        self._trial = spawn(self._try(place), "test of a model")
        self.test.setEnabled(False)

    async def _try(self, place: Place) -> None:
        try:
            trial: Trial = await asyncio.to_thread(ask, place.base, place.key, place.model)
        except TrialFailed as failed:
            self.answer.setText(tr("That did not work: {reason}", reason=failed))
        else:
            self.answer.setText(trial.answer)
            say(self.timing, trial.timing)
        finally:
            self._trial = None
            self._fill()

    def _lay_out(self) -> None:
        label = QLabel(tr("&Model"))
        label.setBuddy(self.model)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(label)
        top.addWidget(self.model)
        top.addWidget(self.test)
        top.addStretch(1)
        top.addWidget(QLabel(tr("Key:")))
        top.addWidget(self.key)
        top.addWidget(self.copy_key)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.copy)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.steps)
        right.addWidget(self.snippet, 1)
        right.addLayout(buttons)
        middle = QHBoxLayout()
        middle.setSpacing(8)
        middle.addWidget(self.list)
        middle.addLayout(right, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addWidget(self.answer)
        layout.addWidget(self.timing)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Sunken)
        layout.addWidget(line)
        layout.addLayout(middle, 1)
        say(self.timing, "")
        self.answer.setText(tr("Test asks the chosen model a real question through the address."))


def _button(text: str, slot: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.clicked.connect(slot)
    return button
