"""What is wrong or doubtful in one configuration, gathered while it is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from qmdesk.config.document import Document, KeyPath, dotted
from qmdesk.config.names import did_you_mean
from qmdesk.config.problem import Problem

LIMIT: Final = 100
"""Problems of each kind that are told; more would help nobody."""


@dataclass
class Findings:
    """Problems with the places that ``document`` knows."""

    document: Document
    file: str = ""
    errors: list[tuple[KeyPath, Problem]] = field(default_factory=list)
    warnings: list[tuple[KeyPath, Problem]] = field(default_factory=list)

    _failed: set[KeyPath] = field(default_factory=set)

    def meant(self, name: str, known: Iterable[str], form: str = "`{}`") -> str:
        """``; did you mean `x`?`` for the nearest name, or nothing."""
        if len(self.errors) >= LIMIT or len(self.warnings) >= LIMIT:
            return ""  # a file this broken is not worth the search
        return did_you_mean(name, known, form)

    def error(self, path: KeyPath, message: str, *, needle: str = "", key: bool = False) -> None:
        """An error at the value of ``path``: at ``needle`` in it, or at its ``key``."""
        self._add(self.errors, path, message, needle, key)

    def warn(self, path: KeyPath, message: str, *, needle: str = "", key: bool = False) -> None:
        """A warning, placed like an error."""
        self._add(self.warnings, path, message, needle, key)

    def note(self, path: KeyPath, problem: Problem) -> None:
        """A problem that was made elsewhere."""
        self._keep(self.errors if problem.severity == "error" else self.warnings, path, problem)

    def failed(self, path: KeyPath) -> bool:
        """True where an error stands at ``path`` (three steps at most) or below it."""
        return path in self._failed

    def _add(
        self,
        to: list[tuple[KeyPath, Problem]],
        path: KeyPath,
        message: str,
        needle: str,
        key: bool,
    ) -> None:
        if needle:
            line, column = self.document.find(path, needle)
        else:
            line, column = self.document.key(path) if key else self.document.value(path)
        severity: Literal["error", "warning"] = "error" if to is self.errors else "warning"
        file = self.document.file(path) or self.file
        problem = Problem(message, line, column, dotted(path), severity, file)
        self._keep(to, path, problem)

    def _keep(self, to: list[tuple[KeyPath, Problem]], path: KeyPath, problem: Problem) -> None:
        if len(to) < LIMIT or (to is self.errors and not self.failed(path[:2])):
            to.append((path, problem))
        if to is self.errors:
            self._failed.update(path[:steps] for steps in range(min(len(path), 3) + 1))


def told(found: list[tuple[KeyPath, Problem]]) -> tuple[Problem, ...]:
    """The problems file by file in the order of their lines, each once, ``LIMIT`` at most."""
    unique = dict.fromkeys(problem for _, problem in found)
    files = {file: at for at, file in enumerate(dict.fromkeys(each.file for each in unique))}
    places = sorted(unique, key=lambda each: (files[each.file], each.line, each.column))
    return tuple(places)[:LIMIT]
