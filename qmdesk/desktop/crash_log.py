"""What a run of qmdesk could not cope with, in a file that outlives it.  Free of Qt.

One small file for each run, removed when the run ends well and nothing was noted; the
last few are kept.  A crash of the interpreter or of a library writes its stacks there too.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import platform
import re
import threading
import time
from pathlib import Path
from typing import IO

import psutil

from qmdesk import __version__

log = logging.getLogger(__name__)

KEPT = 5
"""Files of earlier runs that are kept."""
LARGEST = 128 << 10
"""Bytes of errors that one run notes; the stacks of a crash come on top."""
ENDED = "ended"
"""The last line of a run that ended by itself."""
TOLD = "told"
"""The last line of a crash that the user has heard of."""

_CRASH = re.compile(r"^(?:Fatal Python error|Windows fatal exception)", re.MULTILINE)
_NAME = re.compile(r"run-(\d+)-(\d+)\.log")


class CrashLog:
    """The file of this run, in ``folder``; looks through those of earlier runs first."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._file: IO[str] | None = None
        self._faults = False
        self._noted = 0
        self.crashed: Path | None = None
        """The file of an earlier run that crashed, where the user has not heard of it."""
        self.path = folder / f"run-{time.time_ns() // 1_000_000}-{os.getpid()}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.crashed = _look_back(folder)
            self._file = self.path.open("x", encoding="utf-8", errors="replace")
            self._write(f"qmdesk {__version__}, Python {platform.python_version()}")
            self._write(f"{platform.platform()}, begun {time.strftime('%Y-%m-%d %H:%M:%S')}")
        except OSError as error:
            log.warning("crashes are not recorded: %s", error)
            return
        # Somebody else may have it on already, for ends of their own.
        if not faulthandler.is_enabled():
            faulthandler.enable(self._file)
            self._faults = True

    def note(self, text: str) -> None:
        """Keep ``text``, an error that nobody caught; from any thread."""
        with self._lock:
            room = LARGEST - self._noted
            if self._file is not None and room > 0:
                self._noted += len(text)
                with contextlib.suppress(OSError):
                    self._write(f"\n{time.strftime('%H:%M:%S')} {text[:room]}")

    def close(self) -> None:
        """This run has ended by itself."""
        with self._lock:
            if self._file is None:
                return
            if self._faults:
                faulthandler.disable()
            with contextlib.suppress(OSError):
                self._write(ENDED)
            self._file.close()
            self._file = None
            if not self._noted:
                self.path.unlink(missing_ok=True)

    def _write(self, text: str) -> None:
        assert self._file is not None
        self._file.write(f"{text}\n")
        self._file.flush()


class CrashHandler(logging.Handler):
    """Puts every logged error that comes with a trace into the file as well."""

    def __init__(self, crash_log: CrashLog) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(message)s"))
        self._crash_log = crash_log

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[0] is not None:
            try:
                self._crash_log.note(self.format(record))
            except Exception:  # noqa: BLE001 - logging's own rule: report, never raise
                self.handleError(record)


def _look_back(folder: Path) -> Path | None:
    """The newest file of a crash that was not told yet; old files are removed."""
    runs = sorted(folder.glob("run-*.log"), reverse=True)
    found: Path | None = None
    kept = 0
    for run in runs:
        name = _NAME.fullmatch(run.name)
        if name is None or _runs(int(name[2]), int(name[1]) / 1000):
            continue
        text = run.read_text(encoding="utf-8", errors="replace")
        last = text.rstrip().rpartition("\n")[2]
        crashed = _CRASH.search(text) is not None and last not in (ENDED, TOLD)
        if crashed:
            found = found or run
            with run.open("a", encoding="utf-8") as file:
                file.write(f"\n{TOLD}\n")
        elif last not in (ENDED, TOLD) and len(text.splitlines()) <= 2:
            log.info("an earlier qmdesk was ended from outside")
            run.unlink()
            continue
        kept += 1
        if kept > KEPT:
            run.unlink()
    return found


def _runs(pid: int, begun: float) -> bool:
    """Whether the process of this number is the one that began the file at ``begun``."""
    try:
        # A later one has been given the same number.
        return psutil.Process(pid).create_time() <= begun + 1
    except psutil.Error:
        return False
