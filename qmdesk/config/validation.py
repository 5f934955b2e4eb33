"""A part of the file against its schema, in words for people."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.fields import OURS, shown
from qmdesk.config.findings import Findings
from qmdesk.said import said

_TRIES: Final = 4
"""Rounds in which wrong values are left out."""

_Schema = TypeVar("_Schema", bound=BaseModel)

_KINDS: Final = {
    "dict_type": said("a mapping"),
    "model_type": said("a mapping"),
    "list_type": said("a list"),
    "tuple_type": said("a list"),
    "string_type": said("a text"),
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
                    findings.error(here, subject(here) + " " + _words(detail))
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
        return (
            said('model "{id}": {key}', id=path[1], key=inner)
            if inner
            else said('model "{id}":', id=path[1])
        )
    return dotted(path)


def _words(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return said("is missing")
    if kind in ("greater_than_equal", "less_than_equal", "greater_than"):
        (bound,) = detail["ctx"].values()
        number, given = f"{bound:g}", shown(value)
        if kind == "greater_than_equal":
            return said("must be at least {n}, not {value}", n=number, value=given)
        if kind == "less_than_equal":
            return said("must be at most {n}, not {value}", n=number, value=given)
        return said("must be more than {n}, not {value}", n=number, value=given)
    if kind in _KINDS:
        return said("must be {kind}, not {value}", kind=_KINDS[kind], value=shown(value))
    if kind == OURS:
        words: str = detail["ctx"]["said"]
        return words
    return detail["msg"].replace("Input should be", "must be", 1)
