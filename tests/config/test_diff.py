"""What applying another configuration would do, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from qmdesk.config import Config, Group, Model
from qmdesk.config.diff import _GROUP, _LAUNCH, _MODEL, _TOP, diff, relaunched
from tests.config.conftest import Parse

Changes = Callable[..., tuple[str, ...]]

BASE = """
models:
  a: {cmd: "r ${PORT} --api-key s3cret", ttl: 60}
  b: {cmd: "r ${PORT}", aliases: [x]}
groups: {g: {members: [a, b]}}
"""


@pytest.fixture(name="changes")
def _changes(config: Parse) -> Changes:
    def compare(*replacements: tuple[str, str], more: str = "") -> tuple[str, ...]:
        text = BASE
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        return diff(config(BASE), config(text + more, tolerant=True))

    return compare


def test_nothing_where_nothing_is_different(changes: Changes) -> None:
    assert changes() == ()
    assert changes(("\nmodels", "\n# moved down\nmodels")) == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ttl: 60", "ttl: 300", 'model "a": ttl 60 s → 300 s'),
        ("ttl: 60", "ttl: 0", 'model "a": ttl 60 s → never'),
        ("[x]", "[x, y]", 'model "b": aliases x → x, y'),
        ("[x]", "[]", 'model "b": aliases x → none'),
        ("[x]", "[x], pinned: on", 'model "b": pinned no → yes'),
        ("[x]", "[x], metadata: {a: 1}", 'model "b": metadata changed'),
        ("s3cret", "other", 'model "a": command changed; restarts at its next start'),
        (
            "[x]",
            "[x], env: [A=s3cret], checkEndpoint: none",
            'model "b": checkEndpoint and env changed; restarts at its next start',
        ),
        ("[a, b]", "[b]", 'group "g": members a, b → b'),
        ("{members", "{swap: no, members", 'group "g": swap yes → no'),
        ("groups: {g", "groups: {h: , g", 'group "h" added (no models)'),
    ],
)
def test_one_change_is_one_line(changes: Changes, old: str, new: str, said: str) -> None:
    assert changes((old, new)) == (said,)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("listen: ':9000'", "listen 127.0.0.1:8080 → :9000"),
        ("apiKeys: [s3cret]", "apiKeys no key → 1 key"),
        ("logLevel: debug", "logLevel info → debug"),
        ("queueTimeout: 5", "queueTimeout for ever → 5 s"),
        ("holdPolicy: always", "holdPolicy toolCalls → always"),
        ("defaultModel: a", "defaultModel none → a"),
        ("hooks: {on_startup: {preload: [a]}}", "preload none → a"),
        (
            "routing: {scheduler: {settings: {fifo: {priority: {a: 2}, holdMs: 0}}}}",
            "hold 10 s → 0 s",
        ),
    ],
)
def test_the_top_level(changes: Changes, more: str, said: str) -> None:
    assert said in changes(more=more)


def test_models_that_come_and_go(config: Parse) -> None:
    old = config("models: {a: {proxy: 'http://h'}, b: {proxy: 'http://h'}}")
    new = config("models: {b: {proxy: 'http://i'}, c: {proxy: 'http://h'}}")
    assert diff(old, new) == (
        'model "b": proxy changed',
        'model "c" added',
        'model "a" removed',
    )


def test_models_that_break_and_heal(config: Parse) -> None:
    good = config("models: {a: {proxy: 'http://h'}}")
    bad = config("models: {a: {proxy: h}}", tolerant=True)
    assert diff(good, bad)[0].startswith('model "a" cannot be used: ')
    assert diff(bad, good) == ('model "a" works again',)
    assert diff(Config(), bad)[0].startswith('model "a" added, but it cannot be used: ')
    assert diff(bad, Config()) == ('model "a" removed',)


def test_another_policy(config: Parse) -> None:
    models = "models: {a: {proxy: 'http://h'}}\n"
    groups = config(models)
    matrix = config(models + "matrix: {sets: {s: a}}")
    other = config(models + "matrix: {sets: {s: a | a}}")
    assert "the matrix decides" in diff(groups, matrix)[0]
    assert "groups decide" in diff(matrix, groups)[0]
    assert diff(matrix, other) == ("matrix changed",)
    removed = diff(config(models + "groups: {g: {members: [a]}}"), groups)
    assert removed == ('group "g" removed',)


def test_secrets_are_never_shown(changes: Changes) -> None:
    said = changes(("s3cret", "t0ken"), more="apiKeys: [t0ken]")
    assert said
    assert not any("s3cret" in line or "t0ken" in line for line in said)


def test_who_must_start_anew(config: Parse) -> None:
    old = config(BASE)
    new = config(BASE.replace("s3cret", "other").replace("[x]", "[y]") + "startPort: 7000")
    assert relaunched(old, new) == {"a"}
    assert relaunched(old, Config()) == frozenset()


def test_no_field_is_forgotten() -> None:
    described = {*_MODEL, *_LAUNCH}
    assert {each.name for each in fields(Model)} - described == {"id", "line", "port"}
    assert {each.name for each in fields(Group)} - {*_GROUP} == {"id"}
    unsaid = {"path", "models", "broken", "groups", "matrix", "warnings"}
    assert {each.name for each in fields(Config)} - {*_TOP} == unsaid
