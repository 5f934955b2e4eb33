"""A part of the file against its schema, in words for people."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.findings import Findings
from qmdesk.config.schema import shown

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
) -> _Schema | None:
    """``value`` as ``schema``; None, and every error noted, where it does not fit."""
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            here = (*path, *(each for each in detail["loc"] if each != "[key]"))
            findings.error(here, f"{subject(here)} {_said(detail)}")
        return None


def subject(path: KeyPath) -> str:
    """What a message about ``path`` begins with: ``model "a": ttl``, ``startPort``."""
    if path[:1] == ("models",) and len(path) > 1:
        inner = dotted(path[2:])
        return f'model "{path[1]}": {inner}' if inner else f'model "{path[1]}":'
    return dotted(path)


def _said(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind in _BOUNDS:
        return f"{_BOUNDS[kind].format(**detail['ctx'])}, not {shown(value)}"
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}, not {shown(value)}"
    said = detail["msg"]
    return said.replace("Input should be", "must be", 1)
