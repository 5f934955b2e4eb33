"""Log lines kept in memory, and who listens to them.

A ``Log`` belongs to one source: a model's server, or qmdesk itself.  Whoever
writes never waits: a follower that does not keep up loses lines, and is told
how many.
"""

from __future__ import annotations

import codecs
import logging
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from qmdesk.log_format import LogFormat

MAX_LINES = 10_000
MAX_BYTES = 1 << 20
MAX_LINE = 16 << 10
"""Characters; a longer line is cut into pieces of this length."""
FOLLOWER_LINES = 5_000

OWN = "qmdesk"
"""The name of our own log."""

# An escape sequence that goes on in what has been cut off.
_CUT_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*)?\Z")
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")


def plain(line: str) -> str:
    """``line`` without ANSI escape sequences, for files and terminals without colours."""
    return _ANSI.sub("", line) if "\x1b" in line else line


@dataclass(eq=False, slots=True)
class Follower:
    """One reader's place in a log: lines wait here until it takes them.

    No more wait than ``limit``, nor more than the log itself may hold in bytes.
    """

    _log: Log
    _wake: Callable[[], None]
    _limit: int = FOLLOWER_LINES
    _waiting: deque[str] = field(default_factory=deque)
    _bytes: int = 0
    _dropped: int = 0

    def take(self) -> list[str]:
        """The lines since the last call; a gap is a line of its own that says how long."""
        with self._log.lock:
            lines = list(self._waiting)
            self._waiting.clear()
            self._bytes = 0
            dropped, self._dropped = self._dropped, 0
        if dropped:
            lines.insert(0, f"[{dropped} lines left out: this reader was too slow]")
        return lines

    def close(self) -> None:
        """Stop following; calling it twice is harmless."""
        self._log.unfollow(self)

    def offer(self, line: str) -> bool:
        """Add ``line``; True where the reader must be woken (it had nothing before)."""
        idle = not self._waiting
        self._waiting.append(line)
        self._bytes += _size(line)
        while len(self._waiting) > self._limit or self._bytes > self._log.max_bytes:
            self._bytes -= _size(self._waiting.popleft())
            self._dropped += 1
        return idle

    def catch_up(self, lines: list[str]) -> None:
        """Begin with ``lines``, as far as they may wait."""
        for line in lines[-self._limit :]:
            self.offer(line)
        self._dropped = 0

    def wake(self) -> None:
        self._wake()


