"""The settings window, offscreen, over a real file."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qmdesk.config import Config, ConfigError, Problem, parse
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.settings_window import pages
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.apply_dialog import ApplyDialog
from qmdesk.desktop.settings_window.field_editor import FieldEditor
from qmdesk.desktop.settings_window.form_page import Form
from qmdesk.desktop.settings_window.history_dialog import HistoryDialog
from qmdesk.desktop.settings_window.merge_dialog import MergeDialog
from qmdesk.desktop.settings_window.proposal_dialog import ProposalDialog
from qmdesk.desktop.settings_window.window import SettingsWindow
from qmdesk.instance import Instance
from qmdesk.tasks import running
from tests.conftest import fake, until
from tests.desktop.conftest import Run
from tests.desktop.settings_desk import TEXT, SettingsInstance


async def settle() -> None:
    """Let what the window has begun end."""
    mine = ("settings", "help of", "differences")
    while tasks := [each for each in running() if each.get_name().startswith(mine)]:
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def opened(
    instance: SettingsInstance | Instance, page: str = pages.GENERAL
) -> AsyncIterator[SettingsWindow]:
    """A window that has read its file; everything it began has ended afterwards."""
    window = SettingsWindow(instance)  # type: ignore[arg-type]
    window.present(page)
    await settle()
    try:
        yield window
    finally:
        window.stop()
        await settle()
        window.hide()
        window.deleteLater()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


@pytest.fixture
def instance(file: Path) -> SettingsInstance:
    return SettingsInstance(file)


def field(window: SettingsWindow, *path: str) -> FieldEditor:
    """The editor of a key on the page that is shown."""
    form = window.form(window.page)
    assert isinstance(form, Form)
    return form.fields[path]


def put_text(window: SettingsWindow, old: str, new: str) -> None:
    """Change the text as somebody who types over it does."""
    text = window.text.toPlainText()
    cursor = window.text.textCursor()
    at = text.index(old)
    cursor.setPosition(at)
    cursor.setPosition(at + len(old), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(new)


def tab_stops(window: SettingsWindow) -> list[QWidget]:
    """Where Tab leads, from the rail on."""
    found = [window.rail]
    at = window.rail.nextInFocusChain()
    while at is not window.rail:
        if at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.isEnabled():
            found.append(at)
        at = at.nextInFocusChain()
    return found


async def dialog(window: SettingsWindow, kind: type[QDialog]) -> Any:
    """The dialog of this kind, once it is open."""
    found: list[Any] = []

    def there() -> bool:
        found[:] = [each for each in window.findChildren(kind) if each.isVisible()]
        return bool(found)

    await until(there)
    return found[0]


async def pressed(window: SettingsWindow, button: QPushButton) -> None:
    assert button.isEnabled(), button.text()
    button.click()
    await settle()


# Form and text


def test_a_field_changes_its_line_and_nothing_else(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            ttl = field(window, "globalTTL")
            assert isinstance(ttl.editor, QLineEdit)
            assert ttl.editor.text() == "1800"
            assert not ttl._changed
            ttl.editor.setFocus()
            ttl.editor.selectAll()
            qtbot.keyClicks(ttl.editor, "900")
            qtbot.keyClick(ttl.editor, Qt.Key.Key_Return)
            await settle()
            assert window.session.text == TEXT.replace("1800   # half", "900   # half")
            assert ttl.dot.isVisible()
            assert window.text._lit == 3
            qtbot.mouseClick(ttl.reset, Qt.MouseButton.LeftButton)
            await settle()
            assert window.session.text == TEXT
            assert not ttl.dot.isVisible()
            assert not window.session.dirty

    run(body())


def test_typing_is_told_without_enter(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            editor = field(window, "defaultModel").editor
            qtbot.keyClicks(editor, "gemma-3-12b-it")
            await until(lambda: "defaultModel: gemma-3-12b-it" in window.session.text)
            # An emptied field takes its key away.
            editor.selectAll()  # type: ignore[attr-defined]
            qtbot.keyClick(editor, Qt.Key.Key_Delete)
            await until(lambda: "defaultModel" not in window.session.text)

    run(body())


def test_the_form_follows_the_text(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "globalTTL: 1800", "globalTTL: 60")
            put_text(window, "logLevel: info", "logLevel: debug\nlisten: x")
            put_text(window, "\nlisten: x", "")
            await window.session.settled()
            editor = field(window, "globalTTL").editor
            assert editor.text() == "60"  # type: ignore[attr-defined]
            level = field(window, "logLevel").editor
            assert isinstance(level, QComboBox)
            assert level.currentText() == "debug"

    run(body())


def test_one_undo_for_both(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "logLevel: info", "logLevel: warn")
            ttl = field(window, "globalTTL")
            ttl.editor.setFocus()
            ttl.editor.selectAll()  # type: ignore[attr-defined]
            qtbot.keyClicks(ttl.editor, "5")
            qtbot.keyClick(ttl.editor, Qt.Key.Key_Return)
            await settle()
            assert "globalTTL: 5" in window.session.text
            control = Qt.KeyboardModifier.ControlModifier
            qtbot.keyClick(ttl.editor, Qt.Key.Key_Z, control)
            await window.session.settled()
            assert "globalTTL: 1800" in window.session.text
            assert ttl.editor.text() == "1800"  # type: ignore[attr-defined]
            qtbot.keyClick(ttl.editor, Qt.Key.Key_Z, control)
            await window.session.settled()
            assert window.session.text == TEXT

    run(body())


def test_broken_yaml_keeps_the_forms(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "listen: 127", "listen: [127")
            await window.session.settled()
            assert window.problems.isVisible()
            assert window.problems.item(0).text().startswith("Line ")
            editor = field(window, "globalTTL").editor
            assert editor.text() == "1800"  # type: ignore[attr-defined]
            assert not editor.isEnabled()
            assert not window.apply.isEnabled()
            window.problems.setCurrentRow(0)
            qtbot.keyClick(window.problems, Qt.Key.Key_Return)
            line = window.text.textCursor().blockNumber() + 1
            assert window.problems.item(0).text().startswith(f"Line {line}:")
            window.text.undo()
            await window.session.settled()
            assert editor.isEnabled()
            assert not window.problems.isVisible()

    run(body())


def test_a_problem_is_at_its_field(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            ttl = field(window, "globalTTL")
            ttl.editor.selectAll()  # type: ignore[attr-defined]
            qtbot.keyClicks(ttl.editor, "5m")
            qtbot.keyClick(ttl.editor, Qt.Key.Key_Return)
            await settle()
            assert "write 300" in ttl.problem.text()
            assert window.plan.text() == "1 mistake to mend first."
            assert window.text._marks == {3: True}

    run(body())


def test_flags_and_choices_write_what_they_say(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance, pages.NOTIFICATIONS) as window:
            box: Any = field(window, "notifications", "eviction").editor
            assert box.isChecked()
            box.click()
            await settle()
            assert "notifications:\n  eviction: false" in window.session.text
            box.click()
            await settle()
            assert "notifications" not in window.session.text
            window.present(pages.GENERAL)
            combo: Any = field(window, "sendLoadingState").editor
            combo.setCurrentIndex(combo.findText("as reasoning text"))
            combo.activated.emit(combo.currentIndex())
            await settle()
            assert "sendLoadingState: reasoning" in window.session.text
            combo.setCurrentIndex(0)
            combo.activated.emit(0)
            await settle()
            assert "sendLoadingState" not in window.session.text

    run(body())


def test_what_a_form_cannot_change_is_told(run: Run, file: Path, qtbot: QtBot) -> None:
    async def body() -> None:
        text = "x-m: &m\n  reserveGB: 1\nmemory: *m\n"
        async with opened(SettingsInstance(file, text), pages.MEMORY) as window:
            reserve: Any = field(window, "memory", "reserveGB").editor
            reserve.selectAll()
            qtbot.keyClicks(reserve, "2")
            qtbot.keyClick(reserve, Qt.Key.Key_Return)
            await settle()
            assert window.session.text == text
            assert window.notice.text().startswith("This cannot be changed here: memory")
            assert reserve.text() == "1"
            put_text(window, "reserveGB: 1", "reserveGB: 2")
            assert not window.notice.isVisible()
            await window.session.settled()
            assert reserve.text() == "2"

    run(body())


def test_a_flag_from_a_macro_is_left_alone(run: Run, file: Path) -> None:
    async def body() -> None:
        instance = SettingsInstance(file, "macros: {yes_: true}\nincludeAliasesInList: ${yes_}\n")
        async with opened(instance, pages.ADVANCED) as window:
            editor = field(window, "includeAliasesInList").editor
            assert not editor.isEnabled()
            assert "change it in the text" in editor.toolTip()

    run(body())


# Apply and its kin


def test_apply_shows_the_plan_then_saves(
    run: Run, instance: SettingsInstance, file: Path, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            assert not window.apply.isEnabled()
            put_text(window, "info", "debug")
            put_text(window, "-c 32768", "-c 4096")
            await window.session.settled()
            assert "qwen3-30b-a3b goes on as it is until" in window.plan.text()
            await pressed(window, window.apply)
            asked = await dialog(window, ApplyDialog)
            said = [asked.changes.item(at).text() for at in range(asked.changes.count())]
            assert "logLevel info → debug" in said
            assert "2 requests in flight are not disturbed" in asked.running.text()
            assert file.read_text() == TEXT
            qtbot.keyClick(asked, Qt.Key.Key_Return)
            await settle()
            assert file.read_text() == TEXT.replace("info", "debug").replace("32768", "4096")
            assert instance.config.log_level == "debug"
            assert not window.session.dirty
            assert window.plan.text() == "Nothing to apply."

    run(body())


def test_apply_can_be_called_off(run: Run, instance: SettingsInstance, file: Path) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "info", "debug")
            await window.session.settled()
            await pressed(window, window.apply)
            (await dialog(window, ApplyDialog)).reject()
            await settle()
            assert file.read_text() == TEXT
            assert window.session.dirty

    run(body())


def test_what_cannot_be_put_in_force_is_told(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    def refuse(_: Config) -> None:
        raise ConfigError((Problem("the port 80 is taken by another program"),))

    async def body() -> None:
        instance.refuse = refuse
        async with opened(instance) as window:
            put_text(window, "127.0.0.1:8080", "127.0.0.1:80")
            assert not await window.save()
            assert "the port 80 is taken" in window.notice.text()
            assert file.read_text() == TEXT
            assert window.session.dirty

    run(body())


def test_revert_goes_back_and_can_be_undone(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "info", "debug")
            put_text(window, "ttl: 3600", "ttl: 60")
            await window.session.settled()
            changed = window.session.text
            await pressed(window, window.revert)
            assert window.session.text == TEXT
            window.text.undo()
            assert window.session.text == changed

    run(body())


def test_history_shows_what_was_and_restores_it(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            await pressed(window, window.history)
            empty = await dialog(window, HistoryDialog)
            assert "no earlier versions yet" in empty.note.text()
            empty.reject()
            put_text(window, "info", "debug")
            assert await window.save()
            await pressed(window, window.history)
            shown = await dialog(window, HistoryDialog)
            await until(shown.restore.isEnabled)
            assert "-logLevel: debug\n+logLevel: info" in shown.view.toPlainText()
            shown.restore.click()
            await window.session.settled()
            assert window.session.text == TEXT
            assert file.read_text() != TEXT
            assert await window.save()
            assert file.read_text() == TEXT

    run(body())


# The file changes outside


def test_a_change_outside_is_taken_over(run: Run, instance: SettingsInstance, file: Path) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            theirs = TEXT.replace("info", "error")
            file.write_text(theirs)
            await instance.configuration.reload()
            await settle()
            assert window.session.text == theirs
            assert not window.session.dirty

    run(body())


def test_a_change_outside_is_merged_with_mine(
    run: Run, instance: SettingsInstance, file: Path
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "globalTTL: 1800", "globalTTL: 60")
            file.write_text(TEXT.replace("info", "error"))
            await instance.configuration.reload()
            await settle()
            assert window.merge.isVisible()
            assert "info" in window.session.text
            await pressed(window, window.merge)
            both = TEXT.replace("info", "error").replace("globalTTL: 1800", "globalTTL: 60")
            assert window.session.text == both
            assert window.session.dirty
            assert not window.merge.isVisible()
            assert await window.save()
            assert file.read_text() == both

    run(body())


@pytest.mark.parametrize("whose", ["mine", "theirs"])
def test_clashes_are_chosen(run: Run, instance: SettingsInstance, file: Path, whose: str) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "logLevel: info", "logLevel: debug")
            file.write_text(TEXT.replace("info", "error").replace("ttl: 3600", "ttl: 5"))
            # Seen at the latest when it is saved.
            assert not await window.save()
            await pressed(window, window.merge)
            asked = await dialog(window, MergeDialog)
            (clash,) = asked._theirs
            if whose == "theirs":
                asked.choose_theirs(clash)
            asked.merge.click()
            await settle()
            level = {"mine": "debug", "theirs": "error"}[whose]
            expected = TEXT.replace("info", level).replace("ttl: 3600", "ttl: 5")
            assert window.session.text == expected
            assert await window.save()
            assert file.read_text() == expected

    run(body())


def test_theirs_can_be_taken(run: Run, instance: SettingsInstance, file: Path) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "logLevel: info", "logLevel: debug")
            mine = window.session.text
            file.write_text(TEXT.replace("info", "error"))
            await window.session.check_disk()
            await pressed(window, window.take_theirs)
            assert window.session.text == TEXT.replace("info", "error")
            assert not window.session.dirty
            window.text.undo()
            assert window.session.text == mine

    run(body())


# Closing


@pytest.mark.parametrize("answer", ["Apply", "Discard", "Cancel"])
def test_closing_with_edits_asks(
    run: Run, instance: SettingsInstance, file: Path, answer: str
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "info", "debug")
            await window.session.settled()
            window.close()
            box = await dialog(window, QMessageBox)
            button = next(each for each in box.buttons() if each.text().replace("&", "") == answer)
            button.click()
            await settle()
            assert window.isVisible() == (answer == "Cancel")
            assert ("debug" in file.read_text()) == (answer == "Apply")
            assert ("debug" in window.session.text) == (answer != "Discard")

    run(body())


def test_quitting_with_edits_asks_too(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        agreed: list[bool] = []
        desk.quit_agreed.connect(lambda: agreed.append(True))
        desk.commands.show_settings()
        await settle()
        window = desk.settings
        assert window is not None
        put_text(window, "info", "debug")
        desk.commands.quit()
        box = await dialog(window, QMessageBox)
        box.escapeButton().click()
        assert agreed == []
        desk.commands.quit()
        await dialog(window, QMessageBox)
        # Whoever asks twice means it.
        desk.commands.quit()
        assert agreed == [True]
        desk.close()
        await settle()

    run(body())


def test_closing_remembers_its_place(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            window.resize(780, 500)
            window.present(pages.MEMORY)
            qtbot.keyClick(window, Qt.Key.Key_Escape)
            assert not window.isVisible()
        async with opened(instance, "") as again:
            assert again.page == pages.MEMORY
            assert (again.width(), again.height()) == (780, 500)

    run(body())


# Models


def test_models_are_added_named_copied_ordered_and_removed(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.MODELS) as window:
            models = window.models
            assert models.model == "qwen3-30b-a3b"
            await pressed(window, models.add)
            assert models.model == "new-model"
            assert models.id.hasFocus()
            qtbot.keyClicks(models.id, "mine")
            qtbot.keyClick(models.id, Qt.Key.Key_Return)
            await settle()
            assert models.model == "mine"
            await pressed(window, models.up)
            config = parse(window.session.text)
            assert list(config.models)[-2:] == ["mine", "gemma-3-12b-it"]
            await pressed(window, models.duplicate)
            assert models.model == "mine-copy"
            await pressed(window, models.remove)
            assert "mine-copy" not in window.session.text
            control = Qt.KeyboardModifier.ControlModifier
            qtbot.keyClick(models.list, Qt.Key.Key_Z, control)
            await settle()
            assert "mine-copy" in window.session.text
            qtbot.keyClick(models.list, Qt.Key.Key_Z, control | Qt.KeyboardModifier.ShiftModifier)
            await settle()
            assert "mine-copy" not in window.session.text
            models.select("mine")
            await pressed(window, models.remove)
            # But for an empty line between its parts the file is as it was.
            left = [line for line in window.session.text.split("\n") if line]
            assert left == [line for line in TEXT.split("\n") if line]

    run(body())


def test_a_models_form_edits_it(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance, "models/gpt-oss-20b") as window:
            models = window.models
            command: Any = models.form.fields["cmd",].editor
            lines = "${server}\n-m ${models}/gpt-oss-20b-mxfp4.gguf\n-c 16384\n-ngl 99"
            assert command.toPlainText() == lines
            assert models.expanded.text().startswith(
                "llama-server --port ${PORT} --jinja -m /models/gpt-oss-20b-mxfp4.gguf"
            )
            command.setPlainText(lines.replace("16384", "8192"))
            models.form.fields["aliases",].editor.setPlainText("oss\ngpt")  # type: ignore[attr-defined]
            aliases = ("models", "gpt-oss-20b", "aliases")
            await until(lambda: value_at(window.session.analysis.root, aliases) == ["oss", "gpt"])
            models.group.setCurrentIndex(models.group.findData("small"))
            models.group.activated.emit(models.group.currentIndex())
            await settle()
            config = parse(window.session.text)
            assert config.models["gpt-oss-20b"].aliases == ("oss", "gpt")
            assert "-c 8192 -ngl 99\n" in window.session.text
            assert config.groups["small"].members == ("nomic-embed", "gpt-oss-20b")
            # Another model, another form; what was typed is not lost on the way.
            qtbot.keyClicks(models.form.fields["ttl",].editor, "7")
            models.list.setCurrentRow(0)
            await settle()
            assert parse(window.session.text).models["gpt-oss-20b"].ttl == 7
            assert models.form.fields["ttl",].editor.text() == "3600"  # type: ignore[attr-defined]

    run(body())


def test_flags_are_explained_completed_and_doubted(run: Run, file: Path, qtbot: QtBot) -> None:
    async def body() -> None:
        cmd = f"{sys.executable} -m qmdesk.llama_server --port ${{PORT}} --flash-atn on"
        async with opened(
            SettingsInstance(file, f"models:\n  a:\n    cmd: {cmd}\n"), pages.MODELS
        ) as window:
            command: Any = window.models.form.fields["cmd",].editor
            await until(window.models.doubts.isVisible)
            assert "did you mean --flash-attn?" in window.models.doubts.text()
            assert command.extraSelections()
            command.moveCursor(QTextCursor.MoveOperation.End)
            qtbot.keyClick(command, Qt.Key.Key_Return)
            qtbot.keyClicks(command, "--ctx-s")
            assert command._popup.isVisible()
            qtbot.keyClick(command._popup, Qt.Key.Key_Return)
            assert command.toPlainText().endswith("\n--ctx-size ")

    run(body())


# Model files


def test_a_dropped_file_is_proposed_and_added(
    run: Run, instance: SettingsInstance, tmp_path: Path
) -> None:
    async def body() -> None:
        for name in ("Tiny-Q8_0.gguf", "notes.txt"):
            (tmp_path / name).touch()
        async with opened(instance) as window:
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
            buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
            copy = Qt.DropAction.CopyAction
            entering = QDragEnterEvent(QPoint(9, 9), copy, data, buttons, keys)
            entering.setAccepted(False)
            QApplication.sendEvent(window, entering)
            assert not entering.isAccepted()
            data.setUrls([QUrl.fromLocalFile(str(tmp_path / "Tiny-Q8_0.gguf"))])
            entering = QDragEnterEvent(QPoint(9, 9), copy, data, buttons, keys)
            QApplication.sendEvent(window, entering)
            assert entering.isAccepted()
            QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), copy, data, buttons, keys))
            asked = await dialog(window, ProposalDialog)
            assert asked.name == "tiny-q8_0"
            assert "tiny" not in window.session.text
            asked.id.setText("gpt-oss-20b")
            assert not asked.add.isEnabled()
            assert "already" in asked.wrong.text()
            asked.id.setText("tiny")
            asked.add.click()
            await settle()
            assert window.page == pages.MODELS
            assert window.models.model == "tiny"
            model = parse(window.session.text).models["tiny"]
            assert str(tmp_path / "Tiny-Q8_0.gguf") in model.cmd

    run(body())


# Groups


def test_members_are_ticked(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance, pages.GROUPS) as window:
            groups = window.groups
            assert groups.group == "chat"
            item = groups.members.item(1)
            assert item.text() == "gpt-oss-20b"
            item.setCheckState(Qt.CheckState.Unchecked)
            groups.rules["swap"].click()
            await settle()
            chat = parse(window.session.text).groups["chat"]
            assert chat.members == ("qwen3-30b-a3b", "gemma-3-12b-it")
            assert not chat.swap
            await pressed(window, groups.add)
            assert groups.group == "together"
            groups.name.setFocus()
            groups.name.setText("")
            groups.name.insert("pair")
            groups.name.setModified(True)
            groups.name.editingFinished.emit()
            await settle()
            assert groups.group == "pair"
            await pressed(window, groups.remove)
            assert list(parse(window.session.text).groups) == ["chat", "small"]
            assert "nomic-embed stays loaded" in groups.picture.accessibleDescription()

    run(body())


def test_a_matrix_is_edited_as_pairs(run: Run, file: Path) -> None:
    text = (
        "models:\n  a: {proxy: 'http://h:1'}\n  b: {proxy: 'http://h:2'}\n"
        "matrix:\n  # why\n  sets:\n    both: a & b\n"
    )

    async def body() -> None:
        async with opened(SettingsInstance(file, text), pages.GROUPS) as window:
            assert window.groups.matrix.isVisible()
            assert not window.groups.add.isVisible()
            sets: Any = window.groups.matrix.fields["matrix", "sets"].editor
            sets.setPlainText("both: a & b\nalone: a | b")
            await until(lambda: "alone" in window.session.text)
            assert window.session.text == f"{text}    alone: a | b\n"

    run(body())


# What cannot be edited


def test_without_a_file_it_is_said(run: Run) -> None:
    async def body() -> None:
        async with opened(SettingsInstance(None)) as window:
            assert "no configuration file" in window.notice.text()
            assert window.text.isReadOnly()
            assert not window.apply.isEnabled()
            assert not field(window, "globalTTL").editor.isEnabled()

    run(body())


def test_marks_and_line_ends_stay(run: Run, file: Path) -> None:
    text = "\ufeff" + TEXT.replace("stairs", "stairs\u00a0😀").replace("\n", "\r\n")

    async def body() -> None:
        async with opened(SettingsInstance(file, text)) as window:
            assert not window.session.dirty
            combo: Any = field(window, "logLevel").editor
            combo.setCurrentIndex(combo.findText("warn"))
            combo.activated.emit(combo.currentIndex())
            await settle()
            assert await window.save()
            assert file.read_bytes() == text.replace("info", "warn").encode()

    run(body())


def test_mixed_line_ends_are_told(run: Run, file: Path) -> None:
    async def body() -> None:
        text = TEXT.replace("\n", "\r\n", 2)
        async with opened(SettingsInstance(file, text)) as window:
            assert "line ends" in window.notice.text()
            assert window.session.text == TEXT

    run(body())


# With everything real


def test_a_stream_is_not_disturbed_by_apply(run: Run, file: Path) -> None:
    """A stream is open while the command of its model and the log level are changed."""
    cmd = fake()
    file.write_text(f"logLevel: info\nmodels:\n  a:\n    cmd: {cmd}\n    ttl: 60\n")

    async def body() -> None:
        instance = Instance(parse(file.read_bytes(), file), listen="127.0.0.1:0")
        await instance.start()
        try:
            async with opened(instance) as window, aiohttp.ClientSession() as http:
                url = f"{instance.addresses[0]}/v1/chat/completions"
                asked = {"model": "a", "stream": True, "messages": []}
                asked["fake"] = {"tokens": 30, "delay": 0.05}
                async with http.post(url, json=asked) as answer:
                    lines = aiter(answer.content)
                    await anext(lines)
                    put_text(window, "logLevel: info", "logLevel: debug")
                    put_text(window, '"--name"', '"--health", "200", "--name"')
                    await window.session.settled()
                    await pressed(window, window.apply)
                    shown = await dialog(window, ApplyDialog)
                    assert "1 request in flight is not disturbed" in shown.running.text()
                    shown.apply.click()
                    rest = [line async for line in lines]
                    assert rest[-2].startswith(b"data: [DONE]")
                await until(lambda: instance.config.log_level == "debug")
                model = instance.router.snapshot().model("a")
                assert model is not None
                assert model.outdated
                await settle()
        finally:
            await instance.stop(budget=4.0)

    run(body(), timeout=60)


# How it is reached and how it holds


def test_it_opens_from_tray_and_window_and_is_freed(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        desk = Desk(instance)  # type: ignore[arg-type]
        assert desk.settings is None
        actions = [each.text() for each in desk.tray.menu.menu.actions()]
        assert actions.index("Settings…") < actions.index("Quit")
        desk.tray.menu.settings.trigger()
        await settle()
        window = desk.settings
        assert window is not None
        assert window.isVisible()
        window.close()
        desk.window.present()
        await until(desk.window.isActiveWindow)
        control = Qt.KeyboardModifier.ControlModifier
        qtbot.keyClick(desk.window, Qt.Key.Key_Comma, control)
        assert desk.settings is window
        assert window.isVisible()
        window.close()
        assert desk._free.isActive()
        desk._free.timeout.emit()
        assert desk.settings is None
        desk.commands.show_settings("models/nomic-embed")
        await settle()
        again = desk.settings
        assert again is not None
        assert again is not window
        assert again.models.model == "nomic-embed"
        desk.close()
        await settle()

    run(body())


def test_everything_is_reached_by_tab_and_named(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            for page in pages.PAGES:
                window.present(page)
                for form in window.findChildren(Form):
                    assert form.fields
                QApplication.processEvents()
                kinds = (QPushButton, QLineEdit, QComboBox, QPlainTextEdit)
                wanted = {
                    each
                    for kind in kinds
                    for each in window.findChildren(kind)
                    if each.isVisible() and each.isEnabled()
                }
                seen: set[QWidget] = set()
                at: QWidget = window.rail
                while at not in seen:
                    seen.add(at)
                    at = at.nextInFocusChain()
                assert wanted <= seen
                # From the rail into the page, through it, and on to the text.
                inside = window.form(page)
                stops = [each for each in tab_stops(window) if each.isVisible()]
                of_page = [inside.isAncestorOf(each) for each in stops[1:]]
                assert of_page[0]
                if isinstance(inside, Form):
                    order = [each.editor for each in inside.fields.values()]
                    places = [stops.index(each) for each in order]
                    assert places == sorted(places)
                assert sorted(of_page, reverse=True) == of_page
                assert stops[len([each for each in of_page if each]) + 1] is window.text
                for each in wanted:
                    assert each.focusPolicy() & Qt.FocusPolicy.TabFocus
                    named = each.accessibleName() or getattr(each, "text", str)()
                    assert named, each
        await settle()

    run(body())


def test_pages_have_keys(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            await until(window.isActiveWindow)
            qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
            assert window.page == pages.GROUPS

    run(body())


def test_form_and_text_can_be_hidden_but_not_both(run: Run, instance: SettingsInstance) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            window.show_text.click()
            assert window.splitter.sizes()[1] == 0
            window.show_form.click()
            assert window.splitter.sizes()[0] == 0
            assert window.splitter.sizes()[1] > 0
            assert window.show_text.isChecked()

    run(body())


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_layouts_hold(
    run: Run, qapp: QApplication, instance: SettingsInstance, scale: float
) -> None:
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(before.pointSizeF() * scale)
    qapp.setFont(font)

    async def body() -> None:
        async with opened(instance) as window:
            for page in pages.PAGES:
                window.present(page)
                QApplication.processEvents()
                for button in window.findChildren(QPushButton):
                    if button.isVisible():
                        assert button.width() >= button.sizeHint().width(), button.text()
                        assert button.height() >= button.fontMetrics().height()

    try:
        run(body())
    finally:
        qapp.setFont(before)
