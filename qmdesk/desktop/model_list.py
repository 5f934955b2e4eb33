"""The models as rows, changed by difference, and how a row is painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QObject,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionProgressBar,
    QStyleOptionViewItem,
    QWidget,
)

from qmdesk.desktop.icon import coloured_icon, is_dark, state_colour
from qmdesk.desktop.row_list import Index, RowList
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.tray_state import ModelView, model_views
from qmdesk.desktop.words import ago, plural, tr
from qmdesk.memory import MemorySnapshot
from qmdesk.router.snapshot import Snapshot

NAME, STATE, MEMORY, REQUESTS, USED, ACTION = range(6)
PROGRESS = Qt.ItemDataRole.UserRole + 1
"""0 to 1 while a model loads and something is known, -1 while it loads, else None."""


@dataclass(frozen=True, slots=True)
class Row:
    view: ModelView
    last_used_at: float | None
    """Unix time."""

    @property
    def key(self) -> str:
        return self.view.id


class ModelList(RowList[Row]):
    """A snapshot's models for a table; ``show_snapshot`` touches only what differs."""

    columns = ACTION + 1

    def show_snapshot(self, snapshot: Snapshot, memory: MemorySnapshot | None = None) -> None:
        """Bring the rows up to ``snapshot``; a selected row stays selected."""
        views = model_views(snapshot, memory)
        models = zip(views, snapshot.models, strict=True)
        self.show_rows([Row(view, each.last_used_at) for view, each in models])

    def tick(self) -> None:
        """Tell how long ago anew."""
        self.touch(USED, USED)

    def recolour(self) -> None:
        """Draw the icons anew, after a change of the colour scheme."""
        self.touch(NAME, NAME)

    def view(self, row: int) -> ModelView | None:
        found = self.row_at(row)
        return found.view if found else None

    def row(self, id: str) -> int | None:
        return self.row_of(id)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            titles = (tr("Model"), tr("State"), tr("Memory"), tr("Requests"), tr("Last use"), "")
            return titles[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        view = row.view
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return coloured_icon(view.shape, view.progress)
        troubled = view.shape is Shape.PROBLEM and column == STATE
        if role == Qt.ItemDataRole.ForegroundRole and troubled:
            return state_colour(view.shape, dark=is_dark())
        if role == Qt.ItemDataRole.ForegroundRole and column == MEMORY and not view.can_unload:
            # It is what a load would take, and nobody holds it.
            return QApplication.palette().color(QPalette.ColorRole.PlaceholderText)
        if role == Qt.ItemDataRole.ToolTipRole and column == MEMORY:
            return view.memory_story
        if role == Qt.ItemDataRole.ToolTipRole:
            return view.error if view.error and column == STATE else view.id
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NAME:
            return tr("{model}, {state}", model=view.title, state=view.text)
        if role == PROGRESS and view.shape is Shape.LOADING:
            return -1.0 if view.progress is None else view.progress
        return None

    @staticmethod
    def _text(row: Row, column: int) -> str:
        view = row.view
        if column == NAME:
            return view.title
        if column == STATE:
            # How many is said in the next column.
            return tr("working") if view.shape is Shape.WORKING else view.text
        if column == MEMORY:
            return view.memory
        if column == REQUESTS:
            parts = []
            if view.in_flight:
                parts.append(plural(view.in_flight, "1 running", "{n} running"))
            if view.waiting:
                parts.append(plural(view.waiting, "1 waiting", "{n} waiting"))
            return ", ".join(parts)
        if column == USED:
            return "" if row.last_used_at is None else ago(time() - row.last_used_at)
        return action_text(view)


def action_text(view: ModelView) -> str:
    """The verb on a row's button; empty where there is nothing to do."""
    if view.can_start:
        return tr("Start")
    if view.can_unload:
        return tr("Cancel") if view.shape is Shape.LOADING else tr("Unload")
    return ""


class ProgressDelegate(QStyledItemDelegate):
    """Paints the state of a loading model as a bar with the figures beside it."""

    BAR: ClassVar[int] = 72

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        progress = index.data(PROGRESS)
        if progress is None or progress < 0:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        widget: QWidget | None = option.widget
        style = widget.style() if widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        rect: QRect = option.rect
        bar = QStyleOptionProgressBar()
        height = min(rect.height() - 8, option.fontMetrics.height())
        width = min(self.BAR * option.fontMetrics.height() // 16, rect.width() // 2)
        top = rect.center().y() - height // 2
        bar.rect = QRect(rect.left() + 4, top, width, height)
        bar.minimum, bar.maximum, bar.progress = 0, 100, round(progress * 100)
        bar.state = option.state | QStyle.StateFlag.State_Horizontal
        bar.palette = option.palette
        style.drawControl(QStyle.ControlElement.CE_ProgressBar, bar, painter, widget)
        option.text = text
        beside = rect.adjusted(width + 12, 0, -4, 0)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = option.palette
        painter.save()
        painter.setPen((palette.highlightedText() if selected else palette.text()).color())
        elided = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, beside.width())
        painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, elided)
        painter.restore()


class ActionDelegate(QStyledItemDelegate):
    """Paints a row's button and hears its clicks; the keyboard has the page's own buttons."""

    def __init__(self, clicked: Callable[[int], None], parent: QObject | None = None) -> None:
        """``clicked`` is told the row."""
        super().__init__(parent)
        self._clicked = clicked
        self._pressed: int | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = option.fontMetrics
        widest = max(metrics.horizontalAdvance(text) for text in (tr("Start"), tr("Unload")))
        return QSize(widest + 40, metrics.height() + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text = index.data(Qt.ItemDataRole.DisplayRole)
        self.initStyleOption(option, index)
        option.text = ""
        widget: QWidget | None = option.widget
        style = widget.style() if widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        if not text:
            return
        button = QStyleOptionButton()
        button.rect = self._button(option.rect)
        button.text = text
        button.palette = QApplication.palette()
        button.fontMetrics = option.fontMetrics
        state = QStyle.StateFlag.State_Enabled
        if self._pressed == index.row():
            state |= QStyle.StateFlag.State_Sunken
        else:
            state |= QStyle.StateFlag.State_Raised
        if option.state & QStyle.StateFlag.State_MouseOver:
            state |= QStyle.StateFlag.State_MouseOver
        button.state = state
        style.drawControl(QStyle.ControlElement.CE_PushButton, button, painter, widget)

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        if not isinstance(event, QMouseEvent) or event.button() is not Qt.MouseButton.LeftButton:
            return super().editorEvent(event, model, option, index)
        inside = self._button(option.rect).contains(event.position().toPoint())
        if event.type() is QEvent.Type.MouseButtonPress:
            self._pressed = index.row() if inside else None
        elif event.type() is QEvent.Type.MouseButtonRelease:
            pressed, self._pressed = self._pressed, None
            if inside and pressed == index.row():
                self._clicked(index.row())
        else:
            return super().editorEvent(event, model, option, index)
        return inside

    @staticmethod
    def _button(rect: QRect) -> QRect:
        return rect.adjusted(6, 3, -6, -3)
