"""Edits of a configuration's text: what is meant is changed, and nothing else."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from qmdesk.config import ConfigError
from qmdesk.config.comparison import same
from qmdesk.config.document import KeyPath, load
from qmdesk.config.editor import EditError, Editor
from qmdesk.config.layout import Layout
from qmdesk.config.scalars import plain
from tests.config import yaml_texts

FILE = """\
# My models, ☕ edition
listen: "127.0.0.1:8080"   # this machine only

macros:
  server: &s >
    llama-server
    --port ${PORT}

models:
    # the small one
    small:
        cmd: |   # POSIX
            ${server}
            --model '/m/small one.gguf'
            # --unused 3
            --ctx-size 4096
        ttl: 600 # ten minutes
        aliases:
        - "mini"
        - tiny # very

    # the big one
    big: &big
        cmd: >
            ${server}
            --model /m/big.gguf
            --ctx-size 8192
        filters: {stripParams: 'top_p', setParams: {seed: 1}}

    bigger:
        <<: *big
        ttl: 0

groups: {g: {members: [small, big]}}
hooks:
  on_startup:
    preload: [small]
# end of file
"""


def edited(path: KeyPath, value: Any, text: str = FILE) -> str:
    editor = Editor(text)
    editor.set(path, value)
    return editor.text


def changes(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came, between the common ones."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


class TestSettingAValue:
    @pytest.mark.parametrize(
        ("path", "value", "old", "new"),
        [
            (
                ("listen",),
                "0.0.0.0:80",
                ['listen: "127.0.0.1:8080"   # this machine only'],
                ['listen: "0.0.0.0:80"   # this machine only'],
            ),
            (
                ("models", "small", "ttl"),
                60,
                ["        ttl: 600 # ten minutes"],
                ["        ttl: 60 # ten minutes"],
            ),
            (
                ("models", "small", "aliases", 1),
                "wee",
                ["        - tiny # very"],
                ["        - wee # very"],
            ),
            (
                ("models", "small", "aliases"),
                ["mini", "tiny", "off"],
                [],
                ["        - 'off'"],
            ),
            (
                ("models", "big", "aliases"),
                ["x"],
                None,
                None,
            ),
            (
                ("groups", "g", "members"),
                ["small"],
                ["groups: {g: {members: [small, big]}}"],
                ["groups: {g: {members: [small]}}"],
            ),
            (
                ("groups", "g", "swap"),
                False,
                ["groups: {g: {members: [small, big]}}"],
                ["groups: {g: {members: [small, big], swap: false}}"],
            ),
            (
                ("hooks", "on_startup", "preload"),
                [],
                ["    preload: [small]"],
                ["    preload: []"],
            ),
            (("models", "bigger", "ttl"), None, ["        ttl: 0"], ["        ttl: null"]),
            (("models", "bigger", "pinned"), True, [], ["        pinned: true"]),
            (("startPort",), 7000, [], ["startPort: 7000", ""]),
        ],
    )
    def test_touches_its_own_line(
        self, path: KeyPath, value: Any, old: list[str] | None, new: list[str] | None
    ) -> None:
        if old is None or new is None:
            with pytest.raises(EditError, match="anchor &big, which line 31 uses too"):
                edited(path, value)
            return
        assert changes(FILE, edited(path, value)) == (old, new)

    def test_line_by_line_in_a_block(self) -> None:
        cmd = Editor(FILE).get(("models", "small", "cmd"))
        after = edited(("models", "small", "cmd"), cmd.replace("4096", "16384"))
        assert changes(FILE, after) == (
            ["            --ctx-size 4096"],
            ["            --ctx-size 16384"],
        )

    def test_word_by_word_in_a_folded_block(self) -> None:
        text = FILE.replace("&big", "").replace("<<: *big", "proxy: http://h")
        cmd = Editor(text).get(("models", "big", "cmd"))
        after = edited(("models", "big", "cmd"), cmd.replace("/m/big", "/n/big"), text)
        assert changes(text, after) == (
            ["            --model /m/big.gguf"],
            ["            --model /n/big.gguf"],
        )

    def test_makes_the_mappings_on_the_way(self) -> None:
        assert edited(("a", "b", "c"), 1, "") == "a:\n  b:\n    c: 1\n"
        assert edited(("a", "b"), 1, "a: # none yet\n") == "a: # none yet\n  b: 1\n"
        assert edited(("a", "b"), 1, "a: {}\n#  b: 2\n") == "a:\n  b: 1\n#  b: 2\n"
        assert edited(("a", "b"), 1, "x: {a}\n") == "x: {a}\na:\n  b: 1\n"
        assert edited(("x", "a"), 1, "x: {a}\n") == "x: {a: 1}\n"

    def test_a_scalar_may_become_a_block_and_back(self) -> None:
        text = "a: 1 # why\nb: 2\n"
        block = edited(("a",), {"x": ["y", {"z": None}]}, text)
        assert block == "a: # why\n  x:\n    - 'y'\n    - z: null\nb: 2\n"
        assert edited(("a",), 1, block) == text

    def test_new_models_keep_the_blank_line_between(self) -> None:
        editor = Editor(FILE)
        editor.add_model("new", {"cmd": "run --port ${PORT}", "ttl": 5}, comment="from the tray")
        assert changes(FILE, editor.text) == (
            [],
            [
                "    # from the tray",
                "    new:",
                "        cmd: run --port ${PORT}",
                "        ttl: 5",
                "",
            ],
        )
        with pytest.raises(EditError, match="already"):
            editor.add_model("new", {})

    def test_the_first_model(self) -> None:
        for text in ("", "models:\n", "models: {}\n", "models: ~ # none\n"):
            editor = Editor(text)
            editor.add_model("m", {"proxy": "http://h"})
            assert editor.get(("models",)) == {"m": {"proxy": "http://h"}}
        with pytest.raises(EditError, match="no mapping"):
            Editor("models: 5").add_model("m", {})

    @pytest.mark.parametrize("value", ["off", "3.5", "~", "", " a", "a: b", "x #", "y", "1e3"])
    def test_a_text_stays_a_text(self, value: str) -> None:
        after = edited(("a",), value, "a: 1\n")
        assert plain(load(after).root) == {"a": value}
        assert yaml.safe_load(after) == {"a": value}

    @pytest.mark.parametrize("newline", ["\n", "\r\n"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    @pytest.mark.parametrize("end", ["", "\n"])
    def test_line_ends_and_mark_stay(self, newline: str, mark: str, end: str) -> None:
        text = mark + f"a: 1\nb: |\n  x\n  y{end}".replace("\n", newline)
        editor = Editor(text)
        editor.set(("a",), {"c": "one\ntwo\n"})
        expected = f"a:\n  c: |\n    one\n    two\nb: |\n  x\n  y{end}"
        assert editor.text == mark + expected.replace("\n", newline)

    def test_below_a_block_that_ends_with_the_file(self) -> None:
        assert edited(("b",), 1, "a: |\n  x") == "a: |-\n  x\nb: 1"
        assert edited(("b",), 1, "a: |\n  x\n") == "a: |\n  x\nb: 1\n"
        assert edited(("b",), 1, "a: |+\n  x\n\n") == "a: |+\n  x\n\nb: 1\n"


class TestTakingAway:
    def test_takes_its_lines_and_leaves_comments(self) -> None:
        editor = Editor(FILE)
        editor.remove(("models", "small"))
        old, new = changes(FILE, editor.text)
        assert old[0] == "    small:"
        assert old[-1] == "        - tiny # very"
        assert new == []

    def test_the_last_key_leaves_the_footer(self) -> None:
        editor = Editor("a: 1\nb: 2\n# footer\n")
        editor.remove(("b",))
        assert editor.text == "a: 1\n# footer\n"
        editor.remove(("a",))
        assert editor.text == "# footer\n"

    def test_the_only_key_leaves_an_empty_mapping(self) -> None:
        editor = Editor("a:\n  b: 1\n  # c: 2\nd: [x]\n")
        editor.remove(("a", "b"))
        editor.remove(("d", 0))
        assert editor.text == "a: {}\n  # c: 2\nd: []\n"

    def test_what_is_not_there(self) -> None:
        with pytest.raises(EditError, match=r"no models\.none"):
            Editor(FILE).remove(("models", "none"))

    def test_a_model_goes_from_the_groups_too(self) -> None:
        editor = Editor(FILE)
        editor.remove_model("small")
        assert editor.get(("groups", "g", "members")) == ["big"]
        assert editor.get(("hooks", "on_startup", "preload")) == []
        assert "small" not in editor.get(("models",))


class TestNames:
    def test_a_model_is_renamed_wherever_it_is_named(self) -> None:
        text = (
            "models:\n  a: # the first\n    cmd: run\n  'b': {cmd: a}\n"
            "groups: {g: {members: [a, b]}}\n"
            "matrix: {vars: {v: a}, evict_costs: {a: 2}, sets: {s: a & (b | aa), t: v}}\n"
            "routing:\n  scheduler:\n    settings:\n      fifo:\n        priority:\n"
            "          a: 5\n"
            "hooks: {on_startup: {preload: [b, a]}}\ndefaultModel: a\nfallbackModel: b\n"
            "selectors: {s: {targets: [a, b]}}\nprofiles: {p: {pins: {x: a, a: b}}}\n"
        )
        editor = Editor(text)
        editor.rename_model("a", "new/a.1")
        assert editor.text == (
            "models:\n  new/a.1: # the first\n    cmd: run\n  'b': {cmd: a}\n"
            "groups: {g: {members: [new/a.1, b]}}\n"
            "matrix: {vars: {v: new/a.1}, evict_costs: {new/a.1: 2}, "
            "sets: {s: new/a.1 & (b | aa), t: v}}\n"
            "routing:\n  scheduler:\n    settings:\n      fifo:\n        priority:\n"
            "          new/a.1: 5\n"
            "hooks: {on_startup: {preload: [b, new/a.1]}}\ndefaultModel: new/a.1\n"
            "fallbackModel: b\nselectors: {s: {targets: [new/a.1, b]}}\n"
            "profiles: {p: {pins: {x: new/a.1, new/a.1: b}}}\n"
        )
        editor.rename_model("new/a.1", "a")
        assert editor.text == text

    def test_a_name_that_is_taken(self) -> None:
        with pytest.raises(EditError, match=r"models\.big is there already"):
            Editor(FILE).rename_model("small", "big")


class TestMoving:
    def test_a_key_takes_its_comment_along(self) -> None:
        text = "a: 1\n# about b\nb:\n  c: 2 # x\n# about d\nd: 3"
        editor = Editor(text)
        editor.move(("b",), "a")
        assert editor.text == "# about b\nb:\n  c: 2 # x\na: 1\n# about d\nd: 3"
        editor.move(("b",), None)
        assert editor.text == "a: 1\n# about d\nd: 3\n# about b\nb:\n  c: 2 # x"
        editor.move(("b",), "d")
        assert editor.text == text

    def test_list_items(self) -> None:
        editor = Editor("l:\n- a\n- b: 1\n  c: 2\n- d\n")
        editor.move(("l", 1), 0)
        assert editor.text == "l:\n- b: 1\n  c: 2\n- a\n- d\n"

    def test_within_brackets_is_left_to_hands(self) -> None:
        with pytest.raises(EditError, match="one line"):
            Editor("a: {b: 1, c: 2}").move(("a", "c"), "b")


class TestSharedParts:
    """What anchors, aliases and merges share is not changed by accident."""

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            (("models", "big", "filters", "setParams", "seed"), "anchor &big"),
            (("models", "bigger", "filters", "stripParams"), "comes from a merge"),
        ],
    )
    def test_refused(self, path: KeyPath, said: str) -> None:
        with pytest.raises(EditError, match=said):
            edited(path, "x")

    def test_below_an_alias(self) -> None:
        text = "a: &x {b: 1}\nc: *x\n"
        with pytest.raises(EditError, match=r"c is \*x \(line 2\)"):
            edited(("c", "b"), 2, text)
        assert edited(("c",), 2, text) == "a: &x {b: 1}\nc: 2\n"

    def test_an_anchor_that_nobody_uses(self) -> None:
        assert edited(("a", "b"), 2, "a: &x {b: 1}\n") == "a: &x {b: 2}\n"

    def test_a_merged_key_may_be_overridden(self) -> None:
        after = edited(("models", "bigger", "cmd"), "run ${PORT}")
        assert changes(FILE, after) == ([], ["        cmd: run ${PORT}"])

    def test_a_merged_key_cannot_go(self) -> None:
        with pytest.raises(EditError, match="comes from a merge"):
            Editor(FILE).remove(("models", "bigger", "cmd"))


class TestRefusals:
    def test_a_key_without_a_colon(self) -> None:
        with pytest.raises(EditError, match="without a colon"):
            edited(("a",), {"b": 1}, "? a\n")

    @pytest.mark.parametrize("text", ["a: [", "- a", "a: 1\na: 2\n", "\x00", "\ufeff\ufeffa: 1"])
    def test_a_text_that_cannot_be_read(self, text: str) -> None:
        with pytest.raises(ConfigError):
            Editor(text)

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("listen", "x"), 1),
            (("models", 0), 1),
            (("models", "small", "aliases", 9), "x"),
            (("new", 0), "x"),
            (("a",), object()),
            (("a",), {1: 2}),
            (("a",), "\ud800"),
            ((), []),
        ],
    )
    def test_leave_the_text_as_it_was(self, path: KeyPath, value: Any) -> None:
        editor = Editor(FILE)
        with pytest.raises(EditError):
            editor.set(path, value)
        assert editor.text == FILE


# What holds for any text and any edit


def _paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    found = [path] if path else []
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for step, each in parts:
        found += _paths(each, (*path, step))
    return found


def _around(text: str, path: KeyPath) -> tuple[list[str], list[str]]:
    """The lines above and below those of the key or item at ``path``."""
    layout = Layout(text)
    head = node = layout.root
    for step in path:
        assert node is not None
        if isinstance(step, int):
            head = node = node.children[step]
        else:
            entry = node.entry(step)
            assert entry is not None
            head, node = entry
    assert head is not None
    assert node is not None
    lines = text.split("\n")
    first = text.count("\n", 0, head.start)
    before = lines[first][: head.start - text.rfind("\n", 0, head.start) - 1]
    if isinstance(path[-1], int) and not before.strip():  # it begins below its dash
        first -= 1
        while not lines[first].lstrip(" ").startswith("-"):
            first -= 1
    return lines[:first], lines[text.count("\n", 0, node.end) + 1 :]


@given(st.integers(0))
def test_any_tree_reads_back_equal(seed: int) -> None:
    rng = random.Random(seed)
    tree = yaml_texts.mapping(rng)
    editor = Editor(rng.choice(["", "# only a comment\n", "{}", "--- # head\n", "\ufeff"]))
    editor.set((), tree)
    assert same(plain(load(editor.text).root), tree)
    assert YAML(typ="safe", pure=True).load(editor.text) == tree
    assert yaml.safe_load(editor.text.removeprefix("\ufeff")) == tree


@given(st.integers(0))
def test_an_edit_leaves_all_other_lines_alone(seed: int) -> None:
    rng = random.Random(seed)
    tree = yaml_texts.mapping(rng)
    text = yaml_texts.Writer(rng).write(tree).removeprefix("\ufeff")
    path = rng.choice(_paths(tree))
    above, below = _around(text, path)
    for value in (yaml_texts.value(rng), yaml_texts.value(rng, 3)):
        editor = Editor(text)
        editor.set(path, value)
        lines = editor.text.split("\n")
        assert lines[: len(above)] == above
        if any(line.strip() for line in below):
            assert lines[len(lines) - len(below) :] == below


@given(st.integers(0))
def test_what_is_added_can_be_taken_away(seed: int) -> None:
    rng = random.Random(seed)
    tree = yaml_texts.mapping(rng)
    text = yaml_texts.Writer(rng).write(tree)
    editor = Editor(text)
    editor.set(("added",), yaml_texts.value(rng))
    assert editor.text.startswith(text.rstrip("\r\n")) or "|-" in editor.text
    editor.remove(("added",))
    assert same(editor.get(()), tree)


def test_comments_within_go_along_or_a_block_above_would_take_them_in() -> None:
    editor = Editor("a: >-\n -\n item\nb:\n c: |-\n  one\n # of b\n\n # too\n# of the file\nd: 1\n")
    editor.remove(("b",))
    assert editor.text == "a: >-\n -\n item\n# of the file\nd: 1\n"


@given(st.integers(0))
def test_edits_one_after_the_other(seed: int) -> None:
    rng = random.Random(seed)
    tree = yaml_texts.mapping(rng)
    editor = Editor(yaml_texts.Writer(rng).write(tree))
    for _ in range(4):
        paths = _paths(editor.get(()))
        if not paths:
            break
        path = rng.choice(paths)
        if rng.random() < 0.3:
            editor.remove(path)
        else:
            value = yaml_texts.value(rng)
            editor.set(path, value)
            assert editor.get(path) == value
        assert same(plain(load(editor.text).root), editor.get(()))
