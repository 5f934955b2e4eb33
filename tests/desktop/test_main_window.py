"""The main window, offscreen, with a fake instance."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qmdesk.config.settings import ApiKey
from qmdesk.desktop import activity_list, log_page, model_list
from qmdesk.desktop.activity_list import PARTS
from qmdesk.desktop.activity_rows import finished_row
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.host_memory import HostMemory
from qmdesk.desktop.main_window import (
    ACTIVITY,
    CONNECT,
    LOGS,
    MEMORY,
    MESSAGES,
    MODELS,
    MainWindow,
)
from qmdesk.desktop.memory_bar import MemoryBar
from qmdesk.desktop.memory_picture import card_pictures
from qmdesk.desktop.message_page import WHAT, WHY
from qmdesk.desktop.model_list import ACTION, NAME, PROGRESS, REQUESTS, STATE, USED
from qmdesk.desktop.notification_text import Deed
from qmdesk.desktop.timeline_view import TimelineView
from qmdesk.desktop.trial import Trial, TrialFailed
from qmdesk.events import (
    ConfigRejected,
    Evicted,
    LoadFailed,
    ModelState,
    RequestFinished,
    RequestStarted,
    SwapFinished,
    SwapStarted,
)
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import (
    GIB,
    FakeInstance,
    a_running,
    card,
    model,
    one_that_is_over,
    some_cards,
    some_memories,
    some_models,
)
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
    desk.window.present()
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
    assert rows[1] == ["gpt-oss-20b", "64 %, 6 s left", "1 waiting", "", "Cancel"]
    assert rows[2] == ["nomic-embed", "not loaded", "", "3 h ago", "Start"]
    assert rows[4][-1] == ""
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
    text = shown.findChild(QLabel).text()  # type: ignore[attr-defined]
    assert "Set up finds those of this machine" in text
    assert "config.yaml" in text
    assert not window.models.start.isEnabled()
    assert window.models.set_up.isVisible()
    instance.bus.publish(ConfigRejected(("config.yaml:3:1: not valid YAML",)))
    assert "config.yaml:3:1: not valid YAML" in window.notice.text()
    text = shown.findChild(QLabel).text()  # type: ignore[attr-defined]
    assert "cannot be used as it is" in text
    assert window.models.mend.isVisible()
    assert not window.models.set_up.isVisible()
    instance.router.set_models([model("first")])
    window.models.show_snapshot(instance.router.snapshot())
    assert window.models.table.isVisible()
    assert window.models.start.isEnabled()


def test_buttons_command_the_router(run: Run, instance: FakeInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.window.present()
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


def test_pages_have_keys(run: Run, window: MainWindow, qtbot: QtBot) -> None:
    async def body() -> None:
        await until(window.isActiveWindow)
        for page in reversed(range(window.rail.count())):
            qtbot.keyClick(
                window, Qt.Key(Qt.Key.Key_1.value + page), Qt.KeyboardModifier.ControlModifier
            )
            assert window.rail.currentRow() == page
            assert window.pages.currentIndex() == page
        await settle()

    run(body())


def test_everything_is_reached_by_tab(run: Run, window: MainWindow) -> None:
    async def body() -> None:
        for page in range(window.rail.count()):
            window.rail.setCurrentRow(page)
            wanted = {
                each
                for kind in (QPushButton, QLineEdit, QComboBox, QAbstractItemView, QPlainTextEdit)
                for each in window.findChildren(kind)
                if each.isVisible() and each.isEnabled() and not isinstance(each, QHeaderView)
            }
            seen: set[QWidget] = set()
            at: QWidget = window.rail
            while at not in seen:
                seen.add(at)
                at = at.nextInFocusChain()
            assert wanted <= seen
            assert all(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in wanted)
        await settle()

    run(body())


def test_what_has_no_text_has_a_name(run: Run, window: MainWindow) -> None:
    async def body() -> None:
        kinds = (QLineEdit, QComboBox, QAbstractItemView, QPlainTextEdit, MemoryBar, TimelineView)
        for page in range(window.rail.count()):
            window.rail.setCurrentRow(page)
            found = {
                each
                for kind in kinds
                for each in window.pages.page(page).findChildren(kind)
                # Parts of Qt's own widgets.
                if not each.objectName().startswith("qt_")
                and each.window() is window
                and not isinstance(each, QHeaderView)
            }
            unnamed = [each for each in found if not each.accessibleName()]
            assert not unnamed
        assert window.rail.accessibleName()
        await settle()

    run(body())


def test_close_hides_and_remembers(desk: Desk, window: MainWindow, instance: FakeInstance) -> None:
    closed: list[int] = []
    window.closed.connect(lambda: closed.append(1))
    window.resize(700, 450)
    window.models.splitter.setSizes([300, 200])
    window.rail.setCurrentRow(LOGS)
    window.close()
    assert not window.isVisible()
    assert closed == [1]
    again = MainWindow(
        instance,  # type: ignore[arg-type]
        desk.commands,
        desk.feed,
        journal=desk.journal,
        notifications=desk.notifications,
        acted=desk.act,
    )
    again.build()
    assert again.size() == window.size()
    assert again.pages.currentIndex() == LOGS
    assert again.models.splitter.saveState() == window.models.splitter.saveState()
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
def test_layouts_hold(run: Run, qapp: QApplication, instance: FakeInstance, scale: float) -> None:
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(before.pointSizeF() * scale)

    async def body() -> None:
        instance.router.set_models([model("a-model-with-a-very-long-name-" * 3), *some_models()])
        instance.over = [one_that_is_over(1, "a-model-with-a-very-long-name-" * 3, 5)]
        instance.measure(*some_cards(), models=some_memories())
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.window.present()
        window = desk.window
        for page in range(window.rail.count()):
            window.rail.setCurrentRow(page)
            await asyncio.sleep(0.01)
            for button in window.findChildren(QPushButton):
                if button.isVisible():
                    assert button.width() >= button.sizeHint().width(), button.text()
                    assert button.height() >= button.fontMetrics().height()
        desk.close()
        await settle()

    qapp.setFont(font)
    try:
        run(body())
    finally:
        qapp.setFont(before)


def test_messages_are_kept_and_acted_on(run: Run, desk: Desk, instance: FakeInstance) -> None:
    window, page = desk.window, desk.window.messages
    assert not page.table.isVisibleTo(page)

    async def body() -> None:
        instance.bus.publish(Evicted(("nomic-embed",), "x", "no room", "curl", 0.1))
        instance.bus.publish(LoadFailed("broken-one", "no such file"))
        desk.window.present()
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


# Activity


def activity_rows(window: MainWindow) -> list[list[str]]:
    rows = window.activity.rows
    columns = (activity_list.MODEL, activity_list.CLIENT, activity_list.STATUS)
    return [
        [rows.data(rows.index(row, column)) for column in columns] for row in range(rows.rowCount())
    ]


def test_requests_run_end_and_are_cancelled(
    run: Run, desk: Desk, instance: FakeInstance, qtbot: QtBot
) -> None:
    instance.running = [a_running(31, "qwen3-30b-a3b", 4.0)]
    instance.over = [one_that_is_over(1, "nomic-embed", 60)]

    async def body() -> None:
        desk.window.present()
        window = desk.window
        page = window.activity
        window.rail.setCurrentRow(ACTIVITY)
        await until(lambda: page.rows.rowCount() == 2)
        assert activity_rows(window) == [
            ["qwen3-30b-a3b", "OpenWebUI/0.6", "reading"],
            ["nomic-embed", "OpenWebUI/0.6", "200"],
        ]
        page.table.selectRow(0)
        qtbot.mouseClick(page.cancel, Qt.MouseButton.LeftButton)
        assert instance.life[-1] == "cancelled 31"
        # It is over: its row goes from the one state to the other.
        instance.running = []
        instance.over.append(
            one_that_is_over(2, "qwen3-30b-a3b", 0, status=499, error="cancelled by qmdesk")
        )
        instance.bus.publish(
            RequestFinished(31, "qwen3-30b-a3b", "/v1/chat/completions", 499, 0.0, 4.0, False)
        )
        await until(lambda: activity_rows(window)[0][2] == "499")
        page.table.selectRow(0)
        assert not page.cancel.isEnabled()
        assert page.story.text().endswith("cancelled by qmdesk")
        # Only what is new was read.
        assert instance.reads == 2
        await until(lambda: not page._timer.isActive())
        await settle()

    run(body())


def test_bars_have_one_scale(window: MainWindow) -> None:
    rows = window.activity.rows
    rows.show_activity(
        [
            finished_row(one_that_is_over(1, "a", 9, duration_ms=700.0)),
            finished_row(one_that_is_over(2, "a", 5, duration_ms=400.0)),
        ]
    )
    bars = [rows.data(rows.index(row, activity_list.BAR), PARTS) for row in range(2)]
    assert [bar[-1] for bar in bars] == [1.0, 1.0]
    rows.show_activity([finished_row(one_that_is_over(3, "a", 1, duration_ms=61_000.0))])
    assert rows.scale == 80.0
    header = rows.headerData(activity_list.BAR, Qt.Orientation.Horizontal)
    assert header == "Time, 0 to 80 s"
    spoken = rows.data(rows.index(0, activity_list.BAR), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("waiting 0.00 s, prompt 0.42 s, answer")


def test_hidden_the_activity_reads_nothing(
    run: Run, desk: Desk, window: MainWindow, instance: FakeInstance
) -> None:
    async def body() -> None:
        for id in range(20):
            instance.bus.publish(RequestStarted(id, "a", "/v1/chat/completions", "curl"))
            instance.bus.publish(
                RequestFinished(id, "a", "/v1/chat/completions", 200, 0.0, 1.0, False)
            )
        assert not window.activity._timer.isActive()
        assert instance.reads == 0

    run(body())


# Memory


def test_the_hour_is_painted_and_told(run: Run, desk: Desk, instance: FakeInstance) -> None:
    async def body() -> None:
        desk.window.present()
        window = desk.window
        window.rail.setCurrentRow(MEMORY)
        instance.router.change("nomic-embed", state=ModelState.STARTING)
        instance.router.change("nomic-embed", state=ModelState.READY)
        desk.feed.refresh()
        view = window.memory.timeline
        await until(lambda: any(lane.model == "nomic-embed" for lane in view._lanes))
        lanes = [lane.model for lane in view._lanes]
        assert "whisper-large-v3" not in lanes
        line = view._line()
        now = view.width() - 9.0
        assert "nomic-embed was loaded from" in view.story_at(
            now, (lanes.index("nomic-embed") + 0.5) * line
        )
        assert view.story_at(now, 100 * line) == ""
        window._on_memory(HostMemory(64 << 30, 32 << 30, {"nomic-embed": 2 << 30}, 20 << 30))
        assert window.strip.used.text() == "32.0 of 64.0 GiB"
        assert "nomic-embed" in window.memory.host.legend.text()
        await settle()

    run(body())


def test_the_machines_memory_is_looked_at_while_it_is_seen(
    run: Run, desk: Desk, instance: FakeInstance
) -> None:
    async def body() -> None:
        desk.window.present()
        await until(desk.window.strip.used.text)
        assert " of " in desk.window.strip.used.text()
        desk.window.close()
        assert not desk.window._look._timer.isActive()
        await settle()

    run(body())


def test_cards_take_the_place_of_the_machines_memory(
    run: Run, desk: Desk, instance: FakeInstance
) -> None:
    async def body() -> None:
        instance.measure(*some_cards(), models=some_memories())
        desk.window.present()
        window = desk.window
        assert len(window.strip.bars) == 2
        assert window.strip.used.text() == "41.1 of 48.0 GiB"
        # Nobody sees the machine's own memory now.
        assert not window._look.active
        window.rail.setCurrentRow(MEMORY)
        assert window._look.active
        page = window.memory
        assert [panel.title.text()[:26] for panel in page.cards] == [
            "0: NVIDIA GeForce RTX 3090",
            "1: NVIDIA GeForce RTX 3090",
        ]
        assert "game.exe&nbsp;9.1&nbsp;GiB" in page.cards[0].legend.text()
        assert "Room&nbsp;for&nbsp;models" in page.cards[0].legend.text()
        window._on_memory(HostMemory(64 << 30, 32 << 30, {}, 20 << 30))
        assert page.host.isHidden()
        assert page.quiet_host.title.text().endswith("32.0 of 64.0 GiB")
        assert window.strip.used.text() == "41.1 of 48.0 GiB"
        # A card goes to sleep, the other is gone.
        instance.measure(card(None, asleep=True))
        desk.feed.refresh()
        assert len(page.cards) == len(window.strip.bars) == 1
        assert "asleep" in page.cards[0].note.text()
        assert window.strip.used.text() == "asleep"
        instance.measure(problem="the NVIDIA driver has another version than its library")
        desk.feed.refresh()
        assert page.cards == []
        assert page.problem.text() == "The NVIDIA driver has another version than its library"
        assert page.host.isVisible()
        await settle()

    run(body())


def test_a_bar_paints_ours_from_the_left_and_others_from_the_right(qapp: QApplication) -> None:
    (half,) = card_pictures([card(12.0, ours=(("a", 6 * GIB),), budget=None, ceiling=None)])
    bar = MemoryBar(1.6)
    bar.resize(400, 24)
    bar.show_picture(half, {"a": "#123456"})
    image = bar.grab().toImage()
    seen = [
        {image.pixelColor(x, y).name() for x in range(left, left + 90) for y in range(3, 20)}
        for left in (5, 105, 205, 305)
    ]
    ground = bar.palette().color(QPalette.ColorRole.Base).name()
    assert seen[0] == {"#123456"}
    assert seen[1] == seen[2] == {ground}
    assert len(seen[3]) > 1


def test_nothing_is_looked_ahead_but_for_the_model_that_is_selected(
    run: Run, desk: Desk, instance: FakeInstance
) -> None:
    async def body() -> None:
        instance.measure(card(20.0), models=some_memories())
        await settle()
        assert instance.foreseen == []
        desk.window.present()
        window = desk.window
        window.models.select("broken-one")
        assert set(instance.foreseen) == {"qwen3-30b-a3b", "broken-one"}
        detail = window.models.detail
        assert detail.memory.text() == "Takes 14.3 GiB, computed."
        assert detail.foresight.text().startswith("Asked for now, it would unload gemma-3-12b-it:")
        window.models.select("qwen3-30b-a3b")
        assert detail.memory.text() == "Holds 17.1 GiB, learned."
        assert detail.foresight.isHidden()
        window.close()
        instance.foreseen.clear()
        instance.measure(card(21.0), models=some_memories())
        desk.feed.refresh()
        assert instance.foreseen == []
        await settle()

    run(body())


def test_the_column_of_memory_is_there_where_memory_counts(
    window: MainWindow, desk: Desk, instance: FakeInstance
) -> None:
    table = window.models.table
    assert table.isColumnHidden(model_list.MEMORY)
    instance.measure(card(20.0), models=some_memories())
    desk.feed.refresh()
    assert not table.isColumnHidden(model_list.MEMORY)
    assert [cell(window, row, model_list.MEMORY) for row in (0, 2)] == ["17.1 GiB", "614 MiB"]
    tip = cell(window, 2, model_list.MEMORY, Qt.ItemDataRole.ToolTipRole)
    assert tip == "Takes 614 MiB, learned."


def test_the_card_is_freed_from_the_strip(
    run: Run, desk: Desk, instance: FakeInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        desk.window.present()
        window = desk.window
        window.pause_menu.menu.actions()[0].trigger()
        await settle()
        assert instance.router.calls == [("pause", "1800.0")]
        desk.feed.refresh()
        assert window.queue.text().startswith("Paused until ")
        assert window.free.text() == "&Resume"
        qtbot.mouseClick(window.free, Qt.MouseButton.LeftButton)
        desk.feed.refresh()
        assert window.free.text() == "&Free the card"

    run(body())


# Connect


def test_a_key_is_copied_but_not_shown(window: MainWindow, instance: FakeInstance) -> None:
    instance.config.api_keys = (ApiKey("a-secret-key"),)
    window.rail.setCurrentRow(CONNECT)
    page = window.connect_page
    page.show_snapshot(instance.router.snapshot())
    page.model.setCurrentText("gemma-3-12b-it")
    for row in range(page.guides.list.count()):
        page.guides.list.setCurrentRow(row)
        assert "a-secret-key" not in page.guides.snippet.toPlainText()
    page.guides.list.setCurrentRow(2)
    page.guides.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert 'apiKey: "a-secret-key"' in copied
    assert 'model: "gemma-3-12b-it"' in copied
    page.copy_key.click()
    assert QGuiApplication.clipboard().text() == "a-secret-key"


def test_a_model_is_asked_and_its_answer_shown(
    run: Run, desk: Desk, instance: FakeInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(base: str, key: str, model: str, certificate: str) -> Trial:
        if model == "broken-one":
            raise TrialFailed("no such file")
        return Trial(f"Hello from {model} at {base}", 0.5, 1.5, 11, True)

    monkeypatch.setattr("qmdesk.desktop.connect_page.ask", answer)

    async def body() -> None:
        desk.window.present()
        page = desk.window.connect_page
        page.test.click()
        assert not page.test.isEnabled()
        await settle()
        assert page.answer.text() == "Hello from qwen3-30b-a3b at http://127.0.0.1:8080"
        assert page.timing.text() == (
            "first word after 0.50 s, all of it after 1.5 s, 10.0 tok/s,"
            " the model was loaded for it"
        )
        page.model.setCurrentText("broken-one")
        page.test.click()
        await settle()
        assert page.answer.text() == "That did not work: no such file"
        assert page.timing.text() == ""
        assert page.test.isEnabled()

    run(body())


# A model's details


def test_the_detail_follows_the_selection(
    window: MainWindow, desk: Desk, instance: FakeInstance
) -> None:
    detail = window.models.detail
    window.models.select("qwen3-30b-a3b")
    assert detail.name.text() == "qwen3-30b-a3b"
    assert detail.command.toPlainText().startswith("llama-server --port 5802")
    assert detail.state.text().startswith("2 requests, loaded since ")
    assert detail.pin.isChecked()
    detail.pin.click()
    assert instance.router.calls == [("unpin", "qwen3-30b-a3b")]
    instance.bus.publish(SwapStarted("nomic-embed", (), "curl"))
    instance.bus.publish(SwapFinished("nomic-embed", True, 6.4))
    window.models.select("nomic-embed")
    assert detail.load_words.text() == "Last loads, the newest 6.4 s"
    assert not detail.pin.isChecked()


# Finding and saving lines


def test_lines_are_found_round_the_end(window: MainWindow, instance: FakeInstance) -> None:
    log = instance.logs.of("nomic-embed")
    for line in ("one", "two needle", "three", "needle four"):
        log.write(line)
    window.show_log("nomic-embed")
    page = window.logs
    page.search.setText("NEEDLE")

    def found() -> int:
        return page.view.textCursor().blockNumber()

    assert page.find_next()
    first = found()
    assert page.find_next()
    assert {first, found()} == {1, 3}
    assert page.find_next()
    assert found() == first
    assert page.find_next(back=True)
    assert found() != first
    assert not page.follow.isChecked()
    page.search.setText("nowhere")
    assert not page.find_next()


def test_lines_are_saved_to_a_file(
    run: Run, desk: Desk, instance: FakeInstance, tmp_path: Path
) -> None:
    instance.logs.of("nomic-embed").write("a line")

    async def body() -> None:
        desk.window.present()
        desk.window.show_log("nomic-embed")
        desk.window.logs.save_to(tmp_path / "saved.log")
        await settle()
        assert "a line\n" in (tmp_path / "saved.log").read_text()
        desk.window.logs.save_to(tmp_path / "no such folder" / "saved.log")
        await settle()
        last = desk.notifications.last
        assert last is not None
        assert "cannot be written" in last.text

    run(body())


def test_it_opens_in_steps_between_which_others_have_their_turn(
    qapp: QApplication, instance: FakeInstance, qtbot: QtBot
) -> None:
    desk = Desk(instance)  # type: ignore[arg-type]
    desk.show_window()
    window = desk.window
    assert not window.isVisible()
    assert not window.pages.is_made(MODELS)
    qtbot.waitUntil(lambda: window.pages.is_made(MODELS))
    assert not window.isVisible()
    qtbot.waitUntil(window.isVisible)
    desk.show_window()
    assert desk.window is window
    desk.close()


def test_what_is_still_opening_stays_shut_at_the_end(
    qapp: QApplication, instance: FakeInstance, qtbot: QtBot
) -> None:
    desk = Desk(instance)  # type: ignore[arg-type]
    desk.show_window()
    window = desk.window
    desk.show_stopping()
    qtbot.wait(50)
    assert not window.isVisible()
    desk.close()
