"""The tray's menu, the messages, the commands: offscreen, with a fake instance."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from qmdesk.desktop.application import Desk
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.feed import SnapshotFeed
from qmdesk.desktop.icon import SIZES, app_icon, state_colour, state_icon
from qmdesk.desktop.notification_text import Kind, Message
from qmdesk.desktop.notifications import HISTORY, Notifications
from qmdesk.desktop.tray import FIRST, Tray
from qmdesk.desktop.tray_state import Shape, tray_state
from qmdesk.events import (
    ConfigApplied,
    ConfigRejected,
    Evicted,
    LoadFailed,
    ModelState,
    QueueChanged,
)
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import running
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, model, some_models


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
        "mistral-small-24b   restarts at next use",
        "broken-one   llama-server ended with code 1: error: invalid…",
        "Unload all",
        "Copy API address",
        "Open qmdesk",
        "Settings…",
        "Quit",
    ]
    assert not tray.menu.status.isEnabled()
    qwen = tray.menu.model("qwen3-30b-a3b")
    assert qwen is not None
    assert texts(qwen.menu) == ["Start", "Unload", "Restart", "Copy model name", "Show log"]
    assert [each.isEnabled() for each in (qwen.start, qwen.unload, qwen.restart)] == [
        False,
        True,
        True,
    ]
    assert "2 requests running" in tray.icon.toolTip()


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


def test_beyond_twelve_models_the_rest_is_a_submenu(tray: Tray) -> None:
    def show(count: int) -> None:
        models = tuple(model(f"model-{at:02}") for at in range(count))
        tray.show_state(tray_state(Snapshot(models, 0, 0)))

    show(FIRST)
    assert "More models" not in texts(tray.menu.menu)
    assert len(texts(tray.menu.menu)) == FIRST + 6
    show(20)
    assert texts(tray.menu.menu)[1 : FIRST + 2] == [
        *(f"model-{at:02}" for at in range(FIRST)),
        "More models",
    ]
    assert texts(tray.menu.more) == [f"model-{at:02}" for at in range(FIRST, 20)]
    # One of the first goes: the first of the rest moves up.
    models = tuple(model(f"model-{at:02}") for at in range(1, 20))
    tray.show_state(tray_state(Snapshot(models, 0, 0)))
    assert texts(tray.menu.menu)[FIRST] == "model-12"
    assert texts(tray.menu.more)[0] == "model-13"
    show(0)
    assert texts(tray.menu.menu)[0] == "No models yet"
    assert len(texts(tray.menu.menu)) == 6


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
    assert "Stopping models" in tray.icon.toolTip()
    tray.show_state(tray_state(Snapshot((), 0, 0)))
    assert tray.menu.status.text() == "Stopping models…"


def test_a_new_icon_takes_over(tray: Tray) -> None:
    old = tray.icon
    tray.renew()
    assert tray.icon is not old
    assert tray.icon.contextMenu() is tray.menu.menu
    assert tray.icon.toolTip() == old.toolTip()
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


def test_muted_kinds_are_kept_but_not_shown(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        shown = Shown()
        notifications = Notifications(instance.bus, shown)
        notifications.muted.add(Kind.EVICTED)
        for _ in range(HISTORY + 50):
            instance.bus.publish(Evicted(("a",), "x", "", "", 0.1))
        instance.bus.publish(ConfigRejected(("c.yaml:1:1: error: no",)))
        await shown.came.wait()
        assert [each.kind for each in shown.messages] == [Kind.CONFIG]
        assert len(notifications.history) == HISTORY
        notifications.close()

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


def test_trouble_is_told_once(run: Run, instance: FakeInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        before = len(desk.notifications.history)
        desk.tell_trouble()
        desk.tell_trouble()
        assert len(desk.notifications.history) == before + 1
        desk.close()

    run(body())
