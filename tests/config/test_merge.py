"""A configuration in several files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qmdesk.config import Config, ConfigError, Problem
from qmdesk.config.merge import files, read_all

Write = Callable[..., Config]


@pytest.fixture(name="config")
def _config(tmp_path: Path) -> Write:
    """Writes files into a folder and reads them together."""

    def read(*texts: str, tolerant: bool = False) -> Config:
        for number, text in enumerate(texts):
            (tmp_path / f"{number}.yaml").write_text(text, encoding="utf-8")
        return read_all(None, tmp_path, windows=False, environ={}, tolerant=tolerant)

    return read


@pytest.fixture(name="errors")
def _errors(config: Write) -> Callable[..., list[str]]:
    def fail(*texts: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            config(*texts)
        return [_short(each) for each in caught.value.problems]

    return fail


def _short(problem: Problem) -> str:
    """``FILE:LINE:COLUMN: MESSAGE`` without folders."""
    message = problem.message
    for word in message.split():
        if "/" in word or "\\" in word:
            path = word.rstrip(";,")
            message = message.replace(path, Path(path).name)
    return f"{Path(problem.file).name}:{problem.line}:{problem.column}: {message}"


class TestTogether:
    def test_mappings_are_joined_and_lists_appended(self, config: Write) -> None:
        found = config(
            "models: {a: {proxy: 'http://h'}}\napiKeys: [k]\nhooks: {on_startup: {preload: [b]}}\n",
            "models: {b: {proxy: 'http://h'}}\napiKeys: [l]\nhooks: {on_startup: {preload: [a]}}\n",
            "groups: {g: {members: [a, b]}}\n",
        )
        assert list(found.models) == ["a", "b"]
        assert [each.key for each in found.api_keys] == ["k", "l"]
        assert found.preload == ("b", "a")
        assert found.groups["g"].members == ("a", "b")

    def test_macros_of_one_file_work_in_the_others(self, config: Write) -> None:
        found = config("macros: {s: 'run --port ${PORT}'}", "models: {a: {cmd: '${s} -m x'}}")
        assert found.models["a"].cmd == "run --port ${PORT} -m x"

    def test_equal_values_agree_and_null_yields(self, config: Write) -> None:
        found = config(
            "startPort: 6000\nqueueTimeout:\nlogLevel: debug",
            "startPort: 6000\nqueueTimeout: 5\nlogLevel: ",
        )
        assert (found.start_port, found.queue_timeout, found.log_level) == (6000, 5, "debug")

    def test_empty_files_say_nothing(self, config: Write) -> None:
        found = config("", "# only a comment\n", "startPort: 6000")
        assert found.start_port == 6000
        assert found.warnings == ()


class TestContradictions:
    @pytest.mark.parametrize(
        ("key", "entry"),
        [
            ("models", "{proxy: 'http://h'}"),
            ("groups", "{members: []}"),
            ("profiles", "{pins: {x: a}}"),
            ("selectors", "{strategy: pin, targets: [a]}"),
            ("peers", "{proxy: 'http://h', models: [m]}"),
        ],
    )
    def test_a_thing_stands_in_one_file(
        self, errors: Callable[..., list[str]], key: str, entry: str
    ) -> None:
        models = "" if key == "models" else "models: {a: {proxy: 'http://h'}}\n"
        text = f"{key}:\n  n: {entry}\n"
        found = errors(models + text, "# second\n" + text)
        line = 2 if key == "models" else 3
        assert found == [f'1.yaml:3:3: {key} "n" stands in 0.yaml:{line} already; keep one']

    def test_in_the_newer_spelling_too(self, errors: Callable[..., list[str]]) -> None:
        text = "routing: {router: {settings: {groups: {g: {members: []}}}}}"
        assert "already" in errors(text, text)[0]

    def test_different_values(self, errors: Callable[..., list[str]]) -> None:
        assert errors("macros: {a: 1}\nstartPort: 1", "macros:\n  a: 2\nstartPort: 2\n") == [
            "1.yaml:2:3: macros.a has another value in 0.yaml:1; keep one",
            "1.yaml:3:1: startPort has another value in 0.yaml:2; keep one",
        ]

    def test_different_kinds(self, errors: Callable[..., list[str]]) -> None:
        assert errors("apiKeys: [k]", "apiKeys: k") == [
            "1.yaml:1:1: apiKeys is a single value here but a list in 0.yaml:1"
        ]


class TestPlaces:
    def test_every_problem_names_its_own_file(self, errors: Callable[..., list[str]]) -> None:
        found = errors(
            "models:\n  a: {cmd: run}\napiKeys: [k]\n",
            "# two\nmodels:\n  b: {cmd: '${x} ${PORT}'}\napiKeys: ['l m']\n",
            "models:\n  c:\n    cmd: run ${PORT}\n    ttl: long\n",
        )
        assert [each.split(" ")[0] for each in found] == [
            "0.yaml:2:12:",
            "1.yaml:3:13:",
            "1.yaml:4:11:",
            "2.yaml:4:10:",
        ]

    def test_files_that_cannot_be_read_are_all_named(
        self, errors: Callable[..., list[str]]
    ) -> None:
        found = errors("a: [", "b: 1", "- c")
        assert [each.split(":")[0] for each in found] == ["0.yaml", "2.yaml"]

    def test_a_bad_model_does_not_take_the_others_down(self, config: Write) -> None:
        found = config("models: {a: {cmd: run}}", "models: {b: {proxy: 'http://h'}}", tolerant=True)
        assert list(found.models) == ["b"]
        assert found.broken["a"][0].file.endswith("0.yaml")


class TestFiles:
    def test_the_named_one_comes_first_then_the_folder_by_name(self, tmp_path: Path) -> None:
        folder = tmp_path / "d"
        folder.mkdir()
        for name in ["b.yml", "a.YAML", ".hidden.yaml", "notes.txt"]:
            (folder / name).write_text("", encoding="utf-8")
        (folder / "inner.yaml").mkdir()
        named = tmp_path / "z.yaml"
        named.write_text("startPort: 6000", encoding="utf-8")
        assert files(named, folder) == (named, folder / "a.YAML", folder / "b.yml")
        found = read_all(named, folder)
        assert (found.path, found.sources) == (named, files(named, folder))
        assert read_all(None, folder).path == folder

    def test_the_named_one_must_not_be_in_the_folder(self, tmp_path: Path) -> None:
        named = tmp_path / "a.yaml"
        named.write_text("", encoding="utf-8")
        with pytest.raises(ConfigError, match="also in the folder"):
            read_all(named, tmp_path)

    def test_no_file_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"no \.yaml"):
            read_all(None, tmp_path)
        with pytest.raises(ConfigError, match="cannot be read"):
            read_all(None, tmp_path / "none")
        with pytest.raises(ConfigError, match="no such file"):
            read_all(tmp_path / "none.yaml", None)
