"""Whatever the bytes, reading ends with a configuration or a ConfigError."""

from __future__ import annotations

import contextlib
from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmdesk.config import ConfigError, parse
from qmdesk.config.diff import diff

VALID = """
listen: [127.0.0.1:8080, ':9000']
healthCheckTimeout: 60
globalTTL: 300
macros: &m
  server: >
    llama-server --port ${PORT}
  size: 4096
  "half": 0.5
models:
  "one": &one
    cmd: |
      ${server} -c ${size}
      # a comment with ${nothing}
      --model '/m/one.gguf' --kw "{\\"a\\": true}"
    cmdStop: "kill ${PID}"
    aliases: [first, "uno"]
    ttl: 60
    env: {A: 1, B: ${env.HOME}}
    filters:
      stripParams: "top_p, temperature"
      setParams: {x: [1, 2.5, {y: off}], z: "${half}"}
      setParamsByID: {"${MODEL_ID}:hot": {temperature: 1.2}}
    metadata: {n: ${size}, port: "${PORT}"}
    capabilities: {in: [text, image], tools: yes}
  two:
    <<: *one
    aliases: []
  3.5: {proxy: "http://127.0.0.1:1/v1", checkEndpoint: none}
groups:
  g: {swap: false, members: [one, two]}
routing:
  scheduler: {settings: {fifo: {priority: {first: 2}, holdMs: 5}}}
hooks: {on_startup: {preload: [one]}}
apiKeys: [a, b]
"""

VALID = VALID.replace("B: ${env.HOME}", 'B: "${env.HOME}"').replace("n: ${size}", 'n: "${size}"')
PIECES = [
    *("models:", "m:", "cmd:", "proxy:", "macros:", "groups:", "filters:", "aliases:", "ttl:"),
    *("matrix:", "sets:", "routing:", "env:", "- ", "? ", ": ", "{", "}", "[", "]", ",", "&a "),
    *("*a", "<<: ", "|", ">", "'", '"', "#", "\n", "\n  ", "\n    ", "\t", "${PORT}", "${a}"),
    *("${env.HOME}", "!!int ", "!x", "---", "...", "%", "@", "~", "on", "1e9", "0x", "\\", "\r"),
    *("\x00", "\ufeff", "é", "🦙", "\u2028", "http://", "127.0.0.1:80", "a", "-1", ".nan"),
]


def read(data: str | bytes, *, windows: bool = False, tolerant: bool = False) -> None:
    with contextlib.suppress(ConfigError):
        config = parse(
            data, Path("c.yaml"), windows=windows, environ={"HOME": "/h"}, tolerant=tolerant
        )
        assert diff(config, config) == ()


def test_the_seed_is_valid() -> None:
    config = parse(VALID, environ={"HOME": "/h"}, windows=False)
    assert list(config.models) == ["one", "two", "3.5"]
    assert config.warnings == ()


@given(st.binary(), st.booleans())
def test_bytes(data: bytes, tolerant: bool) -> None:
    read(data, tolerant=tolerant)


@given(st.text(st.characters(codec=None)))
def test_text(text: str) -> None:
    read(text)


@given(st.lists(st.sampled_from(PIECES)), st.booleans(), st.booleans())
@settings(max_examples=400)
def test_pieces_of_yaml(pieces: list[str], windows: bool, tolerant: bool) -> None:
    read("".join(pieces), windows=windows, tolerant=tolerant)


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(VALID)), st.integers(0, 12), st.one_of(st.sampled_from(PIECES))
        ),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_a_valid_file_with_some_changes(
    changes: list[tuple[int, int, str]], tolerant: bool
) -> None:
    text = VALID
    for at, length, piece in changes:
        text = text[:at] + piece + text[at + length :]
    read(text, tolerant=tolerant)
    read(text.encode("utf-8", "replace")[: changes[0][0]], windows=True, tolerant=tolerant)


TREES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(PIECES)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *("listen", "logLevel", "healthCheckTimeout", "globalTTL", "unloadTimeout", "startPort"),
        *("sendLoadingState", "includeAliasesInList", "macros", "models", "groups", "matrix"),
        *("routing", "queueTimeout", "holdPolicy", "hooks", "apiKeys", "allowOrigins"),
        *("defaultModel", "profiles", "peers", "nothing"),
    ]
)
MODEL_KEYS = st.sampled_from(
    [
        *("cmd", "cmdStop", "proxy", "env", "cwd", "checkEndpoint", "ttl", "unloadTimeout"),
        *("healthCheckTimeout", "aliases", "name", "unlisted", "useModelName", "filters"),
        *("concurrencyLimit", "macros", "metadata", "sendLoadingState", "capabilities"),
    ]
)


@given(
    st.dictionaries(KEYS, TREES, max_size=4),
    st.dictionaries(st.text(max_size=3), st.dictionaries(MODEL_KEYS, TREES, max_size=4)),
    st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_known_keys_with_any_values(
    top: dict[str, object], models: dict[str, object], tolerant: bool
) -> None:
    text = yaml.safe_dump({**top, "models": models} if models else top, allow_unicode=True)
    read(text, tolerant=tolerant)
