"""The head of an HTTP message: read as a server wrote it, written as it is to be sent.

RFC 9112, sections 2 to 5.  Names keep their spelling and values their bytes; what could be
read in two ways is refused, because the client behind us might read it the other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

LIMIT = 1 << 16
"""Bytes of a head."""

RawHeaders = list[tuple[bytes, bytes]]

_STATUS = re.compile(rb"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: ([^\x00-\x08\x0a-\x1f\x7f]*))?")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""The same but for line ends."""
_END = re.compile(rb"\r?\n\r?\n")


class BadAnswer(ConnectionError):
    """What a server sent is no HTTP answer that can be passed on; the message says why."""


@dataclass(slots=True)
class Head:
    """Status line and header fields of an answer."""

    status: int
    reason: bytes
    headers: RawHeaders
    minor: int = 1
    """Of HTTP/1.x."""
    _fields: dict[bytes, list[bytes]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fields(self) -> dict[bytes, list[bytes]]:
        """The values by name, in lower case."""
        if not self._fields:
            for name, value in self.headers:
                self._fields.setdefault(name.lower(), []).append(value)
        return self._fields

    def first(self, name: bytes) -> bytes:
        """The first value of ``name`` (lower case); empty where there is none."""
        values = self.fields.get(name)
        return values[0] if values else b""

    def words(self, name: bytes) -> list[bytes]:
        """The comma-separated words of every ``name`` (lower case), in lower case."""
        values = self.fields.get(name)
        if values is None:
            return []
        return [word.strip().lower() for value in values for word in value.split(b",")]

    @property
    def content_type(self) -> bytes:
        """In lower case, without its parameters."""
        return _essence(self.first(b"content-type"))


@lru_cache(maxsize=64)
def _essence(content_type: bytes) -> bytes:
    return content_type.partition(b";")[0].strip().lower()


def end_of_head(data: bytes | bytearray) -> tuple[int, int]:
    """Where a head's text ends and what follows it begins; (-1, -1) where it is not whole."""
    at = data.find(b"\r\n\r\n")
    if at >= 0 and data.find(b"\n\n", 0, at) < 0 and data.find(b"\n\r\n", 0, at) < 0:
        return at, at + 4
    found = _END.search(data)
    return found.span() if found else (-1, -1)


def parse_head(text: bytes) -> Head:
    """Read a head without the empty line at its end; raises ``BadAnswer``."""
    lines = text.split(b"\n")
    first = _STATUS.fullmatch(lines[0].rstrip(b"\r"))
    if first is None:
        raise BadAnswer(f"its answer begins with {lines[0][:60]!r}, which is not HTTP")
    minor, status, reason = first.groups()
    head = Head(int(status), reason or b"", [], int(minor))
    if not _read_plain(head, text):
        head.headers = _read_lines(lines[1:])
    return head


def _read_plain(head: Head, text: bytes) -> bool:
    """Read the fields of ``text``, as nearly all are written; False where they are not."""
    lines = text.split(b"\r\n")
    ends = len(lines) - 1
    if text.count(b"\n") != ends or text.count(b"\r") != ends or _CONTROLS.search(text):
        return False
    headers: RawHeaders = []
    fields: dict[bytes, list[bytes]] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        key = _lower(name) if colon else b""
        if not key:
            return False
        value = value.strip(b" \t")
        headers.append((name, value))
        if key in fields:
            fields[key].append(value)
        else:
            fields[key] = [value]
    head.headers, head._fields = headers, fields
    return True


@lru_cache(maxsize=512)
def _lower(name: bytes) -> bytes:
    """``name`` in lower case; empty where it is none."""
    return name.lower() if _NAME.fullmatch(name) is not None else b""


def _read_lines(lines: list[bytes]) -> RawHeaders:
    headers: RawHeaders = []
    for line in lines:
        line = line.removesuffix(b"\r")
        if line.startswith((b" ", b"\t")) and headers:
            # Folded, as was once allowed.
            name, value = headers[-1]
            headers[-1] = (name, value + b" " + _value(line))
            continue
        name, colon, value = line.partition(b":")
        if not colon or _NAME.fullmatch(name) is None:
            raise BadAnswer(f"its answer has the header line {line[:60]!r}, which is not HTTP")
        headers.append((name, _value(value)))
    return headers


def _value(value: bytes) -> bytes:
    value = value.strip(b" \t")
    if _FORBIDDEN.search(value):
        raise BadAnswer("its answer has a control character in a header")
    return value


def written(first: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole head, the empty line at its end included."""
    return b"%b\r\n%b\r\n" % (first, lines_of(headers))


def lines_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The header lines of a head."""
    return b"".join([b"%b: %b\r\n" % each for each in headers])
