"""What a process tells of itself."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from qmdesk.events import StopReason
from qmdesk.process import StartFailed
from qmdesk.process.launch import Launch
from tests.conftest import until
from tests.process.conftest import Make, fake, shell


async def test_while_it_runs_and_after(make: Make) -> None:
    server = make(shell("FAKE & wait"))
    process = server.process
    assert (process.pid, process.argv, process.returncode) == (None, (), None)
    assert await process.pids() == ()
    began = time.time()
    await process.start()
    assert process.pid is not None
    pids = await process.pids()
    assert pids[0] == process.pid
    assert len(pids) == 2
    assert process.started_at is not None
    assert process.ready_at is not None
    assert began <= process.started_at <= process.ready_at <= time.time()
    assert process.load_seconds is not None
    assert 0 < process.load_seconds <= process.ready_at - began
    assert process.exit_status is None
    await process.stop(StopReason.MANUAL, 5.0)
    assert process.pid is None
    assert process.started_at is process.ready_at is None
    assert process.exit_status == "was ended by SIGTERM (ended from outside)"
    assert process.load_seconds is not None
    await process.start()
    assert process.exit_status is None


async def test_the_command_is_shown_without_its_secrets(make: Make) -> None:
    server = make(
        ("sh", "-c", "exit 1", "--api-key", "sk-1", "--hf-token=hf-2", "A_KEY=3", "-e", "B_TOKEN=4")
    )
    shown = "sh -c exit 1 --api-key *** --hf-token=*** A_KEY=*** -e B_TOKEN=***"
    assert server.process.command_line() == shown
    with pytest.raises(StartFailed):
        await server.process.start()
    assert server.log.lines()[0] == f"[qmdesk] starting: {shown}"


async def test_the_log_has_a_mark_for_each_start_and_each_end(make: Make) -> None:
    server = make(fake("--prints", "hello"))
    for _ in range(2):
        await server.process.start()
        await server.process.stop(StopReason.TTL, 5.0)
    lines = server.log.lines()
    assert sum(line.startswith("[qmdesk] starting: ") for line in lines) == 2
    assert lines.count("hello") == 2
    assert lines.count("[qmdesk] stopped: ttl") == 2


async def test_a_flood_of_output_neither_hangs_nor_fills_the_memory(make: Make) -> None:
    server = make(fake("--floods", 32))
    await server.process.start()
    await until(lambda: server.wrote("listens"))
    assert sum(map(len, server.log.lines())) <= 1 << 20


async def test_what_runs_may_be_older_than_the_configuration(make: Make) -> None:
    server = make()
    await server.process.start()
    assert not server.process.outdated
    server.process.model = make(fake("--prints", "new")).process.model
    assert server.process.outdated


class TestLaunch:
    def of(self, cmd: tuple[str, ...], port: int | None = None, **more: str) -> Launch:
        from qmdesk.config import Model

        return Launch.of(Model(id="m", cmd=cmd, **more), port)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("cmd", "port", "proxy", "own"),
        [
            (("serve", "--port", "${PORT}"), 5800, "http://127.0.0.1:${PORT}", 5800),
            (("serve", "--port", "9999"), None, "http://localhost:9999", 9999),
            (("serve", "--port=9999"), None, "http://127.0.0.1:9999/base", 9999),
            (("serve", "-p", "9999:80"), None, "http://127.0.0.1:9999", 9999),
            (("serve", "--port", "19999"), None, "http://127.0.0.1:9999", None),
            (("true",), None, "http://127.0.0.1:9999", None),
            (("serve", "--port", "9999"), None, "http://10.0.0.5:9999", None),
            (("serve",), None, "http://127.0.0.1", None),
        ],
    )
    def test_whose_port_it_is(
        self, cmd: tuple[str, ...], port: int | None, proxy: str, own: int | None
    ) -> None:
        assert self.of(cmd, port, proxy=proxy).own_port == own

    @pytest.mark.parametrize(
        ("cmd", "is_one"),
        [
            (("/opt/llama/llama-server", "-m", "x.gguf"), True),
            (("nice", "-n", "5", "ionice", "llama-server.exe"), True),
            (("sh", "-c", "exec llama-server --port 1"), True),
            (("python", "-m", "qmdesk.llama_server"), True),
            (("vllm", "serve"), False),
        ],
    )
    def test_which_are_llama_servers(self, cmd: tuple[str, ...], is_one: bool) -> None:
        assert self.of(cmd).llama_server == is_one

    def test_the_folder_is_home_or_as_written(self) -> None:
        assert self.of(("x",)).folder == str(Path.home())
        assert self.of(("x",), cwd="~/models").folder == str(Path.home() / "models")
