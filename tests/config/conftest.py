"""How these tests read a configuration: written inline, on a known system."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest
import yaml

from qmdesk.config import Config, ConfigError, Problem, document, parse

Parse = Callable[..., Config]
Fail = Callable[..., tuple[Problem, ...]]


@pytest.fixture(name="config")
def _config() -> Parse:
    """Reads an indented text as on Linux with an empty environment."""

    def read(text: str, *, windows: bool = False, tolerant: bool = False, **environ: str) -> Config:
        return parse(textwrap.dedent(text), windows=windows, environ=environ, tolerant=tolerant)

    return read


@pytest.fixture(name="errors")
def _errors(config: Parse) -> Fail:
    """The problems of a text that must not be accepted."""

    def fail(text: str, **options: object) -> tuple[Problem, ...]:
        with pytest.raises(ConfigError) as caught:
            config(text, **options)
        return caught.value.problems

    return fail


@pytest.fixture(params=["C", "Python"])
def each_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML's C parser may be missing, and the other one must then mean the same."""
    if request.param == "Python":
        monkeypatch.setattr(document, "Loader", yaml.SafeLoader)
