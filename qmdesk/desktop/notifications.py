"""Tells people what happened while they looked elsewhere."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from qmdesk.desktop.full_screen import full_screen
from qmdesk.desktop.notification_text import Kind, Message, folded, message, peer
from qmdesk.events import (
    Bus,
    ConfigApplied,
    ConfigRejected,
    Evicted,
    Fact,
    GaveWay,
    LoadFailed,
    PeerChanged,
)
from qmdesk.tasks import spawn

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

    def __init__(
        self,
        bus: Bus,
        notifier: Notifier,
        parent: QObject | None = None,
        *,
        muted: Callable[[], frozenset[Kind]] = frozenset,
        disturbs: Callable[[], bool] = full_screen,
    ) -> None:
        """``muted`` says which kinds are kept but not shown now.

        ``disturbs`` says, in a thread, whether somebody must not be disturbed now.
        """
        super().__init__(parent)
        self.history: deque[Message] = deque(maxlen=HISTORY)
        self._notifier = notifier
        self._muted = muted
        self._disturbs = disturbs
        self._waiting: list[Message] = []
        self._closed = False
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE)
        self._timer.timeout.connect(self._on_timeout)
        self._down: set[str] = set()
        """Peers of which it was told that they do not answer."""
        self._unsubscribe = bus.subscribe(
            self._on_fact,
            *(Evicted, LoadFailed, ConfigApplied, ConfigRejected, GaveWay, PeerChanged),
        )

    @property
    def last(self) -> Message | None:
        """The newest message, which a click on a notification most likely means."""
        return self.history[-1] if self.history else None

    def add(self, message: Message) -> None:
        """Keep ``message`` and show it soon, folded with its like."""
        self.history.append(message)
        self.added.emit(message)
        if message.kind not in self._muted():
            self._waiting.append(message)
            # Not from the last one on: a steady stream would never be shown.
            if not self._timer.isActive():
                self._timer.start()

    def close(self) -> None:
        """Hear no more facts and drop what waits."""
        self._unsubscribe()
        self._timer.stop()
        self._closed = True

    def _on_fact(self, fact: Fact) -> None:
        if isinstance(fact, PeerChanged):
            told = peer(fact, was_down=fact.peer in self._down)
            (self._down.discard if fact.up else self._down.add)(fact.peer)
        else:
            told = message(fact)
        if told is not None:
            self.add(told)

    def _on_timeout(self) -> None:
        spawn(self._show(), "notifications")

    async def _show(self) -> None:
        waiting, self._waiting = self._waiting, []
        quiet = await asyncio.to_thread(self._disturbs)
        for each in folded(waiting):
            # What went wrong may be the reason why the game stutters.
            if (each.failed or not quiet) and not self._closed:
                self._notifier.notify(each)
