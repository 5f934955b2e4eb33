"""API keys with what they may do, as the file has them, and the changes to them.

Free of Qt.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from qmdesk.config import Config
from qmdesk.config.editor import EditError, Editor
from qmdesk.config.scalars import as_text
from qmdesk.desktop.settings_window.edits import MISSING, Edit, put
from qmdesk.desktop.words import plural, tr

KEYS: Final = ("apiKeys",)
SCOPES: Final = ("apiKeyModels",)

_SHORTEST: Final = 12
"""Characters of a key of which some can be shown without giving it away."""
_YES: Final = ("true", "yes", "on", "y")


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One of ``apiKeys``."""

    at: int
    """Which one it is, from 0."""
    key: str
    name: str = ""
    admin: bool = False
    models: tuple[str, ...] = ()
    """Names that it may use; none: all."""

    @property
    def who(self) -> str:
        """Whose it is, or as much of it as tells it from others."""
        return self.name or shown(self.key)

    @property
    def told(self) -> str:
        """All of it in a line."""
        parts = [self.who]
        if self.admin:
            parts.append(tr("may operate the gateway"))
        if self.models:
            parts.append(plural(len(self.models), "1 model only", "{n} models only"))
        return ", ".join(parts)


def shown(key: str) -> str:
    """``key`` shortened, so that nobody can use what is seen; macros as they are."""
    if "${" in key:
        return key
    if len(key) < _SHORTEST:
        return "•" * 8
    return f"{key[:3]}…{key[-4:]}"


def entries(root: Any) -> tuple[KeyEntry, ...]:
    """The keys that ``root`` has, in the file's order."""
    if not isinstance(root, dict):
        return ()
    scopes = root.get(SCOPES[0])
    found = []
    for at, entry in enumerate(_listed(root.get(KEYS[0]))):
        key, name, admin = _parts(entry)
        written = scopes.get(key) if isinstance(scopes, dict) else None
        models = written if isinstance(written, list) else [written] if written else []
        found.append(KeyEntry(at, key, name, admin, tuple(as_text(each) for each in models)))
    return tuple(found)


def usable(config: Config | None) -> tuple[str, ...]:
    """The names that a key can be limited to."""
    if config is None:
        return ()
    peers = [f"{peer.id}/{each}" for peer in config.peers.values() for each in peer.models]
    return tuple(dict.fromkeys((*config.models, *config.selectors, *peers)))


def new_key() -> str:
    """A key that nobody can guess."""
    return f"sk-{secrets.token_urlsafe(24)}"


def add(key: str) -> Edit:
    """One more key, at the end."""

    def change(editor: Editor) -> None:
        written = editor.get(KEYS)
        if isinstance(written, list) and written:
            editor.set((*KEYS, len(written)), key)
        else:
            editor.set(KEYS, [*_listed(written), key])

    return change


def remove(entry: KeyEntry) -> Edit:
    """Takes a key away, with its limits."""

    def change(editor: Editor) -> None:
        at = _place(editor, entry)
        written = editor.get(KEYS)
        put(KEYS if len(_listed(written)) == 1 else (*KEYS, at), MISSING)(editor)
        if all(key != entry.key for key in _keys(editor)):
            put((*SCOPES, entry.key), MISSING)(editor)

    return change


def change_key(entry: KeyEntry, key: str) -> Edit:
    """Another text for a key; its limits go along."""

    def change(editor: Editor) -> None:
        _put(editor, _place(editor, entry), "key", key)
        scope = (*SCOPES, entry.key)
        if editor.get(scope) is not None and entry.key not in _keys(editor):
            editor.rename(scope, key)

    return change


def change_name(entry: KeyEntry, name: str) -> Edit:
    """Says whose the key is; empty: nobody's in particular."""
    return lambda editor: _put(editor, _place(editor, entry), "name", name or MISSING)


def change_admin(entry: KeyEntry, admin: bool) -> Edit:
    """Whether who has the key may operate the gateway."""
    return lambda editor: _put(editor, _place(editor, entry), "admin", admin or MISSING)


def change_models(entry: KeyEntry, models: Sequence[str]) -> Edit:
    """The names that the key may use; none: all."""
    # An empty list would mean all as well, but does not look like it.
    return put((*SCOPES, entry.key), list(models) or MISSING)


def _listed(written: Any) -> list[Any]:
    if written is None:
        return []
    return written if isinstance(written, list) else [written]


def _parts(entry: Any) -> tuple[str, str, bool]:
    if not isinstance(entry, dict):
        return as_text(entry), "", False
    said = entry.get("admin")
    admin = said is True or as_text(said).lower() in _YES
    return as_text(entry.get("key")), as_text(entry.get("name")), admin


def _keys(editor: Editor) -> list[str]:
    return [_parts(each)[0] for each in _listed(editor.get(KEYS))]


def _place(editor: Editor, entry: KeyEntry) -> int:
    """Where the key stands by now: another edit may have moved it."""
    keys = _keys(editor)
    if entry.at < len(keys) and keys[entry.at] == entry.key:
        return entry.at
    if entry.key in keys:
        return keys.index(entry.key)
    raise EditError(tr("the key is not in the file any more"))


def _put(editor: Editor, at: int, part: str, value: Any) -> None:
    written = editor.get(KEYS)
    entry = _listed(written)[at]
    path = (*KEYS, at) if isinstance(written, list) else KEYS
    if isinstance(entry, dict):
        put((*path, part), value)(editor)
    elif part == "key":
        editor.set(path, value)
    elif value is not MISSING:
        editor.set(path, {"key": entry, part: value})
