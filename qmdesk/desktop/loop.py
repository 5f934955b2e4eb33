"""The asyncio event loop inside Qt: qasync's, pumped.

Stock qasync makes a Qt timer of every callback and two trips of every readable
socket.  ``PumpedLoop`` keeps asyncio's own queues and selector instead.  Qt watches
the selector's descriptor with one notifier; the pump then polls without waiting and
runs what is ready, until nothing is or its slice of time is spent.  One timer carries
the nearest deadline.  Linux and macOS; Windows keeps qasync's class, since a
completion port has no descriptor to watch.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import os
import selectors
import sys
import threading
import time
from collections import deque
from typing import Any

import PySide6
from PySide6.QtCore import (
    QAbstractEventDispatcher,
    QCoreApplication,
    QSocketNotifier,
    Qt,
    QThread,
    QTimer,
)

from qmdesk.desktop.executor import DaemonExecutor
from qmdesk.desktop.lateness import LIMIT, Lateness

# A stray PyQt in somebody's environment would win otherwise.
os.environ["QT_API"] = "pyside6"
import qasync

SLICE = 0.008
"""Seconds that the pump runs callbacks before Qt has its turn."""
BREATH = 0.016
"""Seconds of unbroken pumping after which Qt's timers, which rank lowest, get a turn."""
NAP = 0.001
"""Seconds of waiting from which Qt is taken to have slept: then nothing was starved."""
LONGEST_DELAY = 24 * 3600.0
"""Seconds; later deadlines are armed again on the way (Qt counts 31 bits of ms)."""

_QT = "a Qt slot or a repaint"

_Own = asyncio.SelectorEventLoop


def unsupported() -> str | None:
    """Why the installed Qt cannot be used, in one sentence; None where it can."""
    installed = tuple(int(part) for part in PySide6.__version__.split(".")[:2])
    if installed >= (6, 12) and sys.version_info < (3, 12):
        return (
            f"PySide6 {PySide6.__version__} crashes on Python 3.11: install"
            ' "PySide6-Essentials<6.12", or use Python 3.12 or later.'
        )
    return None


