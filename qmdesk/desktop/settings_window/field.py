"""One key of the file as a field of a form: what it is called, takes and means.

Free of Qt.  Types, defaults and meanings come from the schema, so a form cannot say
something else than the reader.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from typing import Any, Final

from pydantic import BaseModel

from qmdesk.config.document import KeyPath
from qmdesk.config.fields import LOG_LEVELS, LOG_TARGETS, LOG_TIME_FORMATS
from qmdesk.config.model_schema import ModelKeys
from qmdesk.config.scalars import as_text, plain, resolve
from qmdesk.config.schema import FileKeys, blocks
from qmdesk.config.target_schema import PeerKeys, ProfileKeys, SelectorKeys
from qmdesk.desktop.settings_window.edits import MISSING
from qmdesk.desktop.settings_window.parameter_lines import as_lines, from_lines
from qmdesk.desktop.words import later, tr


class Kind(Enum):
    """How a field is shown and edited."""

    FLAG = auto()
    TEXT = auto()
    NUMBER = auto()
    LIST = auto()
    """Texts, one a line."""
    CHOICE = auto()
    COMMAND = auto()
    PAIRS = auto()
    """Names with values, ``NAME: VALUE`` on each line."""
    NAMES = auto()
    """Texts, one a line, which the file may have in one text with commas between."""
    PARAMETERS = auto()
    """As PAIRS, with values of any kind."""
    PEER_MODELS = auto()
    """Texts, one a line, or ``AUTO`` in place of them all."""


class Offer(Enum):
    """Which names can be picked for a field, instead of typing them."""

    NONE = auto()
    TARGETS = auto()
    """Models, their aliases, models of peers."""
    ALL = auto()
    """These and selectors."""


AUTO: Final = "auto"
"""Stands for those models that a peer lists itself."""


_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "on", "y"), True),
    **dict.fromkeys(("false", "no", "off", "n"), False),
}
_LOADING: Final = (
    (False, later("off")),
    (True, later("on")),
    ("reasoning", later("as reasoning text")),
)
_GLOBAL_OR: Final = ((True, later("yes")), (False, later("no")))


_CHOICES: Final[dict[str, tuple[tuple[Any, str], ...]]] = {
    "logLevel": tuple((each, each) for each in LOG_LEVELS),
    "logToStdout": tuple((each, each) for each in LOG_TARGETS),
    "logTimeFormat": tuple((each, each) for each in ("none", *LOG_TIME_FORMATS)),
    "sendLoadingState": _LOADING,
    "holdPolicy": (
        ("toolCalls", later("after tool calls")),
        ("always", later("after every request")),
    ),
    "slotCache": _GLOBAL_OR,
    "slotCachePreamble": _GLOBAL_OR,
    "strategy": (
        ("warm", later("what is loaded, else the first")),
        ("pin", later("always the first")),
        ("spillover", later("the next one when the others are busy")),
    ),
    "ui.language": (("", later("the system's")), ("en", "English"), ("de", "Deutsch")),
}
"""Values with their words, by key; an empty one is only the default."""

_KINDS: Final = {
    "filters.stripParams": Kind.NAMES,
    "filters.setParams": Kind.PARAMETERS,
    "metadata": Kind.PARAMETERS,
    "models": Kind.PEER_MODELS,
}
"""By key, where the type alone does not tell."""

_OLDER: Final = {"filters.stripParams": "strip_params"}
"""Another spelling of a key, which a file may have in its place."""

_CUT = "…"


@dataclass(frozen=True, slots=True)
class Field:
    """A key with all that a form needs to know of it."""

    path: KeyPath
    """From the root; of a model's keys, from the model."""
    label: str
    kind: Kind
    default: Any
    help: str
    choices: tuple[tuple[Any, str], ...] = ()
    required: bool = False
    """Nothing is meant where it is not written."""
    offer: Offer = Offer.NONE
    older: str = ""
    """The older spelling of the key; empty: none."""

    def shown(self, value: Any) -> str:
        """A written value as text to edit; empty for ``MISSING`` and None."""
        if value is MISSING or value is None:
            return ""
        if self.kind is Kind.NAMES and isinstance(value, str):
            return "\n".join(each.strip() for each in value.split(","))
        if isinstance(value, dict):
            if self.kind is Kind.PARAMETERS:
                return as_lines(value)
            return "\n".join(f"{name}: {_one(each)}" for name, each in value.items())
        if isinstance(value, list | tuple):
            return "\n".join(_one(each) for each in value)
        return _one(value)

    def read(self, text: str, before: Any = MISSING) -> Any:
        """The value that ``text`` means; ``MISSING`` where it is empty.

        ValueError: a line that is no pair, in words.
        ``before`` is what is written now: a single text that stands for a list stays one.
        """
        if self.kind is Kind.NAMES:
            names = [each.strip() for each in re.split(r"[\n,]", text) if each.strip()]
            return (", ".join(names) if isinstance(before, str) else names) or MISSING
        if self.kind is Kind.PARAMETERS:
            # A field that is all of its entry leaves it there, though empty.
            return from_lines(text) or (MISSING if self.path else {})
        if self.kind in (Kind.LIST, Kind.PEER_MODELS):
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            if self.kind is Kind.PEER_MODELS and [each.lower() for each in lines] == [AUTO]:
                return AUTO
            if len(lines) == 1 and isinstance(before, str) and before != AUTO:
                return lines[0]
            # What is a mapping, such as a key with a name, is shown cut short, and kept.
            cut = [each for each in _items(before) if isinstance(each, dict | list)]
            kept = iter(cut)
            return [next(kept, line) if line == _CUT else line for line in lines] or MISSING
        if not text.strip():
            return MISSING
        if self.kind is Kind.PAIRS:
            return _pairs(text, before if isinstance(before, dict) else {})
        if self.kind is Kind.NUMBER:
            number = _number(text.strip())
            return text.strip() if number is None else number
        return text

    def flag(self, value: Any) -> bool | None:
        """A written value as a truth value; None where it is something else, as a macro."""
        if value is MISSING or value is None:
            return bool(self.default)
        if isinstance(value, str):
            return _TRUTH.get(value.lower())
        return value if isinstance(value, bool) else None

    @property
    def placeholder(self) -> str:
        """The default in words, for a field in which nothing is written."""
        default = self.default
        if default is None or default in ("", (), {}):
            return ""
        if isinstance(default, StrEnum):
            default = default.value
        if isinstance(default, tuple):
            return ", ".join(default)
        return f"{default:g}" if isinstance(default, float) else as_text(default)


