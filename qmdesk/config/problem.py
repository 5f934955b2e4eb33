"""One thing that is wrong or doubtful in a configuration, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qmdesk.said import said
from qmdesk.user_error import UserError


@dataclass(frozen=True, slots=True)
class Problem:
    """A message with its place: ``line`` and ``column`` count from 1, 0 is unknown."""

    message: str
    line: int = 0
    column: int = 0
    key: str = ""
    """The dotted path of the key, such as ``models.qwen.cmd``."""
    severity: Literal["error", "warning"] = "error"
    file: str = ""

    def __str__(self) -> str:
        place = self.file or said("configuration")
        if self.line:
            place += f":{self.line}:{self.column}"
        if self.severity == "error":
            return said("{place}: error: {what}", place=place, what=self.message)
        return said("{place}: warning: {what}", place=place, what=self.message)


class ConfigError(UserError):
    """The configuration cannot be used; ``problems`` says all that is wrong with it.

    ``warnings`` are what was doubtful besides.
    """

    def __init__(self, problems: tuple[Problem, ...], warnings: tuple[Problem, ...] = ()) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
        self.warnings = warnings
