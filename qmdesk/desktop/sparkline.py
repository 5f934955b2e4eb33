"""A few numbers as small bars."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from qmdesk.desktop.words import exact, tr

BARS = 20
"""Values that are shown."""


class Sparkline(QWidget):
    """The last values, the newest on the right, all to the scale of the largest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_values(self, values: tuple[float, ...]) -> None:
        """Seconds, oldest first."""
        values = values[-BARS:]
        if values != self._values:
            self._values = values
            told = ", ".join(exact(each) for each in values)
            self.setToolTip(told)
            self.setAccessibleDescription(told or tr("none yet"))
            self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * BARS, metrics.height() * 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = self.palette().color(QPalette.ColorRole.Highlight)
        largest = max(self._values, default=0.0)
        step = min(self.width() / BARS, 14.0)
        for at, value in enumerate(self._values):
            height = max(2.0, value / largest * (self.height() - 2)) if largest else 2.0
            painter.fillRect(QRectF(at * step, self.height() - height, step - 2, height), colour)
        painter.end()
