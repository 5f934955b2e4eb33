"""Logs as files on disk, for whoever asks for them; nothing is written otherwise.

One thread writes for all logs, as a follower of each: a slow disk never keeps a server
or the event loop, it loses lines and says how many.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
from hashlib import blake2s
from pathlib import Path

import platformdirs

from qmdesk.logs import Follower, Log, Logs, plain

log = logging.getLogger(__name__)

MAX_FILE = 5 << 20
"""Bytes after which a file is set aside and a new one begun."""
KEPT = 2
"""Files that are set aside, for each log."""

# Windows keeps these names for devices.
_RESERVED = (
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{name}{n}" for name in ("COM", "LPT") for n in range(10)),
)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def log_folder() -> Path:
    """Where this system keeps the log files of an application."""
    return platformdirs.user_log_path("qmdesk", appauthor=False)


class LogFiles:
    """Writes every log of ``logs``, those to come included, into ``folder``.

    A file for each, without colours: no more than ``1 + KEPT`` times ``max_file`` bytes.
    Close it to have the last lines written.
    """

    def __init__(self, logs: Logs, folder: Path, *, max_file: int = MAX_FILE) -> None:
        self._folder = folder
        self._max_file = max_file
        self._followers: list[tuple[Follower, Path]] = []
        self._wake = threading.Event()
        self._closed = False
        self._failed = False
        self._thread = threading.Thread(target=self._write_all, name="log files", daemon=True)
        logs.each(self._follow)
        self._thread.start()

    def close(self) -> None:
        """Write what waits and end the thread; twice is harmless."""
        self._closed = True
        self._wake.set()
        self._thread.join()
        for follower, _ in self._followers:
            follower.close()
        self._followers.clear()

    def _follow(self, source: Log) -> None:
        if not self._closed:
            file = self._folder / f"{file_name(source.name)}.log"
            self._followers.append((source.follow(self._wake.set), file))
            self._wake.set()

    def _write_all(self) -> None:
        last = False
        while not last:
            self._wake.wait()
            self._wake.clear()
            # Looked at before the lines are: those of the last moment are written too.
            last = self._closed
            for follower, file in tuple(self._followers):
                if lines := follower.take():
                    self._write(file, lines)

    def _write(self, file: Path, lines: list[str]) -> None:
        text = "".join(f"{plain(line)}\n" for line in lines)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            data = text.encode("utf-8", "replace")
            if file.exists() and file.stat().st_size + len(data) > self._max_file:
                rotate(file)
            with file.open("ab") as out:
                # More than a whole file in one go: the end is what matters.
                out.write(data[-self._max_file :])
        except OSError as error:
            # Once: each line about it would be one more line to write.
            if not self._failed:
                self._failed = True
                log.warning("cannot write log files in %s: %s", self._folder, error)


def rotate(file: Path) -> None:
    """Set ``file`` aside as ``NAME.1``, the older ones further; the oldest is dropped."""
    for age in range(KEPT, 0, -1):
        source = file if age == 1 else file.with_name(f"{file.name}.{age - 1}")
        with contextlib.suppress(FileNotFoundError):
            source.replace(file.with_name(f"{file.name}.{age}"))


def file_name(name: str) -> str:
    """A log's name as a file's name on every system; different names stay different."""
    safe = _UNSAFE.sub("_", name).strip(".") or "_"
    if safe == name and len(name) <= 100 and name.upper() not in _RESERVED:
        return safe
    return f"{safe[:80]}-{blake2s(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
