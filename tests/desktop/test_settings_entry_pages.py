"""The pages of peers, selectors, profiles and keys, and a model's filters, offscreen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from qmdesk.desktop.settings_window import pages
from qmdesk.desktop.settings_window.entries_view import EntriesView
from qmdesk.desktop.settings_window.keys_page import KeysPage
from qmdesk.desktop.settings_window.peer_models_edit import PeerModelsEdit
from qmdesk.desktop.settings_window.window import SettingsWindow
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.settings_desk import NAMED, TEXT, SettingsInstance
from tests.desktop.test_settings_window import opened, pressed, put_text, settle, tab_stops


@pytest.fixture(autouse=True)
def _key_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_KEY", "sk-or-1")


@pytest.fixture
def instance(tmp_path: Path) -> SettingsInstance:
    return SettingsInstance(tmp_path / "config.yaml", NAMED)


def view(window: SettingsWindow) -> EntriesView:
    form = window.form(window.page)
    assert isinstance(form, EntriesView)
    return form


def keys(window: SettingsWindow) -> KeysPage:
    form = window.form(pages.KEYS)
    assert isinstance(form, KeysPage)
    return form


async def written_name(window: SettingsWindow, name: QLineEdit, text: str, qtbot: QtBot) -> None:
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, text)
    qtbot.keyClick(name, Qt.Key.Key_Return)
    await settle()


def test_a_peer_is_added_named_filled_in_and_removed(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.PEERS) as window:
            page = view(window)
            assert page.entry == "workshop"
            await pressed(window, page.add)
            assert page.entry == "peer"
            assert page.name.hasFocus()
            await written_name(window, page.name, "cellar", qtbot)
            assert page.entry == "cellar"
            address = page.form.fields["proxy",]
            assert "must be a URL" in address.problem.text()
            # What is told at its field is not told twice.
            assert not page.problem.isVisible()
            address.editor.setText("http://cellar:8080")  # type: ignore[attr-defined]
            address.editor.textEdited.emit("")  # type: ignore[attr-defined]
            await until(lambda: "proxy: http://cellar:8080" in window.session.text)
            models = page.form.fields["models",].editor
            assert isinstance(models, PeerModelsEdit)
            assert models.box.isChecked()
            assert not models.lines.isVisible()
            models.box.click()
            models.lines.insertPlainText("one\ntwo")
            await until(lambda: "[one, two]" in window.session.text)
            await window.session.settled()
            config = window.session.analysis.config
            assert config is not None
            assert config.peers["cellar"].models == ("one", "two")
            models.box.click()
            await until(lambda: window.session.text.count("models: auto") == 2)
            await pressed(window, page.up)
            assert page.entry == "cellar"
            assert page.list.item(1).text() == "cellar"
            await pressed(window, page.remove)
            assert window.session.text == NAMED

    run(body())


def test_parameters_by_name_of_a_peer_and_of_a_model(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.PEERS) as window:
            page = view(window)
            assert page.inner is not None
            assert not page.inner.list.isVisible()
            page.select("openrouter")
            assert page.inner.entry == "coder-low"
            assert page.inner.form.fields[()].editor.toPlainText() == "reasoning_effort: low"  # type: ignore[attr-defined]
            window.present(f"{pages.MODELS}/qwen3-30b-a3b")
            inner = window.models.by_name
            assert inner.entry == "qwen3-fast"
            await pressed(window, inner.add)
            await written_name(window, inner.name, "qwen3-slow", qtbot)
            editor: Any = inner.form.fields[()].editor
            editor.insertPlainText("chat_template_kwargs: {enable_thinking: true}\nseed: x")
            await until(lambda: "seed: x" in window.session.text)
            await window.session.settled()
            config = window.session.analysis.config
            assert config is not None
            assert config.models["qwen3-30b-a3b"].set_params_by_id["qwen3-slow"] == {
                "chat_template_kwargs": {"enable_thinking": True},
                "seed": "x",
            }
            editor.selectAll()
            qtbot.keyClick(editor, Qt.Key.Key_Delete)
            await until(lambda: "seed: x" not in window.session.text)
            await window.session.settled()
            assert inner.entry == "qwen3-slow"
            await pressed(window, inner.remove)
            assert inner.entry == "qwen3-fast"
            window.models.select("nomic-embed")
            assert inner.entry == ""
            assert not inner.form.isVisible()

    run(body())


def test_parameters_that_say_nothing_are_told_at_their_field(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.MODELS) as window:
            window.models.select("qwen3-30b-a3b")
            field = window.models.form.field(("filters", "setParams"))
            editor: Any = field.editor
            editor.moveCursor(editor.textCursor().MoveOperation.End)
            editor.insertPlainText("\nnonsense")
            await until(lambda: "NAME: VALUE" in field.problem.text())
            assert window.session.text == NAMED
            qtbot.keyClicks(editor, ": 3")
            await until(lambda: "nonsense: 3" in window.session.text)

    run(body())


def test_the_older_spelling_of_a_filter_stays(run: Run, tmp_path: Path, qtbot: QtBot) -> None:
    text = NAMED.replace("stripParams:", "strip_params:")
    instance = SettingsInstance(tmp_path / "config.yaml", text)

    async def body() -> None:
        async with opened(instance, pages.MODELS) as window:
            window.models.select("qwen3-30b-a3b")
            field = window.models.form.field(("filters", "stripParams"))
            editor: Any = field.editor
            assert editor.toPlainText() == "temperature\ntop_k"
            editor.moveCursor(editor.textCursor().MoveOperation.End)
            editor.insertPlainText("\nmin_p")
            await until(lambda: 'strip_params: "temperature, top_k, min_p"' in window.session.text)
            window.models.select("nomic-embed")
            qtbot.keyClicks(editor, "seed")
            await until(lambda: "stripParams: [seed]" in window.session.text)

    run(body())


def test_targets_are_picked_from_a_menu(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance, pages.SELECTORS) as window:
            page = view(window)
            field = page.form.fields["targets",]
            menu = field.pick.menu()
            menu.aboutToShow.emit()
            action = next(each for each in menu.actions() if each.data() == "gpt-4o")
            action.trigger()
            await until(lambda: "targets: [gpt-oss-20b, gpt-4o, " in window.session.text)
            assert isinstance(field.editor, QPlainTextEdit)
            field.editor.clear()
            field.pick.insert("nomic-embed")
            assert field.editor.toPlainText() == "nomic-embed"
            combo: Any = page.form.fields["strategy",].editor
            assert combo.itemText(0) == "please choose"
            combo.setCurrentIndex(combo.findText("always the first"))
            combo.activated.emit(combo.currentIndex())
            await until(lambda: "strategy: pin\n    targets: [nomic" in window.session.text)
            # The name of a selector that others speak of is changed there too.
            await written_name(window, page.name, "talk", qtbot)
            assert "sk-8fJk2LmN4pQr6StU: [qwen3-30b-a3b, talk]" in window.session.text

    run(body())


def test_pins_of_a_profile(run: Run, instance: SettingsInstance, qtbot: QtBot) -> None:
    async def body() -> None:
        async with opened(instance, pages.PROFILES) as window:
            page = view(window)
            field = page.form.fields["pins",]
            editor: Any = field.editor
            editor.moveCursor(editor.textCursor().MoveOperation.End)
            field.pick.insert("gemma-3-12b-it")
            assert editor.toPlainText().endswith("workshop-only: gemma-3-12b-it")
            field.pick.insert("nomic-embed")
            field.pick.insert("chat")
            assert editor.toPlainText().endswith("\nnomic-embed: chat")
            await until(lambda: "nomic-embed: chat" in window.session.text)
            await window.session.settled()
            config = window.session.analysis.config
            assert config is not None
            assert config.profiles["away"].pins["workshop-only"] == "gemma-3-12b-it"
            await pressed(window, page.add)
            assert "needs at least one pin" in field.problem.text() + page.problem.text()

    run(body())


def test_keys_are_made_named_limited_and_removed(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.KEYS) as window:
            page = keys(window)
            assert page.key.text() == "sk-Vt9wQ2mZ5x8RkJ4n"
            assert page.admin.isChecked()
            await pressed(window, page.add)
            entry = page.entry
            assert entry is not None
            assert entry.at == 3
            assert page.name.hasFocus()
            await written_name(window, page.name, "phone", qtbot)
            page.admin.click()
            await settle()
            page.models.item(1).setCheckState(Qt.CheckState.Checked)
            await settle()
            page.models.item(0).setCheckState(Qt.CheckState.Checked)
            await settle()
            assert page.list.item(3).text() == "phone, may operate the gateway, 2 models only"
            config = window.session.analysis.config
            assert config is not None
            made = config.api_keys[3]
            assert (made.name, made.admin) == ("phone", True)
            assert config.api_key_models[made.key] == ("gpt-oss-20b", "qwen3-30b-a3b")
            page.copy.click()
            assert QGuiApplication.clipboard().text() == made.key
            await pressed(window, page.make)
            entry = page.entry
            assert entry is not None
            assert entry.key != made.key
            assert entry.models == ("gpt-oss-20b", "qwen3-30b-a3b")
            qtbot.keyClick(page.admin, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            await window.session.settled()
            assert page.entry is not None
            assert page.entry.key == made.key
            await pressed(window, page.remove)
            assert window.session.text.rstrip() == NAMED.rstrip()

    run(body())


def test_what_is_typed_into_a_key_is_told_when_the_page_is_left(
    run: Run, instance: SettingsInstance, qtbot: QtBot
) -> None:
    async def body() -> None:
        async with opened(instance, pages.KEYS) as window:
            page = keys(window)
            page.key.selectAll()
            qtbot.keyClicks(page.key, "sk-short one")
            window._flush()
            await settle()
            assert "has a space" in page.problem.text()
            qtbot.keyClicks(page.name, "x")
            page.forget()
            page.flush()
            await settle()
            assert "name: laptopx" not in window.session.text

    run(body())


@pytest.mark.parametrize("page", [pages.PEERS, pages.SELECTORS, pages.PROFILES, pages.KEYS])
def test_pages_without_entries_and_without_sense(
    run: Run, tmp_path: Path, page: str, qtbot: QtBot
) -> None:
    instance = SettingsInstance(tmp_path / "config.yaml")

    async def body() -> None:
        async with opened(instance, page) as window:
            made: Any = window.form(page)
            assert made.add.isEnabled()
            assert not made.remove.isEnabled()
            assert made.add in tab_stops(window)
            put_text(window, "listen: 127", "listen: [127")
            await window.session.settled()
            assert not made.add.isEnabled()
            window.text.undo()
            await window.session.settled()
            await pressed(window, made.add)
            assert made.remove.isEnabled()
            qtbot.keyClick(made.list, Qt.Key.Key_Delete)
            await settle()
            assert window.session.text.rstrip() == TEXT.rstrip()

    run(body())
