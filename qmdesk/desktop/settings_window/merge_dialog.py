"""The places that both sides changed, each in its own way: whose is kept?"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QGroupBox,
    QLabel,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config.three_way import Clash, Conflict
from qmdesk.desktop.settings_window.yaml_pane import fixed_font
from qmdesk.desktop.words import tr


class MergeDialog(QDialog):
    """Shows each place with both versions beside each other; mine is chosen at first."""

    def __init__(self, conflict: Conflict, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Both sides changed the same place"))
        self._theirs: dict[Clash, QRadioButton] = {}
        note = QLabel(
            tr(
                "The file was changed by another program in places that you have changed too. "
                "Choose for each; everything else is merged."
            )
        )
        note.setWordWrap(True)
        inner = QWidget()
        column = QVBoxLayout(inner)
        for clash in conflict.clashes:
            column.addWidget(self._made_choice(clash))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        buttons = QDialogButtonBox()
        self.merge = buttons.addButton(tr("&Merge"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(note)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * 110, metrics.lineSpacing() * 26)

    def choices(self) -> dict[Clash, str]:
        """The text that was chosen for each place."""
        return {
            clash: clash.theirs if theirs.isChecked() else clash.mine
            for clash, theirs in self._theirs.items()
        }

    def choose_theirs(self, clash: Clash) -> None:
        """Choose what the file says at ``clash``."""
        self._theirs[clash].setChecked(True)

    def _made_choice(self, clash: Clash) -> QWidget:
        box = QGroupBox(tr("At line {n}", n=clash.line))
        grid = QGridLayout(box)
        group = QButtonGroup(box)
        for column, (words, text) in enumerate(
            ((tr("Mine"), clash.mine), (tr("In the file"), clash.theirs))
        ):
            button = QRadioButton(words)
            group.addButton(button)
            grid.addWidget(button, 0, column)
            shown = QLabel(text.rstrip("\n") or tr("(nothing)"))
            shown.setTextFormat(Qt.TextFormat.PlainText)
            shown.setFont(fixed_font())
            shown.setWordWrap(True)
            shown.setAlignment(Qt.AlignmentFlag.AlignTop)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(shown, 1, column)
            grid.setColumnStretch(column, 1)
            if column:
                self._theirs[clash] = button
            else:
                button.setChecked(True)
        return box
