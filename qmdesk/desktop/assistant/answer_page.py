"""The assistant's last step: a real answer from a real model."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.assistant.setup import Setup
from qmdesk.desktop.button import button
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.label import heading, say, sentence
from qmdesk.desktop.trial import QUESTION
from qmdesk.desktop.words import tr
from qmdesk.tasks import spawn

LOOK = 250
"""Milliseconds between two looks while a model loads or answers."""


class AnswerPage(QWidget):
    """Asks one question, with the load's progress; where that fails, says what to do."""

    def __init__(self, commands: Commands, setup: Setup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._setup = setup
        self._models: tuple[str, ...] = ()
        self.model = QComboBox()
        self.model.setAccessibleName(tr("Model"))
        self.model.setMinimumContentsLength(24)
        self.ask = button(tr("&Ask"), self._ask)
        self.progress = QProgressBar()
        self.progress.setAccessibleName(tr("Progress of the load"))
        self.progress.setTextVisible(False)
        self.line = sentence()
        self.answer = heading()
        self.timing = sentence()
        self.last_words = QPlainTextEdit()
        self.last_words.setReadOnly(True)
        self.last_words.setTabChangesFocus(True)
        self.last_words.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.last_words.setAccessibleName(tr("Last lines of the server's log"))
        self.advice = sentence()
        self.open_log = button(tr("Open &log"), self._open_log)
        self.open_settings = button(tr("Open &settings"), commands.show_settings)
        self._look = QTimer(self, interval=LOOK)
        self._look.timeout.connect(self._show_waiting)
        self._lay_out()

    def refresh(self) -> None:
        """Show what is known now."""
        setup = self._setup
        if self._models != setup.models:
            self._models = setup.models
            chosen = self.model.currentText()
            with QSignalBlocker(self.model):
                self.model.clear()
                self.model.addItems(list(self._models))
                at = self._models.index(chosen) if chosen in self._models else 0
                self.model.setCurrentIndex(at if self._models else -1)
        asking = bool(setup.asking)
        self.ask.setEnabled(bool(self._models) and not asking)
        self.model.setEnabled(not asking)
        if asking and not self._look.isActive():
            self._look.start()
        if not asking:
            self._look.stop()
            self.progress.hide()
        answer = setup.answer
        failed = answer is not None and answer.trial is None
        say(self.answer, answer.text if answer else "")
        say(self.timing, answer.trial.timing if answer and answer.trial else "")
        self.last_words.setVisible(bool(failed and answer and answer.last_words))
        if answer is not None:
            self.last_words.setPlainText(answer.last_words)
        for each in (self.open_log, self.open_settings):
            each.setVisible(failed)
        say(self.advice, self._advice(failed=failed))
        self._show_waiting()

    def stop(self) -> None:
        """Look no more."""
        self._look.stop()

    def _advice(self, *, failed: bool) -> str:
        if failed:
            return tr(
                "Its log says more. The command can be changed in the settings; another server or"
                " another model can be chosen with Back."
            )
        if self._setup.answer is not None:
            return tr("That is all: front ends get their answers the same way.")
        return ""

    def _show_waiting(self) -> None:
        if self._setup.asking:
            line, share = self._setup.waiting
            self.progress.setRange(0, 0 if share is None else 1000)
            if share is not None:
                self.progress.setValue(round(share * 1000))
            self.progress.show()
            say(self.line, line)
        elif not self._models:
            say(self.line, tr("There is no model to ask yet. Go back to add one."))
        elif self._setup.answer is None:
            say(self.line, tr("The question is: {question}", question=QUESTION))
        else:
            say(self.line, "")

    def _ask(self) -> None:
        spawn(self._setup.ask(self.model.currentText()), "assistant's question")

    def _open_log(self) -> None:
        if self._setup.answer is not None:
            self._commands.show_log(self._setup.answer.model)

    def _lay_out(self) -> None:
        label = QLabel(tr("&Model"))
        label.setBuddy(self.model)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(label)
        top.addWidget(self.model)
        top.addWidget(self.ask)
        top.addStretch(1)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.open_log)
        below.addWidget(self.open_settings)
        below.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(
            sentence(
                tr(
                    "The question goes through the gateway, as a front end's would: the model is"
                    " loaded for it."
                )
            )
        )
        layout.addLayout(top)
        layout.addWidget(self.line)
        layout.addWidget(self.progress)
        layout.addWidget(self.answer)
        layout.addWidget(self.timing)
        layout.addWidget(self.last_words, 1)
        layout.addWidget(self.advice)
        layout.addLayout(below)
        layout.addStretch()
