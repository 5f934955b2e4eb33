"""What the settings window is made of, as far as it needs no Qt."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.config import parse
from qmdesk.config.command import split
from qmdesk.config.editor import EditError
from qmdesk.config.three_way import Clash, Conflict, merge, resolved
from qmdesk.desktop.settings_window import pages
from qmdesk.desktop.settings_window.analysis import analyse, value_at
from qmdesk.desktop.settings_window.calm import SHARE, in_thread
from qmdesk.desktop.settings_window.command_lines import as_lines, flags, from_lines, word_at
from qmdesk.desktop.settings_window.differences import differences
from qmdesk.desktop.settings_window.edits import (
    MISSING,
    add_model,
    duplicate_model,
    edited,
    groups_path,
    join_group,
    move_model,
    put,
    remove_model,
    rename_model,
    splice,
)
from qmdesk.desktop.settings_window.field import Kind, model_field, scalar_keys, top_field
from qmdesk.desktop.settings_window.plan_words import concerned, consequences, summary
from qmdesk.desktop.settings_window.program_help import asked_program, parse_help, read_help
from qmdesk.desktop.settings_window.proposal import free_name, is_model_file, propose, quoted
from qmdesk.desktop.settings_window.together import MOST, together
from qmdesk.events import ModelState
from tests.desktop.fake_instance import model
from tests.desktop.settings_desk import TEXT

# The text, understood


def test_a_good_text_is_told_against_what_runs() -> None:
    running = parse(TEXT)
    found = analyse(TEXT.replace("listen: 127.0.0.1:8080", "listen: :9090"), None, running)
    assert found.config is not None
    assert found.errors == 0
    assert found.changes == (":9090 opens", "127.0.0.1:8080 closes")
    assert found.line(("models", "gpt-oss-20b")) == 20
    assert found.line(("models", "nobody")) == 0


def test_mistakes_are_at_their_lines_and_fields() -> None:
    text = TEXT.replace("concurrencyLimit: 4", "concurrencyLimit: four\n    ttll: 3")
    found = analyse(text)
    assert found.config is None
    assert [(each.severity, each.line) for each in found.problems] == [
        ("error", 22),
        ("warning", 23),
    ]
    at_field = found.problem(("models", "gpt-oss-20b", "concurrencyLimit"))
    assert at_field is not None
    assert "whole number" in at_field.message
    assert found.problem(("models", "gpt-oss-20b")) == at_field
    assert found.problem(("models", "gpt-oss")) is None
    assert found.root is not None
    # What can be understood all the same is there for previews.
    assert found.preview is not None
    assert "qwen3-30b-a3b" in found.preview.models


def test_what_is_no_yaml_has_a_problem_and_no_values() -> None:
    found = analyse("listen: [\nmodels:\n")
    assert found.root is None
    assert found.errors == 1
    assert found.problems[0].line > 0


def test_a_key_twice_cannot_be_edited() -> None:
    assert analyse("listen: :1\nlisten: :2\n").root is None


def test_a_matrix_without_sense_is_told_at_its_line() -> None:
    text = "models:\n  a: {proxy: 'http://x'}\nmatrix:\n  sets:\n    one: +two\n    two: +one\n"
    found = analyse(text)
    assert found.config is None
    assert found.problems[0].line >= 3


def test_values_by_path() -> None:
    root = {"a": {"b": [1, {"c": 2}]}}
    assert value_at(root, ("a", "b", 1, "c")) == 2
    assert value_at(root, ("a", "b", 2), MISSING) is MISSING
    assert value_at(root, ("a", "x"), "none") == "none"


# Edits


def changed_lines(old: str, new: str) -> list[str]:
    return [line for line in differences(old, new).split("\n") if line[:1] in ("+", "-")]


def test_a_field_changes_its_line_only() -> None:
    new = edited(TEXT, put(("globalTTL",), 900))
    assert changed_lines(TEXT, new) == [
        "-globalTTL: 1800   # half an hour",
        "+globalTTL: 900   # half an hour",
    ]
    assert edited(new, put(("globalTTL",), 1800)) == TEXT


def test_a_key_comes_and_goes_with_its_block() -> None:
    new = edited(TEXT, put(("memory", "reserveGB"), 2))
    assert "memory:\n  reserveGB: 2" in new
    assert edited(new, put(("memory", "reserveGB"), MISSING)).rstrip() == TEXT.rstrip()
    assert edited(TEXT, put(("memory", "pressure"), MISSING)) == TEXT


def test_one_notification_of_all() -> None:
    new = edited("notifications: false\n", put(("notifications", "failure"), True))
    said = parse(new).notifications
    assert said.failure
    assert not said.eviction


def test_models_are_added_copied_named_moved_and_removed() -> None:
    new = edited(TEXT, add_model("new", {"cmd": "srv --port ${PORT}"}))
    assert list(parse(new).models)[-1] == "new"

    new = edited(TEXT, duplicate_model("qwen3-30b-a3b", "copy"))
    config = parse(new)
    assert list(config.models)[:2] == ["qwen3-30b-a3b", "copy"]
    assert config.models["copy"].aliases == ()
    assert config.models["copy"].cmd == config.models["qwen3-30b-a3b"].cmd

    new = edited(TEXT, rename_model("gpt-oss-20b", "oss"))
    assert parse(new).groups["chat"].members == ("qwen3-30b-a3b", "oss", "gemma-3-12b-it")

    assert list(parse(edited(TEXT, move_model("nomic-embed", -1))).models)[1] == "nomic-embed"
    assert list(parse(edited(TEXT, move_model("nomic-embed", 1))).models)[3] == "nomic-embed"
    assert edited(TEXT, move_model("qwen3-30b-a3b", -1)) == TEXT
    assert edited(TEXT, move_model("gemma-3-12b-it", 1)) == TEXT

    new = edited(TEXT, remove_model("nomic-embed"))
    assert parse(new).groups["small"].members == ()
    assert "The one for coding." in new
    with pytest.raises(EditError):
        edited(TEXT, remove_model("nobody"))


def test_a_model_is_in_one_group() -> None:
    config = parse(edited(TEXT, join_group("gpt-oss-20b", "small")))
    assert config.groups["chat"].members == ("qwen3-30b-a3b", "gemma-3-12b-it")
    assert config.groups["small"].members == ("nomic-embed", "gpt-oss-20b")
    config = parse(edited(TEXT, join_group("gpt-oss-20b", "")))
    assert "gpt-oss-20b" not in config.groups["chat"].members
    assert edited(TEXT, join_group("gpt-oss-20b", "chat")) == TEXT


def test_groups_in_the_newer_spelling() -> None:
    text = "routing:\n  router:\n    use: group\n    settings:\n      groups:\n        a: {}\n"
    assert groups_path(analyse(text).root) == ("routing", "router", "settings", "groups")
    assert groups_path({"groups": {}}) == ("groups",)


@given(st.text("ab\n😀", max_size=30), st.text("ab\n😀", max_size=30))
def test_a_splice_makes_one_text_of_the_other(old: str, new: str) -> None:
    start, end, middle = splice(old, new)
    assert old[:start] + middle + old[end:] == new
    assert 0 <= start <= end <= len(old)


# Fields


def test_fields_know_type_default_and_meaning() -> None:
    ttl = top_field("globalTTL")
    assert (ttl.kind, ttl.placeholder) == (Kind.NUMBER, "0")
    assert "Seconds" in ttl.help
    assert top_field("listen").kind is Kind.LIST
    assert top_field("memory.pressure").kind is Kind.FLAG
    assert top_field("macros").kind is Kind.PAIRS
    assert top_field("logLevel").kind is Kind.CHOICE
    assert model_field("cmd").kind is Kind.COMMAND
    with pytest.raises(ValueError, match="no form"):
        top_field("peers")


def test_texts_and_values_of_fields() -> None:
    number = top_field("globalTTL")
    assert number.read("1800") == 1800
    assert number.read("0.5") == 0.5
    assert number.read("${ttl}") == "${ttl}"
    assert number.read("  ") is MISSING
    assert number.shown(1800.0) == "1800"
    several = top_field("listen")
    assert several.read("a:1\n\n b:2 ") == ["a:1", "b:2"]
    assert several.read("a:1", before="x:1") == "a:1"
    assert several.read("a:1") == ["a:1"]
    assert several.shown(["a:1", 2]) == "a:1\n2"
    text = model_field("name")
    assert text.read("3.5") == "3.5"
    flag = top_field("includeAliasesInList")
    assert [flag.flag(each) for each in (MISSING, True, "on", "No", "${x}")] == [
        *(False, True, True, False),
        None,
    ]


def test_what_is_more_than_a_line_is_kept() -> None:
    keys = top_field("apiKeys")
    written = [{"key": "k1", "admin": True}, "k2", {"key": "k3"}]
    assert keys.shown(written) == "…\nk2\n…"
    assert keys.read("…\nk2\nk4\n…", before=written) == [written[0], "k2", "k4", written[2]]
    assert keys.read("k2", before=written) == ["k2"]


def test_pairs_are_lines() -> None:
    pairs = top_field("macros")
    assert pairs.read("a: x y\nport: 80\n") == {"a": "x y", "port": 80}
    assert pairs.read("url: http://a:1") == {"url": "http://a:1"}
    assert pairs.shown({"a": "x", "n": 1}) == "a: x\nn: 1"
    with pytest.raises(ValueError, match="NAME: VALUE"):
        pairs.read("nothing")
    with pytest.raises(ValueError, match="twice"):
        pairs.read("a: 1\na: 2")


def test_every_scalar_key_has_one_place() -> None:
    places = [
        ".".join(map(str, field.path))
        for page in pages.FORMS
        for section in pages.sections(page)
        for field in section.fields
    ]
    assert len(places) == len(set(places))
    assert set(scalar_keys(frozenset())) == set(places)
    assert {"startPort", "performance.every", "notifications.failure"} <= set(places)
    # Keys have a page of their own.
    assert not any(each.startswith("apiKeys") for each in places)


# Commands


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("srv -m '/a b/c.gguf' -c -1 --x=y", "srv\n-m '/a b/c.gguf'\n-c -1\n--x=y"),
        ('srv --prompt "say -n twice" z', 'srv\n--prompt "say -n twice" z'),
        (["srv", "-m", "a b"], "srv\n-m\na b"),
        ("srv \\\n  -m x\n# why\n  -c 1\n", "srv \\\n  -m x\n# why\n  -c 1\n"),
        ("${server} -m x", "${server}\n-m x"),
    ],
)
def test_a_command_is_lines_and_back(written: object, lines: str) -> None:
    assert as_lines(written, windows=False) == lines
    assert from_lines(lines, written) == written


@given(st.text("ab -'\"\\ \t", max_size=20))
def test_lines_never_mean_another_command(text: str) -> None:
    lines = as_lines(text, windows=False)
    assert split(lines, windows=False) == split(text, windows=False)


def test_flags_and_words_are_found() -> None:
    lines = "srv\n# -not this\n-c 1 --flash-attn=on x--y -1"
    assert flags(lines) == [(2, 0, "-c"), (2, 5, "--flash-attn")]
    assert word_at("-c 123", 4) == ("123", 3)


HELP = """\
usage: llama-server [options]

