"""Plain values as YAML that every reader takes the same way, old 1.1 ones included."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from qmdesk.config.document import FORBIDDEN, MAX_DEPTH, SURROGATE
from qmdesk.config.scalars import MAX_DIGITS, resolve

ITEM: Final = 2
"""Spaces by which the parts of a list's item are indented: the width of ``- ``."""
_LONGEST_LIST: Final = 72
"""Characters that a list of plain texts may have to stand in one line."""

_PLAIN = re.compile(
    r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`=~<]|--?(?=[A-Za-z]))"
    r"(?:[^\s:#]|:(?=\S)|(?<=\S)#| (?=[^\s#]))*"
)
_IN_FLOW = re.compile(r"[,\[\]{}]|:$")
_OLD_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_OLD_NUMBER = re.compile(
    r"[-+.]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]*)?|[-+]?0[bxo][0-9a-fA-F_]+"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
)
_INVISIBLE = re.compile("[\t\x85\u2028\u2029\ufeff]")
_NAMED: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Style:
    """How blocks are written."""

    step: int = 2
    """Spaces by which an inner block is indented."""
    literals: bool = True
    """Texts with line ends become blocks (``|``)."""


USUAL: Final = Style()


class Unwritable(ValueError):
    """A value that no YAML text could say."""


def check(value: Any, depth: int = 0) -> None:
    """Raises Unwritable for what is not made of texts, numbers, truth values and null."""
    if depth > MAX_DEPTH:
        raise Unwritable("it is nested too deep")
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise Unwritable(f"its keys must be texts, which {key!r} is not")
            check(key)
            check(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            check(each, depth + 1)
    elif isinstance(value, str):
        if SURROGATE.search(value):
            raise Unwritable("half of a surrogate pair stands in it")
    elif isinstance(value, int | float):
        if abs(value) >= 10 ** (MAX_DIGITS - 1) and not math.isinf(value):
            raise Unwritable("it has a number with too many digits")
    elif value is not None:
        raise Unwritable(f"{type(value).__name__} has no place in YAML")


def inline(value: Any, style: str = "", *, flow: bool = False) -> str:
    """``value`` in one line, without a line end.

    ``style`` is the quote to keep where that is possible; in ``flow`` it stands within
    brackets, where more must be quoted.
    """
    if isinstance(value, dict):
        pairs = (f"{inline(k, flow=True)}: {inline(v, flow=True)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(inline(each, flow=True) for each in value)}]"
    if isinstance(value, str):
        return _text(value, style, flow)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, float):
        return _float(value)
    return str(value)


def key(text: str, style: str = "", *, flow: bool = False) -> str:
    """``text`` as a key; number-like ones may stand unquoted where they did before."""
    return _text(text, style, flow)


def one_line(value: Any, form: Style = USUAL) -> bool:
    """True for what is best written in one line."""
    if isinstance(value, str):
        return not form.literals or literal(value) is None
    if isinstance(value, list):
        plain = all(not isinstance(each, dict | list) for each in value)
        return plain and len(inline(value)) <= _LONGEST_LIST
    return not value if isinstance(value, dict) else True


def block(value: Any, indent: int, form: Style = USUAL) -> list[str]:
    """A filled mapping or list as indented lines, without line ends."""
    margin = " " * indent
    lines: list[str] = []
    if isinstance(value, dict):
        for name, each in value.items():
            first, rest = after(each, indent + form.step, form)
            lines += (f"{margin}{key(name)}:{first}", *rest)
        return lines
    for each in value:
        if isinstance(each, dict | list) and each:
            inner = block(each, indent + ITEM, form)
            lines += (f"{margin}- {inner[0].lstrip(' ')}", *inner[1:])
        else:
            first, rest = after(each, indent + ITEM, form)
            lines += (f"{margin}-{first}", *rest)
    return lines


def after(value: Any, indent: int, form: Style = USUAL) -> tuple[str, list[str]]:
    """What follows a ``key:`` or ``-``: on its line, and on lines indented by ``indent``."""
    if one_line(value, form):
        return f" {inline(value)}", []
    if isinstance(value, str):
        header, lines = literal(value) or ("", [])
        return f" {header}", indented(lines, indent)
    return "", block(value, indent, form)


def literal(text: str) -> tuple[str, list[str]] | None:
    """The header and lines of ``text`` as a literal block; None where it cannot be one."""
    if "\n" not in text or "\r" in text or _INVISIBLE.search(text) or FORBIDDEN.search(text):
        return None
    header = "|" if text.endswith("\n") else "|-"
    lines = text.removesuffix("\n").split("\n")
    if not lines[0].strip() or lines[0][0] == " " or not lines[-1].strip():
        return None
    return header, lines


def indented(lines: list[str], indent: int) -> list[str]:
    """``lines`` behind ``indent`` spaces; empty ones stay empty."""
    return [f"{' ' * indent}{line}" if line else "" for line in lines]


def _text(text: str, style: str, flow: bool) -> str:
    if FORBIDDEN.search(text) or _INVISIBLE.search(text) or "\n" in text or "\r" in text:
        return _escaped(text)
    if style == '"':
        return _escaped(text)
    if style == "'" or not _is_plain(text) or (flow and _IN_FLOW.search(text)):
        return "'" + text.replace("'", "''") + "'"
    return text


def _is_plain(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or text.startswith("..."):
        return False
    if text.lower() in _OLD_WORDS or _OLD_NUMBER.fullmatch(text):
        return False
    try:
        return isinstance(resolve(text), str)
    except ValueError:
        return False


def _escaped(text: str) -> str:
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if not FORBIDDEN.match(char) and not _INVISIBLE.match(char):
        return char
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else (f"\\U{code:08x}")
    )


def _float(number: float) -> str:
    if math.isnan(number):
        return ".nan"
    if math.isinf(number):
        return ".inf" if number > 0 else "-.inf"
    digits, e, power = repr(float(number)).partition("e")
    return f"{digits}{e}{power}" if not e or "." in digits else f"{digits}.0{e}{power}"
