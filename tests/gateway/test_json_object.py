"""Changing a JSON body touches nothing but what is to be changed."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.gateway.json_object import JsonObject, NotAnObject

BODY = '{ "model" : "a",\n "n":12345678901234567890, "t":1.0, "e":1e-3, "deep": {"x": [1, 2]} }'


def test_setting_a_key_leaves_everything_else_as_it_was() -> None:
    body = JsonObject(BODY)
    body.set("model", "ü")
    assert body.text == BODY.replace('"a"', '"ü"')


def test_a_new_key_goes_to_the_end() -> None:
    body = JsonObject('{"a":1}')
    body.set("b", [True])
    assert body.text == '{"a":1,"b":[true]}'
    empty = JsonObject(" { } ")
    empty.set("a", None)
    assert json.loads(empty.text) == {"a": None}


def test_dotted_paths_reach_inside() -> None:
    body = JsonObject(BODY)
    body.set("deep.y.z", 3)
    body.remove("deep.x")
    assert json.loads(body.text)["deep"] == {"y": {"z": 3}}
    assert '"n":12345678901234567890, "t":1.0' in body.text


def test_removing_what_is_not_there_changes_nothing() -> None:
    body = JsonObject(BODY)
    body.remove("nothing")
    body.remove("model.inside")
    assert body.text == BODY


@pytest.mark.parametrize(
    "text", ['{"a":1,"b":2,"c":3}', '{"b":2}', '{"b":2,"c":3}', '{"a":1,"b":2}']
)
def test_removing_takes_its_comma_along(text: str) -> None:
    body = JsonObject(text)
    body.remove("b")
    expected = json.loads(text)
    del expected["b"]
    assert json.loads(body.text) == expected


def test_every_one_of_several_equal_keys_is_changed() -> None:
    body = JsonObject('{"model":"a","model":"b"}')
    assert body.get("model") == "b"
    body.set("model", "c")
    assert body.text == '{"model":"c","model":"c"}'
    body.remove("model")
    assert json.loads(body.text) == {}


DEEP = ("{" * 100_000, '{"a":' + "[" * 100_000)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "1", "nul", '{"a"', '{"a":', '{"a":1', '{"a":1,}', '{"a":1} x', "{1:2}", *DEEP],
)
def test_what_is_no_object_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(NotAnObject, match="not a JSON object"):
        JsonObject(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), values),
    st.text().filter(lambda key: "." not in key),
    values,
    st.sampled_from((None, 1)),
    st.booleans(),
)
def test_it_agrees_with_the_json_module(
    content: dict[str, Any], key: str, value: Any, indent: int | None, ascii_only: bool
) -> None:
    body = JsonObject(json.dumps(content, indent=indent, ensure_ascii=ascii_only))
    body.set(key, value)
    assert json.loads(body.text) == {**content, key: value}
    assert body.get(key) == value
    body.remove(key)
    assert json.loads(body.text) == {name: each for name, each in content.items() if name != key}


@given(st.text())
def test_no_text_raises_anything_else(text: str) -> None:
    with contextlib.suppress(NotAnObject):
        JsonObject(text)