class PumpedLoop(qasync.QEventLoop):  # type: ignore[misc]
    """A ``qasync.QEventLoop`` at nearly the speed of asyncio's own loop.

    A coroutine may open dialogs with ``open()``, never with ``exec()``: a nested loop
    inside a task cannot run other tasks.  From a plain slot ``exec()`` is safe.
    """

    # Of asyncio, for whoever reads and checks this class.
    _selector: selectors.BaseSelector
    _ready: deque[Any]
    _scheduled: list[Any]
    _timer_cancelled_count: int
    _thread_id: int | None
    _stopping: bool

    # qasync puts its own in front of these.
    call_soon = _Own.call_soon
    call_later = _Own.call_later
    call_at = _Own.call_at
    call_soon_threadsafe = _Own.call_soon_threadsafe
    time = _Own.time
    run_in_executor = _Own.run_in_executor
    set_default_executor = _Own.set_default_executor
    set_exception_handler = _Own.set_exception_handler
    default_exception_handler = _Own.default_exception_handler
    call_exception_handler = _Own.call_exception_handler
    get_debug = _Own.get_debug
    set_debug = _Own.set_debug
    is_running = _Own.is_running
    run_until_complete = _Own.run_until_complete
    _add_callback = _Own._add_callback  # type: ignore[attr-defined]
    _add_reader = _Own._add_reader  # type: ignore[attr-defined]
    _remove_reader = _Own._remove_reader  # type: ignore[attr-defined]
    _add_writer = _Own._add_writer  # type: ignore[attr-defined]
    _remove_writer = _Own._remove_writer  # type: ignore[attr-defined]

    def __init__(self, app: QCoreApplication) -> None:
        self.lateness = Lateness()
        self._app = app
        # glibc then keeps blocks of asyncio's read size (256 KiB) on its heap.  Without it
        # each read maps and unmaps one, which takes longer than all the rest of the turn.
        bytearray(1 << 20)
        super().__init__(app)
        self._default_executor = DaemonExecutor()
        self._left = 0
        """Callbacks of the current round that have not run; the selector waits for them."""
        self._ended = False
        self._failure: BaseException | None = None
        self._resuming = False
        self._armed = math.inf
        """The time that the deadline timer is set for."""
        self._rested = self._blocked = 0.0
        self._blocked_cpu = 0.0
        self._pumped: float | None = None
        """When the pump last returned, where Qt has not been about to block since."""

        self._notifier = QSocketNotifier(_fileno(self._selector), QSocketNotifier.Type.Read)
        self._notifier.setEnabled(False)
        self._notifier.activated.connect(self._on_socket)
        self._resume = QTimer(singleShot=True, interval=0)
        self._resume.timeout.connect(self._on_resume)
        self._deadline = QTimer(singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._deadline.timeout.connect(self._on_deadline)

    def run_forever(self) -> None:
        """Run until ``stop()``; a stray ``QApplication.quit()`` does not end the loop."""
        self._check_closed()
        self._check_running()
        if QThread.currentThread().loopLevel():
            raise RuntimeError("Qt's own event loop already runs in this thread")
        dispatcher = QAbstractEventDispatcher.instance()
        hooks = sys.get_asyncgen_hooks()
        self._set_coroutine_origin_tracking(self._debug)
        self._ended, self._failure = False, None
        try:
            self._thread_id = threading.get_ident()
            sys.set_asyncgen_hooks(
                firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook
            )
            asyncio._set_running_loop(self)
            dispatcher.aboutToBlock.connect(self._on_about_to_block)
            self._notifier.setEnabled(True)
            self._rested = self._blocked = time.monotonic()
            self._blocked_cpu = time.thread_time()
            while not self._ended:
                self._app.exec()
        finally:
            self._resume.stop()
            self._deadline.stop()
            self._resuming, self._armed, self._pumped = False, math.inf, None
            self._notifier.setEnabled(False)
            dispatcher.aboutToBlock.disconnect(self._on_about_to_block)
            self._stopping = False
            self._thread_id = None
            asyncio._set_running_loop(None)
            self._set_coroutine_origin_tracking(False)
            sys.set_asyncgen_hooks(*hooks)
        self._raise_failure()

    def stop(self) -> None:
        """End ``run_forever`` once the callbacks that are ready now have run."""
        self._stopping = True

    def close(self) -> None:
        """Release what the loop holds; it cannot run again."""
        closing = not self.is_closed()
        super().close()
        if closing:
            del self._notifier, self._resume, self._deadline

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _make_self_pipe(self) -> None:
        # The first moment at which qasync's selector can be exchanged for a real one.
        self._selector.close()
        self._selector = selectors.DefaultSelector()
        _Own._make_self_pipe(self)  # type: ignore[attr-defined]

    def _on_socket(self) -> None:
        now = time.monotonic()
        if now - self._blocked > NAP:
            self._rested = now
            if now - self._blocked > LIMIT:
                self._note_wait()
        self._pump(now)

    def _on_resume(self) -> None:
        now = time.monotonic()
        if now - self._blocked > LIMIT:
            self._note_wait()
        self._rested = now
        self._resuming = False
        self._notifier.setEnabled(True)
        self._pump(now)

    def _on_deadline(self) -> None:
        now = time.monotonic()
        if now - self._armed > LIMIT:
            self.lateness.note(now - self._armed, _QT)
        self._armed = math.inf
        self._pump(now)

    def _note_wait(self) -> None:
        # Qt slept, or a slot ran before us: only the second burns this thread's time.
        held = time.thread_time() - self._blocked_cpu
        if held > LIMIT:
            self.lateness.note(held, _QT)

    def _pump(self, now: float) -> None:
        """Run what is ready, in rounds, until nothing is or the slice is spent."""
        if self._thread_id is None or self._ended:
            return
        end = now + SLICE
        ready = self._ready
        try:
            while True:
                if not self._left:
                    if events := self._selector.select(0):
                        self._process_events(events)
                    if self._scheduled:
                        self._take_due(now)
                    self._left = len(ready)
                    if not self._left:
                        break
                # A nested loop pumps too, so what is left is counted as it is taken.
                while self._left and ready:
                    self._left -= 1
                    handle = ready.popleft()
                    if handle._cancelled:
                        continue
                    handle._run()
                    before, now = now, time.monotonic()
                    # A callback that ran a nested loop held nobody up.
                    if now - before > LIMIT and self._blocked < before:
                        self.lateness.note(now - before, _cause(handle))
                    if now >= end and not self._stopping:
                        break
                else:
                    self._left = 0
                if now >= end or self._stopping:
                    break
        except (SystemExit, KeyboardInterrupt) as error:
            # Qt would swallow it: `run_forever` raises it instead.
            self._failure = error
            self._stopping = True
        if self._stopping:
            self._ended = True
            self._app.exit()
        elif now >= end or now - self._rested > BREATH:
            self._rest()
        self._pumped = now

    def _rest(self) -> None:
        """Let Qt work off everything else, down to its timers, before the pump goes on."""
        self._notifier.setEnabled(False)
        self._resuming = True
        self._resume.start()

    def _drop_first(self) -> None:
        heapq.heappop(self._scheduled)._scheduled = False
        self._timer_cancelled_count -= 1

    def _take_due(self, now: float) -> None:
        """Move the timers that are due to the ready queue; drop cancelled ones."""
        scheduled = self._scheduled
        # As asyncio does: timeouts that were cancelled long before they were due.
        if self._timer_cancelled_count > 50 and self._timer_cancelled_count * 2 > len(scheduled):
            kept = []
            for handle in scheduled:
                if handle._cancelled:
                    handle._scheduled = False
                else:
                    kept.append(handle)
            heapq.heapify(kept)
            scheduled = self._scheduled = kept
            self._timer_cancelled_count = 0
        while scheduled:
            if scheduled[0]._cancelled:
                self._drop_first()
                continue
            if scheduled[0]._when > now:
                break
            handle = heapq.heappop(scheduled)
            handle._scheduled = False
            self._ready.append(handle)

    def _on_about_to_block(self) -> None:
        """Arm what must wake Qt: slots and nested loops may have queued work meanwhile."""
        if self._thread_id is None or self._ended:
            return
        now = time.monotonic()
        if self._pumped is None:
            if now - self._blocked > LIMIT:
                self._note_wait()
        elif now - self._pumped > LIMIT:
            self.lateness.note(now - self._pumped, _QT)
        self._pumped = None
        self._blocked, self._blocked_cpu = now, time.thread_time()
        if self._ready or self._stopping:
            if not self._resuming:
                self._resuming = True
                self._resume.start()
            return
        scheduled = self._scheduled
        while scheduled and scheduled[0]._cancelled:
            self._drop_first()
        if not scheduled:
            if self._armed != math.inf:
                self._armed = math.inf
                self._deadline.stop()
        elif (when := scheduled[0]._when) < self._armed:
            # A later deadline than the armed one costs one early wake-up, not a restart each.
            delay = min(max(0.0, when - now), LONGEST_DELAY)
            self._armed = now + delay
            self._deadline.start(math.ceil(delay * 1000))


def _fileno(selector: selectors.BaseSelector) -> int:
    descriptor: int = selector.fileno()  # type: ignore[attr-defined]
    return descriptor


def _cause(handle: asyncio.Handle) -> str:
    callback = getattr(handle, "_callback", None)
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return f"task {owner.get_name()}"
    return getattr(callback, "__qualname__", None) or repr(callback)


def new_event_loop(app: QCoreApplication) -> asyncio.AbstractEventLoop:
    """The fastest event loop for this system; ``app`` must live as long as it does."""
    if sys.platform == "win32":
        loop: Any = qasync.QEventLoop(app)
        loop.set_default_executor(DaemonExecutor())
        return loop  # type: ignore[no-any-return]
    return PumpedLoop(app)
