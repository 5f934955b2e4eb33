"""Where a file speaks of a model, selector or peer by its name, besides its own entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from qmdesk.config.document import KeyPath

_ANY: Final = "*"
_LISTS: Final[tuple[KeyPath, ...]] = (
    ("groups", _ANY, "members"),
    ("routing", "router", "settings", "groups", _ANY, "members"),
    ("hooks", "on_startup", "preload"),
    ("selectors", _ANY, "targets"),
    ("apiKeyModels", _ANY),
)
_TEXTS: Final[tuple[KeyPath, ...]] = (("defaultModel",), ("fallbackModel",), ("idleModel",))
_BY_NAME: Final[tuple[KeyPath, ...]] = (
    ("matrix", "vars"),
    ("routing", "router", "settings", "matrix", "vars"),
    ("profiles", _ANY, "pins"),
)
"""Mappings whose values are ids."""
_BY_ID: Final[tuple[KeyPath, ...]] = (
    ("matrix", "evict_costs"),
    ("routing", "router", "settings", "matrix", "evict_costs"),
    ("routing", "scheduler", "settings", "fifo", "priority"),
    ("profiles", _ANY, "pins"),
)
"""Mappings whose keys are ids."""
_SETS: Final[tuple[KeyPath, ...]] = (
    ("matrix", "sets"),
    ("routing", "router", "settings", "matrix", "sets"),
)


def renamed(root: dict[str, Any], id: str, name: str) -> list[tuple[KeyPath, str]]:
    """Puts ``name`` for ``id`` into the values of ``root``; keys to rename are returned."""
    _replace(root, {id: name}.get)
    word = re.compile(rf"(?<![\w.-]){re.escape(id)}(?![\w.-])")
    for pattern in _SETS:
        for _, sets in _found(root, pattern):
            for key, text in sets.items() if isinstance(sets, dict) else ():
                if isinstance(text, str):
                    sets[key] = word.sub(lambda _: name, text)
    keys = [(*path, id) for path, names in _keyed(root) if id in names]
    by_id = ("models", id, "filters", "setParamsByID")
    keys += [
        (*path, id)
        for path, names in _found(root, by_id)
        if isinstance(names, dict) and id in names
    ]
    return [(path, name) for path in keys]


def peer_renamed(root: dict[str, Any], id: str, name: str) -> None:
    """Puts the models of the peer ``name`` for those of the peer ``id`` into the values."""
    start = f"{id}/"

    def new(value: str) -> str | None:
        return f"{name}/{value.removeprefix(start)}" if value.startswith(start) else None

    _replace(root, new)


def selector_renamed(root: dict[str, Any], id: str, name: str) -> list[tuple[KeyPath, str]]:
    """As ``renamed``, for a selector: it stands only where requests can name it."""
    _replace(root, {id: name}.get)
    pins = ("profiles", _ANY, "pins")
    return [((*path, id), name) for path, found in _found(root, pins) if id in (found or ())]


def removed(root: dict[str, Any], id: str) -> None:
    """Takes ``id`` out of the lists, and the keys and defaults that name it away."""
    for pattern in _LISTS:
        for _, items in _found(root, pattern):
            while isinstance(items, list) and id in items:
                items.remove(id)
    for pattern in _TEXTS:
        if root.get(str(pattern[0])) == id:
            del root[str(pattern[0])]
    for _, names in _keyed(root):
        names.pop(id, None)
    for pattern in _BY_NAME:
        for _, names in _found(root, pattern):
            if isinstance(names, dict):
                for key in [key for key, each in names.items() if each == id]:
                    del names[key]


def _replace(root: dict[str, Any], new: Callable[[str], str | None]) -> None:
    """Puts what ``new`` says in place of names; None: they stay."""
    for pattern in (*_LISTS, *_BY_NAME):
        for _, around in _found(root, pattern):
            steps: Any = ()
            if isinstance(around, list):
                steps = range(len(around))
            elif isinstance(around, dict):
                steps = list(around)
            for step in steps:
                if isinstance(around[step], str) and (found := new(around[step])) is not None:
                    around[step] = found
    for pattern in _TEXTS:
        key = str(pattern[0])
        if isinstance(root.get(key), str) and (found := new(root[key])) is not None:
            root[key] = found


def _keyed(root: dict[str, Any]) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    for pattern in _BY_ID:
        for path, names in _found(root, pattern):
            if isinstance(names, dict):
                yield path, names


def _found(value: Any, pattern: KeyPath, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every value whose path fits ``pattern``."""
    if not pattern:
        yield path, value
    elif isinstance(value, dict):
        for key in list(value) if pattern[0] == _ANY else [str(pattern[0])]:
            if key in value:
                yield from _found(value[key], pattern[1:], (*path, key))
