"""Paints the lanes of the last hour; hovering tells."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.memory_bar import foreign_brush
from qmdesk.desktop.model_colour import model_colour
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.timeline import Lane
from qmdesk.desktop.words import tr

MARKS = (60, 45, 30, 15, 0)
"""Minutes ago that are written under the lanes."""

NEAR = 4
"""Pixels beside something that still mean it: much of an hour is narrower."""


class TimelineView(QWidget):
    """Shows lanes; as high as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lanes: list[Lane] = []
        self._colours: dict[str, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(tr("Models and other programs in the last hour"))

    def use_colours(self, colours: Mapping[str, str]) -> None:
        """From now on the models have these."""
        if colours != self._colours:
            self._colours = dict(colours)
            self.update()

    def show_lanes(self, lanes: list[Lane]) -> None:
        if lanes != self._lanes:
            grown = len(lanes) != len(self._lanes)
            self._lanes = lanes
            self.setAccessibleDescription(
                "\n".join(each.story for lane in lanes for each in lane.stretches)
            )
            if grown:
                self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        line = self._line()
        width = self.fontMetrics().averageCharWidth() * 70
        return QSize(width, round(line * (len(self._lanes) + 1)) + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 40, self.sizeHint().height())

    def story_at(self, x: float, y: float) -> str:
        """What is to be told of this point; empty where nothing was."""
        at = int(y // self._line())
        if not 0 <= at < len(self._lanes):
            return ""
        lane, area = self._lanes[at], self._area(at)
        told: list[str] = []
        for tick in lane.ticks:
            left, right = self._span(area, tick.start, tick.end)
            if left - NEAR <= x <= right + NEAR:
                told.append(tick.story)
        for stretch in lane.stretches:
            left, right = self._span(area, stretch.start, stretch.end)
            if left - NEAR <= x <= right + NEAR:
                told.append(stretch.story)
        return "\n\n".join(told) or (lane.model if x < area.left() else "")

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.story_at(event.pos().x(), event.pos().y())
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        text = palette.color(QPalette.ColorRole.WindowText)
        faint = palette.color(QPalette.ColorRole.Mid)
        bottom = self._line() * len(self._lanes)
        for minutes in MARKS:
            x = self._x(self._area(0), 1 - minutes / 60)
            painter.setPen(QPen(faint, 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom))
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            words = tr("now") if not minutes else tr("{n} min ago", n=minutes)
            width = self.fontMetrics().horizontalAdvance(words)
            left = min(max(x - width / 2, 0.0), self.width() - width - 1.0)
            painter.drawText(QPointF(left, bottom + self.fontMetrics().ascent() + 4), words)
        line = self._line()
        first, last = int(event.rect().top() // line), int(event.rect().bottom() // line)
        for at, lane in enumerate(self._lanes[first : last + 1], first):
            self._paint_lane(painter, at, lane, text)
        painter.end()

    def _paint_lane(self, painter: QPainter, at: int, lane: Lane, text: QColor) -> None:
        area = self._area(at)
        painter.setPen(text)
        metrics = self.fontMetrics()
        room = round(area.left() - 12)
        name = metrics.elidedText(lane.model, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(
            QRectF(4, area.top(), room, area.height()), Qt.AlignmentFlag.AlignVCenter, name
        )
        colour = QColor(self._colours.get(lane.model) or model_colour(lane.model))
        for stretch in lane.stretches:
            left, right = self._span(area, stretch.start, stretch.end)
            height = (area.height() - 6) * stretch.height
            rect = QRectF(left, area.bottom() - 3 - height, max(1.5, right - left), height)
            if lane.foreign:
                painter.fillRect(rect, self.palette().color(QPalette.ColorRole.Base))
                painter.fillRect(rect, foreign_brush(self.palette()))
                # Hatching alone has no edge where little is held.
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1))
                painter.drawLine(rect.topLeft(), rect.topRight())
            elif stretch.loading:
                painter.fillRect(rect, QBrush(colour, Qt.BrushStyle.Dense5Pattern))
            else:
                painter.fillRect(rect, colour)
        for tick in lane.ticks:
            self._paint_tick(painter, area, tick.end, failed=tick.failed, text=text)

    def _paint_tick(
        self, painter: QPainter, area: QRectF, place: float, *, failed: bool, text: QColor
    ) -> None:
        x = self._x(area, place)
        colour = state_colour(Shape.PROBLEM, dark=is_dark()) if failed else text
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(x, area.top() + 2), QPointF(x, area.bottom() - 2))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        top = area.top() + 1
        painter.drawPolygon(
            QPolygonF([QPointF(x - 3.5, top), QPointF(x + 3.5, top), QPointF(x, top + 5)])
        )

    def _line(self) -> float:
        return self.fontMetrics().height() + 10.0

    def _area(self, at: int) -> QRectF:
        """Where the lane of this number is painted, without its name."""
        left = min(self.fontMetrics().averageCharWidth() * 22.0, self.width() * 0.35)
        line = self._line()
        return QRectF(left, at * line, max(20.0, self.width() - left - 8), line)

    @staticmethod
    def _x(area: QRectF, place: float) -> float:
        return area.left() + place * area.width()

    def _span(self, area: QRectF, start: float, end: float) -> tuple[float, float]:
        return self._x(area, start), self._x(area, end)
