"""How far a load is: judged by what the server says, what it reads, and the last load."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Sequence

import psutil

SAMPLE_EVERY = 0.5
"""Seconds between two readings of how much the processes have read."""
_TELLING_BYTES = 16 << 20
"""Fewer bytes than this come from the start of a program, not from a model."""
_TELLING_SHARE = 0.02
_MOST = 0.99
"""Loading is not ready: the last hundredth is the server's answer."""
_DOTS = 100

_PERCENT = re.compile(r"(?<![\d.])(\d{1,3})(?:\.\d+)? ?%")
_LOADING = re.compile(r"load|shard|weight|checkpoint|tensor", re.IGNORECASE)
_LINE_OF_DOTS = re.compile(rf"\.{{3,{_DOTS}}}")


class Progress:
    """One model's loads, one after the other.  Times are ``time.monotonic()``."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        """How long the last finished load took."""
        self.bytes: int | None = None
        """How much its processes read meanwhile, where the system tells."""
        self._began: float | None = None
        self._read: int | None = None
        self._said: float | None = None
        self._basis = 0
        """What the estimate rests on: 0 time, 1 bytes, 2 the server's word."""
        self._most = 0.0

    def begin(self, now: float) -> None:
        """A load begins."""
        self._began, self._read, self._said = now, None, None
        self._basis, self._most = 0, 0.0

    def read(self, total: int | None) -> None:
        """So many bytes have been read since the load began."""
        self._read = total

    def said(self, fraction: float | None) -> None:
        """The server itself says that it is so far, 0 to 1; None where it says nothing."""
        self._said = fraction

    def finish(self, now: float, total: int | None) -> None:
        """The load has ended well, after reading ``total`` bytes."""
        assert self._began is not None
        self.seconds, self.bytes = now - self._began, total
        self._began = None

    def estimate(self, now: float) -> tuple[float | None, float | None]:
        """How far the load is (0 to 1), and the seconds left.

        None for what cannot be told: on a first load of a silent server, or once a load
        takes longer than all that was known of it.  It goes back only where something
        better becomes known.
        """
        if self._began is None:
            return None, None
        passed = max(now - self._began, 0.001)
        basis, done = self._share(passed)
        if basis > self._basis:
            self._basis, self._most = basis, 0.0
        if done is not None and basis == self._basis:
            self._most = max(self._most, min(_MOST, done))
        if self._most == 0.0:
            return None, None
        if self._basis > 0:
            return self._most, passed * (1 - self._most) / self._most
        assert self.seconds is not None  # Else there were no time to rest on.
        return self._most, self.seconds - passed if self.seconds > passed else None

    def _share(self, passed: float) -> tuple[int, float | None]:
        """What is known best, and how far that says the load is."""
        if self._said:
            return 2, self._said
        # Where the file is in the system's cache nothing is read, and only time tells.
        if self._read and self.bytes and self.bytes >= _TELLING_BYTES:
            share = self._read / self.bytes
            if share >= _TELLING_SHARE:
                return 1, share
        return 0, None if self.seconds is None else passed / max(self.seconds, 0.001)


def bytes_read(processes: Iterable[psutil.Process]) -> int | None:
    """What ``processes`` have read since they started; None where the system does not tell.

    Reads the system's tables: not for the event loop.
    """
    total: int | None = None
    for process in processes:
        # macOS has no such counters.
        with contextlib.suppress(psutil.Error, AttributeError, OSError):
            counters = process.io_counters()  # type: ignore[attr-defined,unused-ignore]
            # Files read through a mapping count at the disk only.
            asked = getattr(counters, "read_chars", 0)
            total = (total or 0) + max(counters.read_bytes, asked)
    return total


def said_in_body(body: bytes) -> float | None:
    """A ``progress`` of 0 to 1 in the answer that says that the server loads."""
    try:
        content = json.loads(body)
    except ValueError:
        return None
    for part in (content, content.get("error") if isinstance(content, dict) else None):
        if isinstance(part, dict):
            value = part.get("progress")
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
                return float(value)
    return None


def said_in_log(lines: Sequence[str]) -> float | None:
    """How far the last of ``lines`` (oldest first) that tells of a load says it is.

    Understood are a percentage in a line about loading, and llama.cpp's line of dots,
    one for each hundredth.
    """
    for line in reversed(lines):
        text = line.strip()
        if _LINE_OF_DOTS.fullmatch(text):
            return len(text) / _DOTS
        if _LOADING.search(text) and (found := _PERCENT.findall(text)):
            return min(100, int(found[-1])) / 100
    return None
