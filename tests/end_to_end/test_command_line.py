"""The commands as a user types them: what they print and how they end."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from qmdesk import __version__
from tests.conftest import environment, fake, pid_runs, until


def qmdesk(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qmdesk", *arguments],
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text(
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n",
        encoding="utf-8",
    )
    return file


@asynccontextmanager
async def serving(
    config: Path, *options: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A headless qmdesk as a process of its own, and its address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "qmdesk",
        "serve",
        "--config",
        str(config),
        "--listen",
        "127.0.0.1:0",
        *options,
        env=environment(),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        while not (line := (await process.stderr.readline()).decode()).startswith("qmdesk "):
            assert line, "it ended before it listened"
        yield process, line.split(" at ")[1].strip().removesuffix("/v1")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]


def test_version() -> None:
    assert qmdesk("--version").stdout == f"qmdesk {__version__}\n"


def test_the_schema_is_json_and_names_the_keys() -> None:
    schema = json.loads(qmdesk("schema").stdout)
    assert {"models", "groups", "listen", "globalTTL"} <= set(schema["properties"])


class TestCheck:
    def test_a_good_file(self, config: Path) -> None:
        run = qmdesk("check", str(config))
        assert (run.returncode, run.stdout) == (0, "")
        assert run.stderr == f"{config}: 2 models, no errors\n"

    def test_every_mistake_on_a_line_of_its_own(self, tmp_path: Path) -> None:
        file = tmp_path / "bad.yaml"
        file.write_text(
            "models:\n  a:\n    cmd: run --port ${PORT} ${nowhere}\n    ttl: soon\n"
            "  b:\n    cmd: run --port 9000\n",
            encoding="utf-8",
        )
        run = qmdesk("check", str(file))
        assert run.returncode == 1
        lines = run.stdout.splitlines()
        assert len(lines) == 3
        assert all(line.startswith(f"{file}:") and ": error: " in line for line in lines)
        assert run.stderr == "3 errors\n"

    def test_broken_yaml(self, tmp_path: Path) -> None:
        file = tmp_path / "bad.yaml"
        file.write_text("models:\n  a: {cmd: x --port ${PORT}, ttl: 60}\n", encoding="utf-8")
        run = qmdesk("check", str(file))
        assert run.returncode == 1
        assert run.stdout.startswith(f"{file}:2:")

    def test_a_matrix_that_makes_no_sense(self, config: Path) -> None:
        with config.open("a", encoding="utf-8") as file:
            file.write("matrix: {sets: {one: 'a & (b', two: +three}}\n")
        run = qmdesk("check", str(config))
        assert run.returncode == 1
        assert f"{config}:4:" in run.stdout
        assert 'matrix set "one"' in run.stdout

    def test_unknown_keys_are_warnings_or_with_strict_errors(self, config: Path) -> None:
        with config.open("a", encoding="utf-8") as file:
            file.write("gloablTTL: 60\n")
        run = qmdesk("check", str(config))
        assert run.returncode == 0
        assert f"{config}:4:1: warning: " in run.stdout
        assert "globalTTL" in run.stdout
        run = qmdesk("check", "--strict", str(config))
        assert run.returncode == 1
        assert f"{config}:4:1: error: " in run.stdout

    def test_a_folder_of_files(self, config: Path, tmp_path: Path) -> None:
        folder = tmp_path / "more"
        folder.mkdir()
        (folder / "c.yaml").write_text(
            f"models:\n  c: {{cmd: {fake(name='c')}}}\n", encoding="utf-8"
        )
        run = qmdesk("check", "--config-dir", str(folder))
        assert run.stderr == f"{folder}: 1 model, no errors\n"
        run = qmdesk("check", str(config), "--config-dir", str(folder))
        assert run.stderr == f"{config}: 3 models, no errors\n"

    def test_a_missing_file(self, tmp_path: Path) -> None:
        run = qmdesk("check", str(tmp_path / "none.yaml"))
        assert run.returncode == 1
        assert "there is no such file" in run.stdout
        assert "Traceback" not in run.stderr

    def test_the_first_configuration_is_made_where_there_is_none(self, tmp_path: Path) -> None:
        run = qmdesk("serve", "--listen", "256.0.0.1:0", XDG_CONFIG_HOME=str(tmp_path))
        assert run.returncode == 1
        made = tmp_path / "qmdesk" / "config.yaml"
        assert qmdesk("check", str(made)).returncode == 0


class TestServe:
    async def test_it_serves_and_the_commands_talk_to_it(self, config: Path) -> None:
        async with serving(config) as (process, address):
            here = address.removeprefix("http://")

            async def run(*arguments: str) -> str:
                done = await asyncio.to_thread(
                    qmdesk, *arguments, "--config", str(config), "--address", here
                )
                assert done.returncode == 0, done.stderr
                return done.stdout

            assert "a is ready" in await run("load", "a")
            assert "a  ready" in await run("status")
            assert "a listens on" in await run("logs", "a")
            assert "listening on" in await run("logs")
            assert "unloaded a" in await run("unload", "a")
            assert "nothing was loaded" in await run("unload")
            refused = await asyncio.to_thread(
                qmdesk, "load", "nobody", "--config", str(config), "--address", here
            )
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "there is no model 'nobody'" in refused.stderr
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0

    async def test_sigterm_lets_streams_end_and_leaves_nothing(self, config: Path) -> None:
        async with serving(config) as (process, address), aiohttp.ClientSession() as http:
            body = {"model": "a", "stream": True, "fake": {"tokens": 10, "delay": 0.05}}
            async with http.post(f"{address}/v1/chat/completions", json=body) as response:
                await response.content.readany()
                async with http.get(f"{address}/running") as running:
                    pid = (await running.json())["running"][0]["pid"]
                process.send_signal(signal.SIGTERM)
                assert (await response.content.read()).endswith(b"data: [DONE]\n\n")
            assert await process.wait() == 0
            assert not pid_runs(pid)

    async def test_kill_9_leaves_no_server(self, config: Path) -> None:
        async with serving(config) as (process, address), aiohttp.ClientSession() as http:
            async with http.post(f"{address}/v1/chat/completions", json={"model": "a"}) as response:
                assert response.status == 200
            async with http.get(f"{address}/running") as running:
                pid = (await running.json())["running"][0]["pid"]
            assert pid_runs(pid)
            process.kill()
            await process.wait()
            await until(lambda: not pid_runs(pid), 5)

    async def test_a_folder_that_gets_another_file(self, config: Path, tmp_path: Path) -> None:
        folder = tmp_path / "more"
        folder.mkdir()
        options = ("--config-dir", str(folder))
        (folder / "c.yaml").write_text("globalTTL: 60\n", encoding="utf-8")
        async with serving(config, *options) as (_, address), aiohttp.ClientSession() as http:
            text = f"models:\n  d: {{cmd: {fake(name='d')}}}\n"
            (folder / "d.yaml").write_text(text, encoding="utf-8")
            async with asyncio.timeout(10):
                names: list[str] = []
                while names != ["a", "b", "d"]:
                    async with http.get(f"{address}/v1/models") as response:
                        names = [model["id"] for model in (await response.json())["data"]]

    async def test_hangup_reads_the_configuration_again(self, config: Path) -> None:
        async with serving(config) as (process, address), aiohttp.ClientSession() as http:
            config.write_text(config.read_text().replace("  b:", "  c:"), encoding="utf-8")
            process.send_signal(signal.SIGHUP)

            async def names() -> list[str]:
                async with http.get(f"{address}/v1/models") as response:
                    return [model["id"] for model in (await response.json())["data"]]

            async with asyncio.timeout(10):
                while await names() != ["a", "c"]:
                    await asyncio.sleep(0.02)
            config.write_text("models: [", encoding="utf-8")
            process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(10):
                logs = ""
                while "error" not in logs:
                    async with http.get(f"{address}/logs") as response:
                        logs = await response.text()
            assert await names() == ["a", "c"]

    def test_a_taken_port_is_one_clear_message(self, config: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            listen = f"127.0.0.1:{taken.getsockname()[1]}"
            run = qmdesk("serve", "--config", str(config), "--listen", listen)
        assert run.returncode == 1
        assert f"cannot listen on {listen}" in run.stderr
        assert "Traceback" not in run.stderr

    def test_a_broken_configuration_is_told_with_its_place(self, tmp_path: Path) -> None:
        file = tmp_path / "bad.yaml"
        file.write_text("models: [\n", encoding="utf-8")
        run = qmdesk("serve", "--config", str(file))
        assert run.returncode == 1
        assert run.stderr.startswith(f"{file}:")
        assert "Traceback" not in run.stderr

    def test_qt_is_never_imported(self, config: Path) -> None:
        code = (
            "import sys, qmdesk.cli, qmdesk.instance, qmdesk.demo.demo\n"
            "sys.exit(any(m.startswith(('PySide6', 'qasync')) for m in sys.modules))"
        )
        assert (
            subprocess.run([sys.executable, "-c", code], env=environment(), check=False).returncode
            == 0
        )


class TestTalking:
    def test_nobody_there(self, config: Path) -> None:
        run = qmdesk("status", "--config", str(config), "--address", "127.0.0.1:9")
        assert (run.returncode, run.stdout) == (1, "")
        assert "no qmdesk answers at http://127.0.0.1:9" in run.stderr

    def test_bad_options(self) -> None:
        run = qmdesk("serve", "--listen", "nonsense")
        assert run.returncode == 2
        assert "HOST:PORT" in run.stderr


async def test_the_card_is_freed_and_given_back(config: Path) -> None:
    async with serving(config) as (_, address):

        async def ask(*words: str) -> subprocess.CompletedProcess[str]:
            return await asyncio.to_thread(
                qmdesk, *words, "--config", str(config), "--address", address
            )

        await ask("load", "a")
        paused = await ask("pause", "--minutes", "30")
        assert paused.stdout.startswith("paused until ")
        assert paused.stdout.endswith("; unloaded a\n")
        assert (await ask("status")).stdout.splitlines()[1].startswith("paused by qmdesk-cli until")
        refused = await ask("load", "a")
        assert refused.returncode == 1
        assert "qmdesk is paused by qmdesk-cli until" in refused.stderr
        unknown = await ask("pause", "--until", "no-such-game")
        assert (unknown.returncode, unknown.stdout) == (1, "")
        assert "no program called 'no-such-game' runs" in unknown.stderr
        assert (await ask("resume")).stdout.startswith("resumed")
        assert (await ask("resume")).stdout == "was not paused\n"
        assert (await ask("load", "a")).returncode == 0


async def test_diagnostics_are_collected_from_the_running_one_and_without(
    config: Path, tmp_path: Path
) -> None:
    text = config.read_text(encoding="utf-8")
    config.write_text(f"apiKeys: [planted-key]\n{text}", encoding="utf-8")

    async def collected(target: Path, *options: str) -> tuple[set[str], str, str]:
        command = ("diagnostics", str(target), "--config", str(config), *options)
        done = await asyncio.to_thread(qmdesk, *command)
        assert done.returncode == 0, done.stderr
        with zipfile.ZipFile(target) as archive:
            everything = b"".join(archive.read(each) for each in archive.namelist())
            assert b"planted-key" not in everything
            return set(archive.namelist()), done.stdout, done.stderr

    async with serving(config) as (_, address):
        names, shown, said = await collected(tmp_path / "one.zip", "--address", address)
        assert {"status.json", "logs/qmdesk.log", "configuration/01-config.yaml"} <= names
        assert all(name in shown for name in names)
        assert "look it over" in said
    names, _, said = await collected(tmp_path / "two.zip", "--address", address)
    assert "status.json" not in names
    assert "no qmdesk answers" in said
    config.write_text("models: {a: {cmdd: x}}", encoding="utf-8")
    names, _, _ = await collected(tmp_path / "three.zip", "--address", address)
    assert "about.txt" in names
    done = await asyncio.to_thread(qmdesk, "diagnostics", str(tmp_path / "missing" / "x.zip"))
    assert done.returncode == 1
    assert "cannot write" in done.stderr
