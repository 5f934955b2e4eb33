"""Changes that the forms make to the text, each of them a function of an ``Editor``.

Free of Qt; a change of a large file takes tenths of a second and runs in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from qmdesk.config.document import KeyPath
from qmdesk.config.editor import Editor
from qmdesk.config.fields import NOTIFICATIONS

Edit = Callable[[Editor], None]
"""Changes a text; raises ``EditError`` where it cannot be done in this one."""

MISSING: Final = object()
"""Stands for a key that is not written."""

_ENTRIES: Final = frozenset(("models", "groups", "peers", "selectors", "profiles"))
"""Mappings whose entries mean something even when nothing is in them."""

_GROUPS: Final = (("routing", "router", "settings", "groups"), ("groups",))


def edited(text: str, *edits: Edit) -> str:
    """``text`` after ``edits``; ``EditError`` or ``ConfigError``: nothing was done."""
    editor = Editor(text)
    for edit in edits:
        edit(editor)
    return editor.text


def put(path: KeyPath, value: Any) -> Edit:
    """Writes ``value`` at ``path``; ``MISSING`` takes the key away."""

    def change(editor: Editor) -> None:
        if path[0] == "notifications" and isinstance(all := editor.get(path[:1]), bool):
            # One word for all of them: to say another one of one, all have to be said.
            editor.set(path[:1], dict.fromkeys(NOTIFICATIONS, all))
        if value is not MISSING:
            if editor.get(path, MISSING) != value or isinstance(value, bool):
                editor.set(path, value)
        elif editor.get(path, MISSING) is not MISSING:
            editor.remove(path)
            _prune(editor, path[:-1])

    return change


def _prune(editor: Editor, path: KeyPath) -> None:
    """Takes away a block of settings that has become empty; a model and the like stay."""
    if not path or (len(path) == 2 and path[0] in _ENTRIES):
        return
    if editor.get(path) == {}:
        editor.remove(path)
        _prune(editor, path[:-1])


def add_model(id: str, model: dict[str, Any], comment: str = "") -> Edit:
    """A new model, at the end."""
    return lambda editor: editor.add_model(id, model, comment=comment)


def duplicate_model(id: str, copy: str) -> Edit:
    """A copy of a model right below it, without its aliases: a name means one model."""

    def change(editor: Editor) -> None:
        model = editor.get(("models", id))
        if isinstance(model, dict):
            model.pop("aliases", None)
        ids = list(editor.get(("models",), {}))
        following = ids[ids.index(id) + 1 :]
        editor.add_model(copy, model or {})
        if following:
            editor.move(("models", copy), following[0])

    return change


def rename_model(id: str, name: str) -> Edit:
    """Another id for a model, wherever the file speaks of it."""
    return lambda editor: editor.rename_model(id, name)


def remove_model(id: str) -> Edit:
    """Takes a model away, and its id from groups and the like."""
    return lambda editor: editor.remove_model(id)


def move_entry(path: KeyPath, by: int) -> Edit:
    """An entry further up (-1) or down (1) in its mapping; at the end nothing happens."""

    def change(editor: Editor) -> None:
        names = list(editor.get(path[:-1], {}))
        to = names.index(path[-1]) + by
        if 0 <= to < len(names):
            # "Before" is what stands there when it has been taken out.
            before = names[to] if by < 0 else (*names, None)[to + 1]
            editor.move(path, before)

    return change


def move_model(id: str, by: int) -> Edit:
    """A model further up (-1) or down (1) in the file."""
    return move_entry(("models", id), by)


def rename_entry(path: KeyPath, name: str) -> Edit:
    """Another name for an entry, also where the file speaks of it."""

    def change(editor: Editor) -> None:
        if path[0] == "peers" and len(path) == 2:
            editor.rename_peer(str(path[1]), name)
        elif path[0] == "selectors" and len(path) == 2:
            editor.rename_selector(str(path[1]), name)
        else:
            editor.rename(path, name)

    return change


def groups_path(root: Any) -> KeyPath:
    """Where the file has its groups, in whichever spelling."""
    editor_path: KeyPath = _GROUPS[1]
    here = root
    for step in _GROUPS[0][:2]:
        here = here.get(step) if isinstance(here, dict) else None
    return _GROUPS[0] if isinstance(here, dict) else editor_path


def join_group(id: str, group: str) -> Edit:
    """Makes a model a member of ``group`` and of no other one; empty: of none."""

    def change(editor: Editor) -> None:
        path = groups_path({"routing": editor.get(("routing",))})
        groups = editor.get(path)
        for name, each in groups.items() if isinstance(groups, dict) else ():
            members = each.get("members") if isinstance(each, dict) else None
            listed = members if isinstance(members, list) else [members] if members else []
            if name == group and id not in listed:
                editor.set((*path, name, "members"), [*listed, id])
            elif name != group and id in listed:
                editor.set((*path, name, "members"), [one for one in listed if one != id])

    return change


def rename(path: KeyPath, name: str) -> Edit:
    """Another name for a key; its place and value stay."""
    return lambda editor: editor.rename(path, name)


def splice(old: str, new: str) -> tuple[int, int, str]:
    """What to replace in ``old`` to get ``new``: from, to (exclusive), and by what."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    end = min(_common(old[::-1], new[::-1]), most)
    return start, len(old) - end, new[start : len(new) - end]


def _common(left: str, right: str) -> int:
    """How many characters are the same from the start."""
    low, high = 0, min(len(left), len(right))
    while low < high:  # slices compare in C
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
