"""The page of memory: who holds what now, and who was loaded when in the last hour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from qmdesk.desktop.host_memory import HostMemory
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.label import heading, say, sentence
from qmdesk.desktop.memory_panel import MemoryPanel
from qmdesk.desktop.memory_picture import MemoryPicture
from qmdesk.desktop.timeline import lanes
from qmdesk.desktop.timeline_view import TimelineView
from qmdesk.desktop.words import tr
from qmdesk.router.snapshot import Snapshot

GAP = 10_000
"""Milliseconds after which the hour is painted anew though nothing has happened."""

SOON = 500
"""Milliseconds after which what has happened is painted, with what follows meanwhile."""


class MemoryPage(QWidget):
    """A stacked bar for each card and one for the machine, and under them the hour.

    Painted only while it is seen.
    """

    def __init__(self, journal: Journal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._journal = journal
        self._models: list[str] = []
        self._seen = -1
        self.cards: list[MemoryPanel] = []
        self.host = MemoryPanel()
        self.quiet_host = MemoryPanel(quiet=True)
        self.problem = sentence()
        self.problem.hide()
        self.timeline = TimelineView()
        self.empty = sentence(tr("No model was loaded in the last hour."))
        inner = QWidget()
        self._within = QVBoxLayout(inner)
        self._within.setContentsMargins(12, 12, 12, 8)
        self._within.setSpacing(12)
        self._within.addWidget(self.host)
        self._within.addWidget(self.quiet_host)
        self._within.addWidget(self.problem)
        self._within.addSpacing(4)
        self._within.addWidget(heading(tr("The last hour")))
        self._within.addWidget(self.empty)
        self._within.addWidget(self.timeline)
        self._within.addStretch(1)
        self.quiet_host.hide()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(inner)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self._paint)
        self._timer = QTimer(self, interval=GAP)
        self._timer.timeout.connect(self._paint)

    def show_cards(
        self, pictures: Sequence[MemoryPicture], problem: str, colours: Mapping[str, str]
    ) -> None:
        """Bring the cards up to ``pictures``; ``problem`` says why there is none."""
        while len(self.cards) > len(pictures):
            panel = self.cards.pop()
            self._within.removeWidget(panel)
            panel.deleteLater()
        while len(self.cards) < len(pictures):
            panel = MemoryPanel()
            self._within.insertWidget(len(self.cards), panel)
            self.cards.append(panel)
        for panel, picture in zip(self.cards, pictures, strict=True):
            panel.show_picture(picture, colours)
        # Where there is a card, the machine's own memory is what matters less.
        self.host.setVisible(not pictures)
        self.quiet_host.setVisible(bool(pictures))
        say(self.problem, problem[:1].upper() + problem[1:] if not pictures else "")

    def show_memory(self, memory: HostMemory, colours: Mapping[str, str]) -> None:
        """Bring the machine's own memory up to ``memory``."""
        panel = self.quiet_host if self.cards else self.host
        panel.show_picture(memory.picture(), colours)

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
        self.timeline.setVisible(bool(found))
        self.empty.setVisible(all(lane.foreign for lane in found))
