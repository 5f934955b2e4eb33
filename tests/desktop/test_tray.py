"""The tray's menu, the messages, the commands: offscreen, with a fake instance."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from qmdesk.config.settings import Notifications as Wanted
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.desktop_notifier import DesktopNotifier
from qmdesk.desktop.feed import SnapshotFeed
from qmdesk.desktop.icon import SIZES, app_icon, state_colour, state_icon
from qmdesk.desktop.notification_text import Deed, Kind, Message
from qmdesk.desktop.notifications import HISTORY, Notifications
from qmdesk.desktop.pause_menu import PROGRAMS
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.tray import Tray
from qmdesk.desktop.tray_icon import TrayIcon
from qmdesk.desktop.tray_state import FIRST, tray_state
from qmdesk.events import (
    ConfigApplied,
    ConfigRejected,
    Evicted,
    LoadFailed,
    ModelState,
    QueueChanged,
    SwapStarted,
)
from qmdesk.memory import MemorySnapshot, ModelMemory
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import running
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import GIB, FakeInstance, card, model, some_models


def texts(menu: QMenu) -> list[str]:
    return [each.text() for each in menu.actions() if not each.isSeparator() and each.isVisible()]


async def settle() -> None:
    """Let what was spawned end."""
    while tasks := running():
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def instance() -> FakeInstance:
    made = FakeInstance(some_models())
    made.addresses = ("http://127.0.0.1:8080",)
    return made


@pytest.fixture
def tray(qapp: QApplication, instance: FakeInstance) -> Iterator[Tray]:
    made = Tray(Commands(instance))  # type: ignore[arg-type]
    made.show_state(tray_state(instance.router.snapshot()))
    yield made
    made.close()


def test_the_menu_shows_state_models_and_commands(tray: Tray) -> None:
    assert texts(tray.menu.menu) == [
        "Loading gpt-oss-20b, 64 %, 6 s left",
        "qwen3-30b-a3b   2 requests",
        "gpt-oss-20b   64 %, 6 s left",
        "nomic-embed",
        "gemma-3-12b-it",
        "whisper-large-v3   unloading",
        "mistral-small-24b   runs as before until its next start",
        "broken-one   llama-server ended with code 1: error: invalid…",
        "Unload all",
        "Free the card",
        "Copy API address",
        "Open qmdesk",
        "Settings…",
        "Start at login",
        "Quit",
    ]
    assert not tray.menu.status.isEnabled()
    qwen = tray.menu.model("qwen3-30b-a3b")
    assert qwen is not None
    *entries, detail = texts(qwen.menu)
    assert entries == [
        "Start",
        "Unload",
        "Restart",
        "Pin",
        "Copy model name",
        "Show log",
        "Open its page",
    ]
    assert detail.startswith("2 requests, loaded since ")
    assert [each.isEnabled() for each in (qwen.start, qwen.unload, qwen.restart)] == [
        False,
        True,
        True,
    ]
    assert "2 requests running" in tray.icon.shown.toolTip()


def test_entries_command_the_router(run: Run, tray: Tray, instance: FakeInstance) -> None:
    async def body() -> None:
        idle = tray.menu.model("nomic-embed")
        busy = tray.menu.model("qwen3-30b-a3b")
        assert idle is not None
        assert busy is not None
        idle.start.trigger()
        busy.unload.trigger()
        busy.restart.trigger()
        tray.menu.unload_all.trigger()
        await settle()
        assert instance.router.calls == [
            ("load", "nomic-embed"),
            ("unload", "qwen3-30b-a3b"),
            ("restart", "qwen3-30b-a3b"),
            ("unload", "*"),
        ]
        busy.copy_name.trigger()
        assert QGuiApplication.clipboard().text() == "qwen3-30b-a3b"
        tray.menu.copy_address.trigger()
        assert QGuiApplication.clipboard().text() == "http://127.0.0.1:8080/v1"

    run(body())


def test_what_stays_is_not_rebuilt(tray: Tray, instance: FakeInstance) -> None:
    kept = tray.menu.model("nomic-embed")
    assert kept is not None
    before = kept.menu.menuAction()
    models = [each for each in some_models() if each.id != "gpt-oss-20b"]
    models.insert(0, model("new-one"))
    models[1], models[2] = models[2], models[1]
    tray.show_state(tray_state(Snapshot(tuple(models), 0, 0)))
    assert texts(tray.menu.menu)[1:4] == ["new-one", "nomic-embed", "qwen3-30b-a3b   2 requests"]
    assert tray.menu.model("nomic-embed") is kept
    assert kept.menu.menuAction() is before
    assert before in tray.menu.menu.actions()
    assert tray.menu.model("gpt-oss-20b") is None


def test_an_action_on_a_model_that_is_gone_is_harmless(
    run: Run, tray: Tray, instance: FakeInstance
) -> None:
    async def body() -> None:
        gone = tray.menu.model("qwen3-30b-a3b")
        assert gone is not None
        instance.router.models.clear()
        gone.unload.trigger()
        await settle()
        assert instance.router.calls == [("unload", "qwen3-30b-a3b")]

    run(body())


def test_beyond_twelve_models_the_rest_is_a_submenu(tray: Tray, qtbot: QtBot) -> None:
    def show(first: int, last: int) -> None:
        models = tuple(model(f"model-{at:02}") for at in range(first, last))
        tray.show_state(tray_state(Snapshot(models, 0, 0)))
        qtbot.waitUntil(lambda: len(tray.menu._models) == len(models))

    show(0, FIRST)
    assert "More models" not in texts(tray.menu.menu)
    assert len(texts(tray.menu.menu)) == FIRST + 8
    show(0, 20)
    assert texts(tray.menu.menu)[1 : FIRST + 2] == [
        *(f"model-{at:02}" for at in range(FIRST)),
        "More models",
    ]
    assert texts(tray.menu.more) == [f"model-{at:02}" for at in range(FIRST, 20)]
    # One of the first goes: the first of the rest moves up.
    show(1, 20)
    assert texts(tray.menu.menu)[FIRST] == "model-12"
    assert texts(tray.menu.more)[0] == "model-13"
    show(0, 0)
    assert texts(tray.menu.menu)[0] == "No models yet"
    assert len(texts(tray.menu.menu)) == 8


def test_many_submenus_are_made_a_few_at_a_time(tray: Tray, qtbot: QtBot) -> None:
    models = tuple(model(f"model-{at:03}") for at in range(200))
    tray.show_state(tray_state(Snapshot(models, 0, 0)))
    assert len(tray.menu._models) == FIRST
    assert "More models" in texts(tray.menu.menu)
    qtbot.waitUntil(lambda: len(texts(tray.menu.more)) == 200 - FIRST)


def test_beyond_twelve_the_likeliest_stand_first_in_their_own_order(tray: Tray) -> None:
    models = [model(f"model-{at:02}", last_used_at=100.0 + at) for at in range(20)]
    models[2] = model("model-02", pinned=True)
    models[3] = model("model-03", ModelState.READY)
    tray.show_state(tray_state(Snapshot(tuple(models), 0, 0)))
    assert texts(tray.menu.menu)[1 : FIRST + 1] == [
        "model-02",
        "model-03",
        *(f"model-{at:02}" for at in range(10, 20)),
    ]


def test_an_open_menu_does_not_jump(run: Run, tray: Tray) -> None:
    def show(**used: float) -> None:
        models = [model(f"m{at:02}", last_used_at=used.get(f"m{at:02}")) for at in range(14)]
        tray.show_state(tray_state(Snapshot(tuple(models), 0, 0)))

    async def body() -> None:
        show()
        tray.menu.menu.popup(QPoint(0, 0))
        before = texts(tray.menu.menu)
        show(m13=5.0, m12=4.0)
        assert texts(tray.menu.menu) == before
        tray.menu.menu.hide()
        await settle()

    run(body())
    assert texts(tray.menu.menu)[1 : FIRST + 1] == [
        *(f"m{at:02}" for at in range(10)),
        "m12",
        "m13",
    ]


def test_a_pin_is_set_and_shown(tray: Tray, instance: FakeInstance) -> None:
    entry = tray.menu.model("nomic-embed")
    assert entry is not None
    assert not entry.pin.isChecked()
    entry.pin.trigger()
    assert instance.router.calls == [("pin", "nomic-embed")]
    # Somebody else takes it back.
    instance.router.pin("nomic-embed", False)
    tray.show_state(tray_state(instance.router.snapshot()))
    assert not entry.pin.isChecked()


def test_the_card_is_freed_and_given_back(run: Run, tray: Tray, instance: FakeInstance) -> None:
    async def body() -> None:
        pause = tray.menu.pause.menu
        for text in ("30 minutes", "2 hours", "Until I resume"):
            next(each for each in pause.actions() if each.text() == text).trigger()
            await settle()
        assert instance.router.calls == [
            ("pause", "1800.0"),
            ("pause", "7200.0"),
            ("pause", "None"),
        ]
        tray.show_state(tray_state(instance.router.snapshot()))
        assert tray.menu.resume.isVisible()
        idle = tray.menu.model("nomic-embed")
        assert idle is not None
        assert not idle.start.isEnabled()
        tray.menu.resume.trigger()
        tray.show_state(tray_state(instance.router.snapshot()))
        assert not tray.menu.resume.isVisible()
        assert idle.start.isEnabled()

    run(body())


def test_the_programs_that_run_are_offered(
    run: Run, tray: Tray, instance: FakeInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        asked: list[list[str]] = []

        def foremost(limit: int, on_cards: list[str]) -> tuple[str, ...]:
            asked.append(on_cards)
            return "game.exe", "a&b"

        monkeypatch.setattr("qmdesk.process.programs.foremost", foremost)
        instance.measured = MemorySnapshot(
            (
                card(20, programs=(("Xorg", GIB), ("browser", 2 * GIB))),
                card(20, id="GPU-2", programs=(("game.exe", 8 * GIB),)),
            )
        )
        tray.menu.menu.aboutToShow.emit()
        await settle()
        assert asked == [["game.exe", "browser", "Xorg"]]
        pause = tray.menu.pause.menu
        assert texts(pause)[3:] == ["Until game.exe ends", "Until a&&b ends"]
        pause.actions()[-PROGRAMS].trigger()
        await settle()
        assert instance.router.calls == [("pause", "game.exe")]

    run(body())


def test_its_page_is_opened_through_the_gateway(
    run: Run, tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "qmdesk.desktop.commands.QDesktopServices.openUrl",
        lambda url: opened.append(url.toString()),
    )
    tray.show_state(tray_state(Snapshot((model("org/model:7b"),), 0, 0)))
    entry = tray.menu.model("org/model:7b")
    assert entry is not None
    entry.open_page.trigger()
    assert opened == ["http://127.0.0.1:8080/upstream/org/model%3A7b/"]


def test_starting_at_login_is_switched_by_the_user_alone(
    run: Run, tray: Tray, own_folders: Path
) -> None:
    file = own_folders / "config" / "autostart" / "qmdesk.desktop"

    async def body() -> None:
        tray.menu.menu.aboutToShow.emit()
        await settle()
        assert not tray.menu.login.isChecked()
        assert not file.exists()
        tray.menu.login.trigger()
        await settle()
        assert tray.menu.login.isChecked()
        assert file.exists()
        # The user takes the file away: it stays away, and the menu says so.
        file.unlink()
        tray.menu.menu.aboutToShow.emit()
        await settle()
        assert not tray.menu.login.isChecked()
        assert not file.exists()

    run(body())


def test_another_ones_entry_is_replaced_only_after_a_question(
    run: Run, instance: FakeInstance, own_folders: Path
) -> None:
    file = own_folders / "config" / "autostart" / "qmdesk.desktop"
    file.parent.mkdir(parents=True)
    other = "[Desktop Entry]\nExec=/opt/other/qmdesk\n"
    file.write_text(other)

    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]

        async def answer(text: str) -> None:
            desk.tray.menu.login.trigger()
            await settle()
            box = QApplication.topLevelWidgets()
            (question,) = [
                each
                for each in box
                if isinstance(each, QMessageBox) and each.informativeText() == "/opt/other/qmdesk"
            ]
            next(each for each in question.buttons() if each.text() == text).click()
            await settle()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

        await answer("Keep the other")
        assert file.read_text() == other
        assert not desk.tray.menu.login.isChecked()
        await answer("Start this one")
        assert "/opt/other" not in file.read_text()
        assert desk.tray.menu.login.isChecked()
        desk.close()

    run(body())


def test_the_ring_turns_while_nothing_is_known_of_a_load(
    tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def show(**values: object) -> None:
        tray.show_state(tray_state(Snapshot((model("a", ModelState.STARTING, **values),), 0, 0)))

    show()
    before = tray.icon.shown.icon().pixmap(22).toImage()
    assert tray.icon._turning.isActive()
    tray.icon._on_turn()
    assert tray.icon.shown.icon().pixmap(22).toImage() != before
    show(progress=0.5)
    assert not tray.icon._turning.isActive()
    # Whoever has asked for less motion sees none.
    monkeypatch.setattr("qmdesk.desktop.tray_icon.reduced_motion", lambda: True)
    show()
    assert not tray.icon._turning.isActive()


def test_what_cannot_be_chosen_can_be_read(tray: Tray) -> None:
    palette = tray.menu.menu.palette()
    groups, roles = QPalette.ColorGroup, QPalette.ColorRole
    grey = palette.color(groups.Disabled, roles.Text)
    assert contrast(grey, palette.color(groups.Active, roles.Window)) > 4.5
    assert grey != palette.color(groups.Active, roles.Text)


def contrast(one: QColor, other: QColor) -> float:
    """As WCAG 2 counts it; 4.5 is what text needs."""

    def luminance(colour: QColor) -> float:
        parts = (colour.redF(), colour.greenF(), colour.blueF())
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_ampersands_are_not_mnemonics(tray: Tray) -> None:
    tray.show_state(tray_state(Snapshot((model("a&b"),), 0, 0)))
    assert texts(tray.menu.menu)[1] == "a&&b"


def test_stopping_leaves_only_quit(tray: Tray) -> None:
    tray.show_stopping()
    enabled = [
        each.text()
        for each in tray.menu.menu.actions()
        if each.isEnabled() and not each.isSeparator() and each.isVisible()
    ]
    assert enabled == ["Quit now"]
    assert "Stopping models" in tray.icon.shown.toolTip()
    tray.show_state(tray_state(Snapshot((), 0, 0)))
    assert tray.menu.status.text() == "Stopping models…"


def test_an_app_that_starts_says_so_and_can_be_quit(qapp: QApplication, qtbot: QtBot) -> None:
    icon = TrayIcon()
    assert texts(icon.menu) == ["Starting…", "Quit"]
    assert icon.shown.toolTip() == "qmdesk\nStarting…"
    with qtbot.waitSignal(icon.quit_wanted):
        icon.menu.actions()[-1].trigger()
    icon.close()


def test_the_whole_menu_takes_the_place_of_the_first(
    qapp: QApplication, instance: FakeInstance
) -> None:
    icon = TrayIcon()
    tray = Tray(Commands(instance), icon=icon)  # type: ignore[arg-type]
    tray.show_state(tray_state(instance.router.snapshot()))
    assert tray.menu.menu is icon.menu
    assert icon.shown.contextMenu() is icon.menu
    assert "Starting…" not in texts(icon.menu)
    assert texts(icon.menu).count("Quit") == 1
    tray.close()
    assert not icon.shown.isVisible()


def test_a_new_icon_takes_over(tray: Tray) -> None:
    old = tray.icon.shown
    tray.renew()
    assert tray.icon.shown is not old
    assert tray.icon.shown.contextMenu() is tray.menu.menu
    assert tray.icon.shown.toolTip() == old.toolTip()
    assert not old.isVisible()


@pytest.mark.parametrize("shape", list(Shape))
def test_every_shape_is_drawn_at_every_size(qapp: QApplication, shape: Shape) -> None:
    icon = state_icon(shape, QColor("#ff0000"), 0.5)
    seen = set()
    for size in SIZES:
        image = icon.pixmap(size, size).toImage()
        assert image.width() == size
        middle = [
            image.pixelColor(x, y)
            for x in range(size)
            for y in range(size)
            if image.pixelColor(x, y).alpha() > 200
        ]
        assert middle
        assert all(each.red() > 200 and each.green() < 30 for each in middle)
        # Nothing is cut off at the edge of the panel's square.
        corners = [image.pixelColor(x, y).alpha() for x in (0, size - 1) for y in (0, size - 1)]
        assert max(corners) < 120
        seen.add(len(middle) * 1000 // size**2)


def test_shapes_differ_without_colour(qapp: QApplication) -> None:
    colour = QColor("#000000")
    images = [state_icon(each, colour, 0.3).pixmap(16, 16).toImage() for each in Shape]
    for at, image in enumerate(images):
        assert all(image != other for other in images[at + 1 :])
    assert state_icon(Shape.LOADING, colour, 0.3).pixmap(16).toImage() != (
        state_icon(Shape.LOADING, colour, 0.7).pixmap(16).toImage()
    )


def test_colours_stand_out(qapp: QApplication) -> None:
    for shape in Shape:
        assert state_colour(shape, dark=True).lightness() > 100
        assert state_colour(shape, dark=False).lightness() < 160
    assert not app_icon().isNull()


# Messages


class Shown:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.came = asyncio.Event()

    def notify(self, message: Message) -> None:
        self.messages.append(message)
        self.came.set()


def test_facts_become_folded_messages(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        shown = Shown()
        notifications = Notifications(instance.bus, shown)
        for name in ("a", "b", "c", "d"):
            instance.bus.publish(Evicted((name,), "x", "no room", "curl", 0.1))
        instance.bus.publish(LoadFailed("x", "no such file"))
        instance.bus.publish(QueueChanged(1, 1))
        await shown.came.wait()
        assert [each.title for each in shown.messages] == [
            "4 models were unloaded",
            "x did not start",
        ]
        # Nothing is lost where the desktop shows nothing.
        assert len(notifications.history) == 5
        assert notifications.last is not None
        assert notifications.last.model == "x"
        notifications.close()
        instance.bus.publish(LoadFailed("x", "no such file"))
        assert len(notifications.history) == 5

    run(body())


def test_kinds_that_are_switched_off_are_kept_but_not_shown(
    run: Run, instance: FakeInstance
) -> None:
    async def body() -> None:
        shown = Shown()
        off = {Kind.EVICTED}
        notifications = Notifications(instance.bus, shown, muted=lambda: frozenset(off))
        for _ in range(HISTORY + 50):
            instance.bus.publish(Evicted(("a",), "x", "", "", 0.1))
        instance.bus.publish(ConfigRejected(("c.yaml:1:1: error: no",)))
        await shown.came.wait()
        assert [each.kind for each in shown.messages] == [Kind.CONFIG]
        assert len(notifications.history) == HISTORY
        # The configuration is changed: it counts at once.
        off.clear()
        shown.came.clear()
        instance.bus.publish(Evicted(("a",), "x", "", "", 0.1))
        await shown.came.wait()
        assert shown.messages[-1].kind is Kind.EVICTED
        notifications.close()
        await settle()

    run(body())


def test_nobody_is_disturbed_in_full_screen_unless_something_failed(
    run: Run, instance: FakeInstance
) -> None:
    async def body() -> None:
        shown = Shown()
        notifications = Notifications(instance.bus, shown, disturbs=lambda: True)
        instance.bus.publish(Evicted(("a",), "x", "", "", 0.1))
        instance.bus.publish(LoadFailed("x", "no such file"))
        await shown.came.wait()
        assert [each.kind for each in shown.messages] == [Kind.LOAD_FAILED]
        assert len(notifications.history) == 2
        notifications.close()
        await settle()

    run(body())


def test_without_a_daemon_the_tray_shows_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/nothing")

    async def body() -> None:
        shown = Shown()
        notifier = DesktopNotifier(shown, lambda *_: None)
        told = Message(Kind.LOAD_FAILED, "x did not start", "no such file", "x")
        notifier.notify(told)
        await shown.came.wait()
        assert shown.messages == [told]
        await settle()
        notifier.close()

    run(body())


# The desk as a whole


def test_a_command_that_fails_is_told(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        instance.router.failure = RuntimeError("the card is full")
        desk.commands.start("nomic-embed")
        await settle()
        last = desk.notifications.last
        assert last is not None
        assert (last.kind, last.text, last.model) == (
            Kind.FAILURE,
            "the card is full",
            "nomic-embed",
        )
        desk.close()

    run(body())


def test_unload_all_says_how_much_came_back(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.commands.unload_all()
        await settle()
        # Nothing is known of what they held: nothing is said.
        assert not desk.notifications.history
        for name in ("gemma-3-12b-it", "nomic-embed"):
            instance.router.change(name, state=ModelState.READY)
        # Another one holds something too, and stays.
        held = [ModelMemory(each.id, 3 * GIB, 3 * GIB, "learned") for each in some_models()]
        instance.measure(card(20.0), models=held)
        desk.commands.unload_all()
        await settle()
        last = desk.notifications.history[-1]
        assert (last.title, last.text) == (
            "2 models were unloaded",
            "6.0 GiB came back.",
        )
        desk.close()
        await settle()

    run(body())


def test_the_tray_follows_facts(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        menu = desk.tray.menu
        changed = asyncio.Event()
        desk.feed.gap = 10
        desk.feed.changed.connect(lambda _: changed.set())
        instance.router.set_models([model("only", ModelState.READY)])
        await changed.wait()
        assert texts(menu.menu)[:2] == ["1 model loaded", "only"]
        changed.clear()
        instance.bus.publish(ConfigRejected(("c.yaml:1:1: error: no",)))
        await changed.wait()
        assert menu.status.text() == "The configuration was not applied: c.yaml:1:1: error: no"
        changed.clear()
        instance.bus.publish(ConfigApplied(()))
        await changed.wait()
        assert menu.status.text() == "1 model loaded"
        desk.close()
        assert not desk.feed._timer.isActive()

    run(body())


def test_a_flood_of_facts_is_few_snapshots(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        feed = SnapshotFeed(instance)  # type: ignore[arg-type]
        seen: list[Snapshot] = []
        done = asyncio.Event()
        feed.changed.connect(seen.append)
        feed.gap = 50
        for at in range(1000):
            instance.bus.publish(QueueChanged(at, at))
        instance.router.waiting = 7
        feed.changed.connect(lambda _: done.set())
        await done.wait()
        assert len(seen) == 1
        assert seen[0].waiting == 7
        # After the last fact and its snapshot nothing ticks on.
        while feed._timer.isActive():
            await asyncio.sleep(0.01)
        assert len(seen) == 1
        feed.close()

    run(body())


def test_warnings_of_the_start_are_told(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        instance.warnings = ("the gateway can be reached from outside without a key",)
        desk = Desk(instance)  # type: ignore[arg-type]
        last = desk.notifications.last
        assert last is not None
        assert last.text == "the gateway can be reached from outside without a key"
        desk.close()

    run(body())


def test_who_gets_in_without_a_key_is_told_once(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        instance.exposed = ("http://0.0.0.0:8080",)
        desk = Desk(instance)  # type: ignore[arg-type]
        for _ in range(2):
            instance.bus.publish(ConfigApplied(()))
        kinds = [each.kind for each in desk.notifications.history]
        assert kinds == [Kind.EXPOSED]
        assert "http://0.0.0.0:8080" in desk.notifications.history[0].text
        instance.exposed = ("http://0.0.0.0:8080", "http://0.0.0.0:9090")
        instance.bus.publish(ConfigApplied(()))
        assert len(desk.notifications.history) == 2
        desk.close()

    run(body())


def test_the_switches_of_the_configuration_act(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        instance.config.notifications = Wanted(applied=False)
        desk = Desk(instance)  # type: ignore[arg-type]
        instance.bus.publish(ConfigApplied(("globalTTL 0 → 60",)))
        assert len(desk.notifications.history) == 1
        assert desk.notifications._waiting == []
        instance.config.notifications = Wanted()
        instance.bus.publish(ConfigApplied(("globalTTL 60 → 0",)))
        assert [each.kind for each in desk.notifications._waiting] == [Kind.APPLIED]
        desk.close()

    run(body())


def test_a_message_is_acted_on(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        instance.bus.publish(SwapStarted("x", ("nomic-embed",), "curl"))
        instance.bus.publish(Evicted(("nomic-embed",), "x", "no room", "curl", 0.1))
        message = desk.notifications.history[-1]
        desk.act(message, Deed.LOAD)
        await settle()
        assert instance.router.calls == [("load", "nomic-embed")]
        desk.act(message, Deed.SHOW)
        await until(desk.window.isVisible)
        chosen = desk.window.activity.selected()
        assert chosen is not None
        assert "nomic-embed had to go: no room." in chosen.story
        instance.bus.publish(LoadFailed("broken-one", "no such file"))
        desk.act(desk.notifications.history[-1], Deed.LOG)
        assert desk.window.logs.source.currentData() == "broken-one"
        desk.close()
        await settle()

    run(body())


def test_trouble_is_told_once(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        before = len(desk.notifications.history)
        desk.tell_trouble()
        desk.tell_trouble()
        assert len(desk.notifications.history) == before + 1
        desk.close()

    run(body())