-h,    --help, --usage                  print usage and exit
-c,    --ctx-size N                     size of the prompt context (default: 0)
                                        (env: LLAMA_ARG_CTX_SIZE)
-fa,   --flash-attn [on|off|auto]       set Flash Attention use
--override-tensor, -ot <tensor name pattern>=<buffer type>,...
                                        override tensor buffer type
"""


def test_a_help_is_understood() -> None:
    help = parse_help(HELP)
    assert help.about("-c").startswith("-c, --ctx-size N\nsize of the prompt context")
    assert "LLAMA_ARG_CTX_SIZE" in help.about("--ctx-size")
    assert "override tensor buffer type" in help.about("-ot")
    assert help.flags["-ot"].value == "<tensor name pattern>=<buffer type>,..."
    assert help.unknown("--flash-atn")
    assert help.meant("--flash-atn") == "--flash-attn"
    assert not help.unknown("-1")
    assert not help.unknown("-fa")
    assert not parse_help("").unknown("--anything")


def test_the_embedded_server_says_what_it_knows() -> None:
    help = read_help((sys.executable, "-m", "qmdesk.llama_server"))
    assert "layers on GPUs" in help.about("--n-gpu-layers")
    assert not read_help(("/no/such/llama-server",)).flags


def test_only_llama_servers_are_asked_for_help() -> None:
    assert asked_program("/opt/llama-server -m x") == ("/opt/llama-server",)
    assert asked_program(["qmdesk", "llama-server", "-m"]) == ("qmdesk", "llama-server")
    assert asked_program("py -m qmdesk.llama_server -m x") == ("py", "-m", "qmdesk.llama_server")
    assert asked_program("./start.sh --port 1") == ()
    assert asked_program("") == ()


# Model files


def test_a_file_becomes_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llama-server").write_text("#!/bin/sh\n")
    (tmp_path / "llama-server").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PATHEXT", "")
    file = tmp_path / "My Model-Q4_K_M.gguf"
    file.touch()
    made = propose(file, ())
    assert made.id == "my-model-q4_k_m"
    assert split(made.cmd)[:3] == ["llama-server", "-m", str(file)]
    assert made.cmd.endswith("--port ${PORT}")
    assert made.note == ""
    assert propose(file, (made.id,)).id == "my-model-q4_k_m-2"
    assert parse(edited("", add_model(made.id, {"cmd": made.cmd}))).models[made.id].port


def test_parts_become_one_model(tmp_path: Path) -> None:
    for at in (1, 3):
        (tmp_path / f"big-q8_0-0000{at}-of-00003.gguf").touch()
    made = propose(tmp_path / "big-q8_0-00003-of-00003.gguf", ())
    assert made.file.name == "big-q8_0-00001-of-00003.gguf"
    assert made.id == "big-q8_0"
    assert "big-q8_0-00002-of-00003.gguf" in made.note


def test_a_projector_goes_with_its_model(tmp_path: Path) -> None:
    for name in ("gemma-3-4b-it-Q4_0.gguf", "mmproj-gemma-3-4b-it-f16.gguf", "qwen3-8b-q4.gguf"):
        (tmp_path / name).touch()
    assert "--mmproj" in propose(tmp_path / "gemma-3-4b-it-Q4_0.gguf", ()).cmd
    assert "--mmproj" not in propose(tmp_path / "qwen3-8b-q4.gguf", ()).cmd
    assert not is_model_file(tmp_path / "mmproj-gemma-3-4b-it-f16.gguf")
    assert not is_model_file(Path("notes.txt"))


def test_without_a_server_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "No llama-server was found" in propose(tmp_path / "a.gguf", ()).note


@pytest.mark.skipif(os.name == "nt", reason="POSIX quoting")
def test_words_are_quoted_but_for_macros() -> None:
    assert quoted(["a b", "${PORT}", "x"]) == "'a b' ${PORT} x"
    assert free_name("a", ("a", "a-2")) == "a-3"


# What Apply does


def test_the_plan_tells_of_models_that_run() -> None:
    old = parse(TEXT)
    text = TEXT.replace("-c 16384", "-c 8192")
    new = parse(edited(text, remove_model("nomic-embed"), remove_model("gemma-3-12b-it")))
    assert concerned(old, new) == ("gpt-oss-20b", "nomic-embed", "gemma-3-12b-it")
    models = (
        model("gpt-oss-20b", ModelState.READY, in_flight=1),
        model("nomic-embed", ModelState.READY, in_flight=2),
        model("gemma-3-12b-it"),
    )
    found = consequences(old, new, models)
    goes_on, stops = (each.text for each in found)
    assert goes_on.startswith("gpt-oss-20b is loaded and goes on as it is until its next start")
    assert goes_on.endswith("1 request in flight is not disturbed")
    assert stops.startswith("nomic-embed is loaded and will be stopped")
    assert stops.endswith("2 requests in flight finish first (10 s at most)")
    assert summary(("a", "b"), found) == (
        "2 changes; nomic-embed stops; gpt-oss-20b goes on as it is until its next start"
    )
    (only,) = consequences(old, new, (model("nomic-embed", ModelState.READY),))
    assert only.text == "nomic-embed is loaded and will be stopped"
    assert summary(("a",), ()) == "1 change: a"
    assert summary((), ()) == ""


def test_the_picture_is_the_policys() -> None:
    shown = together(parse(TEXT), ("nomic-embed",))
    assert shown.ids[0] == "nomic-embed"
    # The small one stays for everybody, and everybody for the small one.
    assert all(shown.stays[0])
    assert all(row[0] for row in shown.stays)
    qwen, oss = shown.ids.index("qwen3-30b-a3b"), shown.ids.index("gpt-oss-20b")
    assert not shown.stays[qwen][oss]
    assert shown.told(qwen, oss) == "gpt-oss-20b is unloaded when qwen3-30b-a3b is asked for"
    each = "  m{0}: {{cmd: 'x {0}', proxy: 'http://h:{0}'}}\n"
    many = "models:\n" + "".join(each.format(at) for at in range(1, MOST + 4))
    assert together(parse(many)).left_out == 3


def test_differences_are_told_line_by_line() -> None:
    assert differences("a\nb\nc\n", "a\nB\nc\n").split("\n")[1:] == [" a", "-b", "+B", " c"]
    assert differences("a\n", "a\n") == ""


def test_a_clash_is_settled_as_chosen() -> None:
    base, mine, theirs = "a\nb\nc\n", "a\nmine\nc\n", "A\ntheirs\nc\n"
    assert isinstance(merge(base, mine, theirs), Conflict)

    def choose(clash: Clash) -> str:
        assert clash.base == "a\nb\n"
        return clash.theirs

    assert resolved(base, mine, theirs, choose) == "A\ntheirs\nc\n"
    assert resolved(base, mine, theirs, lambda clash: clash.mine) == mine


async def test_a_thread_works_calmly_and_leaves_all_as_it_was() -> None:
    before = sys.getswitchinterval(), gc.isenabled()
    assert before[0] > SHARE

    def look() -> tuple[float, bool]:
        return sys.getswitchinterval(), gc.isenabled()

    one, other = await asyncio.gather(in_thread(look), in_thread(look))
    assert one == other == (pytest.approx(SHARE), False)
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 1, 0)
    assert look() == before
