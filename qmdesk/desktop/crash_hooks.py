"""Where errors go that nobody caught: to the log, to a file, and once to the user."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from qmdesk.desktop.crash_log import CrashHandler, CrashLog
from qmdesk.folders import crash_folder

log = logging.getLogger(__name__)


class CrashHooks:
    """Installed once, before anything can fail; ``remove`` puts the old ones back."""

    def __init__(self, told: Callable[[], None]) -> None:
        """``told`` is called in the thread that failed, after the log was written."""
        self._told = told
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._crash_log = CrashLog(crash_folder())
        self._handler = CrashHandler(self._crash_log)
        logging.getLogger("qmdesk").addHandler(self._handler)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        sys.unraisablehook = self._on_unraisable

    def remove(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        logging.getLogger("qmdesk").removeHandler(self._handler)
        self._crash_log.close()

    @property
    def crashed(self) -> Path | None:
        """The record of an earlier run that crashed, where nobody has heard of it yet."""
        return self._crash_log.crashed

    def on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An asyncio exception handler."""
        error = context.get("exception")
        log.error("in the event loop: %s", context.get("message"), exc_info=error)
        if error is not None:
            self._told()

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        log.critical("an error that nobody caught", exc_info=(kind, error, trace))
        self._told()

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_type is SystemExit:
            return
        name = args.thread.name if args.thread else "?"
        log.critical(
            "an error that nobody caught, in thread %s",
            name,
            exc_info=(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback),
        )
        self._told()

    def _on_unraisable(self, args: sys.UnraisableHookArgs) -> None:
        # Mostly noise of teardown: for the log, not for the user.
        log.error(
            "%s: %r",
            args.err_msg or "an error that cannot be raised",
            args.object,
            exc_info=(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback),
        )
