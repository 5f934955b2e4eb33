"""The main window, offscreen, with a fake instance."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from qmdesk.desktop import log_page
from qmdesk.desktop.application import Desk
from qmdesk.desktop.main_window import LOGS, MESSAGES, MODELS, MainWindow
from qmdesk.desktop.message_page import WHAT, WHY
from qmdesk.desktop.model_list import ACTION, NAME, PROGRESS, REQUESTS, STATE, USED
from qmdesk.desktop.notification_text import Deed
from qmdesk.events import Evicted, LoadFailed, ModelState
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, model, some_models
from tests.desktop.test_tray import settle


@pytest.fixture
def instance() -> FakeInstance:
    made = FakeInstance(some_models())
    made.addresses = ("http://127.0.0.1:8080",)
    return made


@pytest.fixture
def desk(qapp: QApplication, instance: FakeInstance) -> Iterator[Desk]:
    made = Desk(instance)  # type: ignore[arg-type]
    yield made
    made.close()


@pytest.fixture
def window(desk: Desk) -> MainWindow:
    desk.show_window()
    return desk.window


def cell(window: MainWindow, row: int, column: int, role: int = 0) -> object:
    models = window.models.models
    return models.data(models.index(row, column), role)


def test_the_strip_shows_and_copies_the_address(window: MainWindow, qtbot: QtBot) -> None:
    assert window.address.text() == "http://127.0.0.1:8080/v1"
    qtbot.mouseClick(window.copy_address, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "http://127.0.0.1:8080/v1"
    assert window.copy_address.text() == "Copied"
    assert window.queue.text() == "2 running"


def test_rows_tell_the_models(window: MainWindow) -> None:
    rows = [
        [cell(window, row, column) for column in (NAME, STATE, REQUESTS, USED, ACTION)]
        for row in range(window.models.models.rowCount())
    ]
    assert rows[0] == ["qwen3-30b-a3b", "working", "2 running, 1 waiting", "just now", "Unload"]
    assert rows[1] == ["gpt-oss-20b", "64 %, 6 s left", "1 waiting", "", "Unload"]
    assert rows[2] == ["nomic-embed", "not loaded", "", "3 h ago", "Start"]
    assert rows[4][ACTION] == ""
    assert cell(window, 1, STATE, PROGRESS) == 0.64
    assert cell(window, 0, STATE, PROGRESS) is None
    spoken = cell(window, 1, NAME, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "gpt-oss-20b, 64 %, 6 s left"


def test_a_problem_is_told_at_its_model(window: MainWindow) -> None:
    window.models.select("nomic-embed")
    assert not window.models.problem.isVisible()
    window.models.select("broken-one")
    assert window.models.problem.isVisible()
    assert "--flash-atn" in window.models.problem.text()


def test_rows_change_by_difference(window: MainWindow, instance: FakeInstance) -> None:
    models = window.models.models
    window.models.select("gemma-3-12b-it")
    resets: list[object] = []
    changed: list[tuple[int, int]] = []
    models.modelReset.connect(lambda: resets.append(1))
    models.dataChanged.connect(lambda first, last, _: changed.append((first.row(), last.row())))
    instance.router.models["nomic-embed"] = model("nomic-embed", ModelState.READY)
    models.show_snapshot(instance.router.snapshot())
    assert changed == [(2, 2)]
    others = [each for each in some_models() if each.id not in ("gpt-oss-20b", "broken-one")]
    others.reverse()
    instance.router.set_models([model("new"), *others])
    window.models.show_snapshot(instance.router.snapshot())
    names = [cell(window, row, NAME) for row in range(models.rowCount())]
    assert names == ["new", *[each.id for each in others]]
    selected = window.models.selected()
    assert selected is not None
    assert selected.id == "gemma-3-12b-it"
    assert resets == []


def test_no_models_say_what_to_do(window: MainWindow, instance: FakeInstance) -> None:
    instance.router.set_models([])
    window.models.show_snapshot(instance.router.snapshot())
    shown = window.models._stack.currentWidget()
    assert "add one to the configuration" in shown.text()  # type: ignore[attr-defined]
    assert "config.yaml" in shown.text()  # type: ignore[attr-defined]
    assert not window.models.start.isEnabled()
    instance.router.set_models([model("first")])
    window.models.show_snapshot(instance.router.snapshot())
    assert window.models.table.isVisible()
    assert window.models.start.isEnabled()


def test_buttons_command_the_router(run: Run, instance: FakeInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.show_window()
        page = desk.window.models
        left = Qt.MouseButton.LeftButton
        page.select("nomic-embed")
        qtbot.mouseClick(page.start, left)
        page.select("qwen3-30b-a3b")
        qtbot.mouseClick(page.restart, left)
        qtbot.mouseClick(page.unload, left)
        await settle()
        # The button that is painted in a row.
        page.show_snapshot(instance.router.snapshot())
        rect = page.table.visualRect(page.models.index(3, ACTION))
        qtbot.mouseClick(page.table.viewport(), left, pos=rect.center())
        # Beside it nothing happens.
        qtbot.mouseClick(page.table.viewport(), left, pos=rect.topLeft() + QPoint(1, 1))
        qtbot.mouseClick(page.unload_all, left)
        await settle()
        assert instance.router.calls == [
            ("load", "nomic-embed"),
            ("restart", "qwen3-30b-a3b"),
            ("unload", "qwen3-30b-a3b"),
            ("unload", "gemma-3-12b-it"),
            ("unload", "*"),
        ]
        page.select("qwen3-30b-a3b")
        qtbot.mouseClick(page.copy_name, left)
        assert QGuiApplication.clipboard().text() == "qwen3-30b-a3b"
        qtbot.mouseClick(page.show_log, left)
        assert desk.window.pages.currentIndex() == LOGS
        assert desk.window.logs.source.currentData() == "qwen3-30b-a3b"
        desk.close()

    run(body())


def test_enter_on_a_row_opens_its_log(window: MainWindow, qtbot: QtBot) -> None:
    window.models.select("nomic-embed")
    qtbot.keyClick(window.models.table, Qt.Key.Key_Return)
    assert window.pages.currentIndex() == LOGS
    assert window.logs.source.currentData() == "nomic-embed"


def test_pages_have_keys(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.currentIndex() == LOGS
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.currentIndex() == MODELS


def test_everything_is_reached_by_tab(window: MainWindow) -> None:
    for page in (MODELS, LOGS):
        window.rail.setCurrentRow(page)
        wanted = {
            each
            for kind in (QPushButton, QLineEdit)
            for each in window.findChildren(kind)
            if each.isVisible() and each.isEnabled()
        }
        seen: set[QWidget] = set()
        at: QWidget = window.rail
        while at not in seen:
            seen.add(at)
            at = at.nextInFocusChain()
        assert wanted <= seen
        assert all(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in wanted)


def test_what_has_no_text_has_a_name(window: MainWindow) -> None:
    logs = window.logs
    for each in (window.rail, window.models.table, logs.source, logs.filter, logs.view):
        assert each.accessibleName()


def test_close_hides_and_remembers(desk: Desk, window: MainWindow, instance: FakeInstance) -> None:
    closed: list[int] = []
    window.closed.connect(lambda: closed.append(1))
    window.resize(700, 450)
    window.rail.setCurrentRow(LOGS)
    window.close()
    assert not window.isVisible()
    assert closed == [1]
    again = MainWindow(
        instance,  # type: ignore[arg-type]
        desk.commands,
        desk.feed,
        desk.notifications,
        desk.act,
    )
    assert again.size() == window.size()
    assert again.pages.currentIndex() == LOGS
    again.deleteLater()


def test_hidden_it_has_no_timer_and_follows_no_log(
    desk: Desk, window: MainWindow, instance: FakeInstance
) -> None:
    window.rail.setCurrentRow(LOGS)
    assert instance.logs.own._followers
    assert desk.feed.gap < 500
    window.close()
    assert not instance.logs.own._followers
    assert desk.feed.gap == 500
    pages = (window.models, window.logs)
    timers = [
        value for page in pages for value in vars(page).values() if hasattr(value, "isActive")
    ]
    assert len(timers) == 3
    assert not any(each.isActive() for each in timers)


# Logs


def shown(window: MainWindow) -> list[str]:
    text = window.logs.view.toPlainText()
    return text.split("\n") if text else []


async def until(condition: object) -> None:
    while not condition():  # type: ignore[operator]
        await asyncio.sleep(0.005)


def test_logs_are_shown_followed_and_filtered(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        log = instance.logs.of("nomic-embed")
        for at in range(300):
            log.write(f"\x1b[32mline {at}\x1b[0m")
        desk.show_log("nomic-embed")
        window = desk.window
        await until(lambda: len(shown(window)) == 300)
        assert shown(window)[-1] == "line 299"
        bar = window.logs.view.verticalScrollBar()
        assert bar.value() == bar.maximum()

        # From another thread, as our own log is.
        thread = threading.Thread(target=log.write, args=("from a thread",))
        thread.start()
        thread.join()
        await until(lambda: shown(window)[-1] == "from a thread")
        assert bar.value() == bar.maximum()

        window.logs.follow.setChecked(False)
        bar.setValue(10)
        log.write("unseen")
        await until(lambda: shown(window)[-1] == "unseen")
        assert bar.value() == 10

        window.logs.filter.setText("LINE 29")
        await until(lambda: len(shown(window)) == 11)
        assert shown(window)[0] == "line 29"
        window.logs.copy.click()
        assert QGuiApplication.clipboard().text().startswith("line 29\nline 290")
        window.logs.filter.clear()
        await until(lambda: len(shown(window)) == 302)

        window.logs.show_source("qmdesk")
        assert shown(window) == []
        desk.close()

    run(body())


def test_many_lines_keep_to_the_slice(
    run: Run, instance: FakeInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand lines come in pieces: between them the loop runs."""

    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        log = instance.logs.of("nomic-embed")
        desk.show_log("nomic-embed")
        window = desk.window
        updates: list[float] = []
        inner = window.logs._on_update

        def timed() -> None:
            start = time.thread_time()
            inner()
            updates.append(time.thread_time() - start)

        window.logs._update.timeout.disconnect()
        window.logs._update.timeout.connect(timed)
        turns = 0
        for at in range(10_000):
            log.write(f"line {at} " + "x" * 80)
        last = f"line 9999 {'x' * 80}"
        while not (lines := shown(window)) or lines[-1] != last:
            turns += 1
            await asyncio.sleep(0.01)
        assert len(updates) > 1
        assert turns > 1
        desk.close()

    run(body())


