"""The settings of a configuration in several files: one of them is edited at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from qmdesk.config import parse
from qmdesk.config.merge import read_all
from qmdesk.configuration import NotEditable
from qmdesk.desktop.settings_window import pages
from qmdesk.desktop.settings_window.analysis import analyse
from qmdesk.desktop.settings_window.drafts import Drafts
from qmdesk.desktop.settings_window.history_dialog import HistoryDialog
from qmdesk.desktop.settings_window.window import SettingsWindow
from qmdesk.folders import state_folder
from qmdesk.sources import Sources
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.settings_desk import TEXT, SettingsInstance
from tests.desktop.test_settings_window import dialog, field, opened, pressed, put_text, settle

MORE = """\
# The ones for guests.
apiKeys: [sk-guests-1234567890]
models:
  tiny:
    cmd: llama-server --port ${PORT} -m /models/tiny.gguf
groups:
  guests:
    members: [tiny]
"""
KEYS = "apiKeys:\n  - sk-first-1234567890\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "10-house.yaml").write_text(TEXT + KEYS)
    (folder / "20-guests.yaml").write_text(MORE)
    return folder


@pytest.fixture
def instance(folder: Path) -> SettingsInstance:
    return SettingsInstance(None, folder=folder)


async def choose(window: SettingsWindow, name: str) -> None:
    """Choose a file as somebody does who picks it from the list."""
    at = window.files.findText(name)
    assert at >= 0
    window.files.setCurrentIndex(at)
    window.files.activated.emit(at)
    await settle()


# What they say together


def test_a_file_is_understood_with_the_others(folder: Path) -> None:
    file = folder / "20-guests.yaml"
    sources = Sources(None, folder)
    found = analyse(MORE, file, None, sources)
    assert found.root is not None
    assert [*found.root["models"]] == ["tiny"]
    assert found.config is not None
    assert "qwen3-30b-a3b" in found.config.models
    assert found.line(("models", "tiny")) == 4
    assert analyse(MORE, file).config is not None

    # What is wrong is said of the file that it stands in.
    text = MORE.replace("members: [tiny]", "members: [tiny, qwen3-30b-a3b]")
    found = analyse(text, file, None, sources)
    (problem,) = found.problems
    assert (problem.file, problem.line) == ("", 8)
    text = MORE.replace("tiny:", "nomic-embed:").replace("[tiny]", "[]")
    found = analyse(text, file, None, sources)
    assert [(each.file, each.line) for each in found.problems] == [("", 4)]
    assert "stands in" in found.problems[0].message
    assert found.problem(("models", "nomic-embed")) is not None

    (folder / "10-house.yaml").write_text(TEXT.replace("1800", "5m"))
    found = analyse(MORE, file, None, sources)
    assert [(Path(each.file).name, each.line) for each in found.problems] == [("10-house.yaml", 3)]
    assert found.problem(("globalTTL",)) is None
    (folder / "10-house.yaml").write_text("listen: [")
    found = analyse(MORE, file, None, sources)
    assert found.root is not None
    assert found.config is None
    assert found.errors == 1


def test_items_of_a_list_count_from_the_first_of_the_file(folder: Path) -> None:
    text = MORE.replace("[sk-guests-1234567890]", "[sk-a, a key with spaces]")
    found = analyse(text, folder / "20-guests.yaml", None, Sources(None, folder))
    problem = found.problem(("apiKeys", 1))
    assert problem is not None
    assert problem.line == 2
    assert found.problem(("apiKeys", 0)) is None


def test_a_file_that_has_vanished_still_counts(folder: Path) -> None:
    file = folder / "20-guests.yaml"
    file.unlink()
    found = analyse(MORE, file, None, Sources(None, folder))
    assert found.config is not None
    assert "tiny" in found.config.models


def test_files_are_read_as_if_they_said_something_else(folder: Path) -> None:
    config = read_all(None, folder, instead={folder / "20-guests.yaml": "startPort: 7000\n"})
    assert config.start_port == 7000
    assert "tiny" not in config.models


def test_only_files_of_the_configuration_are_edited(
    run: Run, instance: SettingsInstance, folder: Path
) -> None:
    async def body() -> None:
        configuration = instance.configuration
        for file in (None, folder / "inner" / "x.yaml", folder.parent / "x.yaml"):
            with pytest.raises(NotEditable):
                await configuration.text(file)
            with pytest.raises(NotEditable):
                await configuration.save("", None, file)
        text, _ = await configuration.text(folder / "20-guests.yaml")
        assert text == MORE

    run(body())


# In the window


def test_one_of_the_files_is_chosen_and_edited(
    run: Run, instance: SettingsInstance, folder: Path
) -> None:
    async def body() -> None:
        async with opened(instance, pages.MODELS) as window:
            assert window.files.isVisible()
            assert window.files.currentText() == "10-house.yaml"
            assert window.session.text == TEXT + KEYS
            await choose(window, "20-guests.yaml")
            assert window.session.text == MORE
            assert not window.session.dirty
            assert window.models.list.count() == 1
            editor: Any = window.models.form.field(("ttl",)).editor
            editor.setText("60")
            editor.textEdited.emit("60")
            editor.editingFinished.emit()
            await settle()
            assert window.apply.isEnabled()
            assert window.plan.text().startswith('1 change: model "tiny": ttl')
            assert await window.save()
            assert (folder / "20-guests.yaml").read_text() == window.session.text
            assert (folder / "10-house.yaml").read_text() == TEXT + KEYS
            assert instance.config.models["tiny"].ttl == 60
            assert "qwen3-30b-a3b" in instance.config.models
            # Each has versions of its own.
            window.history.click()
            box = await dialog(window, HistoryDialog)
            assert box.list.count() == 1
            box.reject()
            await settle()
            await choose(window, "10-house.yaml")
            window.history.click()
            box = await dialog(window, HistoryDialog)
            assert box.list.count() == 0
            box.reject()
            await settle()

    run(body())


@pytest.mark.parametrize("answer", ["apply", "discard", "cancel"])
def test_what_is_not_applied_is_asked_about(
    run: Run, instance: SettingsInstance, folder: Path, answer: str
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            window.session._keeper._rest.setInterval(20)
            put_text(window, "globalTTL: 1800", "globalTTL: 900")
            await until(lambda: any((state_folder() / "drafts").glob("*.json")))
            await choose(window, "20-guests.yaml")
            box = await dialog(window, QMessageBox)
            button = {"apply": "&Apply", "discard": "&Discard"}.get(answer, "Cancel")
            next(each for each in box.buttons() if each.text() == button).click()
            await settle()
            stayed = answer == "cancel"
            assert window.files.currentText() == ("10" if stayed else "20") + (
                "-house.yaml" if stayed else "-guests.yaml"
            )
            assert ("globalTTL: 900" in window.session.text) == stayed
            said = (folder / "10-house.yaml").read_text()
            assert ("globalTTL: 900" in said) == (answer == "apply")
            # What was given up is not offered again.
            left = Drafts(state_folder() / "drafts", folder / "10-house.yaml").waiting()
            assert bool(left) == stayed
            window.session.revert()

    run(body())


def test_mistakes_of_another_file_lead_there(
    run: Run, instance: SettingsInstance, folder: Path, qtbot: QtBot
) -> None:
    (folder / "20-guests.yaml").write_text(MORE.replace("[tiny]", "[tinny]"))

    async def body() -> None:
        async with opened(instance) as window:
            (row,) = range(window.problems.count())
            item = window.problems.item(row)
            assert item.text().startswith("20-guests.yaml: Line 8: ")
            assert window.text._marks == {}
            window.problems.setCurrentRow(0)
            qtbot.keyClick(window.problems, Qt.Key.Key_Return)
            await settle()
            assert window.files.currentText() == "20-guests.yaml"
            assert window.problems.item(0).text().startswith("Line 8: ")
            put_text(window, "[tinny]", "[tiny]")
            await window.session.settled()
            assert not window.problems.isVisible()

    run(body())


def test_a_save_that_another_file_forbids_says_which(
    run: Run, instance: SettingsInstance, folder: Path
) -> None:
    async def body() -> None:
        async with opened(instance) as window:
            put_text(window, "globalTTL: 1800", "globalTTL: 900")
            await window.session.settled()
            (folder / "20-guests.yaml").write_text("models: [")
            assert not await window.save()
            assert window.notice.text().startswith("Not applied: 20-guests.yaml: ")
            assert (folder / "10-house.yaml").read_text() == TEXT + KEYS

    run(body())


def test_the_file_with_unsaved_edits_comes_first_then_the_last_one(
    run: Run, instance: SettingsInstance, folder: Path
) -> None:
    guests = folder / "20-guests.yaml"

    async def body() -> None:
        async with opened(instance) as window:
            await choose(window, "20-guests.yaml")
            window.remember()
        async with opened(instance) as window:
            assert window.session.file == guests
            await choose(window, "10-house.yaml")
            window.remember()
        Drafts(state_folder() / "drafts", guests).keep(MORE, MORE + "startPort: 7000\n")
        async with opened(instance) as window:
            assert window.session.file == guests
            assert window.restore.isVisible()
            await pressed(window, window.restore)
            assert window.session.text.endswith("startPort: 7000\n")
            await window.session._keeper.keep()
            window.session.revert()

    run(body())


def test_models_of_other_files_can_be_members_of_a_group(
    run: Run, instance: SettingsInstance
) -> None:
    async def body() -> None:
        async with opened(instance, pages.GROUPS) as window:
            await choose(window, "20-guests.yaml")
            members = window.groups.members
            names = [members.item(at).text() for at in range(members.count())]
            assert names[0] == "tiny"
            assert "nomic-embed" in names
            await choose(window, "10-house.yaml")
            window.present(f"{pages.MODELS}/qwen3-30b-a3b")
            assert window.models.group.currentText() == "chat"

    run(body())


def test_the_group_of_another_file_is_told(run: Run, folder: Path) -> None:
    text = MORE.replace("[tiny]", "[tiny, extra]")
    (folder / "20-guests.yaml").write_text(text)
    (folder / "30-extra.yml").write_text("models:\n  extra:\n    proxy: http://127.0.0.1:1\n")
    instance = SettingsInstance(None, folder=folder)

    async def body() -> None:
        async with opened(instance, pages.MODELS) as window:
            await choose(window, "30-extra.yml")
            assert window.models.group.currentText() == "guests, in another file"

    run(body())


def test_a_file_and_a_folder_are_edited_alike(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "more.yaml").write_text(MORE)
    file = tmp_path / "config.yaml"
    instance = SettingsInstance(file, folder=folder)

    async def body() -> None:
        async with opened(instance) as window:
            assert window.session.file == file
            assert window.files.count() == 2
            assert field(window, "globalTTL").editor.isEnabled()
            put_text(window, "globalTTL: 1800", "globalTTL: 900")
            assert await window.save()
            assert parse(file.read_bytes()).models["nomic-embed"].ttl == 900
            assert "tiny" in instance.config.models

    run(body())


def test_an_empty_folder_is_said(run: Run, tmp_path: Path) -> None:
    async def body() -> None:
        async with opened(SettingsInstance(None, folder=tmp_path)) as window:
            assert window.notice.text().startswith("There is no configuration file in ")
            assert window.text.isReadOnly()
            assert not window.files.isVisible()

    run(body())
