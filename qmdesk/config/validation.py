"""A part of the file against its schema, in words for people."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.fields import shown
from qmdesk.config.findings import Findings

_TRIES: Final = 4
"""Rounds in which wrong values are left out."""

_Schema = TypeVar("_Schema", bound=BaseModel)

_BOUNDS: Final = {
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "greater_than": "must be more than {gt:g}",
}
_KINDS: Final = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a text",
}


def validate(
    schema: type[_Schema], value: dict[str, Any], path: KeyPath, findings: Findings
) -> _Schema:
    """``value`` as ``schema``; every error is noted, and what does not fit is left out.

    So whatever else is wrong can still be found, as long as nothing is made of a value
    whose ``path`` has failed.
    """
    for number in range(_TRIES):
        try:
            return schema.model_validate(value)
        except ValidationError as error:
            value = deepcopy(value)
            for detail in error.errors(include_url=False):
                inner = tuple(each for each in detail["loc"] if each != "[key]")
                here = (*path, *inner)
                if number == 0:  # later ones come of what was left out
                    findings.error(here, f"{subject(here)} {_said(detail)}")
                _leave_out(value, inner[:-1] if detail["type"] == "missing" else inner)
    return schema.model_validate({})


def _leave_out(value: Any, path: KeyPath) -> None:
    """Takes away what stands at ``path``, or the key that is nearest above it."""
    around, last = value, None
    for step in path:
        if isinstance(value, dict) and step in value:
            around, last = value, step
        elif not isinstance(value, list) or not isinstance(step, int) or step >= len(value):
            break
        value = value[step]
    if last is not None:
        around.pop(last)


def subject(path: KeyPath) -> str:
    """What a message about ``path`` begins with: ``model "a": ttl``, ``startPort``."""
    if path[:1] == ("models",) and len(path) > 1:
        inner = dotted(path[2:])
        return f'model "{path[1]}": {inner}' if inner else f'model "{path[1]}":'
    return dotted(path)


def _said(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "is missing"
    if kind in _BOUNDS:
        return f"{_BOUNDS[kind].format(**detail['ctx'])}, not {shown(value)}"
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}, not {shown(value)}"
    said = detail["msg"]
    return said.replace("Input should be", "must be", 1)
