"""The default configuration and the manual agree with the reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from qmdesk.config import Config, parse
from qmdesk.config.keys import NOT_YET, NOT_YET_IN_MODEL
from qmdesk.config.schema import (
    CapabilityKeys,
    FifoKeys,
    FileKeys,
    FilterKeys,
    GroupKeys,
    MatrixKeys,
    ModelKeys,
)

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
    assert config.api_keys == ("k",)
    assert config.warnings == ()


@pytest.mark.parametrize(
    "schema",
    [FileKeys, ModelKeys, FilterKeys, CapabilityKeys, GroupKeys, MatrixKeys, FifoKeys],
)
def test_the_manual_has_every_key(schema: type[BaseModel]) -> None:
    for name, field in schema.model_fields.items():
        key = field.alias or name
        assert re.search(rf"`([\w.]+\.)?{re.escape(key)}[`.]", MANUAL), key
        assert field.description


@pytest.mark.parametrize("key", sorted({*NOT_YET, *NOT_YET_IN_MODEL}))
def test_the_manual_has_keys_without_effect(key: str) -> None:
    assert f"`{key}`" in MANUAL


def test_the_schema_can_be_given_to_editors() -> None:
    schema = FileKeys.model_json_schema(by_alias=True)
    assert schema["properties"]["globalTTL"]["description"]
    assert ModelKeys.model_json_schema(by_alias=True)["properties"]["checkEndpoint"]
