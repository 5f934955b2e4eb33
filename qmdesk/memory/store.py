"""What has been learned, kept in a small SQLite file.  Its methods are not for the event loop."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path

log = logging.getLogger(__name__)

_TABLES = """
CREATE TABLE IF NOT EXISTS footprint (
    launch TEXT, card TEXT, bytes INTEGER, driver TEXT, at REAL, PRIMARY KEY (launch, card));
CREATE TABLE IF NOT EXISTS floor (card TEXT PRIMARY KEY, bytes INTEGER);
CREATE TABLE IF NOT EXISTS load (launch TEXT PRIMARY KEY, seconds REAL);
"""
_KEPT = 180 * 24 * 3600.0
"""Seconds for which a measurement is remembered that nobody has repeated."""


class Store:
    """A file that cannot be used is told once; then everything is forgotten at the end."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open_or_begin_anew(folder / "memory.sqlite3")
        except (OSError, sqlite3.Error) as error:
            log.warning("what is learned of memory is not kept: %s: %s", folder, error)
            self._open(":memory:")

    def _open_or_begin_anew(self, file: Path) -> None:
        try:
            self._open(str(file))
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            # Broken, and nothing in it is worth a repair.
            log.warning("what was learned of memory is lost: %s: %s", file, error)
            file.unlink()
            self._open(str(file))

    def _open(self, file: str) -> None:
        self._db = sqlite3.connect(file, check_same_thread=False, timeout=5)
        try:
            # What is learned can be learned again: no need to wait for the disk.
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLES)
            self._db.execute("DELETE FROM footprint WHERE at < ?", (time.time() - _KEPT,))
            self._db.commit()
        except sqlite3.Error:
            self._db.close()
            raise

    def footprint(self, launch: str) -> Mapping[str, tuple[int, str]]:
        """Bytes by card, each with the driver under which they were measured."""
        rows = self._all("SELECT card, bytes, driver FROM footprint WHERE launch = ?", launch)
        return {card: (size, driver) for card, size, driver in rows}

    def learn(self, launch: str, cards: Mapping[str, int], driver: str) -> None:
        """Take the place of whatever was known of ``launch``."""
        now = time.time()
        self._change("DELETE FROM footprint WHERE launch = ?", launch)
        for card, size in cards.items():
            self._change(
                "INSERT INTO footprint VALUES (?, ?, ?, ?, ?)", launch, card, size, driver, now
            )

    def loaded(self, launch: str) -> float | None:
        """Seconds that its last load took."""
        rows = self._all("SELECT seconds FROM load WHERE launch = ?", launch)
        return float(rows[0][0]) if rows else None

    def learn_load(self, launch: str, seconds: float) -> None:
        self._change("INSERT OR REPLACE INTO load VALUES (?, ?)", launch, seconds)

    def floors(self) -> Mapping[str, int]:
        """The least that other programs were seen to hold, in bytes by card."""
        rows = self._all("SELECT card, bytes, '' FROM floor")
        return {card: size for card, size, _ in rows}

    def learn_floor(self, card: str, size: int) -> None:
        self._change("INSERT OR REPLACE INTO floor VALUES (?, ?)", card, size)

    def close(self) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._db.close()

    def _all(self, sql: str, *values: object) -> list[tuple[str, int, str]]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            log.warning("what was learned of memory cannot be read: %s", error)
            return []

    def _change(self, sql: str, *values: object) -> None:
        try:
            with self._lock, self._db:
                self._db.execute(sql, values)
        except sqlite3.Error as error:
            log.warning("what is learned of memory cannot be kept: %s", error)
