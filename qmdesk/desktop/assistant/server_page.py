"""The assistant's first step: which program serves the models."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.assistant.setup import Setup
from qmdesk.desktop.button import button
from qmdesk.desktop.label import say, sentence
from qmdesk.desktop.words import tr
from qmdesk.tasks import spawn


class ServerPage(QWidget):
    """The servers that were found, of which one is chosen."""

    def __init__(self, setup: Setup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._shown: tuple[object, ...] = ()
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Servers"))
        self.list.setSpacing(3)
        self.list.setWordWrap(True)
        self.choose = button(tr("Choose a &file…"), self._choose)
        self.note = sentence()
        row = QHBoxLayout()
        row.addWidget(self.choose)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(
            sentence(
                tr(
                    "qmdesk starts a server for each model and stops it when its room is needed."
                    " For .gguf models that is llama-server, of llama.cpp."
                )
            )
        )
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)
        self.list.currentRowChanged.connect(self._on_row)

    def refresh(self) -> None:
        """Show what is known now."""
        setup = self._setup
        if self._shown != (setup.servers, setup.server):
            self._shown = (setup.servers, setup.server)
            with QSignalBlocker(self.list):
                self.list.clear()
                for each in setup.servers:
                    self.list.addItem(QListWidgetItem(f"{each.title}\n{each.place}"))
                if setup.server in setup.servers:
                    self.list.setCurrentRow(setup.servers.index(setup.server))
        say(self.note, self._note())

    def _note(self) -> str:
        setup = self._setup
        if setup.server_problem:
            return setup.server_problem
        if setup.servers:
            return ""
        if setup.looking:
            return tr("Looking for llama-server…")
        return tr(
            "No llama-server was found. Install one (winget install llama.cpp, brew install"
            " llama.cpp, or pip install 'qmdesk[llama]') or choose the file of yours. Models can"
            " be added without; they start once there is one."
        )

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._setup.servers):
            spawn(self._setup.choose_server(self._setup.servers[row]), "assistant's server")

    def _choose(self) -> None:
        dialog = QFileDialog(self, tr("Choose llama-server"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.choose_file)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        # Never exec(): a loop within the loop holds up every request.
        dialog.open()

    def choose_file(self, name: str) -> None:
        """Take the program of this path."""
        spawn(self._setup.choose_file(Path(name)), "assistant's server")
