"""The YAML dialect, the places of values, and texts that are not YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from qmdesk.config import ConfigError, read
from qmdesk.config.document import MAX_DEPTH, Document, load
from qmdesk.config.scalars import plain

pytestmark = pytest.mark.usefixtures("each_parser")


def values(text: str | bytes) -> dict[str, Any]:
    return plain(load(text).root)


def refused(text: str | bytes) -> tuple[str, int, int]:
    with pytest.raises(ConfigError) as caught:
        load(text)
    (problem,) = caught.value.problems
    return problem.message, problem.line, problem.column


class TestScalars:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("on", "on"),
            ("Off", "Off"),
            ("yes", "yes"),
            ("n", "n"),
            ("true", True),
            ("FALSE", False),
            ("~", None),
            ("", None),
            ("null", None),
            ("010", 10),
            ("0o17", 15),
            ("0xff", 255),
            ("+5", 5),
            ("1e3", 1000.0),
            ("1e-3", 0.001),
            (".5", 0.5),
            ("1.", 1.0),
            ("-.inf", float("-inf")),
            ("12:30", "12:30"),
            ("190:20:30", "190:20:30"),
            ("1_000", "1_000"),
            ("2024-01-02", "2024-01-02"),
            ("0b11", "0b11"),
            ("=", "="),
            ("'5'", "5"),
            ('"true"', "true"),
            ("!!str 5", "5"),
            ('!!int "5"', 5),
            ("!!float 5", 5.0),
            ("! 5", "5"),
        ],
    )
    def test_follow_yaml_1_2(self, written: str, meant: object) -> None:
        value = values(f"a: {written}")["a"]
        assert value == meant
        assert type(value) is type(meant)

    def test_not_a_number(self) -> None:
        assert values("a: .nan")["a"] != values("a: .nan")["a"]

    def test_keys_are_what_was_written(self) -> None:
        assert list(values("{3.50: 1, on: 2, 007: 3, true: 4, ~: 5, 0x1: 6}")) == [
            "3.50",
            "on",
            "007",
            "true",
            "~",
            "0x1",
        ]

    @pytest.mark.parametrize(
        "written", ["!!timestamp 2024-01-02", "!mine x", "!!int x", "!!set {a}"]
    )
    def test_other_tags_are_refused(self, written: str) -> None:
        _, line, column = refused(f"# first\na: {written}")
        assert (line, column) == (2, 4)

    def test_endless_numbers_are_refused(self) -> None:
        assert "digits" in refused("a: " + "9" * 5000)[0]


class TestAnchors:
    def test_merged_keys_yield_to_written_ones(self) -> None:
        text = """
