"""The tray on a real X screen: both roads that Qt knows, with real clicks and a real bus."""

from __future__ import annotations

import asyncio
import queue
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.desktop.desk import PATIENCE, Desk, missing, python, wait_for
from tests.desktop.session_bus import SessionBus

pytestmark = [
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
    pytest.mark.timeout(120),
]


class App:
    """The app as a process of its own; its lines are waited for."""

    def __init__(self, desk: Desk, *args: str, **env: str) -> None:
        self._desk = desk
        self.process: subprocess.Popen[str] = desk.start(
            *python("-m", "tests.desktop.fake_app", *args), interactive=True, **env
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def expect(self, line: str) -> None:
        """Wait until the app prints ``line``; others before it are skipped."""
        seen = []
        while True:
            try:
                seen.append(self._lines.get(timeout=PATIENCE))
            except queue.Empty:
                raise AssertionError(
                    f"no {line!r} among {seen}\n{self._desk.read_logs()}"
                ) from None
            if seen[-1] == line:
                return

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def wait(self) -> int:
        """The exit code, once it has ended."""
        return self.process.wait(PATIENCE)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk() as made:
        yield made


@pytest.fixture
async def bus(desk: Desk) -> AsyncIterator[SessionBus]:
    async with SessionBus(desk.bus_address) as made, asyncio.timeout(100):
        yield made


# XEmbed


def icon(desk: Desk) -> tuple[int, int]:
    return wait_for(desk.tray_icons, "the icon in the tray")[0]


def test_the_menu_opens_in_a_tray_and_unloads(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk)
    app.expect("started")
    desk.open_menu(app.pid)
    # The status line cannot be chosen: the first entry is the first model.
    desk.key("Down")
    desk.key("Right")
    wait_for(lambda: len(desk.shown(app.pid)) > 1, "the submenu")
    x, y, width, height = desk.shown(app.pid)[-1]
    # Eight entries and two separators: Unload is the second.
    row = height / 9.2
    desk.click(x + width // 3, round(y + 1.5 * row))
    app.expect("call unload qwen3-30b-a3b")
    app.process.terminate()
    app.expect("stopped")
    assert app.wait() == 0


def test_the_icon_is_there_before_all_the_rest(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk, "--slow")

    def menu_height() -> int:
        height = desk.open_menu(app.pid)[3]
        desk.key("Escape")
        wait_for(lambda: not desk.shown(app.pid), "the menu's end")
        return height

    early = menu_height()
    app.tell("go on")
    app.expect("started")
    # The same icon and menu now have more to offer.
    wait_for(lambda: menu_height() > 2 * early, "the whole menu")


def test_quit_in_the_first_menu_ends_the_start(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk, "--slow")
    desk.open_menu(app.pid)
    # The first line cannot be chosen.
    desk.key("Down", "Return")
    app.tell("go on")
    app.expect("stopped")
    assert app.wait() == 0


def test_a_tray_that_comes_later_is_used(desk: Desk) -> None:
    app = App(desk)
    app.expect("started")
    # No tray for some seconds: the window opens instead.
    wait_for(lambda: desk.shown(app.pid, 200), "the window")
    desk.start_trayer()
    desk.open_menu(app.pid)
    desk.key("Escape")


def test_a_tray_that_restarts_is_survived(desk: Desk) -> None:
    first = desk.start_trayer()
    app = App(desk)
    app.expect("started")
    icon(desk)
    desk.stop(first)
    assert app.process.poll() is None
    desk.start_trayer()
    desk.open_menu(app.pid)
    desk.key("Escape")


def test_a_left_click_opens_the_window(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk)
    app.expect("started")
    desk.click(*icon(desk))
    wait_for(lambda: desk.shown(app.pid, 200), "the window")


def test_a_second_start_shows_the_window_and_leaves(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk)
    app.expect("started")
    icon(desk)
    assert desk.shown(app.pid, 200) == []
    second = App(desk)
    assert second.wait() == 0
    wait_for(lambda: desk.shown(app.pid, 200), "the first one's window")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_cleanly(desk: Desk, number: signal.Signals) -> None:
    app = App(desk, "--show")
    app.expect("started")
    wait_for(lambda: desk.shown(app.pid, 200), "the window")
    app.process.send_signal(number)
    app.expect("stopping")
    app.expect("stopped")
    assert app.wait() == 0
    assert "Traceback" not in desk.read_logs()


def test_qt_asking_to_quit_is_the_same_way_out(desk: Desk) -> None:
    app = App(desk)
    app.expect("started")
    app.tell("quit-qt")
    app.expect("stopping")
    app.expect("stopped")
    assert app.wait() == 0


def test_a_killed_one_does_not_block_the_next(desk: Desk) -> None:
    first = App(desk)
    first.expect("started")
    first.process.kill()
    first.wait()
    App(desk).expect("started")


def test_a_refused_start_is_told_in_a_box(desk: Desk) -> None:
    app = App(desk, "--refuse")
    wait_for(lambda: desk.shown(app.pid), "the message")
    desk.key("Return")
    assert app.wait() == 1
    assert "the port 8080 is taken by another program" in desk.read_logs()


def test_a_refused_start_without_a_screen_is_told_on_stderr(desk: Desk) -> None:
    app = App(desk, "--refuse", QT_QPA_PLATFORM="offscreen")
    assert app.wait() == 1
    assert "the port 8080 is taken by another program" in desk.read_logs()


# StatusNotifierItem


async def started(desk: Desk, *args: str) -> App:
    app = App(desk, *args)
    await asyncio.to_thread(app.expect, "started")
    return app


async def test_the_menu_on_the_bus_unloads(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    item = await bus.item()
    labels = [each.label for each in await bus.menu(item)]
    assert labels[0].startswith("Loading gpt-oss-20b")
    assert "Unload all" in labels
    await bus.choose(item, "qwen3-30b-a3b", "Unload")
    await asyncio.to_thread(app.expect, "call unload qwen3-30b-a3b")
    await bus.choose(item, "Unload all")
    await asyncio.to_thread(app.expect, "call unload *")
    await bus.choose(item, "Quit")
    await asyncio.to_thread(app.expect, "stopped")
    assert await asyncio.to_thread(app.wait) == 0


async def test_entries_change_in_place(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    item = await bus.item()
    before = {each.label: each.id for each in await bus.menu(item)}
    app.tell("drop nomic-embed")
    while "nomic-embed" in {each.label for each in await bus.menu(item)}:
        await asyncio.sleep(0.02)
    after = {each.label: each.id for each in await bus.menu(item)}
    assert before.items() - after.items() == {("nomic-embed", before["nomic-embed"])}
    tooltip = await bus.item_property(item, "ToolTip")
    assert "Loading gpt-oss-20b" in tooltip[2] + tooltip[3]


async def test_an_eviction_is_notified(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    await bus.item()
    app.tell("evict")
    note = await bus.note()
    assert note.title == "gemma-3-12b-it was unloaded"
    assert note.text == (
        "gemma-3-12b-it was unloaded for gpt-oss-20b (asked by Open WebUI):"
        " the card has 23.1 GiB &amp; more is wanted."
    )
    assert note.actions == ("default", "Show", "show", "Show", "load", "Load again")
    app.tell("fail")
    note = await bus.note()
    assert (note.title, note.text) == ("broken-one did not start", "error: no such file")


async def test_a_notification_is_acted_on(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    await bus.item()
    app.tell("evict")
    note = await bus.note()
    bus.press(note, "load")
    await asyncio.to_thread(app.expect, "call load gemma-3-12b-it")
    bus.press(note, "default")
    await asyncio.to_thread(wait_for, lambda: desk.shown(app.pid, 200), "the window")


async def test_a_burst_takes_the_place_of_what_is_on_the_screen(
    desk: Desk, bus: SessionBus
) -> None:
    app = await started(desk)
    await bus.item()
    app.tell("evict one")
    first = await bus.note()
    app.tell("evict two")
    second = await bus.note()
    assert (second.id, second.replaces) == (first.id, first.id)
    assert second.title == "2 models were unloaded"
    assert second.text == "one and two, for gpt-oss-20b."
    # Once it has been taken off the screen, the next one is a new one.
    bus.dismiss(second)
    app.tell("evict three")
    third = await bus.note()
    assert (third.replaces, third.title) == (0, "three was unloaded")


def test_a_full_screen_window_is_noticed(desk: Desk) -> None:
    ask = python("-c", "from qmdesk.desktop.full_screen import full_screen; print(full_screen())")

    def told() -> str:
        return subprocess.check_output(ask, env=desk.env, text=True).strip()

    assert told() == "False"
    show = (
        "from PySide6.QtWidgets import *; a = QApplication([]); w = QWidget();"
        " w.showFullScreen(); a.exec()"
    )
    game = desk.start(*python("-c", show))
    wait_for(lambda: told() == "True", "the full-screen window to be noticed")
    desk.stop(game)
    wait_for(lambda: told() == "False", "the screen to be free")


async def test_a_panel_that_comes_later_gets_the_icon(desk: Desk) -> None:
    async with SessionBus(desk.bus_address, panel=False) as bus, asyncio.timeout(60):
        app = await started(desk)
        await asyncio.to_thread(wait_for, lambda: desk.shown(app.pid, 200), "the window")
        await bus.become_panel()
        item = await bus.item()
        await bus.choose(item, "gemma-3-12b-it", "Restart")
        await asyncio.to_thread(app.expect, "call restart gemma-3-12b-it")


async def test_a_panel_that_restarts_gets_the_icon_again(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    await bus.item()
    await bus.leave_panel()
    await bus.become_panel()
    item = await bus.item()
    await bus.choose(item, "gemma-3-12b-it", "Restart")
    await asyncio.to_thread(app.expect, "call restart gemma-3-12b-it")


async def test_a_click_on_the_bus_opens_the_window(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk)
    await bus.activate(await bus.item())
    await asyncio.to_thread(wait_for, lambda: desk.shown(app.pid, 200), "the window")


async def test_the_users_folders_are_not_touched(desk: Desk, bus: SessionBus) -> None:
    app = await started(desk, "--show")
    item = await bus.item()
    await asyncio.to_thread(wait_for, lambda: desk.shown(app.pid, 200), "the window")
    await bus.choose(item, "Quit")
    assert await asyncio.to_thread(app.wait) == 0
    kept = [each for each in Path(desk.env["HOME"]).rglob("*") if each.is_file()]
    assert any("qmdesk" in str(each) for each in kept)


def test_the_first_start_opens_the_assistant_and_the_second_does_not(desk: Desk) -> None:
    desk.start_trayer()
    app = App(desk, "--empty")
    app.expect("started")
    wait_for(lambda: desk.windows("Set up qmdesk"), "the assistant")
    # A key needs the focus, which the window manager gives in its own time.
    desk.xdotool("search", "--sync", "--name", "Set up qmdesk", "windowactivate", "--sync")
    desk.key("Escape")
    wait_for(lambda: not desk.windows("Set up qmdesk"), "the assistant's end")
    app.process.terminate()
    app.expect("stopped")
    assert app.wait() == 0
    again = App(desk, "--empty", "--show")
    again.expect("started")
    wait_for(lambda: desk.windows('"qmdesk"'), "the window")
    assert not desk.windows("Set up qmdesk")
    again.process.terminate()
    assert again.wait() == 0
