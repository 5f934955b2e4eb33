"""The page that shows every model and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.button import button
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.label import sentence
from qmdesk.desktop.model_detail import ModelDetail
from qmdesk.desktop.model_list import (
    ACTION,
    MEMORY,
    NAME,
    REQUESTS,
    STATE,
    USED,
    ActionDelegate,
    ModelList,
    ProgressDelegate,
    action_text,
)
from qmdesk.desktop.peer_list import PeerList
from qmdesk.desktop.tray_state import ModelView, memory_counts
from qmdesk.desktop.words import ago, tr
from qmdesk.memory import MemorySnapshot, ModelMemory
from qmdesk.router.snapshot import Snapshot

AGES = 15_000
"""Milliseconds after which the ages are told anew, while the page is seen."""


class ModelsPage(QWidget):
    """A table of the models; buttons below it act on the selected one."""

    def __init__(
        self,
        commands: Commands,
        journal: Journal,
        config: str = "",
        parent: QWidget | None = None,
        *,
        foresee: Callable[[str], ModelMemory | None] = lambda _: None,
    ) -> None:
        """``config`` is the path of the configuration, for whoever has no model yet.

        ``foresee`` says what a model takes, and what would happen if it were asked for now.
        """
        super().__init__(parent)
        self._commands = commands
        self._journal = journal
        self._foresee = foresee
        self._memory = MemorySnapshot()
        self._snapshot: Snapshot | None = None
        self._shown: ModelView | None = None
        self.models = ModelList(self)
        self.table = self._made_table()
        self.set_up = button(tr("Set &up…"), commands.set_up)
        self.mend = button(tr("Settin&gs…"), commands.show_settings)
        self._config = config
        self._empty_text = sentence("")
        self._empty = self._made_empty()
        self.peers = PeerList()
        self._stack = QStackedWidget()
        self.detail = ModelDetail(commands)
        self.splitter = QSplitter()
        self.splitter.setChildrenCollapsible(True)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(self.detail)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self._stack.addWidget(self.splitter)
        self._stack.addWidget(self._empty)

        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.problem.hide()

        self.start = button(tr("&Start"), lambda: self._each(commands.start))
        self.unload = button(tr("&Unload"), lambda: self._each(commands.unload))
        self.restart = button(tr("R&estart"), lambda: self._each(commands.restart))
        self.show_log = button(tr("Show &log"), lambda: self._each(commands.show_log))
        self.copy_name = button(tr("&Copy name"), lambda: self._each(commands.copy))
        self.unload_all = button(tr("U&nload all"), commands.unload_all)

        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for each in (self.start, self.unload, self.restart, self.show_log, self.copy_name):
            buttons.addWidget(each)
        buttons.addStretch(1)
        buttons.addWidget(self.unload_all)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.peers)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)

        self._ages = QTimer(self, interval=AGES)
        self._ages.timeout.connect(self.models.tick)
        self._show_selected()

    def show_snapshot(self, snapshot: Snapshot, memory: MemorySnapshot | None = None) -> None:
        """Bring the page up to ``snapshot``."""
        self._snapshot = snapshot
        self._memory = memory or MemorySnapshot()
        self.models.show_snapshot(snapshot, memory)
        # Without a card or a budget there is nothing to be told.
        if self.table.isColumnHidden(MEMORY) is memory_counts(self._memory):
            self.table.setColumnHidden(MEMORY, not memory_counts(self._memory))
        has_models = self.models.rowCount() > 0
        self._stack.setCurrentWidget(self.splitter if has_models else self._empty)
        if has_models and not self.table.selectionModel().hasSelection():
            self.table.selectRow(0)
        views = [self.models.view(row) for row in range(self.models.rowCount())]
        self.unload_all.setEnabled(any(view is not None and view.can_unload for view in views))
        self._show_selected()

    def select(self, model: str) -> None:
        """Select the row of ``model``, where there is one."""
        row = self.models.row(model)
        if row is not None:
            self.table.selectRow(row)

    def selected(self) -> ModelView | None:
        rows = self.table.selectionModel().selectedRows()
        return self.models.view(rows[0].row()) if rows else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.models.tick()
        self._ages.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.models.recolour()
            self.peers.recolour()

    def show_problem(self, there: bool) -> None:
        """Where there are no models, say why: the configuration could not be used, or is new."""
        text = _unusable_text() if there else _empty_text()
        self._empty_text.setText(f"{text}\n{self._config}" if self._config else text)
        self.set_up.setVisible(not there)
        self.mend.setVisible(there)

    def _made_empty(self) -> QWidget:
        text = self._empty_text
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.set_up)
        row.addWidget(self.mend)
        row.addStretch(1)
        empty = QWidget()
        layout = QVBoxLayout(empty)
        layout.setContentsMargins(24, 24, 24, 24)
        layout.setSpacing(16)
        layout.addStretch(1)
        layout.addWidget(text)
        layout.addLayout(row)
        layout.addStretch(1)
        self.show_problem(False)
        return empty

    def _made_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.models)
        table.setAccessibleName(tr("Models"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setMouseTracking(True)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        line = table.fontMetrics().height()
        table.verticalHeader().setDefaultSectionSize(line + 18)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(STATE, QHeaderView.ResizeMode.Stretch)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(line * 3)
        width = table.fontMetrics().averageCharWidth()
        for column, characters in ((NAME, 24), (MEMORY, 11), (REQUESTS, 23), (USED, 13)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, characters * width)
        used = (tr("Last use"), tr("just now"), ago(59 * 60))
        longest = max(table.fontMetrics().horizontalAdvance(text) for text in used)
        header.resizeSection(USED, max(header.sectionSize(USED), longest + width + 8))
        header.setSectionResizeMode(ACTION, QHeaderView.ResizeMode.Fixed)
        self._progress = ProgressDelegate(table)
        self._action = ActionDelegate(self._act, table)
        table.setColumnHidden(MEMORY, True)
        table.setItemDelegateForColumn(STATE, self._progress)
        table.setItemDelegateForColumn(ACTION, self._action)
        widest = max(
            table.fontMetrics().horizontalAdvance(text)
            for text in (tr("Start"), tr("Unload"), tr("Cancel"))
        )
        header.resizeSection(ACTION, widest + 44)
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        table.activated.connect(self._on_activated)
        return table

    def _each(self, command: object) -> None:
        view = self.selected()
        if view is not None and callable(command):
            command(view.id)

    def _act(self, row: int) -> None:
        view = self.models.view(row)
        if view is None or not action_text(view):
            return
        if view.can_start:
            self._commands.start(view.id)
        else:
            self._commands.unload(view.id)

    def _on_activated(self, index: QModelIndex) -> None:
        # Enter or a double click; on the button's own column a click has done it.
        view = self.models.view(index.row())
        if view is not None and index.column() != ACTION:
            self._commands.show_log(view.id)

    def _show_selected(self) -> None:
        view = self.selected()
        known = self._snapshot.model(view.id) if self._snapshot and view else None
        self.detail.setEnabled(known is not None)
        if known is not None:
            memory = self._foresee(known.id) if memory_counts(self._memory) else None
            self.detail.show_model(known, self._journal.loads(known.id), memory)
        if view == self._shown and view is not None:
            return
        self._shown = view
        self.start.setEnabled(view is not None and view.can_start)
        self.unload.setEnabled(view is not None and view.can_unload)
        self.restart.setEnabled(view is not None and view.can_restart)
        self.show_log.setEnabled(view is not None)
        self.copy_name.setEnabled(view is not None)
        error = view.error if view is not None else None
        self.problem.setVisible(bool(error))
        if view is not None and error:
            self.problem.setText(tr("{model}: {reason}", model=view.title, reason=error))


def _empty_text() -> str:
    return tr(
        "No models yet. Set up finds those of this machine, or fetches a small one to try; what is"
        " added to the configuration appears here."
    )


def _unusable_text() -> str:
    return tr(
        "No models: the configuration cannot be used as it is. The settings show the place; once"
        " it is mended, the models appear here."
    )