def test_sources_follow_the_configuration(window: MainWindow) -> None:
    logs = window.logs
    logs.set_sources(["a", "b"])
    logs.show_source("b")
    logs.set_sources(["b", "c"])
    assert [logs.source.itemText(at) for at in range(logs.source.count())] == ["qmdesk", "b", "c"]
    assert logs.source.currentData() == "b"
    logs.set_sources(["c"])
    assert logs.source.currentData() == "qmdesk"
    logs.show_source("gone")
    assert logs.source.currentData() == "qmdesk"


def test_old_lines_are_dropped(window: MainWindow) -> None:
    assert window.logs.view.maximumBlockCount() == log_page.MAX_LINES


# How it holds


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_layouts_hold(qapp: QApplication, instance: FakeInstance, scale: float) -> None:
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(before.pointSizeF() * scale)
    qapp.setFont(font)
    try:
        instance.router.set_models([model("a-model-with-a-very-long-name-" * 3), *some_models()])
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.show_window()
        window = desk.window
        for page in (MODELS, LOGS):
            window.rail.setCurrentRow(page)
            QApplication.processEvents()
            for button in window.findChildren(QPushButton):
                if button.isVisible():
                    assert button.width() >= button.sizeHint().width(), button.text()
                    assert button.height() >= button.fontMetrics().height()
        desk.close()
    finally:
        qapp.setFont(before)


