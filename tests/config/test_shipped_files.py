"""The default configuration and the manual agree with the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qmdesk.config import Config, parse
from qmdesk.config.keys import NOT_YET, NOT_YET_IN_CAPABILITIES, NOT_YET_IN_MODEL
from qmdesk.config.schema import keys, schema

ROOT = Path(__file__).parents[2]
DEFAULT = (ROOT / "resources" / "config.yaml").read_text(encoding="utf-8")
MANUAL = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_the_default_configuration_is_the_defaults() -> None:
    assert parse(DEFAULT, environ={}) == Config()


def test_its_examples_are_valid_when_uncommented() -> None:
    text = re.sub(r"^#(?=\S|  )", "", DEFAULT, flags=re.MULTILINE)
    text = text.replace("macros: {}\n", "macros:\n").replace("models: {}\n", "models:\n")
    text = text.replace("embedder", "qwen").replace("reranker", "gemma")
    config = parse(text, environ={"QMDESK_KEY": "k"}, windows=True)
    assert list(config.models) == ["qwen", "gemma", "elsewhere"]
    assert config.preload == ("qwen",)
    assert [each.key for each in config.api_keys] == ["k"]
    assert config.warnings == ()


SECTIONS = {
    "Top level": [""],
    "A model": ["models.*."],
    "Timeouts": ["models.*.timeouts.", "peers.*.timeouts."],
    "Groups": ["groups.*.", "routing.router.settings.groups.*."],
    "Matrix": [""],
    "Routing": [""],
    "Peers": ["peers.*."],
    "Selectors": ["selectors.*."],
    "Profiles": ["profiles.*."],
    "API keys": ["apiKeys."],
    "Listeners": ["listeners.*."],
    "Memory": ["memory."],
    "Slot cache": ["slotCache."],
    "Notifications": ["notifications."],
}
"""What stands before the keys in the tables of the manual's sections."""

AS_ELSEWHERE = ("peers.*.filters.", "routing.router.settings.matrix.")
"""Blocks whose keys the manual describes in another place."""


def rows() -> Iterator[tuple[str, str]]:
    """The dotted keys in the manual's tables, each with its default."""
    for section in MANUAL.split("\n## ")[1:]:
        for above in SECTIONS.get(section.split("\n", 1)[0], []):
            for row in re.findall(r"^\| (`.*)\|$", section, re.MULTILINE):
                cells = [each.strip() for each in re.split(r"(?<!\\)\|", row)]
                for key in re.findall(r"`([^`]+)`", cells[0]):
                    yield above + key, cells[2] if len(cells) > 3 else ""


DOCUMENTED = dict(rows())


@pytest.mark.parametrize("key", [key for key, _ in keys()])
def test_the_manual_has_every_key(key: str) -> None:
    inner = any(each.startswith(f"{key}.") for each in DOCUMENTED)
    spelled = key.endswith(".strip_params") and "`strip_params`" in MANUAL
    assert key in DOCUMENTED or inner or spelled or key.startswith(AS_ELSEWHERE)


@pytest.mark.parametrize("key", sorted(DOCUMENTED))
def test_every_key_of_the_manual_exists(key: str) -> None:
    known = {each for each, _ in keys()}
    assert key in known or key == "x-..." or key.startswith("${")


def test_the_manual_has_the_defaults() -> None:
    found = {key: plain for key, plain in _defaults(schema(), "") if key in DOCUMENTED}
    wrong = {
        key: (DOCUMENTED[key], default)
        for key, default in found.items()
        if isinstance(default, int | float) and DOCUMENTED[key] != _said(default)
    }
    differ = {
        "models.*.concurrencyLimit": ("10", 0),
        "performance.every": ("5s", 5.0),
        "peers.*.timeouts.responseHeader": ("0", 60.0),
    }
    assert wrong == differ
    assert len(found) > 100


def _said(default: float) -> str:
    return str(default).lower() if isinstance(default, bool) else f"{default:g}"


def _defaults(block: dict[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    named = schema()["$defs"]
    for key, said in block["properties"].items():
        yield above + key, said["default"]
        text = json.dumps(said["anyOf"])
        for name in re.findall(r"#/\$defs/(\w+)", text):
            chosen = "additionalProperties" in text
            yield from _defaults(named[name], f"{above}{key}.*." if chosen else f"{above}{key}.")


def test_every_key_has_its_meaning() -> None:
    assert [key for key, meaning in keys() if not meaning.endswith(".")] == []


@pytest.mark.parametrize("key", sorted({*NOT_YET, *NOT_YET_IN_MODEL, *NOT_YET_IN_CAPABILITIES}))
def test_the_manual_has_keys_without_effect(key: str) -> None:
    assert f"`{key}`" in MANUAL


class TestTheSchemaForEditors:
    def test_describes_every_key(self) -> None:
        made = schema()
        assert made["properties"]["globalTTL"]["description"] == dict(keys())["globalTTL"]
        model = made["$defs"]["ModelKeys"]["properties"]
        assert model["checkEndpoint"]["description"].startswith("Path that answers")
        assert model["ttl"]["default"] == -1
        json.dumps(made)

    def test_points_out_unknown_keys_but_not_anchors(self) -> None:
        for block in (schema(), *schema()["$defs"].values()):
            assert block["additionalProperties"] is False
            assert list(block["patternProperties"]) == ["^x-"]

    @pytest.mark.parametrize(
        ("block", "key", "value"),
        [
            ("", "globalTTL", 5),
            ("", "globalTTL", "5"),
            ("", "globalTTL", "${ttl}"),
            ("", "globalTTL", None),
            ("", "listen", ":80"),
            ("", "listen", [":80"]),
            ("", "vramBudgetGB", "auto"),
            ("", "notifications", False),
            ("", "apiKeys", "k"),
            ("", "apiKeys", ["k", {"key": "l", "admin": True}]),
            ("ModelKeys", "cmd", ["a", 1]),
            ("ModelKeys", "env", {"A": 1}),
            ("ModelKeys", "unlisted", "yes"),
            ("ModelKeys", "capabilities", {"in": ["text"]}),
        ],
    )
    def test_takes_what_the_reader_takes(self, block: str, key: str, value: Any) -> None:
        made = schema()["$defs"][block] if block else schema()
        assert _fits(value, made["properties"][key])

    @pytest.mark.parametrize(
        ("key", "value"), [("globalTTL", "soon"), ("globalTTL", -1), ("logToStdout", "up")]
    )
    def test_refuses_what_the_reader_refuses(self, key: str, value: Any) -> None:
        assert not _fits(value, schema()["properties"][key])


def _fits(value: Any, said: dict[str, Any]) -> bool:
    """As much of a JSON schema as this schema uses for single values."""
    if "anyOf" in said:
        return any(_fits(value, each) for each in said["anyOf"])
    if "$ref" in said or not said:
        return isinstance(value, dict)
    if "enum" in said or "const" in said:
        return value in said.get("enum", [said.get("const")])
    kinds = said["type"] if isinstance(said["type"], list) else [said["type"]]
    classes = {
        "string": str,
        "number": (int, float),
        "integer": int,
        "boolean": bool,
        "array": list,
        "object": dict,
        "null": type(None),
    }
    if not any(isinstance(value, classes[kind]) for kind in kinds):  # type: ignore[arg-type]
        return False
    if "pattern" in said and not re.search(said["pattern"], value):
        return False
    return not ("minimum" in said and value < said["minimum"])
