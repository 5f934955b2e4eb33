"""Log files: plain text, of bounded size, and nobody waits for the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qmdesk.logs import Logs
from qmdesk.process.log_file import KEPT, LogFiles, file_name, log_folder

MakeFiles = Callable[..., LogFiles]


@pytest.fixture
def files() -> Iterator[MakeFiles]:
    made: list[LogFiles] = []

    def make(logs: Logs, folder: Path, **more: int) -> LogFiles:
        made.append(LogFiles(logs, folder, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_every_log_has_its_file_also_those_to_come(files: MakeFiles, tmp_path: Path) -> None:
    logs = Logs()
    logs.own.write("before")
    writer = files(logs, tmp_path / "logs")
    logs.of("a").feed(b"\x1b[31mred\x1b[0m \xe2\x82\xac\n")
    logs.own.write("after")
    writer.close()
    assert (tmp_path / "logs" / "qmdesk.log").read_text(encoding="utf-8") == "before\nafter\n"
    assert (tmp_path / "logs" / "a.log").read_text(encoding="utf-8") == "red \u20ac\n"


def test_a_second_run_goes_on_in_the_same_file(files: MakeFiles, tmp_path: Path) -> None:
    for number in range(2):
        logs = Logs()
        writer = files(logs, tmp_path)
        logs.of("a").write(f"run {number}")
        writer.close()
    assert (tmp_path / "a.log").read_text(encoding="utf-8") == "run 0\nrun 1\n"


def test_they_are_set_aside_and_the_oldest_dropped(files: MakeFiles, tmp_path: Path) -> None:
    for number in range(10):
        logs = Logs()
        writer = files(logs, tmp_path, max_file=100)
        logs.of("a").write(f"{number} {'x' * 60}")
        writer.close()
    names = sorted(each.name for each in tmp_path.iterdir() if each.name.startswith("a."))
    assert names == ["a.log", *(f"a.log.{age}" for age in range(1, KEPT + 1))]
    assert [(tmp_path / name).read_text(encoding="utf-8")[0] for name in names] == ["9", "8", "7"]


def test_no_file_grows_beyond_its_size(files: MakeFiles, tmp_path: Path) -> None:
    logs = Logs()
    writer = files(logs, tmp_path, max_file=1000)
    for _ in range(500):
        logs.of("a").write("x" * 50)
    writer.close()
    assert all(each.stat().st_size <= 1000 for each in tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_said_once(
    files: MakeFiles, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    logs = Logs()
    writer = files(logs, tmp_path / "file" / "logs")
    for name in "abc":
        logs.of(name).write("1")
    writer.close()
    assert caplog.text.count("cannot write log files") == 1


def test_after_the_end_nothing_is_written(files: MakeFiles, tmp_path: Path) -> None:
    logs = Logs()
    writer = files(logs, tmp_path)
    writer.close()
    writer.close()
    logs.of("a").write("1")
    assert not (tmp_path / "a.log").exists()


class TestNames:
    @pytest.mark.parametrize("name", ["qmdesk", "qwen3-8b", "gemma_27b.Q4"])
    def test_plain_ones_stay(self, name: str) -> None:
        assert file_name(name) == name

    @pytest.mark.parametrize(
        "name", ["a/b", "../x", "gemma:27b", "m@fp8", "", ".", "con", "x" * 300]
    )
    def test_others_become_safe(self, name: str) -> None:
        safe = file_name(name)
        assert safe
        assert not set(safe) & set('/\\:*?"<>|@ ')
        assert not safe.startswith(".")
        assert len(safe) <= 100

    def test_different_names_have_different_files(self) -> None:
        names = ("a/b", "a:b", "a_b", "a b")
        assert len({file_name(name) for name in names}) == len(names)


def test_they_go_where_the_system_keeps_them() -> None:
    assert "qmdesk" in str(log_folder())
