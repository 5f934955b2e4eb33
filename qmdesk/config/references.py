"""Where a file speaks of a model by its id, besides ``models`` itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    for around, step, _ in _values(root, id):
        around[step] = name
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


def _values(root: dict[str, Any], id: str) -> Iterator[tuple[Any, Any, KeyPath]]:
    for pattern in (*_LISTS, *_BY_NAME):
        for path, around in _found(root, pattern):
            steps: Any = ()
            if isinstance(around, list):
                steps = range(len(around))
            elif isinstance(around, dict):
                steps = list(around)
            for step in steps:
                if around[step] == id:
                    yield around, step, path
    for pattern in _TEXTS:
        if root.get(str(pattern[0])) == id:
            yield root, pattern[0], ()


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
