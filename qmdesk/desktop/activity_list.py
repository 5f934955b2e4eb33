"""The activity as rows, and the bar that shows what a request spends its time on."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from qmdesk.desktop.activity_rows import ActivityRow, Part, RowKind
from qmdesk.desktop.icon import coloured_icon, is_dark, state_colour
from qmdesk.desktop.row_list import Index, RowList
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import clock, exact, number, tr

WHEN, MODEL, CLIENT, BAR, FIGURES, STATUS, ACTION = range(7)
PARTS = Qt.ItemDataRole.UserRole + 1
"""The seconds of each part and those of the whole bar."""

_STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
_COLOURS = {
    Part.WAITING: Shape.STOPPED,
    Part.LOADING: Shape.LOADING,
    Part.PROMPT: Shape.OUTDATED,
    Part.ANSWER: Shape.READY,
}
_SHAPES = {
    RowKind.RUNNING: Shape.WORKING,
    RowKind.FINISHED: Shape.READY,
    RowKind.EVICTION: Shape.UNLOADING,
}


def part_colour(part: Part) -> QColor:
    """The colour of a part of the bar, in the present scheme."""
    return state_colour(_COLOURS[part], dark=is_dark())


def part_name(part: Part) -> str:
    return {
        Part.WAITING: tr("waiting"),
        Part.LOADING: tr("loading"),
        Part.PROMPT: tr("prompt"),
        Part.ANSWER: tr("answer"),
    }[part]


def nice(seconds: float) -> float:
    """The next round figure that is not less: a scale that grows in steps."""
    if seconds <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(seconds))
    return next(step * power for step in _STEPS if step * power >= seconds)


class ActivityList(RowList[ActivityRow]):
    """Rows whose bars have one scale."""

    columns = ACTION + 1

    def __init__(self) -> None:
        super().__init__()
        self.scale = 1.0
        """Seconds that a whole bar stands for."""

    def show_activity(self, rows: list[ActivityRow]) -> None:
        """Bring the rows up to ``rows`` and the bars to one scale."""
        scale = nice(max((row.seconds for row in rows), default=0.0))
        self.show_rows(rows)
        if scale != self.scale:
            self.scale = scale
            self.touch(BAR, BAR)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, BAR, BAR)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (
                tr("When"),
                tr("Model"),
                tr("Client"),
                tr("Time, 0 to {n} s", n=number(self.scale)),
                tr("Answer"),
                tr("Status"),
                "",
            )[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == PARTS and column == BAR:
            return (*row.parts, self.scale)
        if role == Qt.ItemDataRole.DecorationRole and column == MODEL:
            return coloured_icon(Shape.PROBLEM if row.failed else _SHAPES[row.kind])
        if role == Qt.ItemDataRole.ForegroundRole and row.failed and column == STATUS:
            return state_colour(Shape.PROBLEM, dark=is_dark())
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.story
        if role == Qt.ItemDataRole.AccessibleTextRole and column == BAR:
            return ", ".join(
                f"{part_name(part)} {exact(seconds)}"
                for part, seconds in zip(Part, row.parts, strict=True)
                if seconds
            )
        return None


def _text(row: ActivityRow, column: int) -> str:
    if column == WHEN:
        return clock(row.at)
    if column == MODEL:
        return row.model
    if column == CLIENT:
        return row.client
    if column == BAR:
        return exact(row.seconds) if row.kind is not RowKind.EVICTION else ""
    if column == FIGURES:
        return row.text
    if column == STATUS:
        return row.status
    return tr("Cancel") if row.kind is RowKind.RUNNING else ""


class BarDelegate(QStyledItemDelegate):
    """Paints waiting, loading, prompt and answer end to end, and the sum beside them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(option.fontMetrics.averageCharWidth() * 30, option.fontMetrics.height() + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        widget = option.widget
        style = widget.style() if widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        values = index.data(PARTS)
        if not text or not values:
            return
        *parts, scale = values
        metrics = option.fontMetrics
        beside = metrics.horizontalAdvance(tr("{n} min {s} s", n=88, s=88)) + 12
        room = max(16.0, option.rect.width() - beside - 8.0)
        height = max(6.0, metrics.height() * 0.6)
        left = option.rect.left() + 4.0
        top = option.rect.center().y() - height / 2 + 0.5
        painter.save()
        for part, seconds in zip(Part, parts, strict=True):
            if seconds <= 0:
                continue
            width = max(2.0, seconds / scale * room)
            painter.fillRect(QRectF(left, top, width, height), part_colour(part))
            left += width
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = option.palette
        painter.setPen((palette.highlightedText() if selected else palette.text()).color())
        rect = option.rect.adjusted(0, 0, -6, 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(rect, flags, text)
        painter.restore()
