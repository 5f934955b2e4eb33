"""A JSON object as text: keys are read and changed, everything else stays as it was sent.

Key order, number spelling, white space and escapes of what is not touched survive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


SMALL = 1 << 16
"""Characters; the values of a larger one are not kept all at once."""


class NotAnObject(ValueError):
    """The text is valid JSON but no object, or no JSON; the message says where."""


class _Member(NamedTuple):
    key: str
    start: int
    """Of the key's quote."""
    value_start: int
    end: int
    """Past the value."""


class JsonObject:
    """Of a small one the values are read at once, and where they stand only when something
    changes; of a large one the places are found once, and values only when asked for."""

    def __init__(self, text: str) -> None:
        """Raises ``NotAnObject`` where ``text`` is not one JSON object."""
        self.text = text
        self._values = _values(text) if len(text) <= SMALL else None
        self._places = _members(text) if self._values is None else None

    @property
    def _members(self) -> list[_Member]:
        if self._places is None:
            self._places = _members(self.text)
        return self._places

    def _now(self, text: str) -> None:
        """It is ``text`` from now on."""
        self.text = text
        self._values, self._places = None, _members(text)

    def copy(self) -> JsonObject:
        """Another one with the same text, which is not parsed again."""
        new = JsonObject.__new__(JsonObject)
        new.text, new._values, new._places = self.text, self._values, self._places
        return new

    def get(self, key: str) -> Any:
        """The value of ``key``; of several, the last, as every parser takes it."""
        if self._values is not None:
            return self._values.get(key)
        for member in reversed(self._members):
            if member.key == key:
                return json.loads(self.text[member.value_start : member.end])
        return None

    def __contains__(self, key: str) -> bool:
        if self._values is not None:
            return key in self._values
        return any(member.key == key for member in self._members)

    def set(self, path: str, value: Any) -> None:
        """Set the value at a dotted ``path``; objects on the way are made where missing."""
        key, _, rest = path.partition(".")
        if rest:
            try:
                inner = JsonObject(self._text_of(key) or "{}")
            except NotAnObject:
                inner = JsonObject("{}")
            inner.set(rest, value)
            self._put(key, inner.text)
        else:
            self._put(key, json.dumps(value, ensure_ascii=False))

    def remove(self, path: str) -> None:
        """Remove the value at a dotted ``path``, where there is one."""
        key, _, rest = path.partition(".")
        if rest:
            text = self._text_of(key)
            if text is None:
                return
            try:
                inner = JsonObject(text)
            except NotAnObject:
                return
            inner.remove(rest)
            self._put(key, inner.text)
            return
        while any(member.key == key for member in self._members):
            at = next(i for i, member in enumerate(self._members) if member.key == key)
            member = self._members[at]
            if at + 1 < len(self._members):
                start, end = member.start, self._members[at + 1].start
            elif at:
                start, end = self._members[at - 1].end, member.end
            else:
                start, end = member.start, member.end
            self._replace(start, end, "")

    def _text_of(self, key: str) -> str | None:
        for member in reversed(self._members):
            if member.key == key:
                return self.text[member.value_start : member.end]
        return None

    def _put(self, key: str, text: str) -> None:
        found = [member for member in self._members if member.key == key]
        whole = self.text
        for member in reversed(found):
            whole = whole[: member.value_start] + text + whole[member.end :]
        if not found:
            new = f"{json.dumps(key, ensure_ascii=False)}:{text}"
            if self._members:
                end = self._members[-1].end
                whole = f"{whole[:end]},{new}{whole[end:]}"
            else:
                brace = whole.index("{") + 1
                whole = whole[:brace] + new + whole[brace:]
        self._now(whole)

    def _replace(self, start: int, end: int, text: str) -> None:
        self._now(self.text[:start] + text + self.text[end:])


def _values(text: str) -> dict[str, Any] | None:
    """All of them; None where ``text`` has to be looked at piece by piece, to say what it is."""
    start = 0 if text.startswith("{") else _skip(text, 0)
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    whole = end == len(text) or _skip(text, end) == len(text)
    return found if whole and isinstance(found, dict) else None


def _members(text: str) -> list[_Member]:
    try:
        return list(_walk(text))
    except (json.JSONDecodeError, RecursionError, IndexError) as error:
        raise NotAnObject(_place(text, error)) from None


def _walk(text: str) -> Iterator[_Member]:
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        _DECODER.raw_decode(text, at)
        raise json.JSONDecodeError("a JSON object is expected", text, at)
    at = _skip(text, at + 1)
    if text[at : at + 1] != "}":
        while True:
            start = at
            if text[at : at + 1] != '"':
                raise json.JSONDecodeError("a key in double quotes is expected", text, at)
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise json.JSONDecodeError("a colon is expected", text, at)
            value_start = _skip(text, at + 1)
            _, end = _DECODER.raw_decode(text, value_start)
            yield _Member(key, start, value_start, end)
            at = _skip(text, end)
            if text[at : at + 1] == "}":
                break
            if text[at : at + 1] != ",":
                raise json.JSONDecodeError("a comma or a closing brace is expected", text, at)
            at = _skip(text, at + 1)
    at = _skip(text, at + 1)
    if at != len(text):
        raise json.JSONDecodeError("nothing may follow the object", text, at)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _place(text: str, error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        what = error.msg[0].lower() + error.msg[1:]
        return f"the body is not a JSON object: line {error.lineno}, column {error.colno}: {what}"
    return "the body is not a JSON object: it is nested too deep or ends too early"
