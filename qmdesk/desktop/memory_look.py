"""Looks at the machine's memory now and then, in a thread, while somebody sees it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from qmdesk.desktop.host_memory import host_memory

GAP = 5_000
"""Milliseconds between two looks."""


class MemoryLook(QObject):
    """``start`` it when somebody sees the figures, ``stop`` it when nobody does."""

    seen = Signal(object)
    """A ``HostMemory``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pids: dict[str, int] = {}
        self._looking: threading.Thread | None = None
        self._timer = QTimer(self, interval=GAP)
        self._timer.timeout.connect(self.look)

    def watch(self, pids: Mapping[str, int]) -> None:
        """From now on these are the models' servers, by model."""
        self._pids = dict(pids)

    @property
    def active(self) -> bool:
        return self._timer.isActive()

    def start(self) -> None:
        self._timer.start()
        self.look()

    def stop(self) -> None:
        self._timer.stop()

    def look(self) -> None:
        """Look once more, unless the last look is still under way."""
        if self._looking is None or not self._looking.is_alive():
            self._looking = threading.Thread(
                target=self._look, args=(self._pids,), name="memory look", daemon=True
            )
            self._looking.start()

    def _look(self, pids: dict[str, int]) -> None:
        memory = host_memory(pids)
        # The window may have gone meanwhile.
        with contextlib.suppress(RuntimeError):
            self.seen.emit(memory)
