"""A model's command as lines, one argument with its value on each, and back.

Free of Qt.
"""

from __future__ import annotations

import os
import re
from typing import Any

from qmdesk.config.command import split

_ON_WINDOWS = os.name == "nt"
_FLAG = re.compile(r"--?[A-Za-z]")


def as_lines(written: Any, windows: bool = _ON_WINDOWS) -> str:
    """A written command for editing: the program on the first line, then its arguments.

    A command of several lines stays as it is, comments included; of a list, each item is
    a line.
    """
    if isinstance(written, list):
        return "\n".join(str(each) for each in written)
    text = str(written) if written is not None else ""
    if "\n" in text.strip():
        return text
    lines: list[str] = []
    for word in _raw_words(text, windows):
        if not lines or _FLAG.match(word):
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    shown = "\n".join(lines)
    # What a rare kind of quoting makes different is not touched.
    return shown if split(shown, windows) == split(text, windows) else text


def from_lines(lines: str, before: Any) -> Any:
    """The command that ``lines`` mean, in the form that ``before`` has in the file.

    A single line stays one, a list a list, a block a block.
    """
    if isinstance(before, list):
        return [line for line in lines.split("\n") if line.strip()]
    if isinstance(before, str) and "\n" in before.strip():
        return lines if lines.endswith("\n") or not before.endswith("\n") else f"{lines}\n"
    if "#" in lines and any(line.lstrip().startswith("#") for line in lines.split("\n")):
        return lines
    return " ".join(line.strip() for line in lines.split("\n") if line.strip())


def word_at(line: str, column: int) -> tuple[str, int]:
    """The word of ``line`` around ``column``, and where it begins."""
    start = column
    while start > 0 and not line[start - 1].isspace():
        start -= 1
    end = column
    while end < len(line) and not line[end].isspace():
        end += 1
    return line[start:end], start


def flags(lines: str) -> list[tuple[int, int, str]]:
    """Every flag: line from 0, column, and its name without ``=value``."""
    found: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines.split("\n")):
        if line.lstrip().startswith("#"):
            continue
        found += [
            (number, match.start(), match[0])
            for match in re.finditer(r"(?<!\S)--?[A-Za-z][\w-]*", line)
        ]
    return found


def _raw_words(text: str, windows: bool) -> list[str]:
    """The words as they are written, quotes and escapes included."""
    words: list[str] = []
    word = quote = ""
    escaped = False
    for char in text:
        if not quote and not escaped and char.isspace():
            if word:
                words.append(word)
            word = ""
            continue
        word += char
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'" and not windows:
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char == '"' or (char == "'" and not windows):
            quote = char
    return [*words, word] if word else words
