"""The page that says what to enter in a front end, and tries it out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.button import button
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.connect_text import HIDDEN, Place
from qmdesk.desktop.guides_view import GuidesView
from qmdesk.desktop.label import say, sentence
from qmdesk.desktop.trial import Trial, TrialFailed, ask
from qmdesk.desktop.words import tr
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance


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
        self._models: list[str] = []
        self._trial: asyncio.Task[None] | None = None

        self.model = QComboBox()
        self.model.setAccessibleName(tr("Model"))
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.setMinimumContentsLength(28)
        self.test = button(tr("&Test"), self._on_test)
        self.test.setToolTip(tr("Ask the model a real question through the gateway"))
        self.key = QLabel()
        self.copy_key = button(tr("Copy &key"), self._on_copy_key)
        self.guides = GuidesView(commands)
        self.answer = sentence()
        self.timing = sentence()
        self._lay_out()
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
        self.guides.show_place(place)
        self.key.setText(HIDDEN if place.key else tr("no key is asked for"))
        self.copy_key.setEnabled(bool(place.key))
        self.test.setEnabled(bool(place.base and place.model) and self._trial is None)

    def _on_copy_key(self) -> None:
        self._commands.copy(self.place().key)

    def _on_test(self) -> None:
        place = self.place()
        say(self.timing, "")
        self.answer.setText(tr("Asking {model}…", model=place.model))
        self._trial = spawn(self._try(place), "test of a model")
        self.test.setEnabled(False)

    async def _try(self, place: Place) -> None:
        try:
            trial: Trial = await asyncio.to_thread(
                ask, place.base, place.key, place.model, self._instance.config.certificate
            )
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
        layout.addWidget(self.guides, 1)
        say(self.timing, "")
        self.answer.setText(tr("Test asks the chosen model a real question through the address."))
