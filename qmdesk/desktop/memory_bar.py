"""A bar of memory: our models from the left, other programs hatched from the right."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from qmdesk.desktop.memory_picture import MemoryPicture
from qmdesk.desktop.model_colour import model_colour
from qmdesk.desktop.words import tr


def foreign_brush(palette: QPalette) -> QBrush:
    """How memory of others is filled, in every picture."""
    return QBrush(palette.color(QPalette.ColorRole.PlaceholderText), Qt.BrushStyle.BDiagPattern)


class MemoryBar(QWidget):
    """Shows a ``MemoryPicture``; the words are its tooltip and its description.

    What is free lies between ours and the others, so that a limit for our models is a place
    in what is free.
    """

    def __init__(self, height: float = 0.7, parent: QWidget | None = None) -> None:
        """``height`` in heights of a line of text; a low one has no room for limits."""
        super().__init__(parent)
        self._height = height
        self._marked = height > 1
        self._picture: MemoryPicture | None = None
        self._colours: dict[str, str] = {}
        self.setAccessibleName(tr("Memory"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_picture(self, picture: MemoryPicture, colours: Mapping[str, str]) -> None:
        """``colours`` are those of the models."""
        if (picture, colours) != (self._picture, self._colours):
            self._picture, self._colours = picture, dict(colours)
            story = picture.story()
            self.setAccessibleName(picture.name)
            self.setToolTip(story)
            self.setAccessibleDescription(story)
            self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 16, round(metrics.height() * self._height))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 8, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self.palette()
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.fillRect(rect, palette.color(QPalette.ColorRole.Base))
        picture = self._picture
        if picture is not None and picture.total:
            if picture.used is None:
                faint = palette.color(QPalette.ColorRole.Mid)
                painter.fillRect(rect, QBrush(faint, Qt.BrushStyle.Dense6Pattern))
            self._paint_parts(painter, rect, picture)
            if self._marked:
                self._paint_marks(painter, rect, picture)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid)))
        painter.drawRect(rect)
        painter.end()

    def _paint_parts(self, painter: QPainter, rect: QRectF, picture: MemoryPicture) -> None:
        """With a hair between neighbours."""
        right, hatched = rect.right(), foreign_brush(self.palette())
        for part in picture.others:
            width = min(part.bytes / picture.total * rect.width(), right - rect.left())
            right -= width
            area = QRectF(right + 1, rect.top(), max(0.0, width - 1), rect.height())
            painter.fillRect(area, hatched)
        left = rect.left()
        for part in picture.ours:
            width = min(part.bytes / picture.total * rect.width(), right - left)
            colour = QColor(self._colours.get(part.name) or model_colour(part.name))
            area = QRectF(left, rect.top(), max(0.0, width - 1), rect.height())
            painter.fillRect(area, colour)
            left += width

    def _paint_marks(self, painter: QPainter, rect: QRectF, picture: MemoryPicture) -> None:
        text = self.palette().color(QPalette.ColorRole.WindowText)
        for mark in picture.marks:
            style = Qt.PenStyle.SolidLine if mark.now else Qt.PenStyle.DotLine
            painter.setPen(QPen(text, 1.5, style))
            x = rect.left() + mark.at / picture.total * rect.width()
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
