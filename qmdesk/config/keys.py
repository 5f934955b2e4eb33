"""Keys that are read but not acted on, and keys that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.findings import Findings
from qmdesk.config.model_schema import CapabilityKeys, ModelKeys, TimeoutKeys
from qmdesk.config.schema import FileKeys, blocks
from qmdesk.config.settings_schema import UiKeys
from qmdesk.config.target_schema import PeerTimeoutKeys
from qmdesk.said import said

NOT_YET: Final = frozenset(
    (
        "modelsDirs",
        "performance",
        "slotCache",
    )
)
"""Known at the top level; reading them is not the same as doing them."""

NOT_YET_IN_MODEL: Final = frozenset(("slotCache", "slotCachePreamble"))

NOT_YET_IN_CAPABILITIES: Final = frozenset(
    ("embedding", "reasoningEffort", "segmentation", "voiceClone")
)

NOT_YET_IN_UI: Final = frozenset(("activity",))

NOT_YET_IN_TIMEOUTS: Final = frozenset(("expectContinue", "keepalive"))
"""A body is not held back, and the system looks after connections."""

_HINTS: Final = {
    "host": said("`listen: HOST:PORT` is the key for the address"),
    "port": said("`listen: HOST:PORT` is the key for the address"),
    "idleTimeout": said("did you mean `globalTTL` (seconds; `ttl` in a model)?"),
    "readyTimeout": said("did you mean `healthCheckTimeout`?"),
    "ttl": said("did you mean `globalTTL`?"),
    "concurrencyLimit": said("it belongs to a model"),
}

_HINTS_IN_MODEL: Final = {
    "group": said("name the model in `groups.<name>.members` instead"),
    "groups": said("name the model in `groups.<name>.members` instead"),
    "idleTimeout": said("did you mean `ttl`?"),
    "readyTimeout": said("did you mean `healthCheckTimeout`?"),
    "includeAliasesInList": said("it belongs to the top level of the file"),
    "globalTTL": said("it belongs to the top level of the file; a model has `ttl`"),
    "headers": said("a model cannot add headers; a server that needs a key belongs under `peers`"),
    "apiKey": said("a server that needs a key belongs under `peers`"),
    "setParams": said("it belongs under `filters`"),
    "stripParams": said("it belongs under `filters`"),
    "preload": said("name the model in `hooks.on_startup.preload` instead"),
    "priority": said("set it in `routing.scheduler.settings.fifo.priority`"),
}

_NOT_YET: Final[dict[type[BaseModel], frozenset[str]]] = {
    FileKeys: NOT_YET,
    ModelKeys: NOT_YET_IN_MODEL,
    CapabilityKeys: NOT_YET_IN_CAPABILITIES,
    TimeoutKeys: NOT_YET_IN_TIMEOUTS,
    PeerTimeoutKeys: NOT_YET_IN_TIMEOUTS,
    UiKeys: NOT_YET_IN_UI,
}

_MODEL_MARKS: Final = frozenset(("cmd", "proxy"))


def report(root: dict[str, Any], findings: Findings, *, strict: bool = False) -> None:
    """Warns of every key without effect, at its place, with what was probably meant.

    A key that nobody knows is an error where ``strict``.
    """
    for path, schema in _within(root, (), FileKeys):
        block = _at(root, path)
        for key, value in block.items():
            if key in _NOT_YET.get(schema, ()) or key not in _known(schema):
                _report(schema, (*path, key), value, findings, strict)


def _report(
    schema: type[BaseModel], path: KeyPath, value: Any, findings: Findings, strict: bool
) -> None:
    key = str(path[-1])
    hints: Mapping[str, str] = {FileKeys: _HINTS, ModelKeys: _HINTS_IN_MODEL}.get(schema, {})
    if key.startswith("x-"):
        return  # by custom a place for anchors
    if schema is FileKeys and key == "logRequests":
        message = said("logRequests has no effect")
    elif key in _NOT_YET.get(schema, ()):
        message = said("{key} is read, but not acted on yet", key=dotted(path))
    else:
        if isinstance(value, dict) and _MODEL_MARKS & value.keys():
            message = _misplaced_model(schema, path)
        else:
            hint = hints.get(key)
            message = said("unknown key {key}", key=dotted(path))
            message += "; " + hint if hint else findings.meant(key, _known(schema))
        if strict:
            findings.error(path, message, key=True)
            return
    findings.warn(path, message, key=True)


def _misplaced_model(schema: type[BaseModel], path: KeyPath) -> str:
    if schema is ModelKeys:
        return said(
            "`{path}` stands inside the model {model} but looks like a model: check the "
            "indentation",
            path=path[-1],
            model=path[-2],
        )
    return said("`{path}` looks like a model: it belongs under `models:`", path=path[-1])


@cache
def _known(schema: type[BaseModel]) -> frozenset[str]:
    return frozenset(each.alias or name for name, each in schema.model_fields.items())


@cache
def _inner(schema: type[BaseModel]) -> tuple[tuple[str, type[BaseModel], bool], ...]:
    """The keys that hold other blocks: each with its schema, and true for those by name."""
    return tuple(
        (field.alias or name, found, by_name)
        for name, field in schema.model_fields.items()
        for found, by_name in blocks(field.annotation)
    )


def _within(
    value: Any, path: KeyPath, schema: type[BaseModel]
) -> Iterator[tuple[KeyPath, type[BaseModel]]]:
    """Every mapping whose keys are fixed, with the schema that fixes them."""
    if not isinstance(value, dict):
        return
    yield path, schema
    for key, found, by_name in _inner(schema):
        inner = value.get(key)
        if not by_name:
            for index, entry in enumerate(inner if isinstance(inner, list) else ()):
                yield from _within(entry, (*path, key, index), found)
            yield from _within(inner, (*path, key), found)
        elif isinstance(inner, dict):
            for each, entry in inner.items():
                yield from _within(entry, (*path, key, each), found)


def _at(root: Any, path: KeyPath) -> dict[str, Any]:
    for step in path:
        root = root[step]
    value: dict[str, Any] = root
    return value
