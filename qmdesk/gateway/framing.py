"""Where an answer's body ends, found while its bytes pass unchanged (RFC 9112, section 6)."""

from __future__ import annotations

import re
from typing import Protocol

from qmdesk.gateway.head import BadAnswer, Head

_LINE_LIMIT = 1 << 12
"""Bytes of one line of the framing: a chunk's size with its extensions, or a trailer."""
_TRAILERS_LIMIT = 1 << 16
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?")
_PLAIN_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_DIGITS = re.compile(rb"[0-9]{1,18}")


class Framing(Protocol):
    """Follows one body."""

    @property
    def length(self) -> int | None:
        """Bytes of the content, where the head says so."""

    @property
    def trailers(self) -> bytes:
        """Header lines after the content, as they came."""

    @property
    def ended(self) -> bool:
        """All of the body has come."""

    @property
    def whole_at_end(self) -> bool:
        """The connection may end now without anything missing."""

    def take(self, data: bytes) -> tuple[int, list[bytes]]:
        """How many of ``data`` are the body's, and the content among them.

        Raises ``BadAnswer``.
        """


class Length:
    """So many bytes."""

    trailers = b""

    def __init__(self, length: int) -> None:
        self.length = length
        self._left = length

    @property
    def ended(self) -> bool:
        return self._left == 0

    @property
    def whole_at_end(self) -> bool:
        return self._left == 0

    def take(self, data: bytes) -> tuple[int, list[bytes]]:
        size = len(data)
        if size > self._left:
            size = self._left
            data = data[:size]
        self._left -= size
        return size, [data] if size else []


class UntilEnd:
    """All that comes until the connection ends."""

    length = None
    trailers = b""
    ended = False
    whole_at_end = True

    def take(self, data: bytes) -> tuple[int, list[bytes]]:
        return len(data), [data]


class Chunked:
    """Chunks, each with its size before it, and trailers after the last (section 7.1)."""

    length = None

    def __init__(self) -> None:
        self.ended = False
        self.trailers = b""
        self._left = 0
        """Bytes of the chunk's content that are still to come."""
        self._gap = 0
        """Bytes of the line end after it that are."""
        self._line = b""
        """The beginning of a line whose end has not come."""
        self._last = False
        """The last chunk has come."""

    @property
    def whole_at_end(self) -> bool:
        return self.ended

    def take(self, data: bytes) -> tuple[int, list[bytes]]:
        at, size = 0, len(data)
        if not (self._left or self._gap or self._line or self._last) and (
            content := _one_chunk(data, size)
        ):
            return size, [content]
        contents: list[bytes] = []
        while at < size and not self.ended:
            if self._left:
                content = data[at : at + self._left]
                contents.append(content)
                self._left -= len(content)
                at += len(content)
                continue
            if self._gap:
                at = self._after_content(data, at)
                continue
            end = data.find(b"\n", at)
            line = self._line + data[at : end + 1 if end >= 0 else size]
            if len(line) > _LINE_LIMIT:
                raise BadAnswer("its answer's chunks are broken: a line is too long")
            if end < 0:
                self._line = line
                return size, contents
            self._line = b""
            at = end + 1
            self._end_line(line)
        return at, contents

    def _after_content(self, data: bytes, at: int) -> int:
        found = data[at : at + self._gap]
        if found != b"\r\n"[2 - self._gap :][: len(found)]:
            raise BadAnswer("its answer's chunks are broken: one is longer than it says")
        self._gap -= len(found)
        return at + len(found)

    def _end_line(self, line: bytes) -> None:
        if not line.endswith(b"\r\n"):
            raise BadAnswer("its answer's chunks are broken: a line ends without a return")
        if self._last:
            self.ended = line == b"\r\n"
            self.trailers += b"" if self.ended else line
            if len(self.trailers) > _TRAILERS_LIMIT:
                raise BadAnswer("its answer's trailers are too long")
            return
        found = _SIZE.fullmatch(line, 0, len(line) - 2)
        if found is None:
            raise BadAnswer(f"its answer's chunks are broken: {line[:40]!r} is no size")
        size = int(found.group(1), 16)
        self._last = size == 0
        self._left, self._gap = size, 2 if size else 0


def _one_chunk(data: bytes, size: int) -> bytes:
    """The content of ``data`` where that is one whole chunk, as most tokens come; else nothing."""
    end = data.find(b"\r\n", 0, 16)
    if end < 1 or not data.endswith(b"\r\n") or _PLAIN_SIZE.fullmatch(data, 0, end) is None:
        return b""
    return data[end + 2 : -2] if int(data[:end], 16) == size - end - 4 else b""


def framing_of(head: Head, method: str) -> Framing:
    """How the body after ``head`` ends, which answers a ``method``; raises ``BadAnswer``."""
    if head.status == 101:
        # From here on the bytes are another protocol's.
        return UntilEnd()
    if method == "HEAD" or head.status in (204, 304) or head.status < 200:
        return Length(0)
    fields = head.fields
    if b"transfer-encoding" in fields and (codings := head.words(b"transfer-encoding")):
        return Chunked() if codings[-1] == b"chunked" else UntilEnd()
    if b"content-length" not in fields:
        return UntilEnd()
    lengths = set(head.words(b"content-length"))
    (length, *others) = lengths
    if others or _DIGITS.fullmatch(length) is None:
        raise BadAnswer("its answer has no length that can be understood")
    return Length(int(length))
