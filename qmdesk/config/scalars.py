"""What an unquoted word of a YAML text means, and how a value was written.

YAML 1.2's core schema: ``off`` is text, ``1e-3`` a number, ``010`` ten.
"""

from __future__ import annotations

import re
from typing import Any, Final

MAX_DIGITS: Final = 1000
TAG: Final = "tag:yaml.org,2002:"
"""What YAML's own tags begin with."""

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, object]] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


class WrittenInt(int):
    """An integer that was not written the way Python would write it, such as ``007``."""

    written: str


class WrittenFloat(float):
    """A float that was not written the way Python would write it, such as ``3.10``."""

    written: str


def resolve(text: str) -> Any:
    """The value of an unquoted scalar by YAML 1.2's core schema.

    ValueError: a number with more than ``MAX_DIGITS`` digits.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(text)
        whole = int(text[2:], 8) if text.startswith("0o") else int(text, _base(text))
        if str(whole) == text:
            return whole
        odd = WrittenInt(whole)
        odd.written = text
        return odd
    if _FLOAT.fullmatch(text):
        number = float(text)
        if repr(number) == text:
            return number
        rare = WrittenFloat(number)
        rare.written = text
        return rare
    return text


def _base(text: str) -> int:
    return 16 if text.startswith("0x") else 10


def as_text(value: object) -> str:
    """A scalar as it was written in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(getattr(value, "written", value))


def plain(value: Any) -> Any:
    """``value`` without memory of how its numbers were written."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, WrittenInt):
        return int(value)
    if isinstance(value, WrittenFloat):
        return float(value)
    return value


def tagged(text: str, tag: str) -> Any:
    """The value that an explicit tag such as ``!!int`` asks for; ValueError where it is none."""
    kind = tag.removeprefix(TAG)
    value = resolve(text)
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "null" and value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if kind == "int" and isinstance(value, int):
            return value
        if kind == "float":
            return float(value)
    raise ValueError(text)
