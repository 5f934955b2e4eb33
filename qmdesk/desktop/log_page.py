"""The page that shows what qmdesk and the models' servers say."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontDatabase,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.words import tr
from qmdesk.logs import OWN, Follower, Logs, plain
from qmdesk.tasks import spawn

MAX_LINES = 20_000
"""Lines kept in the view; older ones are dropped."""
GAP = 100
"""Milliseconds between updates: ten a second at most."""
BUDGET = 0.004
"""Seconds that one update may take; the rest waits for the next turn."""
BATCH = 40
"""Lines that are put in at once; the budget is looked at between batches."""
BREATH = 8
"""Milliseconds that others have the loop for, while lines still wait."""
LONGEST = 2_000
"""Characters of a line that are shown: laying out more would hold the loop."""


class LogPage(QWidget):
    """One log at a time; nothing is read or drawn while the page is hidden."""

    failed = Signal(str)
    """What could not be done, in words."""
    _woken = Signal()

    def __init__(self, logs: Logs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._logs = logs
        self._follower: Follower | None = None
        self._waiting: deque[str] = deque()
        self._offered = [OWN]
        self._painted = 0.0

        self.source = QComboBox()
        self.source.setAccessibleName(tr("Source"))
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.source.setMinimumContentsLength(18)
        self.source.addItem(OWN, OWN)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter"))
        self.filter.setAccessibleName(tr("Show only lines that contain"))
        self.filter.setClearButtonEnabled(True)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find"))
        self.search.setAccessibleName(tr("Find in the lines that are shown"))
        self.search.setClearButtonEnabled(True)
        self.follow = QCheckBox(tr("F&ollow"))
        self.follow.setChecked(True)
        self.follow.setToolTip(tr("Keep the newest line in sight"))
        self.copy = QPushButton(tr("&Copy all"))
        self.copy.setToolTip(tr("Copy the lines that are shown"))
        self.copy.setAutoDefault(False)
        self.save = QPushButton(tr("&Save…"))
        self.save.setToolTip(tr("Save the lines that are shown to a file"))
        self.save.setAutoDefault(False)
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setUndoRedoEnabled(False)
        self.view.setMaximumBlockCount(MAX_LINES)
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.view.setAccessibleName(tr("Log"))
        self.view.setTabChangesFocus(True)
        self.view.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        label = QLabel(tr("So&urce"))
        label.setBuddy(self.source)
        for field in (self.filter, self.search):
            field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            field.setMinimumWidth(field.fontMetrics().averageCharWidth() * 14)

        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(label)
        top.addWidget(self.source)
        top.addWidget(self.filter, 1)
        top.addWidget(self.search, 1)
        top.addWidget(self.follow)
        top.addWidget(self.copy)
        top.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addWidget(self.view, 1)

        self._update = QTimer(self, singleShot=True)
        self._update.timeout.connect(self._on_update)
        self._typed = QTimer(self, singleShot=True, interval=150)
        self._typed.timeout.connect(self._refill)
        # The log may be written from any thread; the signal crosses over to ours.
        self._woken.connect(self._on_woken)
        self.source.currentIndexChanged.connect(lambda _: self._refill())
        self.filter.textChanged.connect(lambda _: self._typed.start())
        self.follow.toggled.connect(lambda on: self._to_end() if on else None)
        self.copy.clicked.connect(self._copy_all)
        self.save.clicked.connect(self._ask_where)
        self.search.returnPressed.connect(self.find_next)
        QShortcut(QKeySequence.StandardKey.Find, self, self._on_find)
        QShortcut(QKeySequence.StandardKey.FindNext, self, self.find_next)
        QShortcut(QKeySequence.StandardKey.FindPrevious, self, partial(self.find_next, back=True))

    def set_sources(self, models: list[str]) -> None:
        """Offer our own log and those of ``models``; the chosen one stays chosen."""
        wanted = [OWN, *models]
        if wanted == self._offered:
            return
        self._offered = wanted
        chosen = self.source.currentData()
        with QSignalBlocker(self.source):
            self.source.clear()
            for name in wanted:
                self.source.addItem(name, name)
            self.source.setCurrentIndex(max(0, wanted.index(chosen) if chosen in wanted else 0))
        if self.source.currentData() != chosen:
            self._refill()

    def show_source(self, name: str) -> None:
        """Show the log of ``name``, where it is offered."""
        at = self.source.findData(name)
        if at >= 0:
            self.source.setCurrentIndex(at)

    def find_next(self, *, back: bool = False) -> bool:
        """Go to the next place of what is looked for, round the end; False where there is none."""
        wanted = self.search.text()
        if not wanted:
            return False
        # Whoever reads what was found does not want to be carried off.
        self.follow.setChecked(False)
        flags = QTextDocument.FindFlag.FindBackward if back else QTextDocument.FindFlag(0)
        if self.view.find(wanted, flags):
            return True
        cursor = self.view.textCursor()
        moves = QTextCursor.MoveOperation
        cursor.movePosition(moves.End if back else moves.Start)
        self.view.setTextCursor(cursor)
        return self.view.find(wanted, flags)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refill()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop()

    def stop(self) -> None:
        """Follow nothing; what is shown stays."""
        self._update.stop()
        self.view.setUpdatesEnabled(True)
        self._typed.stop()
        self._waiting.clear()
        if self._follower is not None:
            self._follower.close()
            self._follower = None

    def _refill(self) -> None:
        self.stop()
        self.view.clear()
        if self.isVisible():
            log = self._logs.of(self.source.currentData() or OWN)
            self._follower = log.follow(self._woken.emit, limit=MAX_LINES)
            self._on_update()

    def _on_woken(self) -> None:
        if self._follower is not None and not self._update.isActive():
            self._update.start(GAP)

    def _on_update(self) -> None:
        if self._follower is None:
            return
        end = time.monotonic() + BUDGET
        self._waiting.extend(self._follower.take())
        # Lines that the view would drop again at once need no drawing.
        while len(self._waiting) > MAX_LINES:
            self._waiting.popleft()
        wanted = self.filter.text().casefold()
        bar = self.view.verticalScrollBar()
        place = bar.value()
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            lines = [plain(line)[:LONGEST] for line in batch]
            if wanted:
                lines = [line for line in lines if wanted in line.casefold()]
            if lines:
                self.view.appendPlainText("\n".join(lines))
            if time.monotonic() >= end:
                break
        if self._waiting:
            self._update.start(BREATH)
            if end - self._painted < GAP / 1000:
                # One painting for all of them costs less than one for each turn.
                self.view.setUpdatesEnabled(False)
                return
        self._painted = end
        if self.follow.isChecked():
            self._to_end()
        else:
            bar.setValue(place)
        self.view.setUpdatesEnabled(True)

    def _to_end(self) -> None:
        bar = self.view.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _on_find(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _ask_where(self) -> None:
        name = (self.source.currentData() or OWN).replace("/", "-").replace(":", "-")
        # Not the blocking one: everything runs on this loop.
        dialog = QFileDialog(self, tr("Save the log"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(f"{name}.log")
        dialog.fileSelected.connect(lambda path: self.save_to(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save_to(self, path: Path) -> None:
        """Write the lines that are shown to ``path``, and say where that fails."""
        spawn(self._save(path, self.view.toPlainText()), "save a log")

    async def _save(self, path: Path, text: str) -> None:
        try:
            await asyncio.to_thread(path.write_text, text + "\n", encoding="utf-8")
        except OSError as error:
            self.failed.emit(
                tr("{file} cannot be written: {reason}", file=path, reason=error.strerror)
            )

    def _copy_all(self) -> None:
        cursor: QTextCursor = self.view.textCursor()
        chosen = cursor.selection().toPlainText() if cursor.hasSelection() else ""
        QGuiApplication.clipboard().setText(chosen or self.view.toPlainText())
