"""The page of memory: who holds what now, and who was loaded when in the last hour."""

from __future__ import annotations

from collections.abc import Mapping
from time import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from qmdesk.desktop.host_memory import HostMemory
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.label import empty_page, heading
from qmdesk.desktop.memory_bar import MemoryBar
from qmdesk.desktop.model_colour import model_colour
from qmdesk.desktop.timeline import lanes
from qmdesk.desktop.timeline_view import TimelineView
from qmdesk.desktop.words import size, tr
from qmdesk.router.snapshot import Snapshot

GAP = 10_000
"""Milliseconds after which the hour is painted anew though nothing has happened."""

SOON = 500
"""Milliseconds after which what has happened is painted, with what follows meanwhile."""


class MemoryPage(QWidget):
    """A stacked bar, and under it the hour; painted only while it is seen."""

    def __init__(self, journal: Journal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._journal = journal
        self._models: list[str] = []
        self._seen = -1
        self.bar = MemoryBar(1.6)
        self.bar.setAccessibleName(tr("Memory of this machine"))
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.timeline = TimelineView()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        inner = QWidget()
        within = QVBoxLayout(inner)
        within.setContentsMargins(0, 0, 0, 0)
        within.addWidget(self.timeline)
        within.addStretch(1)
        area.setWidget(inner)
        empty = empty_page(tr("No model was loaded in the last hour."))
        self._stack = QStackedWidget()
        self._stack.addWidget(empty)
        self._stack.addWidget(area)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(heading(tr("This machine's memory")))
        layout.addWidget(self.bar)
        layout.addWidget(self.legend)
        layout.addSpacing(8)
        layout.addWidget(heading(tr("The last hour")))
        layout.addWidget(self._stack, 1)
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self._paint)
        self._timer = QTimer(self, interval=GAP)
        self._timer.timeout.connect(self._paint)

    def show_memory(self, memory: HostMemory, colours: Mapping[str, str]) -> None:
        """Bring the bar and its words up to ``memory``; ``colours`` are those of the models."""
        self.bar.show_memory(memory, colours)
        marks = [
            f'<span style="color:{colours.get(model) or model_colour(model)}">■</span>'
            f"&nbsp;{_plain(model)}"
            f"&nbsp;{size(held)}"
            for model, held in sorted(memory.models.items())
        ]
        marks.append("▨&nbsp;" + tr("other programs {size}", size=size(memory.foreign)))
        marks.append("□&nbsp;" + tr("free {size}", size=size(memory.free)))
        text = " &nbsp; &nbsp; ".join(marks)
        if self.legend.text() != text:
            self.legend.setText(text)

    def show_snapshot(self, snapshot: Snapshot, colours: Mapping[str, str]) -> None:
        """Paint what has happened since."""
        self._models = [each.id for each in snapshot.models]
        self.timeline.use_colours(colours)
        if self._seen != self._journal.version and not self._soon.isActive():
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._paint()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self._soon.stop()

    def _paint(self) -> None:
        if not self.isVisible():
            return
        self._seen = self._journal.version
        found = lanes(self._journal, self._models, time())
        self.timeline.show_lanes(found)
        self._stack.setCurrentIndex(1 if found else 0)


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
