"""A command line as the file has it, and as arguments; no shell is involved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from qmdesk.said import said

HIDDEN = "***"

_ON_WINDOWS = os.name == "nt"


def strip_comments(text: str) -> str:
    """``text`` without the lines whose first visible character is ``#``."""
    lines = text.split("\n")
    kept = [line for line in lines if not line.lstrip().startswith("#")]
    return text if len(kept) == len(lines) else "\n".join(kept)


def split(text: str, windows: bool = _ON_WINDOWS) -> list[str]:
    """The arguments of a command line.

    Line ends are white space, comment lines are dropped, and a backslash at the end of
    a line continues it (on Windows only after white space, so ``D:\\models\\`` keeps its
    own).  POSIX: single quotes keep everything, double quotes let a backslash escape
    only ``$``, a backtick, ``"``, itself and a line end; elsewhere it escapes anything.
    Windows: only double quotes group, and backslashes count only before one.
    A quote that is never closed ends with the text.
    """
    return [word.text for word in words(text, windows)]


@dataclass(slots=True)
class Word:
    """One argument, and which of its characters stood outside quotes."""

    text: str = ""
    bare: str = ""
    """``text`` with a NUL for every character that was quoted or escaped."""
    closed: bool = True
    """False where a quote in it is never closed."""
    _text: list[str] = field(default_factory=list)
    _bare: list[str] = field(default_factory=list)

    def add(self, char: str, *, quoted: bool) -> None:
        self._text.append(char)
        self._bare.append("\0" if quoted else char)

    def done(self) -> Word:
        self.text = "".join(self._text)
        self.bare = "".join(self._bare)
        return self


def words(text: str, windows: bool = _ON_WINDOWS) -> list[Word]:
    """The arguments of a command line, with what was quoted in them."""
    joined = _join_lines(text, windows)
    return list(_windows_words(joined) if windows else _posix_words(joined))


def _join_lines(text: str, windows: bool) -> str:
    lines = []
    for line in strip_comments(text).split("\n"):
        bare = line.rstrip()
        if bare.endswith("\\") and (not windows or bare == "\\" or bare[-2].isspace()):
            line = bare[:-1] + " "
        lines.append(line)
    return "\n".join(lines)


def _posix_words(text: str) -> Iterator[Word]:
    word: Word | None = None
    quote = ""
    chars = iter(text)
    for char in chars:
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"':
                escaped = next(chars, "")
                if escaped not in ("$", "`", '"', "\\", "\n", ""):
                    word.add("\\", quoted=True)  # type: ignore[union-attr]
                if escaped not in ("\n", ""):
                    word.add(escaped, quoted=True)  # type: ignore[union-attr]
            else:
                word.add(char, quoted=True)  # type: ignore[union-attr]
            continue
        if char in " \t\r\n":
            if word is not None:
                yield word.done()
                word = None
            continue
        word = word or Word()
        if char in "'\"":
            quote = char
        elif char == "\\":
            if (escaped := next(chars, "")) not in ("", "\n"):
                word.add(escaped, quoted=True)
        else:
            word.add(char, quoted=False)
    if word is not None:
        word.closed = not quote
        yield word.done()


