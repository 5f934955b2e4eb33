"""A bar of memory: who holds what, other programs hatched, the rest free."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from qmdesk.desktop.host_memory import HostMemory
from qmdesk.desktop.model_colour import model_colour


def foreign_brush(palette: QPalette) -> QBrush:
    """How memory of others is filled, in every picture."""
    return QBrush(palette.color(QPalette.ColorRole.PlaceholderText), Qt.BrushStyle.BDiagPattern)


class MemoryBar(QWidget):
    """Shows a ``HostMemory``; the words are its tooltip and its description."""

    def __init__(self, height: float = 0.7, parent: QWidget | None = None) -> None:
        """``height`` in heights of a line of text."""
        super().__init__(parent)
        self._height = height
        self._memory: HostMemory | None = None
        self._colours: dict[str, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_memory(self, memory: HostMemory, colours: Mapping[str, str]) -> None:
        """``colours`` are those of the models."""
        if (memory, colours) != (self._memory, self._colours):
            self._memory, self._colours = memory, dict(colours)
            story = memory.story()
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
        memory = self._memory
        if memory is not None and memory.total:
            left = rect.left()
            parts: list[tuple[int, QBrush | QColor]] = [
                (held, QColor(self._colours.get(model) or model_colour(model)))
                for model, held in sorted(memory.models.items())
            ]
            parts.append((memory.foreign, foreign_brush(palette)))
            for held, fill in parts:
                width = min(held / memory.total * rect.width(), rect.right() - left)
                # A hair between neighbours.
                painter.fillRect(QRectF(left, rect.top(), max(0.0, width - 1), rect.height()), fill)
                left += width
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid)))
        painter.drawRect(rect)
        painter.end()
