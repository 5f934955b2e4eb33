"""The assistant's window: four steps, each of which may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from qmdesk.desktop.assistant import DONE
from qmdesk.desktop.assistant.answer_page import AnswerPage
from qmdesk.desktop.assistant.connect_page import ConnectPage
from qmdesk.desktop.assistant.models_page import ModelsPage
from qmdesk.desktop.assistant.server_page import ServerPage
from qmdesk.desktop.assistant.setup import Setup
from qmdesk.desktop.button import button
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.label import heading, say, sentence
from qmdesk.desktop.page_stack import PageStack
from qmdesk.desktop.settings import settings
from qmdesk.desktop.words import plural, tr
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

SERVER, MODELS, CONNECT, ANSWER = range(4)


class AssistantWindow(QWidget):
    """Closing it at any step is fine: it is not offered again, but the menu has it."""

    closed = Signal()

    def __init__(self, instance: Instance, commands: Commands) -> None:
        super().__init__()
        self.setWindowTitle(tr("Set up qmdesk"))
        self._ended = False
        self._saving = False
        self._refresh = QTimer(self, singleShot=True, interval=0)
        self._refresh.timeout.connect(self.refresh)
        self.setup = Setup(instance, self._on_changed)
        self.pages = PageStack(
            (
                lambda: ServerPage(self.setup),
                lambda: ModelsPage(self.setup),
                lambda: ConnectPage(instance, commands, self.setup),
                lambda: AnswerPage(commands, self.setup),
            )
        )
        self.title = heading()
        self.step = sentence()
        self.leave = button(tr("Close"), self.close)
        self.back = button(tr("< &Back"), lambda: self._turn_to(self.at - 1))
        self.skip = button(tr("S&kip this step"), lambda: self._turn_to(self.at + 1))
        self.next = QPushButton()
        self.next.setDefault(True)
        self.next.clicked.connect(self._on_next)
        self._lay_out()
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)
        self._turn_to(SERVER)
        spawn(self.setup.look(), "assistant's first look")

    @property
    def at(self) -> int:
        """The number of the step that is seen."""
        return self.pages.currentIndex()

    @property
    def server(self) -> ServerPage:
        return cast("ServerPage", self.pages.page(SERVER))

    @property
    def models(self) -> ModelsPage:
        return cast("ModelsPage", self.pages.page(MODELS))

    @property
    def connect_page(self) -> ConnectPage:
        return cast("ConnectPage", self.pages.page(CONNECT))

    @property
    def answer(self) -> AnswerPage:
        return cast("AnswerPage", self.pages.page(ANSWER))

    def present(self) -> None:
        """Show it before all others, as far as the desktop lets us."""
        self.show()
        self.raise_()
        self.activateWindow()

    def refresh(self) -> None:
        """Show what is known now on the step that is seen."""
        if self._ended:
            return
        at = self.at
        pages = (
            lambda: self.server,
            lambda: self.models,
            lambda: self.connect_page,
            lambda: self.answer,
        )
        pages[at]().refresh()
        say(self.title, _title(at))
        say(self.step, tr("Step {n} of {of}", n=at + 1, of=ANSWER + 1))
        self.back.setEnabled(at > SERVER)
        self.skip.setVisible(at < ANSWER)
        # A save under way goes to the next step by itself.
        for each in (self.next, self.skip):
            each.setEnabled(not self._saving)
        words = self._next_words()
        if self.next.text() != words:
            self.next.setText(words)

    def stop(self) -> None:
        """Look at nothing any more; a download under way is given up."""
        self._ended = True
        self._refresh.stop()
        self.setup.download.cancel()
        if self.pages.is_made(ANSWER):
            self.answer.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        settings().setValue(DONE, "yes")
        self.stop()
        event.accept()
        self.closed.emit()

    def _on_changed(self) -> None:
        if not self._ended:
            self._refresh.start()

    def _next_words(self) -> str:
        if self.at == ANSWER:
            return tr("&Finish")
        if self.at == MODELS and (count := len(self.setup.chosen)):
            return plural(count, "Add 1 model and go &on", "Add {n} models and go &on")
        return tr("&Next >")

    def _on_next(self) -> None:
        if self.at == ANSWER:
            self.close()
        elif self.at == MODELS:
            spawn(self._save(), "assistant's models")
        else:
            self._turn_to(self.at + 1)

    async def _save(self) -> None:
        self._saving = True
        self.refresh()
        try:
            saved = await self.setup.save()
        finally:
            self._saving = False
            self.refresh()
        if saved and self.at == MODELS and not self._ended:
            self._turn_to(CONNECT)

    def _turn_to(self, at: int) -> None:
        self.pages.turn_to(min(max(SERVER, at), ANSWER))
        self.refresh()
        self.next.setFocus()

    def _lay_out(self) -> None:
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        self.title.setFont(font)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.leave)
        row.addStretch(1)
        for each in (self.back, self.skip, self.next):
            row.addWidget(each)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self.step)
        layout.addWidget(self.title)
        layout.addWidget(self.pages, 1)
        layout.addLayout(row)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * 110, metrics.lineSpacing() * 30)


def _title(at: int) -> str:
    return (
        tr("The server"),
        tr("The models"),
        tr("The address"),
        tr("A first answer"),
    )[at]
