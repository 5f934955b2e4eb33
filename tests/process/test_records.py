"""What a qmdesk that crashed has left is ended by the next one, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from qmdesk.process.record import Entry, Records
from tests.conftest import pid_runs, until

Spawn = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts session leaders, as servers are; ends their sessions with the test."""
    made: list[subprocess.Popen[bytes]] = []

    def start(*argv: str, session: bool = True) -> subprocess.Popen[bytes]:
        made.append(
            subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=session,
                process_group=None if session else 0,
            )
        )
        return made[-1]

    yield start
    for each in made:
        if each.poll() is None:
            os.killpg(each.pid, signal.SIGKILL)
        each.wait()
        assert each.stdout is not None
        each.stdout.close()


def crashed(folder: Path, *servers: Entry, owner: Entry | None = None) -> Path:
    """The file that a qmdesk has left which no longer runs."""
    gone = owner or Entry(os.getpid(), 1.0, "qmdesk")
    file = folder / "999999.json"
    folder.mkdir(exist_ok=True)
    content = {"owner": asdict(gone), "servers": [asdict(each) for each in servers]}
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def entry(process: subprocess.Popen[bytes], shift: float = 0.0) -> Entry:
    found = Entry.of(process.pid, "llama-server", "m")
    assert found is not None
    return Entry(found.pid, found.started + shift, found.command, found.model)


class TestFile:
    def test_it_is_there_while_servers_run(self, tmp_path: Path, spawn: Spawn) -> None:
        records = Records(tmp_path / "servers")
        first, second = spawn("sleep", "60"), spawn("sleep", "60")
        for each in (first, second):
            records.add(each.pid, "sleep", "m")
        file = tmp_path / "servers" / f"{os.getpid()}.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        assert content["owner"]["pid"] == os.getpid()
        assert [each["pid"] for each in content["servers"]] == [first.pid, second.pid]
        records.remove(first.pid)
        assert file.exists()
        records.remove(second.pid)
        assert not file.exists()

    def test_a_folder_that_cannot_be_written_keeps_no_server(
        self, tmp_path: Path, spawn: Spawn, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "file").touch()
        records = Records(tmp_path / "file" / "servers")
        process = spawn("sleep", "60")
        records.add(process.pid, "sleep", "m")
        records.remove(process.pid)
        assert "cannot note the running servers" in caplog.text


class TestSweep:
    async def test_a_server_that_still_runs_is_ended_with_its_tree(
        self, tmp_path: Path, spawn: Spawn
    ) -> None:
        process = spawn("sh", "-c", "sleep 60 & setsid sleep 60 & wait")
        leader = psutil.Process(process.pid)
        await until(lambda: len(leader.children()) == 2)
        tree = [process.pid, *(each.pid for each in leader.children())]
        file = crashed(tmp_path, entry(process))
        ended = Records(tmp_path).sweep()
        assert ended == (f"m (llama-server, process {process.pid})",)
        await until(lambda: not any(pid_runs(pid) for pid in tree))
        assert not file.exists()

    async def test_a_group_that_has_outlived_its_leader_is_ended(
        self, tmp_path: Path, spawn: Spawn
    ) -> None:
        process = spawn("sh", "-c", "sleep 60 & echo $!; read x; exit 0")
        assert process.stdout is not None
        member = int(process.stdout.readline())
        noted = entry(process)
        process.wait()
        assert pid_runs(member)
        crashed(tmp_path, noted)
        assert len(Records(tmp_path).sweep()) == 1
        await until(lambda: not pid_runs(member))

    @pytest.mark.parametrize("shift", [-100.0, 100.0])
    def test_a_stranger_with_the_number_is_left_alone(
        self, tmp_path: Path, spawn: Spawn, shift: float
    ) -> None:
        process = spawn("sleep", "60")
        crashed(tmp_path, entry(process, shift))
        assert Records(tmp_path).sweep() == ()
        assert process.poll() is None

    def test_a_group_with_an_older_member_is_a_strangers(
        self, tmp_path: Path, spawn: Spawn
    ) -> None:
        process = spawn("sh", "-c", "sleep 60 & echo $!; read x; exit 0")
        assert process.stdout is not None
        member = int(process.stdout.readline())
        noted = entry(process, 100.0)
        process.wait()
        crashed(tmp_path, noted)
        assert Records(tmp_path).sweep() == ()
        assert pid_runs(member)
        os.kill(member, signal.SIGKILL)

    def test_a_group_of_another_session_is_a_strangers(self, tmp_path: Path, spawn: Spawn) -> None:
        # As a shell's job: it leads a group, but no session.
        process = spawn("sh", "-c", "sleep 60 & echo $!; read x; exit 0", session=False)
        assert process.stdout is not None
        member = int(process.stdout.readline())
        noted = entry(process)
        process.wait()
        assert os.getpgid(member) == process.pid
        crashed(tmp_path, noted)
        assert Records(tmp_path).sweep() == ()
        assert pid_runs(member)
        os.kill(member, signal.SIGKILL)

    def test_before_the_system_started_there_was_none_of_these(
        self, tmp_path: Path, spawn: Spawn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        process = spawn("sh", "-c", "sleep 60 & echo $!; read x; exit 0")
        assert process.stdout is not None
        member = int(process.stdout.readline())
        noted = entry(process)
        process.wait()
        monkeypatch.setattr(psutil, "boot_time", lambda: noted.started + 60)
        crashed(tmp_path, noted)
        assert Records(tmp_path).sweep() == ()
        os.kill(member, signal.SIGKILL)

    def test_the_servers_of_one_that_runs_are_its_own(self, tmp_path: Path, spawn: Spawn) -> None:
        process = spawn("sleep", "60")
        file = crashed(tmp_path, entry(process), owner=Entry.of(os.getpid(), "qmdesk"))
        assert Records(tmp_path).sweep() == ()
        assert process.poll() is None
        assert file.exists()

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"owner": 1, "servers": 2}', "\0"])
    def test_a_file_of_any_content_is_cleared_away(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "5.json").write_text(text, encoding="utf-8")
        assert Records(tmp_path).sweep() == ()
        assert list(tmp_path.iterdir()) == []

    def test_without_a_folder_there_is_nothing(self, tmp_path: Path) -> None:
        assert Records(tmp_path / "none").sweep() == ()
