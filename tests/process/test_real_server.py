"""A real llama-server, with the habits that it has."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from qmdesk.demo import tiny_gguf
from qmdesk.events import ModelState, StopReason
from qmdesk.process import StartAborted, StartFailed, stop
from tests.conftest import pid_runs, until
from tests.process.conftest import Make

pytest.importorskip("xllamacpp")

ROOT = Path(__file__).parents[2]


def command(file: Path) -> dict[str, object]:
    words = (sys.executable, "-m", "qmdesk.llama_server", "-m", str(file), "--port", "${PORT}")
    return {"cmd": (*words, "-t", "1"), "env": (f"PYTHONPATH={ROOT}",)}


async def test_it_gets_ready_and_stops_when_asked(make: Make, tmp_path: Path) -> None:
    tiny_gguf.write(tmp_path / "m.gguf")
    server = make(**command(tmp_path / "m.gguf"))
    await server.process.start()
    assert server.process.load_bytes
    async with asyncio.timeout(30):
        await server.process.stop(StopReason.MANUAL, 20.0)
    assert server.process.returncode == 0


async def test_an_open_stream_does_not_keep_it(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "SECOND_TERM", 0.5)
    tiny_gguf.write(tmp_path / "m.gguf", loop=True)
    server = make(**command(tmp_path / "m.gguf"))
    await server.process.start()
    pid, port = server.pid(), server.process.port
    assert port is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"messages": [{"role": "user", "content": "x"}], "stream": True}).encode()
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body) + body
    )
    await reader.readuntil(b"data: ")
    async with asyncio.timeout(30):
        await server.process.stop(StopReason.EVICT, 20.0)
    assert not pid_runs(pid)
    writer.close()


async def test_a_broken_model_says_what_is_wrong_with_it(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    tiny_gguf.write(file)
    file.write_bytes(file.read_bytes()[:2000])
    server = make(**command(file))
    with pytest.raises(StartFailed) as caught:
        await server.process.start()
    message = str(caught.value)
    assert "ended with code 1 before it was ready" in message
    assert "broken.gguf" in message


async def test_it_is_stopped_while_it_loads(make: Make, tmp_path: Path) -> None:
    tiny_gguf.write(tmp_path / "m.gguf", size_mb=60)
    server = make(**command(tmp_path / "m.gguf"))
    waiting = asyncio.ensure_future(server.process.start())
    await until(lambda: server.process.pid)
    pid = server.pid()
    await server.process.stop(StopReason.MANUAL, 20.0)
    assert not pid_runs(pid)
    with pytest.raises(StartAborted):
        await waiting
    assert server.process.state is ModelState.STOPPED