base: &base {a: 1, b: {c: 2}}
one: {<<: *base, a: 3}
two: {a: 4, <<: *base}
"""
        assert values(text)["one"] == {"a": 3, "b": {"c": 2}}
        assert values(text)["two"] == {"a": 4, "b": {"c": 2}}

    def test_of_several_merges_the_first_wins(self) -> None:
        text = "x: &x {a: 1}\ny: &y {a: 2, b: 3}\nz: {<<: [*x, *y]}"
        assert values(text)["z"] == {"a": 1, "b": 3}

    def test_merges_reach_through_merges(self) -> None:
        text = "x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y, c: 3}"
        assert values(text)["z"] == {"a": 1, "b": 2, "c": 3}

    def test_a_quoted_merge_sign_is_a_key(self) -> None:
        assert values("a: {'<<': 1}")["a"] == {"<<": 1}

    def test_an_alias_can_be_a_key(self) -> None:
        assert values("a: &k name\nb: {*k : 1}")["b"] == {"name": 1}

    def test_places_of_shared_values_are_where_they_are_written(self) -> None:
        found = load("x: &x\n  a: 1\ny:\n  <<: *x\n  b: 2\n")
        assert found.key(("y", "a")) == (2, 3)
        assert found.key(("y", "b")) == (5, 3)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("a: &a [*a]", "contains itself"),
            ("a: &a {b: *a}", "contains itself"),
            ("a: *nothing", "no anchor"),
            ("a: {<<: 5}", "takes a mapping"),
            ("a: {? [b] : c}", "a key must be a text"),
        ],
    )
    def test_what_cannot_be(self, text: str, said: str) -> None:
        assert said in refused(text)[0]


class TestLimits:
    """A file cannot keep the reader busy or exhaust the stack."""

    @pytest.mark.parametrize(
        "text",
        [
            "a: " + "[" * 100_000,
            "{a: " * 100_000,
            "- " * 100_000,
            "".join(f"{' ' * depth}a:\n" for depth in range(500)),
            "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 500)),
            "a0: &a0 [x, x]\n"
            + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60)),
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 60)),
        ],
        ids=["flow", "maps", "lists", "block", "aliases", "bomb", "merges"],
    )
    def test_nesting_and_expansion_end(self, text: str) -> None:
        refused(text)

    def test_a_reasonable_depth_is_fine(self) -> None:
        depth = MAX_DEPTH - 1
        values("a: " + "[" * depth + "]" * depth)


class TestBytes:
    @pytest.mark.parametrize("text", [b"", b"\n", b"# nothing\n", b"---\n", b"\xef\xbb\xbf", b"~"])
    def test_nothing_is_an_empty_mapping(self, text: bytes) -> None:
        assert values(text) == {}

    def test_a_byte_order_mark_is_dropped(self) -> None:
        assert values(b"\xef\xbb\xbfa: 1") == values("\ufeffa: 1") == {"a": 1}

    def test_windows_line_ends(self) -> None:
        found = load(b"a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 2\r\n")
        assert found.root == {"a": 1, "b": "x\ny\n", "c": 2}
        assert found.key(("c",)) == (5, 1)

    def test_any_script(self) -> None:
        assert values("# 模型 🦙 ┌─┐\nа: 中文 🦙".encode()) == {"а": "中文 🦙"}

    def test_columns_count_characters(self) -> None:
        assert load("é🦙: {b: 1}").key(("é🦙", "b")) == (1, 6)

    def test_bad_utf_8_is_placed(self) -> None:
        message, line, column = refused("# é\na: é".encode() + b"\xff")
        assert "0xFF" in message
        assert (line, column) == (2, 5)

    def test_utf_16_is_named(self) -> None:
        assert "UTF-16" in refused("a: 1".encode("utf-16"))[0]

    def test_control_characters_are_placed(self) -> None:
        assert refused("a: 1\nb: x\x00y")[1:] == (2, 5)

    def test_half_a_character_is_refused(self) -> None:
        refused("a: \ud800")
        refused('a: "\\ud800"')


class TestMistakes:
    def test_a_tab_as_indentation(self) -> None:
        message, line, column = refused("models:\n  m:\n\tcmd: x\n")
        assert "tab" in message
        assert (line, column) == (3, 1)

    def test_a_windows_path_in_double_quotes(self) -> None:
        message, line, _ = refused('models:\n  m: {cmd: "C:\\llama\\run.exe"}\n')
        assert "single quotes" in message
        assert line == 2

    @pytest.mark.parametrize("cmd", ["srv --port ${PORT}", "${server} -m x"])
    def test_braces_in_flow_style(self, cmd: str) -> None:
        message, line, _ = refused(f"models:\n  a: {{cmd: {cmd}, ttl: 60}}\n")
        assert "put the command in quotes" in message
        assert line == 2

    @pytest.mark.parametrize("text", ["one: two", "run ${PORT} : x"])
    def test_a_colon_in_unquoted_text(self, text: str) -> None:
        message, line, _ = refused(f"a: 1\nb: {text}\n")
        assert "colon" in message
        assert "quotes" in message
        assert line == 2

    @pytest.mark.parametrize("text", ["just text", "- a\n- b", "5"])
    def test_the_root_must_be_a_mapping(self, text: str) -> None:
        assert "keys and values" in refused(text)[0]

    def test_a_second_document_is_left_unread(self) -> None:
        found = load("a: 1\n---\na: 2\n")
        assert found.root == {"a": 1}
        ((_, problem),) = found.problems
        assert (problem.severity, problem.line) == ("warning", 2)

    def test_duplicate_keys_name_both_lines(self) -> None:
        found: Document = load("a:\n  b: 1\n  c: 2\n  b: 3\n")
        ((path, problem),) = found.problems
        assert path == ("a", "b")
        assert "line 2" in problem.message
        assert (problem.line, problem.column) == (4, 3)
        assert found.root["a"]["b"] == 1


class TestPlaces:
    def test_of_keys_and_values(self) -> None:
        found = load("a:\n  b: [x, y]\n  c: |\n    one\n    two ${z}\n")
        assert found.key(("a", "b")) == (2, 3)
        assert found.value(("a", "b", 1)) == (2, 10)
        assert found.value(("a", "c")) == (3, 6)
        assert found.find(("a", "c"), "${z}") == (5, 9)
        assert found.find(("a", "c"), "absent") == (3, 6)

    def test_of_what_is_not_there_are_the_nearest(self) -> None:
        found = load("a:\n  b: 1\n")
        assert found.value(("a", "x", "y")) == (1, 1)
        assert found.value(("x",)) == (0, 0)


class TestFiles:
    def test_are_read(self, tmp_path: Path) -> None:
        file = tmp_path / "ø.yaml"
        file.write_bytes("models: {}\nlogLevel: debug # ü\n".encode())
        assert read(file).log_level == "debug"
        assert read(file).path == file

    def test_missing_ones_and_folders_are_said(self, tmp_path: Path) -> None:
        for path, said in ((tmp_path / "no.yaml", "no such file"), (tmp_path, "folder")):
            with pytest.raises(ConfigError) as caught:
                read(path)
            (problem,) = caught.value.problems
            assert said in problem.message
            assert problem.file == str(path)

    def test_messages_name_the_file(self, tmp_path: Path) -> None:
        file = tmp_path / "c.yaml"
        file.write_text("startPort: x\n", encoding="utf-8")
        with pytest.raises(ConfigError, match=r"c\.yaml:1:12: error: startPort must be"):
            read(file)

    def test_enormous_ones_are_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "c.yaml"
        file.write_bytes(b"#" * 9_000_000)
        with pytest.raises(ConfigError, match="larger than"):
            read(file)


@pytest.mark.usefixtures("each_parser")
def test_a_mark_within_the_file_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        load("\ufeffa: 1\n\ufeffb: 2\n")
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (2, 1)
    assert "joining files" in problem.message
    with pytest.raises(ConfigError, match="joining files"):
        load("\ufeff\ufeffa: 1")
    assert load("a: 'x\ufeffy' # \ufeff\n").root == {"a": "x\ufeffy"}
