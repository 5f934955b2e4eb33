"""Peers, selectors, profiles, filters and keys in the settings, as far as they need no Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.config import parse
from qmdesk.config.editor import EditError
from qmdesk.desktop.settings_window import api_keys, entries
from qmdesk.desktop.settings_window.analysis import analyse, value_at, written
from qmdesk.desktop.settings_window.api_keys import KeyEntry
from qmdesk.desktop.settings_window.edits import (
    MISSING,
    Edit,
    edited,
    move_entry,
    put,
    rename_entry,
)
from qmdesk.desktop.settings_window.field import (
    AUTO,
    Kind,
    Offer,
    model_field,
    parameters_field,
    peer_field,
    profile_field,
    selector_field,
)
from qmdesk.desktop.settings_window.parameter_lines import as_lines, from_lines
from tests.desktop.settings_desk import NAMED, TEXT

texts = st.text(
    st.one_of(st.sampled_from(" \"':,{}[]#-&*?|>%@`\\\n\tax1~.é😀"), st.characters(codec="utf-8")),
    max_size=12,
).filter(lambda text: all(ord(c) >= 32 or c in "\n\t" for c in text) and "\x7f" not in text)
scalars = st.one_of(
    texts,
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.booleans(),
    st.none(),
    st.sampled_from(["true", "off", "1e-3", "null", "~", "", "0x10", "${a}", "3.5"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
parameters = st.dictionaries(texts, values, max_size=4)


@pytest.fixture(autouse=True)
def _key_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_KEY", "sk-or-1")


def comments(text: str) -> list[str]:
    return [line.partition("#")[2] for line in text.split("\n") if "#" in line]


# Parameters as lines


@given(parameters)
def test_parameters_read_as_they_were_shown(params: dict[str, Any]) -> None:
    assert from_lines(as_lines(params)) == params


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("temperature: 0.6", {"temperature": 0.6}),
        ("think: true", {"think": True}),
        ("mode: off", {"mode": "off"}),
        ('mode: "true"', {"mode": "true"}),
        ("stop: [a, 'b c']", {"stop": ["a", "b c"]}),
        ('kwargs: {"a": {"b": null}}', {"kwargs": {"a": {"b": None}}}),
        ("qwen3:8b: x", {"qwen3:8b": "x"}),
        ("url: http://a:1", {"url": "http://a:1"}),
        ("nothing:", {"nothing": None}),
        ('"odd: name" : 1', {"odd: name": 1}),
        ("macro: ${temp}", {"macro": "${temp}"}),
    ],
)
def test_parameters_as_people_write_them(line: str, value: dict[str, Any]) -> None:
    assert from_lines(line) == value


@pytest.mark.parametrize("line", ["nothing", ": 1", "a: [1", 'a: "b', "a: 1\na: 2", "a: {b"])
def test_parameters_that_say_nothing(line: str) -> None:
    with pytest.raises(ValueError, match=r"NAME: VALUE|cannot be read|twice"):
        from_lines(line)


@given(parameters)
def test_parameters_get_into_the_file_and_out_again(params: dict[str, Any]) -> None:
    path = ("models", "qwen3-30b-a3b", "filters", "setParams")
    field = model_field("filters.setParams")
    meant = field.read(as_lines(params))
    try:
        text = edited(NAMED, put(path, meant))
    except EditError:
        return  # some names and texts no YAML can hold
    found = value_at(written(text), path, MISSING)
    assert found == meant
    assert field.read(field.shown(found), found) == found
    assert [each for each in comments(text) if each in comments(NAMED)] == comments(NAMED)


# Fields


def test_names_stand_in_lines_or_between_commas() -> None:
    field = model_field("filters.stripParams")
    assert field.kind is Kind.NAMES
    assert field.shown("temperature, top_k") == "temperature\ntop_k"
    assert field.shown(["a", "b"]) == "a\nb"
    assert field.read("a\nb, c") == ["a", "b", "c"]
    assert field.read("a\nb", "x") == "a, b"
    assert field.read(" \n,") is MISSING
    assert field.older == "strip_params"


def test_the_models_of_a_peer_are_named_or_all() -> None:
    field = peer_field("models")
    assert field.read("Auto ") == AUTO
    assert field.read("a", AUTO) == ["a"]
    assert field.read("a\nb") == ["a", "b"]
    assert field.read("a", "b") == "a"
    assert field.required
    assert peer_field("timeouts.responseHeader").placeholder == "60"


def test_pins_may_have_colons_and_mean_nothing() -> None:
    field = profile_field("pins", offer=Offer.ALL)
    said = "qwen3:8b: mine\nother:\nlast:no"
    assert field.read(said) == {"qwen3:8b": "mine", "other": "", "last": "no"}
    before = {"a": None, "b": "c"}
    assert field.read(field.shown(before), before) == before
    assert selector_field("strategy").kind is Kind.CHOICE


def test_an_entry_of_nothing_but_parameters_stays_when_they_go() -> None:
    assert parameters_field("", "").read("") == {}
    assert model_field("filters.setParams").read("") is MISSING


# Entries


def test_names_that_can_be_given() -> None:
    config = parse(NAMED)
    targets = entries.offered(config, Offer.TARGETS)
    assert {"qwen3-30b-a3b", "gpt-4o", "openrouter/z-ai/glm-4.5", "qwen3-fast"} <= {*targets}
    assert "chat" not in targets
    assert "chat" in entries.offered(config, Offer.ALL)
    assert entries.offered(None, Offer.ALL) == ()
    assert entries.offered(config, Offer.NONE) == ()


@pytest.mark.parametrize(
    ("now", "name", "wanted", "shown"),
    [
        (("a", "b", "c"), "b", "", "b"),
        (("a", "b", "new"), "b", "new", "new"),
        (("a", "c"), "b", "", "c"),
        (("a",), "c", "", "a"),
        ((), "b", "", ""),
        (("x",), "", "", "x"),
    ],
)
def test_which_entry_is_shown(now: tuple[str, ...], name: str, wanted: str, shown: str) -> None:
    assert entries.chosen(("a", "b", "c"), now, name, wanted) == shown


def test_what_a_new_entry_holds_is_told_to_be_filled_in() -> None:
    for each in (entries.peers(), entries.selectors(), entries.profiles()):
        text = edited(TEXT, put((*each.path, each.name), dict(each.new)))
        assert entries.names(written(text), each.path) == (each.name,)
        assert analyse(text).problem((*each.path, each.name)) is not None
    new = edited(TEXT, put(("selectors", "s", "targets"), ["gpt-4o"]))
    assert edited(new, put(("selectors", "s"), MISSING)).rstrip() == TEXT.rstrip()


def test_settings_of_an_entry_go_and_the_entry_stays() -> None:
    path = ("peers", "openrouter", "timeouts", "responseHeader")
    text = edited(NAMED, put(path, MISSING))
    assert "timeouts" not in text.partition("peers:")[2]
    text = edited("peers:\n  a:\n    apiKey: x\n", put(("peers", "a", "apiKey"), MISSING))
    assert written(text) == {"peers": {"a": {}}}
    path = ("models", "qwen3-30b-a3b", "filters")
    text = edited(NAMED, *(put((*path, key), MISSING) for key in ("stripParams", "setParams")))
    text = edited(text, put((*path, "setParamsByID", "qwen3-fast"), MISSING))
    assert value_at(written(text), path, MISSING) is MISSING


def test_a_selector_and_a_peer_are_renamed_wherever_they_stand() -> None:
    pinned = NAMED.replace(
        "coder: openrouter/", "chat: big\n      big: gpt-4o\n      x: openrouter/"
    )
    config = parse(edited(pinned, rename_entry(("selectors", "big"), "large")))
    assert config.profiles["away"].pins["chat"] == "large"
    assert config.profiles["away"].pins["large"] == "gpt-4o"
    assert [*config.selectors] == ["chat", "large"]
    text = edited(NAMED, rename_entry(("selectors", "chat"), "talk"))
    assert parse(text).api_key_models["sk-8fJk2LmN4pQr6StU"] == ("qwen3-30b-a3b", "talk")

    text = edited(NAMED, rename_entry(("peers", "openrouter"), "router"))
    config = parse(text)
    assert config.selectors["big"].targets[0] == "router/qwen/qwen3-coder"
    assert config.profiles["away"].pins["coder"] == "router/qwen/qwen3-coder"
    assert comments(text) == comments(NAMED)
    with pytest.raises(EditError):
        edited(NAMED, rename_entry(("peers", "openrouter"), "workshop"))
    path = ("models", "qwen3-30b-a3b", "filters", "setParamsByID", "qwen3-fast")
    assert "        quick:\n" in edited(NAMED, rename_entry(path, "quick"))


def test_peers_are_put_in_order() -> None:
    text = edited(NAMED, move_entry(("peers", "openrouter"), -1))
    assert [*parse(text).peers] == ["openrouter", "workshop"]
    assert edited(text, move_entry(("peers", "openrouter"), 1)) == NAMED
    assert edited(NAMED, move_entry(("peers", "openrouter"), 1)) == NAMED


# Keys


def keys_of(text: str) -> tuple[KeyEntry, ...]:
    return api_keys.entries(written(text))


def test_keys_are_told_without_being_shown() -> None:
    found = keys_of(NAMED)
    assert [each.told for each in found] == [
        "laptop, may operate the gateway",
        "Open WebUI, 2 models only",
        "sk-…Qw9E",
    ]
    assert found[1].models == ("qwen3-30b-a3b", "chat")
    assert api_keys.shown("short") == "••••••••"
    assert api_keys.shown("${env.KEY}") == "${env.KEY}"
    assert api_keys.new_key() != api_keys.new_key()
    assert keys_of("apiKeys: 12\n")[0].key == "12"
    assert keys_of("listen: :1\n") == ()
    assert api_keys.entries(None) == ()


def test_what_a_key_can_be_limited_to() -> None:
    usable = api_keys.usable(parse(NAMED))
    assert usable[:2] == ("qwen3-30b-a3b", "gpt-oss-20b")
    assert {"chat", "openrouter/qwen/qwen3-coder"} <= {*usable}
    assert api_keys.usable(None) == ()


@pytest.mark.parametrize(
    "text",
    [
        *("listen: :1\n", "apiKeys: one\n", "apiKeys: [one]\n", "apiKeys:\n- one\n"),
        *("apiKeys: []\n", "apiKeys:\n  key: one\n", "apiKeys:\n"),
    ],
)
def test_keys_in_every_spelling(text: str) -> None:
    before = [each.key for each in keys_of(text)]
    new = edited(text, api_keys.add("two"))
    assert [each.key for each in keys_of(new)] == [*before, "two"]
    two = keys_of(new)[-1]
    new = edited(new, api_keys.change_name(two, "me"), api_keys.change_admin(two, True))
    assert keys_of(new)[-1] == replace(two, name="me", admin=True)
    for each in keys_of(new):
        new = edited(new, api_keys.remove(each))
    assert parse(new).api_keys == ()
    assert keys_of(new) == ()


def test_a_single_key_is_changed_where_it_stands() -> None:
    only = keys_of("apiKeys: one\n")[0]
    assert edited("apiKeys: one\n", api_keys.change_key(only, "two")) == "apiKeys: two\n"
    text = edited("apiKeys: one\n", api_keys.change_admin(only, True))
    assert parse(text).api_keys[0].admin
    text = edited("apiKeys: one\n", api_keys.change_admin(only, False))
    assert text == "apiKeys: one\n"


def test_the_limits_of_a_key_go_along_with_it() -> None:
    webui = keys_of(NAMED)[1]
    text = edited(NAMED, api_keys.change_key(webui, "sk-another"))
    assert keys_of(text)[1] == replace(webui, key="sk-another")
    assert webui.key not in text
    text = edited(NAMED, api_keys.remove(webui))
    assert "apiKeyModels" not in text
    text = edited(NAMED, api_keys.change_models(webui, ()))
    assert "apiKeyModels" not in text
    last = keys_of(NAMED)[2]
    text = edited(NAMED, api_keys.change_models(last, ["nomic-embed"]))
    assert parse(text).api_key_models[last.key] == ("nomic-embed",)
    gone = edited(NAMED, api_keys.remove(last))
    with pytest.raises(EditError, match="not in the file any more"):
        edited(gone, api_keys.change_name(last, "x"))
    first = keys_of(NAMED)[0]
    moved = edited(NAMED, api_keys.remove(first))
    text = edited(moved, api_keys.change_name(webui, "web"))
    assert keys_of(text)[0].name == "web"


DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "key", "name", "admin", "models"]),
        st.integers(0, 5),
        st.sampled_from(["sk-1", "sk-two", "a: b", "${env.OPENROUTER_KEY}", "007", "true", "#"]),
        st.lists(st.sampled_from(["chat", "gpt-4o", "big"]), unique=True),
    ),
    max_size=6,
)


@given(DEEDS)
def test_keys_become_what_is_done_to_them(
    deeds: list[tuple[str, int, str, list[str]]],
) -> None:
    text = NAMED
    for what, at, said, models in deeds:
        before = keys_of(text)
        if what == "add":
            if any(each.key == said for each in before):
                continue
            edit: Edit = api_keys.add(said)
            scope = value_at(written(text), ("apiKeyModels", said), [])
            meant = [*before, KeyEntry(len(before), said, models=tuple(scope))]
        elif not before or (what == "key" and any(each.key == said for each in before)):
            continue
        else:
            entry = before[at % len(before)]
            meant = list(before)
            match what:
                case "remove":
                    edit = api_keys.remove(entry)
                    del meant[entry.at]
                    meant = [replace(each, at=at) for at, each in enumerate(meant)]
                case "key":
                    edit = api_keys.change_key(entry, said)
                    meant[entry.at] = replace(entry, key=said)
                case "name":
                    edit = api_keys.change_name(entry, said)
                    meant[entry.at] = replace(entry, name=said)
                case "admin":
                    edit = api_keys.change_admin(entry, bool(at % 2))
                    meant[entry.at] = replace(entry, admin=bool(at % 2))
                case _:
                    edit = api_keys.change_models(entry, models)
                    meant[entry.at] = replace(entry, models=tuple(models))
        text = edited(text, edit)
        assert keys_of(text) == tuple(meant)
        # All but the block of keys keeps its bytes.
        assert text.startswith(NAMED.partition("apiKeys:")[0].rstrip())
