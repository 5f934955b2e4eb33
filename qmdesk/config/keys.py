"""Keys that are read but not acted on, and keys that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from pydantic import BaseModel

from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.findings import Findings
from qmdesk.config.schema import CapabilityKeys, FileKeys, ModelKeys

NOT_YET: Final = frozenset(
    (
        "adminAllow",
        "apiKeyModels",
        "captureBuffer",
        "idleModel",
        "listeners",
        "logTimeFormat",
        "logToStdout",
        "memory",
        "metricsMaxInMemory",
        "modelsDirs",
        "notifications",
        "peers",
        "performance",
        "profiles",
        "selectors",
        "slotCache",
        "store",
        "ui",
        "upstream",
        "vramBudgetGB",
    )
)
"""Known at the top level; reading them is not the same as doing them."""

NOT_YET_IN_MODEL: Final = frozenset(
    ("compat", "estRamGB", "estVramGB", "slotCache", "slotCachePreamble", "timeouts")
)

NOT_YET_IN_CAPABILITIES: Final = frozenset(
    ("embedding", "reasoningEffort", "segmentation", "voiceClone")
)

_HINTS: Final = {
    "host": "`listen: HOST:PORT` is the key for the address",
    "port": "`listen: HOST:PORT` is the key for the address",
    "idleTimeout": "did you mean `globalTTL` (seconds; `ttl` in a model)?",
    "readyTimeout": "did you mean `healthCheckTimeout`?",
    "ttl": "did you mean `globalTTL`?",
    "concurrencyLimit": "it belongs to a model",
}

_HINTS_IN_MODEL: Final = {
    "group": "name the model in `groups.<name>.members` instead",
    "groups": "name the model in `groups.<name>.members` instead",
    "idleTimeout": "did you mean `ttl`?",
    "readyTimeout": "did you mean `healthCheckTimeout`?",
    "includeAliasesInList": "it belongs to the top level of the file",
    "globalTTL": "it belongs to the top level of the file; a model has `ttl`",
    "headers": "a model cannot add headers; a server that needs a key belongs under `peers`",
    "apiKey": "a server that needs a key belongs under `peers`",
    "setParams": "it belongs under `filters`",
    "stripParams": "it belongs under `filters`",
    "preload": "name the model in `hooks.on_startup.preload` instead",
    "priority": "set it in `routing.scheduler.settings.fifo.priority`",
}

_MODEL_MARKS: Final = frozenset(("cmd", "proxy"))


def report(root: dict[str, Any], findings: Findings) -> None:
    """Warns of every key without effect, at its place, with what was probably meant."""
    for path, schema in _within(root, (), FileKeys):
        block = _at(root, path)
        for key, value in block.items():
            if key not in _known(schema):
                _report(schema, (*path, key), value, findings)


def _report(schema: type[BaseModel], path: KeyPath, value: Any, findings: Findings) -> None:
    key = str(path[-1])
    not_yet, hints = {
        FileKeys: (NOT_YET, _HINTS),
        ModelKeys: (NOT_YET_IN_MODEL, _HINTS_IN_MODEL),
        CapabilityKeys: (NOT_YET_IN_CAPABILITIES, {}),
    }.get(schema, (frozenset(), {}))
    if key.startswith("x-"):
        return  # by custom a place for anchors
    if schema is FileKeys and key == "logRequests":
        message = "logRequests has no effect"
    elif schema is FileKeys and key == "profiles" and _lists(value):
        message = (
            "profiles that list models no longer exist; write each as `NAME: {pins: "
            "{alias: model}}`, or use `groups` to run models together"
        )
    elif key in not_yet:
        message = f"{dotted(path)} is read, but not acted on yet"
    elif isinstance(value, dict) and _MODEL_MARKS & value.keys():
        message = _misplaced_model(schema, path)
    else:
        hint = hints.get(key)
        message = f"unknown key {dotted(path)}"
        message += f"; {hint}" if hint else findings.meant(key, _known(schema) | not_yet)
    findings.warn(path, message, key=True)


def _lists(value: Any) -> bool:
    return isinstance(value, list) or (
        isinstance(value, dict) and any(isinstance(each, list) for each in value.values())
    )


def _misplaced_model(schema: type[BaseModel], path: KeyPath) -> str:
    if schema is ModelKeys:
        return (
            f"`{path[-1]}` stands inside the model {path[-2]} but looks like a model: check the "
            "indentation"
        )
    return f"`{path[-1]}` looks like a model: it belongs under `models:`"


def _known(schema: type[BaseModel]) -> frozenset[str]:
    return frozenset(each.alias or name for name, each in schema.model_fields.items())


def _within(
    value: Any, path: KeyPath, schema: type[BaseModel]
) -> Iterator[tuple[KeyPath, type[BaseModel]]]:
    """Every mapping whose keys are fixed, with the schema that fixes them."""
    if not isinstance(value, dict):
        return
    yield path, schema
    for name, field in schema.model_fields.items():
        key = field.alias or name
        if key not in value:
            continue
        inner = value[key]
        for found, by_name in _schemas(field.annotation):
            if not by_name:
                yield from _within(inner, (*path, key), found)
            elif isinstance(inner, dict):
                for each, entry in inner.items():
                    yield from _within(entry, (*path, key, each), found)


def _schemas(annotation: Any, by_name: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    """The schemas in a field's type; true where they are the values of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, by_name
    origin = getattr(annotation, "__origin__", None)
    for each in get_args(annotation):
        yield from _schemas(each, by_name or origin is dict)


def _at(root: Any, path: KeyPath) -> dict[str, Any]:
    for step in path:
        root = root[step]
    value: dict[str, Any] = root
    return value
