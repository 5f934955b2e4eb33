"""Tells people what happened while they looked elsewhere."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from qmdesk.desktop.notification_text import Kind, Message, folded, message
from qmdesk.events import Bus, ConfigRejected, Evicted, Fact, LoadFailed

HISTORY = 200
"""Messages kept; the desktop may have shown none of them."""
PATIENCE = 400
"""Milliseconds in which further messages are folded into one."""


class Notifier(Protocol):
    """A way to show a message outside of our windows."""

    def notify(self, message: Message) -> None:
        """Show ``message``; a desktop without messages shows nothing."""


class Notifications(QObject):
    """Turns facts into messages: folded, shown through a ``Notifier``, and kept."""

    added = Signal(object)
    """A ``Message`` that was added to the history."""

    def __init__(self, bus: Bus, notifier: Notifier, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.history: deque[Message] = deque(maxlen=HISTORY)
        self.muted: set[Kind] = set()
        """Kinds that are kept but not shown."""
        self._notifier = notifier
        self._waiting: list[Message] = []
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE)
        self._timer.timeout.connect(self._show)
        self._unsubscribe = bus.subscribe(self._on_fact, Evicted, LoadFailed, ConfigRejected)

    @property
    def last(self) -> Message | None:
        """The newest message, which a click on a notification most likely means."""
        return self.history[-1] if self.history else None

    def add(self, message: Message) -> None:
        """Keep ``message`` and show it soon, folded with its like."""
        self.history.append(message)
        self.added.emit(message)
        if message.kind not in self.muted:
            self._waiting.append(message)
            # Not from the last one on: a steady stream would never be shown.
            if not self._timer.isActive():
                self._timer.start()

    def close(self) -> None:
        """Hear no more facts and drop what waits."""
        self._unsubscribe()
        self._timer.stop()

    def _on_fact(self, fact: Fact) -> None:
        if (told := message(fact)) is not None:
            self.add(told)

    def _show(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in folded(waiting):
            self._notifier.notify(each)
