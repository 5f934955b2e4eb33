"""The whole application on a desk of its own: real tray, real notifications, real models."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.conftest import fake, pid_runs, until
from tests.desktop.desk import Desk, missing, python, wait_for
from tests.desktop.session_bus import SessionBus

pytestmark = [
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
    pytest.mark.timeout(120),
]
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk() as made:
        yield made


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


class App:
    """``qmdesk`` as it is started by a double click, and its gateway."""

    def __init__(self, desk: Desk, text: str, folder: Path) -> None:
        self.listen = free_address()
        config = folder / "config.yaml"
        config.write_text(text, encoding="utf-8")
        self.command = python("-m", "qmdesk", "--config", str(config), "--listen", self.listen)
        self.process: subprocess.Popen[str] = desk.start(*self.command)

    async def listening(self, http: aiohttp.ClientSession) -> None:
        """Return when it answers."""
        while True:
            with contextlib.suppress(aiohttp.ClientConnectionError):
                async with http.get(f"http://{self.listen}/health") as response:
                    assert response.status == 200
                    return
            await asyncio.sleep(0.02)

    async def chat(self, http: aiohttp.ClientSession, model: str) -> str:
        body = {"model": model, "messages": HELLO}
        address = f"http://{self.listen}/v1/chat/completions"
        async with http.post(address, json=body) as response:
            answer = await response.json()
        assert response.status == 200, answer
        text: str = answer["choices"][0]["message"]["content"]
        return text

    async def pids(self, http: aiohttp.ClientSession) -> dict[str, int]:
        async with http.get(f"http://{self.listen}/running") as response:
            rows = (await response.json())["running"]
        return {row["model"]: row["pid"] for row in rows}


async def test_a_day_with_the_tray(desk: Desk, real_text: str, tmp_path: Path) -> None:
    """Load, evict and be told, unload by the menu, quit: nothing is left."""
    async with (
        asyncio.timeout(100),
        SessionBus(desk.bus_address) as bus,
        aiohttp.ClientSession() as http,
    ):
        app = App(desk, real_text, tmp_path)
        item = await bus.item()
        await app.listening(http)
        assert await app.chat(http, "alpha") == "alpha model speaking here"
        assert await app.chat(http, "beta") == "beta answers this time"
        note = await bus.note()
        assert "alpha" in note.title + note.text
        assert "beta" in note.title + note.text
        running = await app.pids(http)
        assert set(running) == {"beta"}
        await bus.choose(item, "beta", "Unload")
        await until(lambda: not pid_runs(running["beta"]))
        await bus.choose(item, "alpha", "Start")
        while not (running := await app.pids(http)).get("alpha"):
            await asyncio.sleep(0.02)
        await bus.choose(item, "Quit")
        await until(lambda: app.process.poll() is not None)
        assert app.process.returncode == 0, desk.read_logs()
        assert not pid_runs(running["alpha"])


async def test_a_broken_configuration_is_shown_and_mended(
    desk: Desk, real_text: str, tmp_path: Path
) -> None:
    """The app is there all the same, says where it is wrong, and takes what is mended."""
    async with (
        asyncio.timeout(100),
        SessionBus(desk.bus_address) as bus,
        aiohttp.ClientSession() as http,
    ):
        app = App(desk, 'models:\n  alpha:\n    cmd: "llama-server\n', tmp_path)
        note = await bus.note()
        assert note.title == "The configuration was not applied"
        assert "config.yaml" in note.text
        await app.listening(http)
        body = {"model": "alpha", "messages": HELLO}
        address = f"http://{app.listen}/v1/chat/completions"
        async with http.post(address, json=body) as response:
            assert response.status == 503
            error = (await response.json())["error"]
        assert error["code"] == "config_unread"
        assert "from line 3 on" in error["message"]

        # A model that cannot be used is put aside as at any start: there is nothing to keep.
        text = f"{real_text}\n  useless: {{cmd: [1, 2]}}\n"
        (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
        assert (await bus.note()).title == "The changed configuration is in force"
        assert await app.chat(http, "alpha") == "alpha model speaking here"
        app.process.terminate()
        await until(lambda: app.process.poll() is not None)
        assert "Traceback" not in desk.read_logs()


async def test_a_configuration_that_is_not_there_ends_the_start(desk: Desk, tmp_path: Path) -> None:
    process = desk.start(
        *python("-m", "qmdesk", "--config", str(tmp_path / "none.yaml")),
        QT_QPA_PLATFORM="offscreen",
    )
    await until(lambda: process.poll() is not None)
    assert process.returncode == 1
    assert "none.yaml" in desk.read_logs()


async def test_an_evening_with_a_game(desk: Desk, tmp_path: Path) -> None:
    """The panel comes late; a model is loaded, evicted, unloaded; the card is freed."""
    text = f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
    async with (
        asyncio.timeout(100),
        SessionBus(desk.bus_address, panel=False) as bus,
        aiohttp.ClientSession() as http,
    ):
        app = App(desk, text, tmp_path)
        await app.listening(http)
        await bus.become_panel()
        item = await bus.item()
        stopped = await bus.item_property(item, "IconPixmap")

        async def line(start: str) -> None:
            while not (await bus.menu(item))[0].label.startswith(start):
                await asyncio.sleep(0.02)

        await line("No model loaded")
        await app.chat(http, "a")
        await line("1 model loaded")
        assert await bus.item_property(item, "IconPixmap") != stopped

        await app.chat(http, "b")
        note = await bus.note()
        assert note.title == "a was unloaded"
        assert "a was unloaded for b (asked by " in note.text
        # Why: without groups, one model at a time.
        assert note.text.endswith(".")
        assert ":" in note.text
        assert "Load again" in note.actions
        pids = await app.pids(http)
        assert set(pids) == {"b"}

        await bus.choose(item, "b", "Unload")
        await until(lambda: not pid_runs(pids["b"]))
        bus.press(note, "load")
        while not (pids := await app.pids(http)).get("a"):
            await asyncio.sleep(0.02)

        await bus.choose(item, "Free the card", "2 hours")
        await until(lambda: not pid_runs(pids["a"]))
        await line("Paused until")
        body = {"model": "a", "messages": HELLO}
        async with http.post(f"http://{app.listen}/v1/chat/completions", json=body) as response:
            assert response.status == 503
            assert 7000 < int(response.headers["Retry-After"]) <= 7200
            error = (await response.json())["error"]
        assert "qmdesk is paused by qmdesk until" in error["message"]
        await bus.choose(item, "Resume")
        await app.chat(http, "a")
        pids = await app.pids(http)

        await bus.choose(item, "Quit")
        await until(lambda: app.process.poll() is not None)
        assert app.process.returncode == 0, desk.read_logs()
        assert not pid_runs(pids["a"])
        assert "Traceback" not in desk.read_logs()


async def test_unload_is_clicked_with_the_mouse(desk: Desk, real_text: str, tmp_path: Path) -> None:
    desk.start_trayer()
    async with asyncio.timeout(100), aiohttp.ClientSession() as http:
        app = App(desk, real_text, tmp_path)
        await app.listening(http)
        await app.chat(http, "alpha")
        pid = (await app.pids(http))["alpha"]

        def click() -> None:
            desk.open_menu(app.process.pid)
            # The status line cannot be chosen: the first entry is the first model.
            desk.key("Down")
            desk.key("Right")
            wait_for(lambda: len(desk.shown(app.process.pid)) > 1, "the submenu")
            left, top, width, height = desk.shown(app.process.pid)[-1]
            # Eight entries and two separators: Unload is the second.
            desk.click(left + width // 3, round(top + 1.5 * height / 9.2))

        # The menu follows the model's state a moment later; until then the entry is grey.
        while pid_runs(pid):
            await asyncio.to_thread(click)
            with contextlib.suppress(TimeoutError):
                await until(lambda: not pid_runs(pid), 2)
            desk.key("Escape", "Escape")
        app.process.terminate()
        await until(lambda: app.process.poll() is not None)
        assert app.process.returncode == 0


async def test_kill_9_leaves_no_server(desk: Desk, real_text: str, tmp_path: Path) -> None:
    async with (
        asyncio.timeout(100),
        SessionBus(desk.bus_address) as bus,
        aiohttp.ClientSession() as http,
    ):
        app = App(desk, real_text, tmp_path)
        await app.listening(http)
        await bus.item()
        await app.chat(http, "alpha")
        pid = (await app.pids(http))["alpha"]
        os.kill(app.process.pid, signal.SIGKILL)
        await until(lambda: not pid_runs(pid), 5)


async def test_a_taken_port_is_told_and_the_app_ends(
    desk: Desk, real_text: str, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        config = tmp_path / "config.yaml"
        config.write_text(real_text, encoding="utf-8")
        app = desk.start(
            *python("-m", "qmdesk", "--config", str(config), "--listen", listen),
            QT_QPA_PLATFORM="offscreen",
        )
        await until(lambda: app.poll() is not None)
    assert app.returncode == 1
    assert f"cannot listen on {listen}" in desk.read_logs()
    assert "Traceback" not in desk.read_logs()
