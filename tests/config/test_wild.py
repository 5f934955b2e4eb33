"""Whole files in the shapes that people write, and what each of them means.

Beside ``wild/NAME.yaml`` stands ``wild/NAME.expected.yaml`` with the environment, the
models' arguments (elsewhere and, where they differ, on Windows), other values that
matter, and every warning and error as ``LINE KEY | words of the message``; only that a
key is not acted on yet is left out, for that changes.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from qmdesk.config import Config, ConfigError, Model, Problem, parse
from qmdesk.config.command import split
from tests.config.fuzz import attempt

WILD = Path(__file__).parent / "wild"
NAMES = sorted(each.name.removesuffix(".yaml") for each in WILD.glob("*.yaml"))
NAMES = [each for each in NAMES if not each.endswith(".expected")]


def argv(command: str | tuple[str, ...], model: Model, *, windows: bool) -> list[str]:
    """The arguments with the port filled in."""
    words = list(command) if isinstance(command, tuple) else split(command, windows)
    return [each.replace("${PORT}", str(model.port)) for each in words]


def told(problems: tuple[Problem, ...]) -> list[str]:
    lines = [f"{each.line} {each.key} | {each.message}" for each in problems]
    return [each for each in lines if "not acted on yet" not in each]


def plain(value: Any) -> Any:
    """Frozen values as YAML has them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value.value if hasattr(value, "value") else value


def read(name: str, expected: dict[str, Any], *, windows: bool) -> tuple[Config | None, list[str]]:
    """The configuration, or None, and the errors."""
    data = (WILD / f"{name}.yaml").read_bytes()
    environ = expected.get("environ", {})
    try:
        return parse(data, windows=windows, environ=environ), []
    except ConfigError as error:
        errors = told(error.problems)
    try:
        return parse(data, windows=windows, environ=environ, tolerant=True), errors
    except ConfigError:
        return None, errors


def check_problems(found: list[str], expected: list[str]) -> None:
    assert len(found) == len(expected), found
    for said, wanted in zip(found, expected, strict=True):
        place, _, words = wanted.partition(" | ")
        assert said.startswith(f"{place} | "), said
        assert words in said


@pytest.mark.parametrize("windows", [False, True], ids=["posix", "windows"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("each_parser")
def test_means_what_is_expected(name: str, windows: bool) -> None:
    text = (WILD / f"{name}.expected.yaml").read_text(encoding="utf-8")
    expected = yaml.safe_load(text)
    if windows and "windows" in expected:
        expected = {**expected, **expected["windows"]}
    config, errors = read(name, expected, windows=windows)
    check_problems(errors, expected.get("errors", []))
    if config is None:
        assert "models" not in expected
        return
    check_problems(told(config.warnings), expected.get("warnings", []))
    assert list(config.models) == list(expected.get("models", {}))
    for id, wanted in expected.get("models", {}).items():
        model = config.models[id]
        assert argv(model.cmd, model, windows=windows) == wanted.pop("argv", [])
        if "stop" in wanted:
            assert argv(model.cmd_stop, model, windows=windows) == wanted.pop("stop")
        for field, value in wanted.items():
            assert plain(getattr(model, field)) == value, field
    for field, value in expected.get("config", {}).items():
        assert plain(getattr(config, field)) == value, field


def test_there_are_plenty() -> None:
    assert len(NAMES) >= 40
    assert len(list(WILD.glob("*.expected.yaml"))) == len(NAMES)


def test_damaged_ones_end_in_a_configuration_or_an_error() -> None:
    counts: Counter[str] = Counter()
    for seed in range(400):
        assert attempt(seed, counts) is None
    assert min(counts["read"], counts["refused"], counts["3 edits made"]) > 20
