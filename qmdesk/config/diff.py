"""What applying another configuration would change, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from qmdesk.config.config import Config, Model

_LAUNCH: Final = {
    "cmd": "command",
    "proxy": "proxy",
    "check_endpoint": "checkEndpoint",
    "env": "env",
    "cwd": "cwd",
}
"""What a running process depends on; only named, for commands may hold secrets."""


def relaunched(old: Config, new: Config) -> frozenset[str]:
    """The ids in both configurations whose process would have to start anew."""
    return frozenset(
        id
        for id, model in new.models.items()
        if id in old.models and old.models[id].launch() != model.launch()
    )


def diff(old: Config, new: Config) -> tuple[str, ...]:
    """One line for each thing that is different; nothing where nothing is.

    Models come first, in the order of the new file, then what concerns all of them.
    Keys and commands are never shown, only that they changed.
    """
    return (*_models(old, new), *_routing(old, new), *_settings(old, new, "", _TOP))


def _models(old: Config, new: Config) -> Iterator[str]:
    for id, model in new.models.items():
        before = old.models.get(id)
        if before is None:
            yield f'model "{id}" {"works again" if id in old.broken else "added"}'
        elif before != model:
            yield from _launch(before, model)
            yield from _settings(before, model, f'model "{id}": ', _MODEL)
    for id in old.models:
        if id in new.broken:
            yield f'model "{id}" cannot be used: {new.broken[id][0].message}'
        elif id not in new.models:
            yield f'model "{id}" removed'
    for id in new.broken:
        if id not in old.models and id not in old.broken:
            yield f'model "{id}" added, but it cannot be used: {new.broken[id][0].message}'
    for id in old.broken:
        if id not in new.models and id not in new.broken:
            yield f'model "{id}" removed'


def _launch(old: Model, new: Model) -> Iterator[str]:
    changed = [word for name, word in _LAUNCH.items() if getattr(old, name) != getattr(new, name)]
    if changed:
        said = f'model "{new.id}": {" and ".join(changed)} changed'
        external = old.external and new.external
        yield said if external else f"{said}; restarts at its next start"


def _routing(old: Config, new: Config) -> Iterator[str]:
    for id, group in new.groups.items():
        before = old.groups.get(id)
        if before is None:
            members = ", ".join(group.members) or "no models"
            yield f'group "{id}" added ({members})'
        elif before != group:
            yield from _settings(before, group, f'group "{id}": ', _GROUP)
    for id in old.groups:
        if id not in new.groups:
            yield f'group "{id}" removed'
    if old.matrix != new.matrix:
        if old.matrix is None:
            yield "the matrix decides which models run together"
        elif new.matrix is None:
            yield "groups decide which models run together, not the matrix"
        else:
            yield "matrix changed"


def _settings(
    old: object, new: object, prefix: str, fields: Mapping[str, tuple[str, Callable[[Any], str]]]
) -> Iterator[str]:
    for name, (key, said) in fields.items():
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        left, right = said(before), said(after)
        yield f"{prefix}{key} changed" if left == right else f"{prefix}{key} {left} → {right}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, StrEnum):
        return value.value
    return str(value) if value not in ("", ()) else "none"


def _seconds(value: float) -> str:
    return f"{value:g} s"


def _or_never(value: float) -> str:
    return _seconds(value) if value else "never"


def _or_for_ever(value: float) -> str:
    return _seconds(value) if value else "for ever"


def _list(value: tuple[str, ...]) -> str:
    return ", ".join(value) or "none"


def _quiet(_: object) -> str:
    return ""


def _number(keys: tuple[str, ...]) -> str:
    return {0: "no key", 1: "1 key"}.get(len(keys), f"{len(keys)} keys")


def _ranks(priorities: Mapping[str, int]) -> str:
    return ", ".join(f"{id} {rank}" for id, rank in sorted(priorities.items())) or "none"


_MODEL: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "cmd_stop": ("cmdStop", _quiet),
    "ttl": ("ttl", _or_never),
    "unload_timeout": ("unloadTimeout", _seconds),
    "health_check_timeout": ("healthCheckTimeout", _seconds),
    "concurrency_limit": ("concurrencyLimit", _value),
    "aliases": ("aliases", _list),
    "name": ("name", _value),
    "description": ("description", _quiet),
    "unlisted": ("unlisted", _value),
    "use_model_name": ("useModelName", _value),
    "send_loading_state": ("sendLoadingState", _value),
    "strip_params": ("stripParams", _list),
    "set_params": ("setParams", _quiet),
    "set_params_by_id": ("setParamsByID", _quiet),
    "metadata": ("metadata", _quiet),
    "capabilities_in": ("capabilities.in", _list),
    "capabilities_out": ("capabilities.out", _list),
    "capabilities_tools": ("capabilities.tools", _value),
    "capabilities_reranker": ("capabilities.reranker", _value),
    "context_length": ("capabilities.context", _value),
    "pinned": ("pinned", _value),
}

_GROUP: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "members": ("members", _list),
    "swap": ("swap", _value),
    "exclusive": ("exclusive", _value),
    "persistent": ("persistent", _value),
}

_TOP: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "listen": ("listen", _list),
    "log_level": ("logLevel", _value),
    "send_loading_state": ("sendLoadingState", _value),
    "include_aliases_in_list": ("includeAliasesInList", _value),
    "start_port": ("startPort", _value),
    "queue_timeout": ("queueTimeout", _or_for_ever),
    "hold": ("hold", _seconds),
    "patience": ("patience", _seconds),
    "hold_policy": ("holdPolicy", _value),
    "priorities": ("priority", _ranks),
    "preload": ("preload", _list),
    "api_keys": ("apiKeys", _number),
    "allow_origins": ("allowOrigins", _list),
    "allow_hosts": ("allowHosts", _list),
    "default_model": ("defaultModel", _value),
    "fallback_model": ("fallbackModel", _value),
}
