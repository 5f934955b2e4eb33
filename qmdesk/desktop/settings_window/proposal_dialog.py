"""A model that is about to be added, to be looked over first."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.settings_window.arguments_edit import ArgumentsEdit
from qmdesk.desktop.settings_window.command_lines import as_lines, from_lines
from qmdesk.desktop.settings_window.help_shelf import HelpShelf
from qmdesk.desktop.settings_window.program_help import asked_program
from qmdesk.desktop.settings_window.proposal import Proposal
from qmdesk.desktop.words import tr


class ProposalDialog(QDialog):
    """Lets the name and the command be changed before the model is added."""

    def __init__(
        self,
        proposal: Proposal,
        taken: Collection[str],
        shelf: HelpShelf,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add a model"))
        self._taken = frozenset(taken)
        self._proposed = proposal
        self.id = QLineEdit(proposal.id)
        self.command = ArgumentsEdit()
        self.command.put(as_lines(proposal.cmd))
        self.command.setAccessibleName(tr("Command"))
        self.note = QLabel(proposal.note)
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setVisible(bool(proposal.note))
        self.wrong = QLabel()
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        file = QLabel(str(proposal.file))
        file.setWordWrap(True)
        file.setTextFormat(Qt.TextFormat.PlainText)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(tr("File"), file)
        form.addRow(tr("&Name"), self.id)
        form.addRow(tr("&Command"), self.command)
        buttons = QDialogButtonBox()
        self.add = buttons.addButton(tr("&Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form, 1)
        layout.addWidget(self.note)
        layout.addWidget(self.wrong)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * 80, metrics.lineSpacing() * 18)
        self.id.textChanged.connect(lambda _: self._check())
        self._check()
        self._shelf = shelf
        shelf.changed.connect(self._on_help)
        self._on_help()

    @property
    def name(self) -> str:
        """The model's id, as it was agreed to."""
        return self.id.text().strip()

    @property
    def cmd(self) -> str:
        """The command, as it was agreed to."""
        written = from_lines(self.command.toPlainText(), self._proposed.cmd)
        return written if isinstance(written, str) else " ".join(written)

    def _on_help(self) -> None:
        self.command.set_help(self._shelf.help(asked_program(self._proposed.cmd)))

    def _check(self) -> None:
        text = ""
        if not self.name:
            text = tr("A model needs a name.")
        elif self.name in self._taken:
            text = tr("There is a model {name} already; choose another name.", name=self.name)
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))
        self.add.setEnabled(not text)
