"""What applying another configuration would do, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from qmdesk.config import Config, Group, Model
from qmdesk.config.diff import (
    _BLOCKS,
    _GROUP,
    _LAUNCH,
    _MODEL,
    _PEER,
    _PROFILE,
    _SELECTOR,
    _TOP,
    diff,
    relaunched,
)
from qmdesk.config.target import Peer, Profile, Selector
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
        ("listen: ':9000'", ":9000 opens"),
        ("listen: ':9000'", "127.0.0.1:8080 closes"),
        ("apiKeys: [s3cret]", "apiKeys no key → 1 key"),
        ("logLevel: debug", "logLevel info → debug"),
        ("queueTimeout: 5", "queueTimeout for ever → 5 s"),
        ("holdPolicy: always", "holdPolicy toolCalls → always"),
        ("defaultModel: a", "defaultModel none → a"),
        ("hooks: {on_startup: {preload: [a]}}", "preload none → a"),
        ("idleModel: b", "idleModel none → b"),
        ("maxBodyMB: 5", "maxBodyMB no limit → 5 MB"),
        ("vramBudgetGB: 24", "vramBudgetGB measured → 24 GB"),
        ("memory: {reserveGB: 2.5, cards: {0: 20}}", "memory.reserveGB 1 GB → 2.5 GB"),
        ("memory: {cards: {0: 20}}", "memory.cards none → 0 20 GB"),
        ("slotCache: {enable: on}", "slotCache.enable no → yes"),
        ("notifications: {eviction: off}", "notifications.eviction yes → no"),
        ("ui: {language: de}", "ui.language the system's → de"),
        ("performance: {every: 1m}", "performance.every 5 s → 60 s"),
        ("store: {path: /a.db}", "store.path in the data folder → /a.db"),
        ("adminAllow: 10.0.0.0/8", "adminAllow none → 10.0.0.0/8"),
        ("peers: {p: {proxy: 'http://h', models: [m]}}", 'peer "p" added'),
        ("selectors: {s: {strategy: warm, targets: [a]}}", 'selector "s" added'),
        ("profiles: {p: {pins: {x: a}}}", 'profile "p" added'),
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


def test_addresses_that_open_close_and_change(config: Parse) -> None:
    models = "models: {a: {proxy: 'http://h'}}\ngroups: {g: {members: [a]}}\n"
    old = config(models + "listen: [':1', ':2']")
    new = config(models + "listeners: {':2': {groups: [g]}, ':3': {groups: [g]}}")
    secure = config(models + "listen: [':1', ':2']\ntlsCertFile: c\ntlsKeyFile: k")
    assert diff(old, new) == (
        ":2 offers the groups g (before: all models)",
        ":3 opens for the groups g",
        ":1 closes",
    )
    assert diff(old, secure) == (
        ":1 opens anew: the certificate changed",
        ":2 opens anew: the certificate changed",
    )


def test_named_things_that_change_and_go(config: Parse) -> None:
    models = "models: {a: {proxy: 'http://h'}, b: {proxy: 'http://h'}}\n"
    old = config(
        models + "peers: {p: {proxy: 'http://h', models: [m], apiKey: k}}\n"
        "selectors: {s: {strategy: warm, targets: [a]}}\nprofiles: {o: {pins: {x: a, y: }}}\n"
    )
    new = config(
        models + "peers: {p: {proxy: 'http://h', models: [m, n], apiKey: l}}\n"
        "selectors: {s: {strategy: pin, targets: [a, b]}}\nprofiles: {o: {pins: {x: b}}}\n"
    )
    assert diff(old, new) == (
        'peer "p": models m → m, n',
        'peer "p": apiKey changed',
        'selector "s": strategy warm → pin',
        'selector "s": targets a → a, b',
        'profile "o": pins x = a, y = nothing → x = b',
    )
    assert diff(old, config(models)) == (
        'peer "p" removed',
        'selector "s" removed',
        'profile "o" removed',
    )


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
    named = {"models", "broken", "groups", "matrix", "peers", "selectors", "profiles"}
    addresses = {"listen", "listeners", "tls_cert_file", "tls_key_file"}
    unsaid = {"path", "sources", "warnings", "unread"} | named | addresses
    assert {each.name for each in fields(Config)} - {*_TOP, *_BLOCKS} == unsaid
    for kind, block in [(Peer, _PEER), (Selector, _SELECTOR), (Profile, _PROFILE)]:
        assert {each.name for each in fields(kind)} - {*block} == {"id"}
    for name, (_, block) in _BLOCKS.items():
        assert {each.name for each in fields(getattr(Config(), name))} == {*block}
