"""What applying another configuration would change, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from qmdesk.config.config import Config, Model
from qmdesk.config.settings import ApiKey
from qmdesk.said import joined, said

_LAUNCH: Final = {
    "cmd": said("command"),
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
    return (
        *_models(old, new),
        *_routing(old, new),
        *_named(said("peer"), old.peers, new.peers, _PEER),
        *_named(said("selector"), old.selectors, new.selectors, _SELECTOR),
        *_named(said("profile"), old.profiles, new.profiles, _PROFILE),
        *_addresses(old, new),
        *_settings(old, new, "", _TOP),
        *_blocks(old, new),
    )


def _models(old: Config, new: Config) -> Iterator[str]:
    for id, model in new.models.items():
        before = old.models.get(id)
        if before is None:
            if id in old.broken:
                yield said('model "{id}" works again', id=id)
            else:
                yield said('model "{id}" added', id=id)
        elif before != model:
            yield from _launch(before, model)
            yield from _settings(before, model, said('model "{id}": ', id=id), _MODEL)
    for id in old.models:
        if id in new.broken:
            yield said('model "{id}" cannot be used: {why}', id=id, why=new.broken[id][0].message)
        elif id not in new.models:
            yield said('model "{id}" removed', id=id)
    for id in new.broken:
        if id not in old.models and id not in old.broken:
            why = new.broken[id][0].message
            yield said('model "{id}" added, but it cannot be used: {why}', id=id, why=why)
    for id in old.broken:
        if id not in new.models and id not in new.broken:
            yield said('model "{id}" removed', id=id)


def _launch(old: Model, new: Model) -> Iterator[str]:
    changed = [word for name, word in _LAUNCH.items() if getattr(old, name) != getattr(new, name)]
    if changed:
        keys = joined(said(" and "), changed)
        words = said('model "{id}": {keys} changed', id=new.id, keys=keys)
        external = old.external and new.external
        yield words if external else words + said("; restarts at its next start")


def _routing(old: Config, new: Config) -> Iterator[str]:
    for id, group in new.groups.items():
        if id not in old.groups:
            members = ", ".join(group.members) or said("no models")
            yield said('group "{id}" added ({members})', id=id, members=members)
        elif old.groups[id] != group:
            yield from _settings(old.groups[id], group, said('group "{id}": ', id=id), _GROUP)
    for id in old.groups:
        if id not in new.groups:
            yield said('group "{id}" removed', id=id)
    if old.matrix != new.matrix:
        if old.matrix is None:
            yield said("the matrix decides which models run together")
        elif new.matrix is None:
            yield said("groups decide which models run together, not the matrix")
        else:
            yield said("matrix changed")


def _named(
    kind: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    fields: Mapping[str, tuple[str, Callable[[Any], str]]],
) -> Iterator[str]:
    for id, each in new.items():
        if id not in old:
            yield said('{kind} "{id}" added', kind=kind, id=id)
        else:
            yield from _settings(old[id], each, said('{kind} "{id}": ', kind=kind, id=id), fields)
    for id in old:
        if id not in new:
            yield said('{kind} "{id}" removed', kind=kind, id=id)


def _addresses(old: Config, new: Config) -> Iterator[str]:
    """Which sockets open, close or change what they offer; others stay open."""
    before, after = _sockets(old), _sockets(new)
    again = _secure(old) != _secure(new)
    for address, groups in after.items():
        if address not in before:
            yield said("{address} opens", address=address) + _offer(groups)
        elif again:
            yield said("{address} opens anew: the certificate changed", address=address)
        elif before[address] != groups:
            yield said(
                "{address} offers {groups} (before: {before})",
                address=address,
                groups=_offered(groups),
                before=_offered(before[address]),
            )
    for address in before:
        if address not in after:
            yield said("{address} closes", address=address)


def _sockets(config: Config) -> dict[str, tuple[str, ...]]:
    return {each.address: each.groups for each in config.addresses()}


def _secure(config: Config) -> tuple[str, str]:
    return config.tls_cert_file, config.tls_key_file


def _offer(groups: tuple[str, ...]) -> str:
    return said(" for {groups}", groups=_offered(groups)) if groups else ""


def _offered(groups: tuple[str, ...]) -> str:
    return said("the groups {names}", names=", ".join(groups)) if groups else said("all models")


def _blocks(old: Config, new: Config) -> Iterator[str]:
    for name, (key, fields) in _BLOCKS.items():
        yield from _settings(getattr(old, name), getattr(new, name), f"{key}.", fields)


def _settings(
    old: object, new: object, prefix: str, fields: Mapping[str, tuple[str, Callable[[Any], str]]]
) -> Iterator[str]:
    for name, (key, words) in fields.items():
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        left, right = words(before), words(after)
        if left == right:
            yield prefix + said("{key} changed", key=key)
        else:
            yield joined("", (prefix, f"{key} ", left, " → ", right))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return said("yes") if value else said("no")
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return _list(value)
    return str(value) if value not in ("", None) else said("none")


def _seconds(value: float) -> str:
    return f"{value:g} s"


def _or_never(value: float) -> str:
    return _seconds(value) if value else said("never")


def _or_for_ever(value: float) -> str:
    return _seconds(value) if value else said("for ever")


def _list(value: tuple[str, ...]) -> str:
    return ", ".join(value) or said("none")


def _gigabytes(value: float) -> str:
    return f"{value:g} GB"


def _megabytes(value: float) -> str:
    return f"{value:g} MB"


def _or_unknown(value: float) -> str:
    return _gigabytes(value) if value else said("unknown")


def _or_measured(value: float) -> str:
    return _gigabytes(value) if value else said("measured")


def _or_no_limit(value: float) -> str:
    return _megabytes(value) if value else said("no limit")


def _or_in_data_folder(value: str) -> str:
    return said("in memory") if value == ":memory:" else value or said("in the data folder")


def _or_the_systems(value: str) -> str:
    return value or said("the system's")


def _cards(cards: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {_gigabytes(each)}" for name, each in cards.items()) or said("none")


def _pins(pins: Mapping[str, str]) -> str:
    return joined(
        ", ", [f"{name} = " + (target or said("nothing")) for name, target in pins.items()]
    )


def _quiet(_: object) -> str:
    return ""


def _number(keys: tuple[ApiKey, ...]) -> str:
    if len(keys) == 1:
        return said("1 key")
    return said("{n} keys", n=len(keys)) if keys else said("no key")


def _ranks(priorities: Mapping[str, int]) -> str:
    return ", ".join(f"{id} {rank}" for id, rank in sorted(priorities.items())) or said("none")


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
    "capabilities_embedding": ("capabilities.embedding", _value),
    "capabilities_segmentation": ("capabilities.segmentation", _value),
    "capabilities_voice_clone": ("capabilities.voiceClone", _value),
    "reasoning_effort": ("capabilities.reasoningEffort", _value),
    "context_length": ("capabilities.context", _value),
    "pinned": ("pinned", _value),
    "timeouts": ("timeouts", _quiet),
    "ignore_websockets": ("compat.ignoreWebsockets", _value),
    "est_vram_gb": ("estVramGB", _or_unknown),
    "est_ram_gb": ("estRamGB", _or_unknown),
    "slot_cache": ("slotCache", _value),
    "slot_cache_preamble": ("slotCachePreamble", _value),
}

_GROUP: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "members": ("members", _list),
    "swap": ("swap", _value),
    "exclusive": ("exclusive", _value),
    "persistent": ("persistent", _value),
}

_TOP: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
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
    "idle_model": ("idleModel", _value),
    "current_names": ("models.current", _list),
    "ignore_paths": ("upstream.ignorePaths", _list),
    "api_key_models": ("apiKeyModels", _quiet),
    "admin_allow": ("adminAllow", _list),
    "trusted_proxies": ("trustedProxies", _list),
    "max_body_mb": ("maxBodyMB", _or_no_limit),
    "models_dirs": ("modelsDirs", _list),
    "vram_budget_gb": ("vramBudgetGB", _or_measured),
    "store_path": ("store.path", _or_in_data_folder),
    "metrics_max_in_memory": ("metricsMaxInMemory", _value),
    "capture_buffer_mb": ("captureBuffer", _megabytes),
    "session_headers": ("ui.activity.session_id", _list),
    "language": ("ui.language", _or_the_systems),
    "log_time_format": ("logTimeFormat", _value),
    "log_to_stdout": ("logToStdout", _value),
}

_BLOCKS: Final[dict[str, tuple[str, dict[str, tuple[str, Callable[[Any], str]]]]]] = {
    "memory": (
        "memory",
        {
            "reserve_gb": ("reserveGB", _gigabytes),
            "pressure": ("pressure", _value),
            "grace": ("graceSeconds", _seconds),
            "min_gpu_fraction": ("minGpuFraction", _value),
            "cards": ("cards", _cards),
        },
    ),
    "slot_cache": (
        "slotCache",
        {
            "enable": ("enable", _value),
            "path": ("path", _value),
            "min_save_tokens": ("minSaveTokens", _value),
            "max_disk_gb": ("maxDiskGB", _gigabytes),
            "max_sessions": ("maxSessions", _value),
            "preamble_caches": ("preambleCaches", _value),
            "recurrent_seeds": ("recurrentSeeds", _value),
        },
    ),
    "performance": (
        "performance",
        {"disabled": ("disabled", _value), "every": ("every", _seconds)},
    ),
    "notifications": (
        "notifications",
        {
            name: (name, _value)
            for name in ("eviction", "memory", "failure", "rejected", "applied", "exposed", "peer")
        },
    ),
}

_PEER: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "proxy": ("proxy", _quiet),
    "models": ("models", _list),
    "auto": ("auto", _value),
    "api_key": ("apiKey", _quiet),
    "strip_params": ("stripParams", _list),
    "set_params": ("setParams", _quiet),
    "set_params_by_id": ("setParamsByID", _quiet),
    "timeouts": ("timeouts", _quiet),
}

_SELECTOR: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "strategy": ("strategy", _value),
    "targets": ("targets", _list),
    "spillover": ("spillover", _value),
    "name": ("name", _value),
    "description": ("description", _quiet),
    "unlisted": ("unlisted", _value),
    "metadata": ("metadata", _quiet),
}

_PROFILE: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "pins": ("pins", _pins),
    "description": ("description", _quiet),
}