def _pairs(text: str, before: dict[str, Any]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line.strip():
            continue
        name, colon, said = _parted(line)
        if not name or not colon:
            raise ValueError(tr("Each line is NAME: VALUE; this one is not: {line}", line=line))
        if name in pairs:
            raise ValueError(tr("{name} stands here twice", name=name))
        # What is a mapping or a text of several lines is shown cut short, and kept.
        kept = before.get(name)
        if name in before and _one(kept) == said:
            pairs[name] = kept
        else:
            number = _number(said)
            pairs[name] = said if number is None else number
    return pairs


def _parted(line: str) -> tuple[str, str, str]:
    """Name, colon and value; names with a colon in them, as ``qwen3:8b``, are whole."""
    line = line.strip()
    if line.endswith(":"):
        return line[:-1].strip(), ":", ""
    name, colon, said = line.partition(": " if ": " in line else ":")
    return name.strip(), colon, said.strip()


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _one(value: Any) -> str:
    if isinstance(value, dict | list):
        return _CUT
    if isinstance(value, float):
        return f"{value:.15g}"
    return as_text(value) if value is not None else ""


def _number(text: str) -> int | float | None:
    try:
        value = plain(resolve(text))
    except ValueError:
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def top_field(key: str, label: str = "") -> Field:
    """The field of a dotted key of the file, such as ``memory.reserveGB``."""
    return _field(FileKeys, key, label)


def model_field(key: str, label: str = "") -> Field:
    """The field of a dotted key of a model."""
    return _field(ModelKeys, key, label)


def peer_field(key: str, label: str = "") -> Field:
    """The field of a dotted key of a peer."""
    return _field(PeerKeys, key, label)


def selector_field(key: str, label: str = "", offer: Offer = Offer.NONE) -> Field:
    """The field of a dotted key of a selector."""
    return replace(_field(SelectorKeys, key, label), offer=offer)


def profile_field(key: str, label: str = "", offer: Offer = Offer.NONE) -> Field:
    """The field of a dotted key of a profile."""
    return replace(_field(ProfileKeys, key, label), offer=offer)


def parameters_field(label: str, help: str) -> Field:
    """The field of an entry that is nothing but parameters."""
    return Field((), label, Kind.PARAMETERS, {}, help)


def scalar_keys(without: frozenset[str]) -> Iterator[str]:
    """Every dotted key of the file that a form can edit, but for those in ``without``."""
    for key in _scalars(FileKeys, ""):
        if key not in without:
            yield key


def _scalars(block: type[BaseModel], above: str) -> Iterator[str]:
    for name, field in block.model_fields.items():
        key = f"{above}{field.alias or name}"
        kind, inner = _kind(field.annotation), list(blocks(field.annotation))
        if kind is Kind.LIST and inner:
            continue  # a page of its own
        if kind is Kind.LIST or (not inner and (key in _CHOICES or kind is not None)):
            yield key
            continue
        for each, by_name in inner:
            if not by_name and key not in ("matrix", "routing.router"):
                yield from _scalars(each, f"{key}.")


def _field(block: type[BaseModel], key: str, label: str) -> Field:
    path = tuple(key.split("."))
    for step in path[:-1]:
        block = next(iter(blocks(_info(block, step).annotation)))[0]
    info = _info(block, path[-1])
    choices = _CHOICES.get(key, ())
    kind = Kind.CHOICE if choices else _KINDS.get(key) or _kind(info.annotation)
    if kind is None:
        raise ValueError(f"{key} has no form")
    default = None if info.is_required() else info.get_default()
    return Field(
        path,
        label or key,
        kind,
        default,
        tr(info.description or ""),
        choices,
        required=info.is_required(),
        older=_OLDER.get(key, ""),
    )


def _info(block: type[BaseModel], key: str) -> Any:
    return next(f for name, f in block.model_fields.items() if (f.alias or name) == key)


def _kind(annotation: Any) -> Kind | None:
    """How a type is edited; None where it has no field of its own, as mappings."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _kind(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        kinds = {_kind(each) for each in typing.get_args(annotation) if each is not type(None)}
        if kinds == {Kind.TEXT, Kind.LIST}:
            return Kind.COMMAND
        return kinds.pop() if len(kinds) == 1 else None
    if origin is tuple:
        return Kind.LIST
    if origin is dict:
        inner = typing.get_args(annotation)[1]
        simple = inner is Any or _kind(inner) in (Kind.TEXT, Kind.NUMBER)
        return Kind.PAIRS if simple else None
    if isinstance(annotation, type):
        if issubclass(annotation, bool):
            return Kind.FLAG
        if issubclass(annotation, int | float):
            return Kind.NUMBER
        if issubclass(annotation, str):
            return Kind.TEXT
    return None
