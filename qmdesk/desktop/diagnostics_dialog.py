"""What would be saved for a report, shown before it is."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.button import button
from qmdesk.desktop.label import say, sentence
from qmdesk.desktop.lateness import LIMIT
from qmdesk.desktop.loop import PumpedLoop
from qmdesk.desktop.words import plural, tr
from qmdesk.diagnostics import Facts, Part, default_name, pack, parts
from qmdesk.diagnostics.parts import LINES, REQUESTS
from qmdesk.folders import crash_folder
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)


class DiagnosticsDialog(QDialog):
    """The parts on the left, each with a tick; the text of the chosen one on the right."""

    def __init__(self, instance: Instance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Diagnostics"))
        self._instance = instance
        self.parts: tuple[Part, ...] = ()
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Parts"))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(tr("Text of the part"))
        self.note = sentence(tr("Collecting…"))
        self.save = QPushButton(tr("&Save…"))
        self.save.setEnabled(False)
        self.save.setDefault(True)
        self.save.clicked.connect(self._choose_place)
        self._lay_out()
        self.list.currentRowChanged.connect(self._show_part)
        self.list.itemChanged.connect(lambda _: self._count())
        spawn(self._collect(), "diagnostics")

    async def _collect(self) -> None:
        try:
            facts = await facts_of(self._instance)
            self.parts = await asyncio.to_thread(parts, facts)
        except Exception as error:
            log.exception("the diagnostics were not collected")
            say(self.note, tr("That did not work: {reason}", reason=error))
            return
        for part in self.parts:
            item = QListWidgetItem(part.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.setFocus()
        self._count()

    def _chosen(self) -> tuple[Part, ...]:
        checked = Qt.CheckState.Checked
        return tuple(
            part for at, part in enumerate(self.parts) if self.list.item(at).checkState() is checked
        )

    def _count(self) -> None:
        # Ticks are set one by one while the list is filled.
        if self.list.count() < len(self.parts):
            return
        chosen = self._chosen()
        amount = sum(len(part.text) for part in chosen)
        self.save.setEnabled(bool(chosen))
        say(
            self.note,
            plural(
                len(chosen),
                "1 part, {kib} KiB before it is packed. Nothing is sent anywhere.",
                "{n} parts, {kib} KiB before they are packed. Nothing is sent anywhere.",
                kib=amount >> 10,
            ),
        )

    def _show_part(self, at: int) -> None:
        self.text.setPlainText(self.parts[at].text if 0 <= at < len(self.parts) else "")

    def _choose_place(self) -> None:
        dialog = QFileDialog(self, tr("Save diagnostics"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([tr("Archives (*.zip)")])
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(default_name())
        dialog.fileSelected.connect(self.save_to)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def save_to(self, name: str) -> None:
        """Write the parts that are ticked into the archive ``name``, and close."""
        spawn(self._save(Path(name)), "diagnostics")

    async def _save(self, path: Path) -> None:
        self.save.setEnabled(False)
        try:
            await asyncio.to_thread(pack, self._chosen(), path)
        except OSError as error:
            reason = error.strerror or error
            say(self.note, tr("{path} cannot be written: {reason}", path=path, reason=reason))
            self.save.setEnabled(True)
        else:
            self.accept()

    def _lay_out(self) -> None:
        left_out = sentence(
            tr(
                "Keys, tokens, values of environment variables and your home folder's name are"
                " taken out, comments of the configuration and the texts of requests left out."
                " What a server writes into its log stands here as it is otherwise: look it over,"
                " and untick what nobody is to see."
            )
        )
        splitter = QSplitter()
        splitter.addWidget(self.list)
        splitter.addWidget(self.text)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.save)
        row.addWidget(button(tr("Cancel"), self.reject))
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(left_out)
        layout.addWidget(splitter, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * 130, metrics.lineSpacing() * 32)
        unit = metrics.averageCharWidth()
        splitter.setSizes([unit * 36, unit * 94])


async def facts_of(instance: Instance) -> Facts:
    """What a running instance knows, before anything is hidden."""
    logs = {}
    for name in instance.logs.names():
        found = instance.logs.get(name)
        logs[name] = tuple(found.lines(LINES)) if found is not None else ()
    configuration = instance.configuration
    more = {}
    loop = asyncio.get_running_loop()
    if isinstance(loop, PumpedLoop):
        more["lateness.txt"] = (
            f"The event loop was held {loop.lateness.count} times longer than"
            f" {LIMIT * 1000:.0f} ms, for {loop.lateness.worst * 1000:.0f} ms at worst,"
            f" by {loop.lateness.worst_cause or 'nothing'}.\n"
        )
    if configuration.problems:
        lines = "\n".join(str(each) for each in configuration.problems)
        more["configuration/problems.txt"] = f"{lines}\n"
    return Facts(
        config=instance.config,
        files=await asyncio.to_thread(configuration.sources.files),
        crashes=crash_folder(),
        status=instance.status(),
        activity=await instance.activity(limit=REQUESTS),
        logs=logs,
        more=more,
    )