def _windows_words(text: str) -> Iterator[Word]:
    word: Word | None = None
    quoted = False
    i = 0
    while i < len(text):
        char = text[i]
        if char in " \t\r\n" and not quoted:
            if word is not None:
                yield word.done()
                word = None
            i += 1
            continue
        word = word or Word()
        if char == "\\":
            start = i
            while text[i : i + 1] == "\\":
                i += 1
            run = i - start
            before_quote = text[i : i + 1] == '"'
            for _ in range(run // 2 if before_quote else run):
                word.add("\\", quoted=quoted)
            if before_quote and run % 2:
                word.add('"', quoted=True)
                i += 1
        elif char == '"':
            if quoted and text[i + 1 : i + 2] == '"':
                word.add('"', quoted=True)
                i += 1
            else:
                quoted = not quoted
            i += 1
        else:
            word.add(char, quoted=quoted)
            i += 1
    if word is not None:
        word.closed = not quoted
        yield word.done()


_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_REDIRECTION = re.compile(r"(?:[0-9]|&)?>(?!=)|<(?!.*[>|])", re.DOTALL)
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_PERCENT = re.compile(r"%([A-Za-z_][A-Za-z0-9_]*)%")


def shell_syntax(text: str, windows: bool = _ON_WINDOWS) -> str | None:
    """Says which part of a command only a shell would understand, and what to write.

    None where there is none.  Only what stands outside quotes counts: a quoted part is
    meant for the program, such as the script in ``bash -c '...'``.
    """
    found = words(text, windows)
    if found and (name := _ASSIGNMENT.match(found[0].bare)):
        return said(
            "the command begins with `{name}...`, which only a shell understands; put "
            "`{text}` under `env:`",
            name=name[0],
            text=found[0].text,
        )
    for word in found:
        if found_word := _shell_word(word.bare, windows):
            return found_word
    return None


def _shell_word(bare: str, windows: bool) -> str | None:
    wrap = 'cmd /c "..."' if windows else "sh -c '...'"
    if "$(" in bare:
        return said(
            "`$(...)` is not run, for there is no shell; write {wrap} around the command", wrap=wrap
        )
    if not windows and "`" in bare:
        return said(
            "backticks are not run, for there is no shell; write {wrap} around the command",
            wrap=wrap,
        )
    for operator in ("&&", "||", "|", ";", "&"):
        if bare == operator or (operator in ("&&", ";") and bare.endswith(operator)):
            return said(
                "`{operator}` is given to the program as text, for there is no shell; write "
                "{wrap} around the command",
                operator=operator,
                wrap=wrap,
            )
    if redirection := _REDIRECTION.match(bare):
        return said(
            "`{redirection}` does not redirect, for there is no shell; the output is in "
            "the model's log, or write {wrap} around the command",
            redirection=redirection[0],
            wrap=wrap,
        )
    if name := (_PERCENT.search(bare) if windows else _VARIABLE.search(bare)):
        return said(
            "`{name}` is not replaced, for there is no shell; write {variable}",
            name=name[0],
            variable=f"${{env.{name[1]}}}",
        )
    if not windows and (bare == "~" or bare.startswith("~/")):
        return said("`~` is not replaced, for there is no shell; write ${env.HOME}")
    return None


_SECRET_NAME = r"(?:[A-Za-z0-9_]*_)?(?:KEY|TOKEN|SECRET)|[A-Za-z0-9_]*PASSWORD"
_SECRET_FLAG = r"--api-key|--hf-token|-hft"
_FLAG = re.compile(rf"(?:{_SECRET_FLAG})")
_WHOLE = re.compile(
    rf"(?P<keep>(?:(?:--env=|-e)?(?:{_SECRET_NAME})|{_SECRET_FLAG})=).*", re.IGNORECASE | re.DOTALL
)
_WITHIN = re.compile(
    rf"(?P<keep>(?<![\w.-])(?:(?:{_SECRET_NAME})=|(?:{_SECRET_FLAG})(?:=|\s+)|Bearer\s+))"
    r"""(?:"[^"]*"|'[^']*'|\S+)""",
    re.IGNORECASE,
)


def arguments(command: str | Sequence[str]) -> tuple[str, ...]:
    """A command of the configuration as arguments."""
    return tuple(split(command)) if isinstance(command, str) else tuple(command)


@lru_cache(maxsize=2048)
def shown(command: str | tuple[str, ...]) -> str:
    """A command on one line for showing to people, secrets hidden."""
    return " ".join(redact(arguments(command)))


def redact(argv: Sequence[str]) -> list[str]:
    """``argv`` for showing to people: keys, tokens, secrets and passwords hidden."""
    shown: list[str] = []
    hide = False
    for word in argv:
        if hide:
            shown.append(HIDDEN)
        elif whole := _WHOLE.fullmatch(word):
            shown.append(whole["keep"] + HIDDEN)
        else:
            shown.append(_WITHIN.sub(rf"\g<keep>{HIDDEN}", word))
        hide = not hide and _FLAG.fullmatch(word) is not None
    return shown
