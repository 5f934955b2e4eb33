"""A configuration's text for showing to others: the same structure, without secrets.

It is written anew: comments are left out, because nothing says which of them hold an old
key, and so is a text that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from qmdesk.config import Config, ConfigError
from qmdesk.config.command import redact
from qmdesk.config.document import load
from qmdesk.config.scalars import plain
from qmdesk.diagnostics.redactor import FLAG, HIDDEN, SECRET_NAME, Redactor


@dataclass(slots=True)
class _Found:
    """Secret values that were met on the way."""

    values: set[str] = field(default_factory=set)

    def hide(self, value: Any) -> Any:
        """Everything in ``value`` hidden, and remembered; a mere name of a variable stays."""
        if isinstance(value, dict):
            return {key: self.hide(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.hide(each) for each in value]
        if value is None or isinstance(value, bool):
            return value
        text = str(value)
        if text.startswith("${") and text.find("}") == len(text) - 1:
            return text
        self.values.add(text)
        return HIDDEN


def secrets_of(text: str) -> set[str]:
    """The values in ``text`` that are secret; none where it cannot be read."""
    found = _Found()
    try:
        _walk(plain(load(text).root), found)
    except ConfigError:
        return set()
    return found.values


def expanded_secrets(config: Config) -> Iterator[str]:
    """The secrets of a configuration with its macros and variables replaced."""
    for key in config.api_keys:
        yield key.key
    for peer in config.peers.values():
        yield peer.api_key
    for model in config.models.values():
        for entry in model.env:
            yield entry.partition("=")[2]
        if isinstance(model.cmd, str):
            yield from _flags(model.cmd)
        else:
            yield from _hidden(list(model.cmd))


def shown(text: str, redactor: Redactor) -> str:
    """``text`` as others may read it."""
    try:
        root = plain(load(text).root)
    except ConfigError as error:
        problem = redactor.text(str(error.problems[0].message))
        return (
            f"# It cannot be read as YAML ({problem}), so it cannot be told what in it is secret:"
            " it is left out.\n"
        )
    dumped = yaml.safe_dump(
        redactor.value(_walk(root, _Found())), sort_keys=False, allow_unicode=True, width=100
    )
    return f"# Written anew from what the file says: without comments and secrets.\n{dumped}"


def _walk(value: Any, found: _Found, name: str = "") -> Any:
    """``value`` without secrets; what is hidden is put into ``found``."""
    if isinstance(value, dict):
        return _mapping(value, found, name)
    if isinstance(value, list):
        if name == "apiKeys":
            return [
                {key: found.hide(each) if key == "key" else each for key, each in entry.items()}
                if isinstance(entry, dict)
                else found.hide(entry)
                for entry in value
            ]
        if name == "env":
            return [_assignment(str(each), found) for each in value]
        if all(isinstance(each, str) for each in value):
            found.values.update(_hidden(value))
            return [str(each) for each in redact(value)]
        return [_walk(each, found) for each in value]
    if isinstance(value, str):
        found.values.update(_flags(value))
        return str(value)
    if isinstance(value, bool) or value is None:
        return value
    # Numbers that remember how they were written are nothing that a dump knows.
    return int(value) if isinstance(value, int) else float(value)


def _mapping(value: dict[Any, Any], found: _Found, name: str) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for number, (key, each) in enumerate(value.items(), 1):
        word = str(key)
        if name in ("env", "headers", "setHeaders"):
            shown[word] = found.hide(each)
        elif name == "apiKeyModels":
            found.hide(word)
            shown[f"{HIDDEN} {number}"] = _walk(each, found)
        elif word not in ("apiKeys", "apiKeyModels") and SECRET_NAME.search(word):
            shown[word] = found.hide(each)
        else:
            shown[word] = _walk(each, found, word)
    return shown


def _assignment(entry: str, found: _Found) -> str:
    name, equals, value = entry.partition("=")
    return f"{name}={found.hide(value)}" if equals else str(found.hide(entry))


def _flags(command: str) -> Iterator[str]:
    for match in FLAG.finditer(command):
        yield match[3].strip("\"'")


def _hidden(words: list[str]) -> set[str]:
    """The words of a command that are secret as a whole, or what follows their ``=``."""
    hidden: set[str] = set()
    for word, shown in zip(words, redact(words), strict=True):
        if word != shown:
            keep = shown.partition(HIDDEN)[0]
            hidden.add(word.removeprefix(keep))
    return hidden
