"""Edits that were not applied survive the end of the process, whatever ends it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from qmdesk.desktop.desk import Desk
from qmdesk.desktop.settings_window import draft_keeper, drafts, pages
from qmdesk.desktop.settings_window.draft_keeper import DraftKeeper
from qmdesk.desktop.settings_window.drafts import KEPT, Drafts
from qmdesk.desktop.settings_window.edits import put
from qmdesk.desktop.settings_window.merge_dialog import MergeDialog
from qmdesk.desktop.settings_window.window import SettingsWindow
from qmdesk.folders import state_folder
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.settings_desk import TEXT, SettingsInstance
from tests.desktop.test_settings_window import dialog, field, opened, pressed, put_text, settle

MINE = TEXT.replace("globalTTL: 1800", "globalTTL: 900")
FILE = Path("config.yaml")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


@pytest.fixture
def instance(file: Path) -> SettingsInstance:
    return SettingsInstance(file)


def kept() -> list[Path]:
    return sorted((state_folder() / "drafts").glob("*"))


def leave(file: Path, text: str, base: str = TEXT) -> None:
    """As an earlier window does that was killed."""
    Drafts(state_folder() / "drafts", file).keep(base, text)


@asynccontextmanager
async def killed(instance: SettingsInstance) -> AsyncIterator[SettingsWindow]:
    """A window that says no word when it ends."""
    window = SettingsWindow(instance)  # type: ignore[arg-type]
    window.present(pages.GENERAL)
    await settle()
    yield window
    window.session._keeper.close = lambda _: None  # type: ignore[method-assign]
    window.stop()
    window.hide()
    await settle()
    window.deleteLater()


# On the disk


def test_a_draft_is_kept_for_its_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "drafts"
    one = Drafts(folder, FILE)
    one.keep("base", "text\n😀")
    one.keep("base", "later")
    (place,) = folder.iterdir()
    if os.name != "nt":
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert one.waiting() == ()
    (draft,) = Drafts(folder, FILE).waiting()
    assert (draft.base, draft.text, draft.place) == ("base", "later", place)
    assert Drafts(folder, Path("other/config.yaml")).waiting() == ()
    one.keep("later", "later")
    assert [*folder.iterdir()] == []


def test_what_was_killed_within_its_writing_is_removed_later(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path, FILE)
    drafts.keep("base", "text")
    (place,) = tmp_path.iterdir()
    half = tmp_path / f".{place.name}.12.new"
    half.write_text("{", encoding="utf-8")
    drafts.waiting()
    assert half.exists()  # somebody may be at it
    os.utime(half, (time.time() - 100,) * 2)
    drafts.waiting()
    assert [*tmp_path.iterdir()] == [place]


def test_one_that_nobody_has_decided_on_is_not_overwritten(tmp_path: Path) -> None:
    for at in range(KEPT + 3):
        Drafts(tmp_path, FILE).keep("base", f"text {at}")
    found = [each.text for each in Drafts(tmp_path, FILE).waiting()]
    assert found == [f"text {at}" for at in range(KEPT + 2, 2, -1)]


@pytest.mark.parametrize("said", ["", "{", "[]", '{"format": 2}', '{"format": 1, "base": ""}'])
def test_what_is_no_draft_is_left_alone(
    tmp_path: Path, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    one = Drafts(tmp_path, FILE)
    one.keep("base", "text")
    (place,) = tmp_path.iterdir()
    place.write_text(said)
    assert Drafts(tmp_path, FILE).waiting() == ()
    assert place.exists()
    caplog.clear()


def test_a_write_that_is_cut_off_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Drafts(tmp_path, FILE)
    one.keep("base", "text")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        one.keep("base", "later")
    (draft,) = Drafts(tmp_path, FILE).waiting()
    assert draft.text == "text"
    assert len([*tmp_path.iterdir()]) == 1


# When it is kept


def test_edits_are_kept_a_while_after_the_last_and_not_on_each(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(draft_keeper, "REST", 100)
    written: list[str] = []
    monkeypatch.setattr(Drafts, "keep", lambda _, base, text: written.append(text))
    text = ""

    async def body() -> None:
        nonlocal text
        keeper = DraftKeeper(lambda: ("", text))
        keeper.use(Drafts(tmp_path, FILE))
        for each in "abcdef":
            text += each
            keeper.touch()
            await asyncio.sleep(0.02)
        assert written == []
        await until(lambda: bool(written))
        assert written == ["abcdef"]
        keeper.touch()
        await asyncio.sleep(0.2)
        assert written == ["abcdef"]
        # Who never stops is not left without.
        monkeypatch.setattr(draft_keeper, "LONGEST", 0.2)
        for each in "g" * 30:
            text += each
            keeper.touch()
            await asyncio.sleep(0.02)
        assert 2 <= len(written) <= 5
        keeper.close(())
        await settle()

    run(body())


def test_a_disk_that_is_full_is_told_in_the_log_only(
    run: Run, instance: SettingsInstance, caplog: pytest.LogCaptureFixture
) -> None:
    state_folder().mkdir(parents=True, exist_ok=True)
    (state_folder() / "drafts").write_text("no folder")

    async def body() -> None:
        async with opened(instance) as window:
            window.session.replace(MINE)
            await window.session._keeper.keep()
        assert caplog.text.count("unsaved settings cannot be kept") == 2
        caplog.clear()

    run(body())


# In the window


def test_unsaved_edits_are_offered_and_restored(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with killed(instance) as window:
            window.session._keeper._rest.setInterval(20)
            put_text(window, "globalTTL: 1800", "globalTTL: 900")
            await until(lambda: bool(kept()))
        async with opened(instance) as window:
            assert window.session.text == TEXT
            assert window.notice.text().startswith("There are unsaved changes from ")
            assert window.restore.isVisible()
            await pressed(window, window.restore)
            assert window.session.text == MINE
            assert window.session.dirty
            assert not window.restore.isVisible()
            assert window.notice.text() == "Restored. Look it over and apply."
            # It is ours now, and can be undone.
            assert len(kept()) == 1
            window.text.undo()
            assert window.session.text == TEXT

    run(body())


def test_unsaved_edits_are_discarded(run: Run, instance: SettingsInstance, file: Path) -> None:
    leave(file, MINE.replace("900", "800"))
    leave(file, MINE)

    async def body() -> None:
        async with opened(instance) as window:
            await pressed(window, window.discard)
            # The one before it is offered then.
            assert len(kept()) == 1
            assert window.restore.isVisible()
            assert window.restore.isEnabled()
            await pressed(window, window.discard)
            assert kept() == []
            assert not window.notice.isVisible()
            assert window.session.text == TEXT

    run(body())


def test_the_offer_stays_until_it_is_decided_on(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    leave(file, MINE)

    async def body() -> None:
        async with opened(instance) as window:
            window.session._keeper._rest.setInterval(20)
            put_text(window, "logLevel: info", "logLevel: warn")
            await until(lambda: len(kept()) == 2)
            assert await window.save()
            assert window.restore.isVisible()
            await until(lambda: len(kept()) == 1)
            await pressed(window, window.restore)
            assert window.session.text == MINE.replace("info", "warn")

    run(body())


def test_a_file_that_has_changed_meanwhile_is_merged(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    leave(file, MINE)
    theirs = TEXT.replace("logLevel: info", "logLevel: debug")
    file.write_text(theirs)

    async def body() -> None:
        async with opened(instance) as window:
            await pressed(window, window.restore)
            assert window.session.text == theirs.replace("1800", "900")

    run(body())


@pytest.mark.parametrize("mine", [True, False])
def test_where_both_changed_the_same_the_user_chooses(
    run: Run, instance: SettingsInstance, file: Path, mine: bool
) -> None:
    leave(file, MINE)
    theirs = TEXT.replace("1800", "60")
    file.write_text(theirs)

    async def body() -> None:
        async with opened(instance) as window:
            await pressed(window, window.restore)
            box = await dialog(window, MergeDialog)
            assert len(kept()) == 1
            if not mine:
                (clash,) = box.choices()
                box.choose_theirs(clash)
            box.merge.click()
            await settle()
            assert window.session.text == (MINE if mine else theirs)
            assert len(kept()) == (1 if mine else 0)

    run(body())


def test_what_the_file_says_already_is_not_offered(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    leave(file, MINE)
    file.write_text(MINE)

    async def body() -> None:
        async with opened(instance) as window:
            assert not window.restore.isVisible()
            assert kept() == []

    run(body())


@pytest.mark.parametrize("how", ["apply", "revert", "undo"])
def test_nothing_is_kept_of_what_has_been_settled(
    run: Run, instance: SettingsInstance, how: str
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            window.session._keeper._rest.setInterval(20)
            put_text(window, "globalTTL: 1800", "globalTTL: 900")
            await until(lambda: bool(kept()))
            if how == "apply":
                assert await window.save()
            elif how == "revert":
                window._on_revert()
            else:
                window.text.undo()
            await until(lambda: not kept())

    run(body())


def test_the_end_of_the_app_keeps_what_was_just_typed(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        desk.show_settings(pages.GENERAL)
        await until(lambda: desk.settings is not None)
        window = desk.settings
        assert window is not None
        await settle()
        # Into a form, and neither the form nor the text has had time for it.
        ttl = field(window, "globalTTL").editor
        assert isinstance(ttl, QLineEdit)
        ttl.selectAll()
        qtbot.keyClicks(ttl, "900")
        put_text(window, "logLevel: info", "logLevel: warn")
        desk.show_stopping()
        await settle()
        desk.close()
        (place,) = kept()
        assert json.loads(place.read_text())["text"] == MINE.replace("info", "warn")
        async with opened(instance) as window:
            await pressed(window, window.restore)
            assert window.session.text == MINE.replace("info", "warn")

    run(body())


def test_edits_that_cannot_be_made_do_not_spoil_the_others(
    run: Run, instance: SettingsInstance
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            window.session.hold()
            window.session.edit(1, put(("listen", 3, "x"), 1))
            window.session.edit(2, put(("globalTTL",), 900))
        (place,) = kept()
        assert json.loads(place.read_text())["text"] == MINE

    run(body())


def test_the_last_is_kept_though_the_loop_has_ended(run: Run, instance: SettingsInstance) -> None:
    windows: list[SettingsWindow] = []

    async def body() -> None:
        window = SettingsWindow(instance)  # type: ignore[arg-type]
        await settle()
        window.session.replace(MINE)
        windows.append(window)
        await window.session.settled()

    run(body())
    windows[0].stop()
    windows[0].deleteLater()
    assert len(kept()) == 1


def test_the_keys_of_the_offer_are_its_own(
    run: Run, instance: SettingsInstance, file: Path, qtbot: QtBot
) -> None:
    leave(file, MINE)

    async def body() -> None:
        async with opened(instance) as window:
            window.activateWindow()
            qtbot.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
            await until(lambda: window.session.text == MINE)

    run(body())


def test_a_killed_process_leaves_its_edits(file: Path, tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import asyncio, os, signal, sys, time
        from pathlib import Path
        from PySide6.QtWidgets import QApplication
        from qmdesk.desktop.loop import new_event_loop
        from qmdesk.desktop.settings_window.window import SettingsWindow
        from tests.desktop.settings_desk import SettingsInstance
        from tests.desktop.test_drafts import kept, MINE

        async def main():
            window = SettingsWindow(SettingsInstance(Path(sys.argv[1])))
            while window.session.locked:
                await asyncio.sleep(0.02)
            window.session.replace(MINE)
            began = time.monotonic()
            while not any(each.suffix == ".json" for each in kept()):
                await asyncio.sleep(0.02)
            assert time.monotonic() - began >= 0.9
            os.kill(os.getpid(), signal.SIGKILL)

        app = QApplication([])
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            runner.run(main())
        """
    )
    if os.name == "nt":
        pytest.skip("there is no SIGKILL")
    root = Path(__file__).resolve().parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", program, str(file)], cwd=root, timeout=60, check=False
    )
    assert ended.returncode == -9
    (draft,) = Drafts(state_folder() / "drafts", file).waiting()
    assert (draft.base, draft.text) == (TEXT, MINE)
    assert drafts.Draft(draft.place, TEXT, MINE, draft.time) == draft
