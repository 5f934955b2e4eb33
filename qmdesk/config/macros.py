"""Names in values: ``${env.X}`` and the macros of the file.

A macro may use those declared before it, ``${MODEL_ID}`` in a model, and the
placeholders that are filled at start and stop.  A model's macro stands in place of the
global one of the same name, so global macros after it see the model's value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from qmdesk.config.document import MAX_TEXT, KeyPath
from qmdesk.config.fields import shown
from qmdesk.config.findings import Findings
from qmdesk.config.scalars import as_text, resolve
from qmdesk.said import said

RESERVED: Final = ("PORT", "PID", "MODEL_ID")
MAX_NAME: Final = 63
MAX_EXPANSION: Final = 1024 * 1024
"""Characters in one text, its macros expanded."""

PLACEHOLDER = re.compile(r"\$\{([A-Za-z0-9_-]+)\}")
_ENV = re.compile(r"\$\{env\.([A-Za-z_][A-Za-z0-9_]*)\}")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class ExpansionError(ValueError):
    """A text grew beyond all reason while its macros were expanded."""


class Budget:
    """Characters that expansion may still make in one configuration."""

    def __init__(self, left: int = 4 * MAX_TEXT) -> None:
        self._left = left

    def spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise ExpansionError


class Scope:
    """The macros that one place sees, expanded once, in the order of declaration."""

    def __init__(self, declared: Mapping[str, Any], budget: Budget) -> None:
        self._budget = budget
        self._values: dict[str, Any] = {}
        self._in_commands: dict[str, Any] = {}
        for name, value in declared.items():
            self._values[name] = self._text(value, self._values, command=False)
            self._in_commands[name] = self._text(value, self._in_commands, command=True)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def expand(self, value: Any, *, command: bool = False) -> Any:
        """``value`` with the macros in its texts replaced; keys stay.

        A text that is exactly one macro becomes the macro's value, with its type.  In a
        ``command`` the line ends at a macro's end are dropped: a block's last one would
        otherwise cut a quoted argument in two.  Raises ExpansionError.
        """
        if isinstance(value, dict):
            return {key: self.expand(each, command=command) for key, each in value.items()}
        if isinstance(value, list):
            return [self.expand(each, command=command) for each in value]
        return self._text(value, self._in_commands if command else self._values, command=command)

    def culprit(self, leftover: str) -> str | None:
        """The macro whose own text brought ``${leftover}`` along, if one did."""
        needle = f"${{{leftover}}}"
        for name, value in self._values.items():
            if isinstance(value, str) and needle in value:
                return name
        return None

    def _text(self, value: Any, known: Mapping[str, Any], *, command: bool) -> Any:
        if not isinstance(value, str) or "${" not in value:
            return value
        if (only := PLACEHOLDER.fullmatch(value)) and only[1] in known:
            return known[only[1]]
        pieces: list[str] = []
        size = end = 0
        for found in PLACEHOLDER.finditer(value):
            if found[1] not in known:
                continue
            text = as_text(known[found[1]])
            if command and text.endswith("\n"):
                text = text.rstrip("\n")
                following = value[found.end() : found.end() + 1]
                text += "" if not following or following in " \t\n\"'" else " "
            pieces += (value[end : found.start()], text)
            size += len(text)
            end = found.end()
            if size > MAX_EXPANSION:
                raise ExpansionError
        if not pieces:
            return value
        self._budget.spend(size + len(value))
        return "".join((*pieces, value[end:]))


def declared(raw: Any, path: KeyPath, findings: Findings) -> dict[str, Any]:
    """The usable macros of a ``macros`` block; what is wrong with the others is noted."""
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        findings.error(path, said("macros must be a mapping of names to values"), key=True)
        return {}
    usable: dict[str, Any] = {}
    for name, value in raw.items():
        here = (*path, name)
        if wrong := _wrong(name, value):
            findings.error(here, wrong, key=True)
        else:
            usable[name] = value
    return usable


def _wrong(name: str, value: Any) -> str | None:
    if name in RESERVED:
        return said(
            "the macro name {name} is reserved; qmdesk fills {macro} itself",
            name=name,
            macro=f"${{{name}}}",
        )
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        return said(
            'a macro\'s name has 1 to {most} letters, digits, `_` or `-`, which "{name}" does not',
            most=MAX_NAME,
            name=name[:80],
        )
    if value is None or isinstance(value, dict | list):
        kind = said('empty (write "" for no text)') if value is None else shown(value)
        return said(
            "the macro {name} must be a text, a number or true/false; it is {kind}",
            name=name,
            kind=kind,
        )
    if isinstance(value, str) and f"${{{name}}}" in value:
        return said("the macro {name} uses itself", name=name)
    return None


def placeholders(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Every ``${name}`` in the texts of ``value``, with its place."""
    if isinstance(value, str):
        for name in dict.fromkeys(PLACEHOLDER.findall(value)):
            yield path, name
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from placeholders(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from placeholders(each, (*path, index))


def unknown(
    name: str, scope: Scope, environ: Mapping[str, str], where: str, findings: Findings
) -> str:
    """What to say of ``${name}`` in ``where``, which no macro of the scope explains."""
    culprit = scope.culprit(name)
    through = said(" (through the macro {culprit})", culprit=culprit) if culprit else ""
    macro = f"${{{name}}}"
    if name in scope.names:
        return said(
            "{where} uses {macro}{through} before it is declared; move {name} above {other}",
            where=where,
            macro=macro,
            through=through,
            name=name,
            other=culprit or said("it"),
        )
    text = said(
        "{where} uses the unknown macro {macro}{through}",
        where=where,
        macro=macro,
        through=through,
    )
    variable = f"${{env.{name}}}"
    if name in environ:
        return text + said("; did you mean {near}?", near=variable)
    if meant := findings.meant(name, (*scope.names, *RESERVED), "${{{}}}"):
        return text + meant
    if name.isupper():
        return text + said("; declare it under `macros:`, or did you mean {near}?", near=variable)
    return text + said("; declare it under `macros:`")


class Environment:
    """Replaces ``${env.NAME}`` in values by what the environment says."""

    def __init__(self, environ: Mapping[str, str], findings: Findings, budget: Budget) -> None:
        self._environ = environ
        self._findings = findings
        self._budget = budget

    def fill(self, value: Any, path: KeyPath = ()) -> Any:
        """``value`` with its variables replaced; unset ones are errors with their place.

        Nothing is quoted or escaped, and a value cannot change the shape of the file.
        An unquoted scalar gets the type that its new text has.  Raises ExpansionError.
        """
        if isinstance(value, dict):
            filled = {
                self._text(key, (*path, key)): self.fill(each, (*path, key))
                for key, each in value.items()
            }
            if len(filled) < len(value):
                self._findings.error(path, said("two keys here are the same once filled"), key=True)
            return filled
        if isinstance(value, list):
            return [self.fill(each, (*path, index)) for index, each in enumerate(value)]
        if not isinstance(value, str) or "${env." not in value:
            return value
        text = self._text(value, path)
        if self._findings.document.style(path) != "" or not text:
            return text
        try:
            return resolve(text)
        except ValueError:
            return text

    def _text(self, text: str, path: KeyPath) -> str:
        if "${env." not in text:
            return text
        if len(text) > MAX_EXPANSION:
            raise ExpansionError

        def replace(found: re.Match[str]) -> str:
            name = found[1]
            value = self._environ.get(name)
            if value is None:
                near = self._findings.meant(name, self._environ, "`${{env.{}}}`")
                message = said("the environment variable {name} is not set", name=name) + near
                self._findings.error(path, message, needle=found[0])
                return ""
            if "\0" in value:
                message = said("the environment variable {name} holds a NUL character", name=name)
                self._findings.error(path, message, needle=found[0])
                return ""
            self._budget.spend(len(value))
            return value

        return _ENV.sub(replace, text)