def test_messages_are_kept_and_acted_on(run: Run, desk: Desk, instance: FakeInstance) -> None:
    window, page = desk.window, desk.window.messages
    assert not page.table.isVisibleTo(page)

    async def body() -> None:
        instance.bus.publish(Evicted(("nomic-embed",), "x", "no room", "curl", 0.1))
        instance.bus.publish(LoadFailed("broken-one", "no such file"))
        desk.show_window()
        window.rail.setCurrentRow(MESSAGES)
        rows = [
            [page.messages.data(page.messages.index(row, column)) for column in (WHAT, WHY)]
            for row in range(page.messages.rowCount())
        ]
        assert rows == [
            ["broken-one did not start", "no such file"],
            [
                "nomic-embed was unloaded",
                "nomic-embed was unloaded for x (asked by curl): no room.",
            ],
        ]
        page.select(desk.notifications.history[0].id)
        assert page.story.text() == rows[1][1]
        assert page.buttons[Deed.LOAD].isEnabled()
        assert not page.buttons[Deed.LOG].isEnabled()
        page.buttons[Deed.LOAD].click()
        await settle()
        assert instance.router.calls == [("load", "nomic-embed")]
        # A new one does not move the selection.
        instance.bus.publish(LoadFailed("broken-one", "no such file"))
        assert page.selected() is desk.notifications.history[0]
        page.table.selectRow(0)
        page.table.activated.emit(page.messages.index(0, WHAT))
        assert window.logs.source.currentData() == "broken-one"

    run(body())
