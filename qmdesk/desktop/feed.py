"""Snapshots for whoever shows them: after facts, not by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from qmdesk.events import ConfigApplied, Fact, MemorySampled, ModelStateChanged
from qmdesk.memory import MemorySnapshot

if TYPE_CHECKING:
    from qmdesk.instance import Instance

QUICK = 100
"""Milliseconds between snapshots while a window shows them."""
CALM = 500
"""Milliseconds between snapshots while only the tray does."""


class SnapshotFeed(QObject):
    """Emits ``changed`` soon after a fact, and again at most every ``gap`` milliseconds."""

    changed = Signal(object)

    def __init__(self, instance: Instance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gap = CALM
        self.memory = MemorySnapshot()
        """The memory at the moment of the last snapshot, without a look ahead."""
        self._measured = True
        self._instance = instance
        self._waiting = False
        self._again = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timeout)
        self._unsubscribe = instance.bus.subscribe(self._on_fact)

    def close(self) -> None:
        """Hear no more facts."""
        self._unsubscribe()
        self._timer.stop()

    def refresh(self) -> None:
        """Emit a snapshot now, and again after the facts to come."""
        self._again = False
        self._waiting = True
        self._timer.start(self.gap)
        if self._measured:
            self._measured = False
            self.memory = self._instance.memory(foresight=False)
        self.changed.emit(self._instance.router.snapshot())

    def _on_fact(self, fact: Fact) -> None:
        # Requests come and go without it.
        if isinstance(fact, MemorySampled | ModelStateChanged | ConfigApplied):
            self._measured = True
        # Twice a request: nothing but a flag while a snapshot is due anyway.
        if self._waiting:
            self._again = True
            return
        self._waiting = self._again = True
        self._timer.start(0)

    def _on_timeout(self) -> None:
        if self._again:
            self.refresh()
        else:
            self._waiting = False
