"""The page of requests: those that run, those that are over, and who was evicted for whom."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.activity_list import (
    ACTION,
    BAR,
    CLIENT,
    FIGURES,
    MODEL,
    STATUS,
    WHEN,
    ActivityList,
    BarDelegate,
    part_colour,
    part_name,
)
from qmdesk.desktop.activity_rows import (
    ActivityRow,
    Part,
    RowKind,
    eviction_row,
    finished_row,
    merged,
    running_row,
)
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.label import empty_page, say, sentence
from qmdesk.desktop.model_list import ActionDelegate
from qmdesk.desktop.words import tr
from qmdesk.events import Fact, RequestFinished, RequestStarted
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)

LIMIT = 300
"""Rows that are shown."""
GAP = 250
"""Milliseconds between two looks while something runs and the page is seen."""


class ActivityPage(QWidget):
    """A table; below it the story of the selected row."""

    def __init__(
        self,
        instance: Instance,
        commands: Commands,
        journal: Journal,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._commands = commands
        self._journal = journal
        self._over: dict[int, ActivityRow] = {}
        self._stale = True
        """A request has ended of which nothing has been read."""
        self._reading = False
        self.rows = ActivityList()
        self.table = self._made_table()
        self.story = sentence()
        self.cancel = QPushButton(tr("&Cancel request"))
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self._cancel_selected)
        self.legend = QLabel()
        empty = empty_page(tr("No request yet: point a front end at the address above."))
        self._stack = QStackedWidget()
        self._stack.addWidget(empty)
        self._stack.addWidget(self.table)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.cancel)
        below.addStretch(1)
        below.addWidget(self.legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.story)
        layout.addLayout(below)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timeout)
        self._unsubscribe = instance.bus.subscribe(self._on_fact, RequestStarted, RequestFinished)
        self._show_legend()
        self._show_selected()

    def close_page(self) -> None:
        """Hear no more facts."""
        self._unsubscribe()
        self._timer.stop()

    def show_eviction(self, model: str, at: float) -> None:
        """Select the last eviction for ``model`` up to a few seconds after ``at``, a Unix time."""
        self._show()
        for place, row in enumerate(self.rows.rows):
            if row.kind is RowKind.EVICTION and row.model == model and row.at <= at + 5:
                self.table.selectRow(place)
                self.table.scrollTo(self.rows.index(place, MODEL))
                return

    def selected(self) -> ActivityRow | None:
        rows = self.table.selectionModel().selectedRows()
        return self.rows.row_at(rows[0].row()) if rows else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()
        self._timer.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._show_legend()
            self.rows.touch(WHEN, ACTION)

    def _on_fact(self, fact: Fact) -> None:
        if isinstance(fact, RequestFinished):
            self._stale = True
        if self.isVisible() and not self._timer.isActive():
            self._timer.start(GAP)

    def _on_timeout(self) -> None:
        if not self.isVisible():
            return
        self._show()
        if self._stale and not self._reading:
            spawn(self._read(), "activity page")
        if any(row.kind is RowKind.RUNNING for row in self.rows.rows):
            self._timer.start(GAP)

    async def _read(self) -> None:
        self._reading, self._stale = True, False
        try:
            after = max(self._over, default=0)
            found: list[dict[str, Any]] = await self._instance.activity(after=after, limit=LIMIT)
        except Exception as error:  # noqa: BLE001 - a damaged file must not empty the page
            log.warning("the activity cannot be read: %s", error)
            return
        finally:
            self._reading = False
        self._over |= {row["id"]: finished_row(row) for row in found}
        for id in sorted(self._over)[:-LIMIT]:
            del self._over[id]
        if self.isVisible():
            self._show()
            if self._stale:
                self._timer.start(GAP)

    def _show(self) -> None:
        evictions = [eviction_row(swap) for swap in self._journal.swaps if swap.evicted]
        running = [
            running_row(row, self._journal.loading_since(row["model"]))
            for row in self._instance.requests()
        ]
        self.rows.show_activity(merged(running, [*self._over.values(), *evictions], LIMIT))
        self._stack.setCurrentIndex(1 if self.rows.rows else 0)
        self._show_selected()

    def _show_selected(self) -> None:
        row = self.selected()
        self.cancel.setEnabled(row is not None and row.kind is RowKind.RUNNING)
        say(self.story, row.story if row else "")

    def _show_legend(self) -> None:
        marks = [
            f'<span style="color:{part_colour(part).name()}">■</span>&nbsp;{part_name(part)}'
            for part in Part
        ]
        self.legend.setText("&ensp;".join(marks))

    def _cancel_selected(self) -> None:
        if (row := self.selected()) is not None:
            self._cancel(row)

    def _act(self, place: int) -> None:
        if (row := self.rows.row_at(place)) is not None:
            self._cancel(row)

    def _cancel(self, row: ActivityRow) -> None:
        if row.kind is RowKind.RUNNING:
            self._commands.cancel_request(row.id)

    def _made_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.rows)
        table.setAccessibleName(tr("Requests"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setMouseTracking(True)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        metrics = table.fontMetrics()
        table.verticalHeader().setDefaultSectionSize(metrics.height() + 14)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        width = metrics.averageCharWidth()
        for column, characters in (
            (WHEN, 8),
            (MODEL, 24),
            (CLIENT, 16),
            (FIGURES, 26),
            (STATUS, 11),
        ):
            header.resizeSection(column, characters * width + 12)
        header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(ACTION, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(ACTION, metrics.horizontalAdvance(tr("Cancel")) + 44)
        table.setItemDelegateForColumn(BAR, BarDelegate(table))
        table.setItemDelegateForColumn(ACTION, ActionDelegate(self._act, table))
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        table.activated.connect(self._on_activated)
        return table

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.rows.row_at(index.row())
        if row is not None and row.failed and index.column() != ACTION:
            self._commands.show_log(row.model)
