"""Finds a form's small field in a multipart body of any size, as its bytes come.

Nothing is taken apart or put together again: the scanner only says from where to where
the field's value lies, so that all other bytes can pass as they are (RFC 2046, section
5.1, and RFC 7578).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

FIELD_LIMIT = 4096
"""Bytes of the value that is looked for."""
HEADERS_LIMIT = 1 << 14
"""Bytes of one part's headers."""
PREAMBLE_LIMIT = 1 << 16
"""Bytes before the first boundary."""
_PADDING_LIMIT = 256

_PARAMETER = re.compile(rb';\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')
_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]*)"|([^;\s]+))', re.IGNORECASE)


class BrokenMultipart(ValueError):
    """The body is not the multipart that it says it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field's value, and where its bytes lie in the body."""

    start: int
    end: int
    value: str


class _State(Enum):
    CONTENT = auto()
    """In a part, or in the text before the first one."""
    DELIMITER = auto()
    """Just after a boundary."""
    HEADERS = auto()
    EPILOGUE = auto()


def boundary_of(content_type: str) -> bytes:
    """The boundary that a ``Content-Type`` names; raises ``BrokenMultipart``."""
    found = _BOUNDARY.search(content_type)
    boundary = (found.group(1) or found.group(2) or "") if found else ""
    if not boundary:
        raise BrokenMultipart("its Content-Type names no boundary")
    if len(boundary) > 200:
        raise BrokenMultipart("its boundary is too long")
    return boundary.encode("utf-8", "surrogateescape")


class MultipartScanner:
    """Fed with a body in pieces of any size; holds little more than one of them."""

    def __init__(self, boundary: bytes, name: bytes = b"model") -> None:
        self._delimiter = b"\r\n--" + boundary
        self._name = name
        # The first boundary needs no line end before it; with one, it is as all others.
        self._held = bytearray(b"\r\n")
        self._at = -2
        """Where in the body the first of the held bytes is."""
        self._state = _State.CONTENT
        self._parts = 0
        self._value: bytearray | None = None
        self._value_at = 0
        self.field: Field | None = None
        """The first field of that name, once all of it has come."""

    def feed(self, data: bytes) -> None:
        """Look at the next bytes; raises ``BrokenMultipart``."""
        if self._state is _State.EPILOGUE:
            return
        self._held += data
        while self._step():
            pass

    def end(self) -> None:
        """There are no more bytes; raises ``BrokenMultipart`` where some are missing."""
        if self._state is _State.EPILOGUE:
            return
        if not self._parts:
            raise BrokenMultipart("the boundary that its Content-Type names is not in it")
        raise BrokenMultipart("it ends before its last boundary")

    def _step(self) -> bool:
        """Whether there is more to see in what is held."""
        match self._state:
            case _State.CONTENT:
                return self._content()
            case _State.DELIMITER:
                return self._after_delimiter()
            case _State.HEADERS:
                return self._headers()
            case _State.EPILOGUE:
                self._held.clear()
                return False

    def _drop(self, count: int) -> None:
        del self._held[:count]
        self._at += count

    def _content(self) -> bool:
        found = self._held.find(self._delimiter)
        # The end may be the beginning of a boundary.
        sure = found if found >= 0 else len(self._held) - len(self._delimiter) + 1
        if sure > 0:
            if self._value is not None:
                self._keep(self._held[:sure])
            self._drop(sure)
        if not self._parts and self._at > PREAMBLE_LIMIT:
            raise BrokenMultipart("it does not begin with the boundary of its Content-Type")
        if found < 0:
            return False
        self._state = _State.DELIMITER
        return True

    def _keep(self, data: bytes | bytearray) -> None:
        if self._value is None:
            return
        self._value += data
        if len(self._value) > FIELD_LIMIT:
            raise BrokenMultipart(f"its field {self._name.decode()!r} is too long")

    def _after_delimiter(self) -> bool:
        """The delimiter is still held: it may turn out to be content."""
        size = len(self._delimiter)
        rest = bytes(self._held[size : size + _PADDING_LIMIT])
        if rest[:2] == b"--":
            self._part_ends()
            self._state = _State.EPILOGUE
            return True
        if len(rest) < 2 and rest in (b"", b"-", b"\r"):
            return False
        padding = len(rest) - len(rest.lstrip(b" \t"))
        line_end = rest[padding : padding + 2]
        if line_end == b"\r\n":
            self._part_ends()
            self._parts += 1
            self._drop(size + padding)
            self._state = _State.HEADERS
            return True
        if line_end in (b"", b"\r") and len(rest) < _PADDING_LIMIT:
            return False
        self._keep(self._delimiter)
        self._drop(size)
        self._state = _State.CONTENT
        return True

    def _part_ends(self) -> None:
        value, self._value = self._value, None
        if value is None:
            return
        try:
            text = value.decode()
        except UnicodeDecodeError:
            raise BrokenMultipart(f"its field {self._name.decode()!r} is not UTF-8") from None
        self.field = Field(self._value_at, self._at, text)

    def _headers(self) -> bool:
        """The line end before the headers is still held: there may be none."""
        found = self._held.find(b"\r\n\r\n", 0, HEADERS_LIMIT)
        if found < 0:
            if len(self._held) >= HEADERS_LIMIT:
                raise BrokenMultipart("the headers of one of its parts are too long")
            return False
        wanted = self.field is None and self._is_the_field(bytes(self._held[:found]))
        self._drop(found + 4)
        if wanted:
            self._value, self._value_at = bytearray(), self._at
        self._state = _State.CONTENT
        return True

    def _is_the_field(self, headers: bytes) -> bool:
        for line in re.sub(rb"\r\n[ \t]+", b" ", headers).split(b"\r\n"):
            key, _, value = line.partition(b":")
            if key.strip().lower() != b"content-disposition":
                continue
            found = {name.lower(): word for name, word in _PARAMETER.findall(value)}
            name = found.get(b"name", b"").strip().strip(b'"')
            return name == self._name and not {b"filename", b"filename*"} & found.keys()
        return False
