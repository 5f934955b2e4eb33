"""However qmdesk ends, its servers end with it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from qmdesk.process import lifeline, supervisor
from qmdesk.process.lifeline import Lifeline
from tests.conftest import environment, pid_runs, until
from tests.process.conftest import Make, fake, free_port, shell

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@dataclass
class Lone:
    """A qmdesk without a face, in a process of its own."""

    popen: subprocess.Popen[str]
    server: int
    supervisor: int
    tree: tuple[int, ...]
    """The server and all that it has started."""

    def left(self) -> list[int]:
        return [pid for pid in (*self.tree, self.supervisor) if pid_runs(pid)]


class Lones:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[Lone] = []

    async def start(self, cmd: tuple[str, ...], processes: int) -> Lone:
        config = json.dumps({"startPort": free_port(), "models": {"m": {"cmd": list(cmd)}}})
        popen = subprocess.Popen(
            (sys.executable, "-m", "tests.process.lone_router", str(self.folder), config),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert popen.stdout is not None
        server, supervisor = map(int, popen.stdout.readline().split())
        leader = psutil.Process(server)
        await until(lambda: len(leader.children(recursive=True)) >= processes - 1)
        tree = (server, *(each.pid for each in leader.children(recursive=True)))
        self.made.append(Lone(popen, server, supervisor, tree))
        return self.made[-1]


@pytest.fixture
def lones(tmp_path: Path) -> Iterator[Lones]:
    made = Lones(tmp_path / "servers")
    yield made
    for each in made.made:
        each.popen.kill()
        each.popen.wait()
        for pipe in (each.popen.stdin, each.popen.stdout):
            assert pipe is not None
            pipe.close()
        for pid in each.left():
            os.kill(pid, signal.SIGKILL)


class TestKilled:
    """By a signal that nobody can catch."""

    @pytest.mark.parametrize(
        ("cmd", "processes"),
        [
            pytest.param(fake("--ignore-term"), 1, id="plain"),
            pytest.param(shell("FAKE --ignore-term & wait"), 2, id="wrapper"),
            pytest.param(fake("--fork"), 2, id="grandchild"),
            pytest.param(fake("--fork", "--fork-escapes"), 2, id="grandchild in its own session"),
            pytest.param(shell("FAKE --fork --fork-escapes & wait"), 3, id="all at once"),
        ],
    )
    async def test_nothing_is_left(
        self, lones: Lones, cmd: tuple[str, ...], processes: int
    ) -> None:
        lone = await lones.start(cmd, processes)
        assert len(lone.tree) == processes
        lone.popen.kill()
        await until(lambda: not lone.left(), 10.0)

    async def test_without_the_supervisor_the_server_itself_ends_on_linux(
        self, lones: Lones
    ) -> None:
        if sys.platform != "linux":
            pytest.skip("only Linux has a signal for it")
        lone = await lones.start(fake("--ignore-term"), 1)
        os.kill(lone.supervisor, signal.SIGKILL)
        lone.popen.kill()
        await until(lambda: not lone.left(), 10.0)


class TestEnded:
    async def test_a_clean_end_ends_the_supervisor_too(self, lones: Lones) -> None:
        lone = await lones.start(fake(), 1)
        lone.popen.communicate("", timeout=20)
        assert lone.popen.returncode == 0
        await until(lambda: not lone.left(), 10.0)


class TestSupervisor:
    async def test_signals_that_mean_us_do_not_end_it(self, lones: Lones) -> None:
        lone = await lones.start(fake("--fork", "--fork-escapes"), 2)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(lone.supervisor, number)
        lone.popen.kill()
        await until(lambda: not lone.left(), 10.0)

    @linux
    async def test_it_holds_nothing_of_ours(self, make: Make) -> None:
        await make().process.start()
        pid = lifeline.shared().pid
        assert pid is not None
        assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1", "2"]
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert os.getsid(pid) == pid

    async def test_it_is_none_of_the_servers_processes(self, make: Make) -> None:
        server = make()
        await server.process.start()
        assert await server.process.pids() == (server.process.pid,)

    async def test_one_serves_all_servers(self, make: Make) -> None:
        servers = [make(), make()]
        await asyncio.gather(*(each.process.start() for each in servers))
        me = psutil.Process()
        found = [each for each in me.children() if any("supervisor" in w for w in each.cmdline())]
        assert [each.pid for each in found] == [lifeline.shared().pid]

    @pytest.mark.parametrize("frozen", [False, True])
    async def test_the_bundle_starts_it_by_a_hidden_word(self, frozen: bool) -> None:
        command = lifeline.command(frozen=frozen)
        if frozen:
            assert command[1:] == ("supervise",)
            command = (sys.executable, "-m", "qmdesk", *command[1:])
        charge = subprocess.Popen(("sleep", "60"), start_new_session=True)
        helper = subprocess.Popen(
            command, env=environment(), stdin=subprocess.PIPE, start_new_session=True
        )
        try:
            await asyncio.to_thread(helper.communicate, f"add {charge.pid}\n".encode(), 20)
            assert helper.returncode == 0
            assert await asyncio.to_thread(charge.wait, 10) == -signal.SIGKILL
        finally:
            charge.kill()
            charge.wait()

    @linux
    def test_the_hidden_word_loads_little(self) -> None:
        """It lives as long as qmdesk: it must cost next to nothing."""
        code = (
            "import sys; sys.argv = ['qmdesk', 'supervise']\n"
            "from qmdesk.__main__ import main\n"
            "try: main()\n"
            "except SystemExit: pass\n"
            "print([each for each in ('asyncio', 'aiohttp', 'psutil') if each in sys.modules])"
        )
        done = subprocess.run(
            (sys.executable, "-c", code),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "[]\n"


class TestLifeline:
    @pytest.fixture
    def line(self) -> Iterator[Lifeline]:
        made = Lifeline()
        yield made
        made.close()

    @pytest.fixture
    def charge(self) -> Iterator[subprocess.Popen[bytes]]:
        made = subprocess.Popen(("sleep", "60"), start_new_session=True)
        yield made
        made.kill()
        made.wait()

    def test_it_starts_with_the_first_server(
        self, line: Lifeline, charge: subprocess.Popen[bytes]
    ) -> None:
        assert line.pid is None
        line.tie(charge.pid)
        assert line.pid is not None

    def test_closing_it_ends_what_is_tied(
        self, line: Lifeline, charge: subprocess.Popen[bytes]
    ) -> None:
        line.tie(charge.pid)
        line.close()
        assert charge.wait(10) == -signal.SIGKILL

    def test_what_has_been_untied_lives_on(
        self, line: Lifeline, charge: subprocess.Popen[bytes]
    ) -> None:
        line.tie(charge.pid)
        line.untie(charge.pid)
        line.close()
        assert charge.poll() is None

    def test_one_that_was_killed_is_started_anew_with_all_that_is_tied(
        self, line: Lifeline, charge: subprocess.Popen[bytes]
    ) -> None:
        line.tie(charge.pid)
        first = line.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        psutil.Process(first).wait(10)
        with subprocess.Popen(("sleep", "60"), start_new_session=True) as other:
            line.tie(other.pid)
            assert line.pid not in (None, first)
            line.close()
            assert other.wait(10) == -signal.SIGKILL
        assert charge.wait(10) == -signal.SIGKILL

    def test_where_it_cannot_start_servers_start_all_the_same(
        self, line: Lifeline, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(lifeline, "command", lambda: ("/no/such/python",))
        line.tie(1)
        line.tie(2)
        assert line.pid is None
        assert caplog.text.count("servers are not ended if qmdesk is killed") == 1


class TestCharges:
    """Whom the supervisor ends, on process tables of the test's own."""

    def ended(
        self, *tables: supervisor.Table, add: tuple[int, ...] = (10,), remove: int = 0
    ) -> list[int]:
        """Who is killed: the first table is seen at the adding, the last one at the end."""
        table = dict(tables[0])
        killed: list[int] = []

        def kill(pid: int, number: int) -> None:
            killed.append(pid)
            del table[pid]

        charges = supervisor.Charges(lambda: table, table.get, kill)
        for pid in add:
            charges.obey(f"add {pid}")
        if remove:
            charges.obey(f"remove {remove}")
        for later in tables[1:]:
            table.clear()
            table.update(later)
            if later is not tables[-1]:
                charges.look()
        charges.end()
        return sorted(killed)

    def test_the_group_and_its_descendants(self) -> None:
        table = {
            10: (1, 10, "a"),
            11: (10, 10, "b"),
            12: (11, 12, "c"),
            13: (12, 13, "d"),
            20: (1, 20, "e"),
        }
        assert self.ended(table) == [10, 11, 12, 13]

    def test_a_group_that_has_lost_its_leader(self) -> None:
        before = {10: (1, 10, "a"), 11: (10, 10, "b")}
        assert self.ended(before, {11: (1, 10, "b"), 12: (11, 12, "c")}) == [11, 12]

    def test_a_group_whose_leader_had_ended_before_it_was_added(self) -> None:
        assert self.ended({11: (1, 10, "b")}) == [11]

    def test_one_that_was_seen_before_its_parent_died(self) -> None:
        before = {10: (1, 10, "a"), 11: (10, 11, "b")}
        assert self.ended({10: (1, 10, "a")}, before, {11: (1, 11, "b")}) == [11]

    def test_a_stranger_with_the_number_is_left_alone(self) -> None:
        assert self.ended({10: (1, 10, "a")}, {10: (1, 10, "z"), 11: (10, 10, "y")}) == []

    def test_a_stranger_with_a_descendants_number_too(self) -> None:
        before = {10: (1, 10, "a"), 11: (10, 11, "b")}
        assert self.ended({10: (1, 10, "a")}, before, {11: (1, 11, "z")}) == []

    def test_what_was_removed_is_left_alone(self) -> None:
        table = {10: (1, 10, "a"), 20: (1, 20, "b")}
        assert self.ended(table, add=(10, 20), remove=10) == [20]

    def test_what_it_does_not_understand_it_leaves(self) -> None:
        charges = supervisor.Charges(dict, lambda pid: None)
        for line in ("", "add", "add x", "add -1", "end 5", "remove 7"):
            charges.obey(line)
        assert not charges

    def test_what_ps_says_is_read(self) -> None:
        output = (
            "    1     0     1 Ss   Mon Nov  3 08:00:00 2025\n"
            "  321     1   321 Z    Mon Nov  3 08:00:01 2025    \n"
            "  322     1   321 S+   Mon Nov  3 08:00:02 2025    \n"
        )
        assert supervisor.parse_ps(output) == {
            1: (0, 1, "Mon Nov  3 08:00:00 2025"),
            322: (1, 321, "Mon Nov  3 08:00:02 2025"),
        }

    def test_the_real_table_has_us(self) -> None:
        me = psutil.Process()
        row = supervisor.process_table()[me.pid]
        assert row[:2] == (me.ppid(), os.getpgid(0))
        assert row == supervisor.process_row(me.pid)
