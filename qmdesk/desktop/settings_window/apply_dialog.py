"""What "Apply" is about to do, to be agreed to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QVBoxLayout, QWidget

from qmdesk.desktop.reasons import told
from qmdesk.desktop.words import plural, tr


class ApplyDialog(QDialog):
    """Lists the changes and what they mean for the models that run."""

    def __init__(
        self, changes: Sequence[str], running: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Apply the changes"))
        self.changes = QListWidget()
        self.changes.setAccessibleName(tr("Changes"))
        self.changes.setWordWrap(True)
        self.changes.setTextElideMode(Qt.TextElideMode.ElideNone)
        if changes:
            heading = plural(len(changes), "1 change takes effect:", "{n} changes take effect:")
            self.changes.addItems([told(each) for each in changes])
        else:
            heading = tr("Nothing changes for requests; only the text of the file is another.")
            self.changes.hide()
        self.running = QLabel("\n".join(running))
        self.running.setWordWrap(True)
        self.running.setVisible(bool(running))
        buttons = QDialogButtonBox()
        self.apply = buttons.addButton(tr("&Apply"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.apply.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(QLabel(heading))
        layout.addWidget(self.changes, 1)
        layout.addWidget(self.running)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        rows = min(max(len(changes), 2), 10)
        self.resize(metrics.averageCharWidth() * 80, metrics.lineSpacing() * (rows + 9))
