"""Edits of a configuration's text that leave everything else in it as it is.

Only what has to change is cut out and written anew; comments, order, quoting, anchors,
indentation and line ends of all other lines keep their bytes.  Every edit ends with
reading the text again: what it says must be what was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from qmdesk.config import references, writing
from qmdesk.config.changes import Changes
from qmdesk.config.comparison import same, settled
from qmdesk.config.document import KeyPath, dotted, load
from qmdesk.config.layout import EditError, Layout, Node
from qmdesk.config.problem import ConfigError
from qmdesk.config.scalars import plain
from qmdesk.said import said

__all__ = ["EditError", "Editor"]

_BOM = "\ufeff"


class Editor:
    """A configuration's text, changed value by value.

    Paths are keys and list indexes from the root, such as
    ``("models", "qwen", "aliases", 0)``.  Values are texts, numbers, truth values, None,
    lists and mappings.  Each edit is made whole or, with EditError, not at all.
    """

    def __init__(self, text: str) -> None:
        """Raises ConfigError where ``text`` is no readable YAML or has a key twice."""
        self._mark = _BOM if text.startswith(_BOM) else ""
        self._text = text.removeprefix(_BOM)
        self._root = _read(text)

    @property
    def text(self) -> str:
        """The text as it is now, its byte order mark included."""
        return self._mark + self._text

    def get(self, path: KeyPath, default: Any = None) -> Any:
        """What the text says at ``path``, aliases and merges expanded; else ``default``."""
        value: Any = self._root
        for step in path:
            if not _has(value, step):
                return default
            value = value[step]
        return deepcopy(value)

    def set(self, path: KeyPath, value: Any) -> None:
        """Makes the text say ``value`` at ``path``, with the mappings on the way.

        A mapping or list that is there already is changed leaf by leaf: keys that stay
        keep their place and comments.  A list grows by its next index.
        """
        if not path:
            self._reshape(value)
            return
        _check(value, path)
        self._walk(path)
        root = deepcopy(self._root)
        here: Any = root
        for depth, step in enumerate(path[:-1]):
            if not _has(here, step) or here[step] is None:
                if isinstance(path[depth + 1], int):
                    raise EditError(said("{key} is no list", key=dotted(path[: depth + 1])))
                _put(here, step, {}, path[: depth + 1])
            here = here[step]
        before = here[path[-1]] if _has(here, path[-1]) else None
        _put(here, path[-1], settled(before, value), path)
        self._change(root)

    def remove(self, path: KeyPath) -> None:
        """Takes the key or list item at ``path`` away, with the lines it stands on."""
        self._walk(path)
        root = deepcopy(self._root)
        here: Any = root
        for step in path[:-1]:
            here = here[step] if _has(here, step) else None
        if not path or not _has(here, path[-1]):
            raise EditError(
                said("there is no {value} to take away", value=dotted(path) or said("such value"))
            )
        del here[path[-1]]
        self._change(root)

    def rename(self, path: KeyPath, name: str) -> None:
        """Gives the key at ``path`` another name; its place and value stay."""
        self._rename([(path, name)], self._root)

    def move(self, path: KeyPath, before: str | int | None) -> None:
        """Moves a key or list item before another one beside it; None: to the end.

        The comment lines right above it go along.
        """
        layout = Layout(self._text)
        node = self._node(layout, path[:-1])
        root = deepcopy(self._root)
        around: Any = root
        for step in path[:-1]:
            around = around[step]
        names: list[Any] = (
            [key.text for key, _ in node.pairs()]
            if node.style == "{"
            else list(range(len(node.children)))
        )
        if not path or path[-1] not in names or (before is not None and before not in names):
            raise EditError(
                said("{key} or its new neighbour is not written here", key=dotted(path))
            )
        at = names.index(path[-1])
        to = len(names) if before is None else names.index(before)
        if to in (at, at + 1):
            return
        changes = Changes(layout)
        changes.move(node, at, to, path)
        if isinstance(around, dict):
            items = [(key, around.pop(key)) for key in list(around)]
            moved = next(each for each in items if each[0] == path[-1])
            items.remove(moved)
            place = next((i for i, each in enumerate(items) if each[0] == before), len(items))
            items.insert(place, moved)
            around.update(items)
        else:
            around.insert(to - (to > at), around.pop(at))
        self._accept(changes.apply(), root)

    def add_model(self, id: str, model: Mapping[str, Any], *, comment: str = "") -> None:
        """Adds an entry to ``models``, under lines of ``comment``; EditError if it is there."""
        if id in self._ids():
            raise EditError(said('there is a model "{id}" already', id=id))
        undo = self._text, self._root
        self.set(("models", id), dict(model))
        if not comment:
            return
        layout = Layout(self._text)
        key, _ = self._node(layout, ("models",)).entry(id) or (None, None)
        if key is None or key.flow:
            return
        changes = Changes(layout)
        changes.comment(key, comment.splitlines())
        try:
            self._accept(changes.apply(), self._root)
        except EditError:
            self._text, self._root = undo
            raise

    def rename_model(self, id: str, name: str) -> None:
        """Gives a model another id, wherever the file speaks of it by its id."""
        if id not in self._ids():
            raise EditError(said('there is no model "{id}"', id=id))
        if not name.strip():
            raise EditError(said("a model needs a name"))
        root = deepcopy(self._root)
        keys = references.renamed(root, id, name)
        self._rename([(("models", id), name), *keys], root)

    def rename_peer(self, id: str, name: str) -> None:
        """Gives a peer another id; its models are named by it wherever the file does."""
        root = deepcopy(self._root)
        references.peer_renamed(root, id, name)
        self._rename([(("peers", id), name)], root)

    def rename_selector(self, id: str, name: str) -> None:
        """Gives a selector another id, wherever the file speaks of it."""
        root = deepcopy(self._root)
        keys = references.selector_renamed(root, id, name)
        self._rename([(("selectors", id), name), *keys], root)

    def remove_model(self, id: str) -> None:
        """Takes a model away, and its id from groups, preload and the like."""
        if id not in self._ids():
            raise EditError(said('there is no model "{id}"', id=id))
        root = deepcopy(self._root)
        references.removed(root, id)
        del root["models"][id]
        self._change(root)

    # how

    def _ids(self) -> list[str]:
        models = self._root.get("models")
        return list(models) if isinstance(models, dict) else []

    def _walk(self, path: KeyPath) -> None:
        """Refuses a path that leads through what is shared."""
        layout = Layout(self._text)
        changes = Changes(layout)
        node = layout.root
        for depth, step in enumerate(path[:-1]):
            if node is None or not node.collection:
                break
            if isinstance(step, int):
                found = node.children[step : step + 1] if node.style == "[" else []
            else:
                entry = node.entry(step) if node.style == "{" else None
                found = [entry[1]] if entry else []
                if not found and self.get(path[: depth + 1]) is not None:
                    where = dotted(path[: depth + 1])
                    raise EditError(
                        said(
                            "{where} comes from a merge (<<); replace all of it instead",
                            where=where,
                        )
                    )
            if not found:
                break
            node = found[0]
            changes.refuse_alias(node, path[: depth + 1])

    @staticmethod
    def _node(layout: Layout, path: KeyPath) -> Node:
        changes = Changes(layout)
        node = layout.root
        for depth, step in enumerate(path):
            if node is None or not node.collection:
                break
            if isinstance(step, int):
                node = node.children[step] if step < len(node.children) else None
            else:
                entry = node.entry(step)
                node = entry[1] if entry else None
            if node is not None:
                changes.refuse_alias(node, path[: depth + 1])
        if node is None or not node.collection:
            raise EditError(
                said(
                    "{value} is not written here as a mapping or list",
                    value=dotted(path) or said("the file"),
                )
            )
        return node

    def _reshape(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise EditError(said("a configuration is a mapping of keys to values"))
        _check(value, ())
        self._change(settled(self._root, value))

    def _change(self, root: dict[str, Any]) -> None:
        if same(self._root, root):
            return
        layout = Layout(self._text)
        changes = Changes(layout)
        changes.root(self._root, root)
        try:
            self._accept(changes.apply(), root)
        except EditError:  # a comment below may have become part of a block
            changes = Changes(layout, literals=False)
            changes.root(self._root, root)
            self._accept(changes.apply(), root)

    def _rename(self, names: list[tuple[KeyPath, str]], target: dict[str, Any]) -> None:
        """New names for keys, and every other change that ``target`` has already."""
        layout = Layout(self._text)
        changes = Changes(layout)
        if not same(self._root, target):
            changes.root(self._root, target)
        meant = deepcopy(target)
        for path, name in names:
            _check(name, path)
            node = self._node(layout, path[:-1])
            entry = node.entry(str(path[-1])) if node.style == "{" else None
            if entry is None:
                raise EditError(said("there is no key {key} to rename", key=dotted(path)))
            around: Any = meant
            for step in path[:-1]:
                around = around[step]
            if name == path[-1]:
                continue
            if name in around or any(key.text == name for key, _ in node.pairs()):
                raise EditError(said("{key} is there already", key=dotted((*path[:-1], name))))
            changes.rename(entry[0], path, name)
            items = [(name if key == path[-1] else key, each) for key, each in around.items()]
            around.clear()
            around.update(items)
        self._accept(changes.apply(), meant)

    def _accept(self, text: str, meant: dict[str, Any]) -> None:
        try:
            read = _read(self._mark + text)
            if not same(read, meant) and not text.endswith("\n"):
                text += Layout(self._text).newline  # a block at the end may need it
                read = _read(self._mark + text)
        except ConfigError as error:
            problem = error.problems[0]
            raise EditError(
                said("the edit would not be readable: {message}", message=problem.message)
            ) from None
        if not same(read, meant):
            raise EditError(
                said(
                    "the edit would change more than was meant; the text has a form that can "
                    "only be changed by hand"
                )
            )
        self._text, self._root = text, read


def _read(text: str) -> dict[str, Any]:
    document = load(text)
    wrong = tuple(each for _, each in document.problems if each.severity == "error")
    if wrong:
        raise ConfigError(wrong)
    root: dict[str, Any] = plain(document.root)
    return root


def _has(value: Any, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and 0 <= step < len(value)
    return isinstance(value, dict) and step in value


def _put(around: Any, step: str | int, value: Any, path: KeyPath) -> None:
    if isinstance(around, dict) and isinstance(step, str):
        around[step] = value
    elif isinstance(around, list) and isinstance(step, int) and 0 <= step <= len(around):
        around[step : step + 1] = [value]
    else:
        where = dotted(path[:-1]) or said("the file")
        kind = said("list of that length") if isinstance(step, int) else said("mapping")
        raise EditError(
            said(
                "{where} is no {kind}, so {key} cannot be set",
                where=where,
                kind=kind,
                key=dotted(path),
            )
        )


def _check(value: Any, path: KeyPath) -> None:
    try:
        writing.check(value)
    except writing.Unwritable as error:
        raise EditError(
            said("{key} cannot be written: {error}", key=dotted(path), error=error)
        ) from None
