"""Parameters of requests as lines ``NAME: VALUE``, and back.

A value is a number, ``true``, ``false``, ``null`` or a text as it stands; what is in quotes,
brackets or braces is read as JSON or YAML on one line.  Free of Qt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from qmdesk.config import ConfigError
from qmdesk.config.document import load
from qmdesk.config.scalars import as_text, plain, resolve
from qmdesk.desktop.words import tr

_QUOTED: Final = ('"', "'", "[", "{")
_NAME = re.compile(r'("(?:[^"\\]|\\.)*"|.*?)\s*:(?:\s+(.*))?', re.DOTALL)
"""A name ends at the first colon before a space or the end: ``qwen3:8b`` is one."""


def as_lines(values: Mapping[str, Any]) -> str:
    """Each of ``values`` as a line."""
    return "\n".join(f"{_name(name)}: {_value(each)}" for name, each in values.items())


def from_lines(text: str) -> dict[str, Any]:
    """What the lines of ``text`` say; ValueError, in words, where one says nothing."""
    found: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line.strip():
            continue
        parts = _NAME.fullmatch(line.strip())
        if parts is None or not parts[1]:
            raise ValueError(tr("Each line is NAME: VALUE; this one is not: {line}", line=line))
        name = _read_name(parts[1])
        if name in found:
            raise ValueError(tr("{name} stands here twice", name=name))
        found[name] = _read(parts[2] or "", line)
    return found


def _name(name: str) -> str:
    odd = not name or name != name.strip() or name.startswith('"') or not name.isprintable()
    ends = ":" in name and (re.search(r"\s*:(?:\s|$)", name) is not None)
    return json.dumps(name) if odd or ends else name


def _read_name(text: str) -> str:
    if text.startswith('"'):
        try:
            name = json.loads(text)
        except ValueError:
            return text
        return name if isinstance(name, str) else text
    return text


def _value(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(plain(value), ensure_ascii=not _printable(value))
    if isinstance(value, str):
        fine = value.isprintable() and value == value.strip() and value[:1] not in _QUOTED
        return value if fine and _is_text(value) else json.dumps(value)
    return "null" if value is None else as_text(value)


def _is_text(value: str) -> bool:
    try:
        return isinstance(resolve(value), str)
    except ValueError:
        return False


def _printable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_printable(key) and _printable(each) for key, each in value.items())
    if isinstance(value, list):
        return all(_printable(each) for each in value)
    return not isinstance(value, str) or value.isprintable()


def _read(said: str, line: str) -> Any:
    try:
        if said.startswith(_QUOTED):
            return _read_quoted(said)
        return plain(resolve(said))
    except (ValueError, ConfigError):
        raise ValueError(tr("The value cannot be read: {line}", line=line)) from None


def _read_quoted(said: str) -> Any:
    try:
        return json.loads(said)
    except ValueError:
        return plain(load(f"v: {said}").root)["v"]
