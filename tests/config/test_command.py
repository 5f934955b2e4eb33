"""Command lines: splitting on both kinds of system, shell words, secrets."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.config.command import redact, shell_syntax, split, strip_comments


class TestPosix:
    @pytest.mark.parametrize(
        ("text", "argv"),
        [
            ("", []),
            ("  \n\t ", []),
            ("srv  --a\t1\n--b 2\r\n", ["srv", "--a", "1", "--b", "2"]),
            ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
            ("a'b'\"c\"d", ["abcd"]),
            ("a '' \"\"", ["a", "", ""]),
            (r"a\ b \'c\"", ["a b", "'c\""]),
            (r"'a\nb' 'c\\d'", [r"a\nb", r"c\\d"]),
            (r'"a\nb\\c\"d\$e\`f"', [r'a\nb\c"d$e`f']),
            ("srv \\\n  --a 1 \\\n  --b 2", ["srv", "--a", "1", "--b", "2"]),
            ("srv --dir /x/\\\n--b", ["srv", "--dir", "/x/", "--b"]),
            ("srv \\", ["srv"]),
            ("srv 'left open", ["srv", "left open"]),
            ('srv "left open\\', ["srv", "left open "]),
            ("'a\nb'", ["a\nb"]),
            ("srv #1 a#b", ["srv", "#1", "a#b"]),
            ("# don't\nsrv\n   # \"90%\n  --x", ["srv", "--x"]),
            ("{{ $x }} ${PORT}", ["{{", "$x", "}}", "${PORT}"]),
        ],
    )
    def test_splits_like_a_shell_without_being_one(self, text: str, argv: list[str]) -> None:
        assert split(text, windows=False) == argv

    @given(st.lists(st.text(st.characters(exclude_characters="#\\\r\n", codec="utf-8"))))
    def test_what_is_quoted_comes_back(self, argv: list[str]) -> None:
        assert split(shlex.join(argv), windows=False) == argv

    @given(st.text(), st.booleans())
    def test_any_text_splits(self, text: str, windows: bool) -> None:
        assert all(isinstance(word, str) for word in split(text, windows))
        shell_syntax(text, windows)
        redact(split(text, windows))


class TestWindows:
    @pytest.mark.parametrize(
        ("text", "argv"),
        [
            (r"K:\a\new\tiny.exe -m K:\b", [r"K:\a\new\tiny.exe", "-m", r"K:\b"]),
            (r'"Z:\My Tools\x.exe" "a b"', [r"Z:\My Tools\x.exe", "a b"]),
            ("x 'a b'", ["x", "'a", "b'"]),
            (r'x "a\"b"', ["x", 'a"b']),
            (r'x "a\\" b', ["x", "a\\", "b"]),
            (r'x "a\\\"b"', ["x", r"a\"b"]),
            ('x "a""b"', ["x", 'a"b']),
            ('x ""', ["x", ""]),
            (r"x \\server\share", ["x", r"\\server\share"]),
            ("x\r\n--a\r\n", ["x", "--a"]),
            ("x --dir D:\\models\\\n--b", ["x", "--dir", "D:\\models\\", "--b"]),
            ("x --a \\\n--b", ["x", "--a", "--b"]),
            ("x --a\n  \\\n--b", ["x", "--a", "--b"]),
            ('x "left open', ["x", "left open"]),
            ("# isn't \"run\nx", ["x"]),
        ],
    )
    def test_splits_by_its_own_rules(self, text: str, argv: list[str]) -> None:
        assert split(text, windows=True) == argv

    @given(st.lists(st.text(st.characters(exclude_characters="#\r\n", codec="utf-8"))))
    def test_what_is_quoted_comes_back(self, argv: list[str]) -> None:
        assert split(" ".join(map(_quoted, argv)), windows=True) == argv


def _quoted(word: str) -> str:
    """As the C runtime on Windows wants it."""
    text, slashes = "", 0
    for char in word:
        if char == "\\":
            slashes += 1
            continue
        text += "\\" * (2 * slashes + 1 if char == '"' else slashes) + char
        slashes = 0
    return '"' + text + "\\" * (2 * slashes) + '"'


class TestComments:
    def test_whole_lines_only(self) -> None:
        assert strip_comments("# a\nsrv # b\n  #c\n--d\n") == "srv # b\n--d\n"

    def test_nothing_changes_without_any(self) -> None:
        assert strip_comments("srv\r\n\n--a") == "srv\r\n\n--a"


class TestShellSyntax:
    @pytest.mark.parametrize(
        ("text", "advice"),
        [
            ("CUDA_VISIBLE_DEVICES=0 srv", "env:"),
            ("kill $(cat pid)", "sh -c"),
            ("kill `cat pid`", "sh -c"),
            ("srv && echo done", "sh -c"),
            ("srv || true", "sh -c"),
            ("srv | tee log", "sh -c"),
            ("srv > /tmp/log", "log"),
            ("srv >/tmp/log", "log"),
            ("srv 2>&1", "log"),
            ("srv < in", "sh -c"),
            ("cd /x; srv", "sh -c"),
            ("srv &", "sh -c"),
            ("srv -m $HOME/m.gguf", "${env.HOME}"),
            ("srv -m ~/m.gguf", "${env.HOME}"),
        ],
    )
    def test_is_recognised_with_advice(self, text: str, advice: str) -> None:
        said = shell_syntax(text, windows=False)
        assert said is not None
        assert advice in said

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "srv --port ${PORT} --x=1",
            "bash -c 'A=1 srv > log && x | y; z $(q) `r`'",
            'bash -c "srv > log; exit"',
            "srv --samplers top_k;min_p;xtc",
            "srv -ot blk.(1|2).ffn=CPU",
            "srv --stop <|im_end|> -e TOKEN=<x>",
            "srv --sep \\; \\> \\$HOME",
            "srv --min >=5 ${X:-y}",
            "# a && b\nsrv",
        ],
    )
    def test_quoted_or_harmless_signs_are_not(self, text: str) -> None:
        assert shell_syntax(text, windows=False) is None

    def test_on_windows(self) -> None:
        assert "cmd /c" in (shell_syntax("a.exe && b.exe", windows=True) or "")
        assert "${env.USERPROFILE}" in (shell_syntax(r"a.exe %USERPROFILE%\m", windows=True) or "")
        assert shell_syntax('powershell -Command "a; b | c"', windows=True) is None


class TestRedaction:
    @pytest.mark.parametrize(
        ("argv", "shown"),
        [
            (["srv", "--api-key", "s3cret", "-c", "1"], ["srv", "--api-key", "***", "-c", "1"]),
            (["srv", "--api-key=s3cret"], ["srv", "--api-key=***"]),
            (["srv", "--hf-token", "s3cret"], ["srv", "--hf-token", "***"]),
            (["srv", "-hft", "s3cret"], ["srv", "-hft", "***"]),
            (["--api-key", "--api-key"], ["--api-key", "***"]),
            (["--api-key"], ["--api-key"]),
            (["-e", "OPENAI_API_KEY=s3 cret"], ["-e", "OPENAI_API_KEY=***"]),
            (["--env=HF_TOKEN=s3cret"], ["--env=HF_TOKEN=***"]),
            (["CLIENT_SECRET=s3cret"], ["CLIENT_SECRET=***"]),
            (["PGPASSWORD=s3cret"], ["PGPASSWORD=***"]),
            (["db_password=s3cret"], ["db_password=***"]),
            (["TOKEN="], ["TOKEN=***"]),
            (
                ["bash", "-c", "cd /x; HF_TOKEN='s3 cret' srv --api-key s3cret -c 1"],
                ["bash", "-c", "cd /x; HF_TOKEN=*** srv --api-key *** -c 1"],
            ),
            (["-H", "Authorization: Bearer s3cret"], ["-H", "Authorization: Bearer ***"]),
        ],
    )
    def test_hides_values(self, argv: list[str], shown: list[str]) -> None:
        assert redact(argv) == shown

    def test_leaves_everything_else(self) -> None:
        argv = [
            "srv",
            "--api-key-file",
            "/keys",
            "--override-kv",
            "tokenizer.ggml.add_bos_token=bool:false",
            "--max-tokens=5",
            "monkey=1",
        ]
        assert redact(argv) == argv
