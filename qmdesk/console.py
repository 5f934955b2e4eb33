"""What a run without a window shows of its logs, on standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable

from qmdesk.config import Config
from qmdesk.logs import OWN, Follower, Log, Logs, plain

GATHER = 0.02
"""Seconds for which lines gather before they are written."""


class Console:
    """Shows our own log, those of the models' servers, both or none (``logToStdout``).

    A thread writes: whoever reads slowly, or not at all, holds nobody up.
    """

    def __init__(self, logs: Logs) -> None:
        self._lines = threading.Event()
        self._lock = threading.Lock()
        self._wanted = ""
        self._followers: dict[str, Follower] = {}
        self._logs: dict[str, Log] = {}
        self._ended = False
        logs.each(self._know)
        self._thread = threading.Thread(target=self._write, name="console", daemon=True)
        self._thread.start()

    def use(self, config: Config) -> None:
        """From now on show what ``config`` says."""
        self._wanted = config.log_to_stdout
        for log in self._logs.values():
            self._follow(log)

    def close(self) -> None:
        """Show what is there, for a moment at most."""
        self._ended = True
        self._lines.set()
        self._thread.join(1.0)

    def _know(self, log: Log) -> None:
        self._logs[log.name] = log
        self._follow(log)

    def _follow(self, log: Log) -> None:
        kinds = ("proxy", "both") if log.name == OWN else ("upstream", "both")
        with self._lock:
            follower = self._followers.get(log.name)
            if self._wanted in kinds and follower is None:
                self._followers[log.name] = log.follow(self._lines.set)
                self._lines.set()
            elif self._wanted not in kinds and follower is not None:
                self._followers.pop(log.name).close()

    def _write(self) -> None:
        ended = False
        while not ended:
            self._lines.wait()
            if not self._ended:
                # Lines come in crowds: to write each by itself would hold up whoever logs.
                time.sleep(GATHER)
            ended = self._ended
            self._lines.clear()
            with self._lock:
                found = [(name, each.take()) for name, each in self._followers.items()]
            for name, lines in found:
                _print(lines if name == OWN else [f"[{name}] {line}" for line in lines])


def _print(lines: Iterable[str]) -> None:
    if text := "".join(f"{plain(line)}\n" for line in lines):
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            pass  # Nobody reads it any more.
