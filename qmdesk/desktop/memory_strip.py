"""The memory in the strip on top: a small bar for each card, and the figures of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from qmdesk.desktop.memory_bar import MemoryBar
from qmdesk.desktop.memory_picture import MemoryPicture, all_cards_line

WIDTH = 24
"""Characters that all bars together are wide."""
LEAST = 9
"""Characters that one is wide at least."""


class MemoryStrip(QWidget):
    """Shows pictures side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: list[MemoryBar] = []
        self.used = QLabel()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._layout.addWidget(self.used)

    def show_pictures(self, pictures: Sequence[MemoryPicture], colours: Mapping[str, str]) -> None:
        """``colours`` are those of the models."""
        if len(pictures) != len(self.bars):
            self._make(len(pictures))
        for bar, picture in zip(self.bars, pictures, strict=True):
            bar.show_picture(picture, colours)
        line = all_cards_line(pictures) or (pictures[0].line if pictures else "")
        if self.used.text() != line:
            self.used.setText(line)

    def _make(self, count: int) -> None:
        while len(self.bars) > count:
            bar = self.bars.pop()
            self._layout.removeWidget(bar)
            bar.deleteLater()
        while len(self.bars) < count:
            bar = MemoryBar()
            self._layout.insertWidget(len(self.bars), bar)
            self.bars.append(bar)
        unit = self.fontMetrics().averageCharWidth()
        for bar in self.bars:
            bar.setMaximumWidth(unit * max(LEAST, WIDTH // count))
