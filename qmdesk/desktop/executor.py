"""A thread pool that cannot keep the app from ending."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_Job = tuple[Future[Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class DaemonExecutor(Executor):
    """Runs calls in daemon threads, which are started as they are needed.

    The standard pool joins its threads when the interpreter ends, so one call that
    is stuck in a driver or a name lookup would hold the exit for ever.
    """

    def __init__(self, max_workers: int | None = None, patience: float = 2.0) -> None:
        """``patience``: seconds that ``shutdown`` waits at most for running calls."""
        self._max = max_workers or min(32, (os.cpu_count() or 1) + 4)
        self._patience = patience
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._pending = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``fn`` in a thread; raises RuntimeError after ``shutdown``."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor has been shut down")
            self._jobs.put((future, fn, args, kwargs))
            self._pending += 1
            if self._pending > self._idle and len(self._threads) < self._max:
                name = f"qmdesk-{len(self._threads) + 1}"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls and let the threads end; never waits beyond the patience."""
        with self._lock:
            first, self._closed = not self._closed, True
            threads = list(self._threads)
        if cancel_futures:
            self._cancel_waiting()
        if first:
            for _ in threads:
                self._jobs.put(None)
        if wait:
            deadline = time.monotonic() + self._patience
            for thread in threads:
                if thread is not threading.current_thread():
                    thread.join(max(0.0, deadline - time.monotonic()))

    def _cancel_waiting(self) -> None:
        ends = 0
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                ends += 1
            else:
                job[0].cancel()
        for _ in range(ends):
            self._jobs.put(None)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            job = self._jobs.get()
            with self._lock:
                self._idle -= 1
                if job is not None:
                    self._pending -= 1
            if job is None:
                return
            future, fn, args, kwargs = job
            if future.set_running_or_notify_cancel():
                try:
                    result = fn(*args, **kwargs)
                except BaseException as error:  # noqa: BLE001 - the future carries it
                    future.set_exception(error)
                else:
                    future.set_result(result)
                    del result
            # An idle thread must not keep the last call's objects alive.
            del job, future, fn, args, kwargs
