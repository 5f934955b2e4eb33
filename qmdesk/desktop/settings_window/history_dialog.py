"""Earlier versions of the file: what was different, and a way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config import ConfigError
from qmdesk.config.store import Version
from qmdesk.desktop.settings_window.calm import in_thread
from qmdesk.desktop.settings_window.diff_view import DiffView
from qmdesk.desktop.settings_window.differences import differences
from qmdesk.desktop.words import tr
from qmdesk.tasks import spawn


class HistoryDialog(QDialog):
    """Shows what choosing a version would change in the text that stands now."""

    chosen = Signal(str)
    """The text of the version that is to be edited on."""

    def __init__(
        self, versions: Sequence[Version], text: str, parent: QWidget | None = None
    ) -> None:
        """``text`` is what is in the window now, lines ended by ``\\n``."""
        super().__init__(parent)
        self.setWindowTitle(tr("Earlier versions"))
        self._versions = list(versions)
        self._now = text
        self._text = ""
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Versions, newest first"))
        self.view = DiffView()
        self.view.setAccessibleName(tr("Differences"))
        self.note = QLabel()
        self.note.setWordWrap(True)
        for version in self._versions:
            local = version.time.astimezone()
            self.list.addItem(tr("until {time}", time=f"{local:%Y-%m-%d %H:%M:%S}"))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.list)
        splitter.addWidget(self.view)
        splitter.setStretchFactor(1, 1)
        buttons = QDialogButtonBox()
        self.restore = buttons.addButton(tr("&Restore"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.restore.setToolTip(tr("Puts this version into the window; Apply puts it in force"))
        buttons.addButton(QDialogButtonBox.StandardButton.Close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.note)
        layout.addWidget(splitter, 1)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * 120, metrics.lineSpacing() * 30)
        splitter.setSizes([metrics.averageCharWidth() * 30, metrics.averageCharWidth() * 90])

        self.restore.setEnabled(False)
        self.list.currentRowChanged.connect(self._on_row)
        buttons.accepted.connect(self._on_restore)
        buttons.rejected.connect(self.reject)
        if self._versions:
            self.note.setText(tr("When it is restored, lines with - go and lines with + come."))
            self.list.setCurrentRow(0)
        else:
            self.note.setText(
                tr("There are no earlier versions yet. Each Apply keeps the one before it.")
            )

    def _on_row(self, row: int) -> None:
        self.restore.setEnabled(False)
        if 0 <= row < len(self._versions):
            spawn(self._show(row), "differences")

    async def _show(self, row: int) -> None:
        try:
            text, diff = await in_thread(_read, self._versions[row], self._now)
        except (OSError, ConfigError) as error:
            text, diff = "", tr("This version cannot be read: {why}", why=error)
        # Another one may have been chosen meanwhile.
        if self.list.currentRow() == row:
            self._text = text
            self.view.show_diff(diff or tr("Nothing is different."))
            self.restore.setEnabled(bool(text))

    def _on_restore(self) -> None:
        self.chosen.emit(self._text)
        self.accept()


def _read(version: Version, now: str) -> tuple[str, str]:
    text = version.text().removeprefix("\ufeff").replace("\r\n", "\n")
    return text, differences(now, text)