class Log:
    """The last lines of one source; kept across restarts of what it logs.

    Bytes come in as they are read: cut anywhere, with any line ends.  A line that
    is rewritten with carriage returns (a progress bar) is kept once, as it last was.
    Lines keep their colours; ``plain`` takes them off.
    """

    def __init__(self, name: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self.name = name
        # Our own log is written from other threads too; models' logs only from the loop.
        self.lock = threading.Lock()
        self._lines: deque[str] = deque()
        self._bytes = 0
        self._max_lines = max_lines
        self.max_bytes = max_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._partial = ""
        self._fed = False
        """Bytes have come since the last whole line of our own."""
        self._followers: list[Follower] = []

    def feed(self, data: bytes) -> None:
        """Add output as it was read from a pipe."""
        self._fed = True
        *whole, rest = (self._partial + self._decoder.decode(data)).split("\n")
        lines = [piece for line in whole for piece in _pieces(_last_rewrite(line))]
        rest = _last_rewrite(rest, ended=False)
        if len(rest) > MAX_LINE:
            *full, rest = _pieces(rest)
            lines += full
        self._partial = rest
        self._add(lines)

    def write(self, line: str) -> None:
        """Add a whole line of our own; what the source has left unfinished ends before it."""
        if self._fed:
            self.finish()
        size = _size(line)
        with self.lock:
            self._lines.append(line)
            self._bytes += size
            self._trim()
            woken = [follower for follower in self._followers if follower.offer(line)]
        for follower in woken:
            follower.wake()

    def finish(self) -> None:
        """End the unfinished line, as when the source has closed."""
        rest = _last_rewrite(self._partial + self._decoder.decode(b"", final=True))
        self._decoder.reset()
        self._partial = ""
        self._fed = False
        if rest:
            self._add(_pieces(rest))

    @property
    def unfinished(self) -> str:
        """What stands on the line that has not ended yet."""
        return _last_rewrite(self._partial)

    def lines(self, last: int | None = None) -> list[str]:
        """The lines held, oldest first; only the ``last`` so many where that is given."""
        with self.lock:
            lines = list(self._lines)
        return lines if last is None else lines[-last:] if last > 0 else []

    def follow(
        self, wake: Callable[[], None], *, history: bool = True, limit: int = FOLLOWER_LINES
    ) -> Follower:
        """Follow the log, from its kept lines on, or from now where ``history`` is False.

        ``wake`` is called, in the thread that logged, when lines wait and none did before.
        """
        with self.lock:
            follower = Follower(self, wake, limit)
            if history:
                follower.catch_up(list(self._lines))
            self._followers.append(follower)
        return follower

    def unfollow(self, follower: Follower) -> None:
        with self.lock:
            self._followers = [each for each in self._followers if each is not follower]

    def _add(self, lines: list[str]) -> None:
        if not lines:
            return
        with self.lock:
            for line in lines:
                self._lines.append(line)
                self._bytes += _size(line)
            self._trim()
            # Every follower is offered every line; `any` would stop at the first.
            woken = [
                follower
                for follower in self._followers
                if True in [follower.offer(line) for line in lines]
            ]
        for follower in woken:
            follower.wake()

    def _trim(self) -> None:
        while self._bytes > self.max_bytes or len(self._lines) > self._max_lines:
            self._bytes -= _size(self._lines.popleft())


def _last_rewrite(line: str, ended: bool = True) -> str:
    """What stands on the line after its carriage returns have been obeyed."""
    if "\r" not in line:
        return line
    body = line.rstrip("\r")
    last = body.rpartition("\r")[2]
    # Unfinished: the return counts only once something is written over the line.
    return last if ended or body == line else last + "\r"


def _pieces(line: str) -> list[str]:
    if len(line) <= MAX_LINE:
        return [line]
    pieces = []
    while len(line) > MAX_LINE:
        piece = line[:MAX_LINE]
        # Half a colour code would be read as text; one that never ends is cut all the same.
        if (cut := _CUT_ANSI.search(piece, MAX_LINE - 64)) and cut.start() > 0:
            piece = piece[: cut.start()]
        pieces.append(piece)
        line = line[len(piece) :]
    return [*pieces, line]


def _size(line: str) -> int:
    """What ``line`` takes, in bytes."""
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


class Logs:
    """The logs by name: ``qmdesk`` for our own, a model's id for its server's."""

    def __init__(self) -> None:
        self._logs: dict[str, Log] = {OWN: Log(OWN)}
        self._interested: list[Callable[[Log], None]] = []

    @property
    def own(self) -> Log:
        return self._logs[OWN]

    def of(self, name: str) -> Log:
        """The log of ``name``, made where there is none yet."""
        if (log := self._logs.get(name)) is None:
            log = self._logs[name] = Log(name)
            for tell in self._interested:
                tell(log)
        return log

    def each(self, tell: Callable[[Log], None]) -> None:
        """Call ``tell`` with every log that there is, and with every one to come."""
        self._interested.append(tell)
        for log in tuple(self._logs.values()):
            tell(log)

    def get(self, name: str) -> Log | None:
        return self._logs.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._logs)


# What no format of ours shows is not collected for every line.
logging.logThreads = False
logging.logProcesses = False
logging.logMultiprocessing = False


class LogHandler(logging.Handler):
    """Puts what the standard ``logging`` reports into our own log."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.setFormatter(LogFormat())
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            for line in self.format(record).splitlines():
                self._log.write(line)
        except Exception:  # noqa: BLE001 - logging's own rule: report, never raise
            self.handleError(record)
