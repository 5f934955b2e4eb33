"""The desktop in other languages: nothing is left in English, and what is said stays the same."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QLocale, Qt, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qmdesk.config.fields import LANGUAGES
from qmdesk.desktop import application, language, words
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.notification_text import message
from qmdesk.desktop.settings_window import pages
from qmdesk.desktop.settings_window.drafts import Drafts
from qmdesk.desktop.words import CONTEXT, ago, exact, part_of, plural, rate, size, tr
from qmdesk.events import ConfigRejected, Evicted
from qmdesk.folders import state_folder
from qmdesk.scheduler.budget import BudgetPolicy
from qmdesk.scheduler.groups import Group, GroupsPolicy
from qmdesk.scheduler.matrix import MatrixPolicy
from qmdesk.scheduler.policy import Policy
from tests.conftest import until
from tests.desktop import translations
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, some_models
from tests.desktop.settings_desk import NAMED, SettingsInstance
from tests.desktop.test_settings_window import opened
from tests.desktop.test_tray import texts
from tests.desktop.translations import FOLDER, FORMS, Entry
from tests.scheduler.test_budget import room

Speak = Callable[[str], str]

SPOKEN = sorted(FORMS)
NAMES = frozenset(("qmdesk",))
"""Literals that are the same in every language."""
SHOWING = frozenset(
    (
        *("QLabel", "QPushButton", "QToolButton", "QCheckBox", "QRadioButton", "QGroupBox"),
        *("QAction", "QMenu", "QMessageBox", "QFileDialog", "QListWidgetItem", "Message"),
        *("addAction", "addMenu", "addButton", "addItem", "addItems", "addRow", "addTab"),
        *("setText", "setTitle", "setWindowTitle", "setInformativeText", "setPlaceholderText"),
        *("setToolTip", "setStatusTip", "setWhatsThis", "setAccessibleName"),
        *("setAccessibleDescription", "setNameFilters", "setHorizontalHeaderLabels"),
        *("heading", "sentence", "empty_page", "say"),
    )
)
"""What puts a text before somebody's eyes, or tells it to a screen reader."""


@pytest.fixture
def speak(qapp: QApplication) -> Iterator[Speak]:
    """Lets the app speak a language, and the source's own one afterwards."""
    yield language.speak
    language.speak("en")
    words.use(None)


@pytest.fixture
def german(speak: Speak) -> None:
    assert speak("de") == "de"


def braces(text: str) -> Counter[str]:
    return Counter(re.findall(r"\{\w*\}", text))


def entries(name: str) -> list[Entry]:
    return list(translations.read(name).values())


@pytest.mark.parametrize("name", SPOKEN)
class TestTheFiles:
    def test_have_what_is_shown_and_nothing_else(self, name: str) -> None:
        found = (FOLDER / f"qmdesk_{name}.ts").read_text(encoding="utf-8")
        written = translations.written(name, translations.merged(name))
        assert found == written, "run python3 dev.py translate"

    def test_are_finished(self, name: str) -> None:
        assert [each.shown.text for each in entries(name) if each.unfinished] == []

    def test_keep_what_is_put_into_a_text(self, name: str) -> None:
        wrong = []
        for each in entries(name):
            *few, many = each.forms
            # A singular may write its number as the English one does.
            allowed = (braces(each.shown.one), braces(each.shown.text))
            if braces(many) != braces(each.shown.text):
                wrong.append(many)
            wrong += [form for form in few if braces(form) not in allowed]
        assert wrong == []

    def test_have_a_key_where_english_has_one(self, name: str) -> None:
        def keys(text: str) -> int:
            return len(re.findall(r"&\w", text))

        assert [
            each.shown.text
            for each in entries(name)
            if any(keys(form) != keys(each.shown.text) for form in each.forms)
        ] == []

    def test_end_as_the_english_text_does(self, name: str) -> None:
        def end(text: str) -> str:
            return text[-1] if text[-1] in ".…:?" else ""

        assert [
            each.shown.text
            for each in entries(name)
            if any(end(form) != end(each.shown.text) for form in each.forms)
        ] == []

    def test_are_compiled(self, name: str) -> None:
        compiled = QTranslator()
        assert compiled.load(str(FOLDER / f"qmdesk_{name}.qm"))
        for each in entries(name):
            counts = range(120) if each.shown.one else (-1,)
            said = {compiled.translate(CONTEXT, each.shown.text, "", n) for n in counts}
            assert said == {*each.forms}, "run python3 dev.py translate"


def test_the_setting_has_every_language_that_is_spoken() -> None:
    assert {*LANGUAGES} == {language.ENGLISH, *FORMS}
    assert {each.stem for each in FOLDER.glob("*.qm")} == {f"qmdesk_{name}" for name in FORMS}


class TestTheExtraction:
    def test_keeps_what_is_translated_and_asks_for_the_rest(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        source = tmp_path / "qmdesk" / "desktop" / "page.py"
        source.parent.mkdir(parents=True)
        monkeypatch.setattr(translations, "ROOT", tmp_path)
        monkeypatch.setattr(translations, "DESKTOP", source.parent)
        monkeypatch.setattr(translations, "FOLDER", tmp_path)
        monkeypatch.setattr(translations, "_meanings", lambda: ["What a key means."])
        source.write_text('tr("Load <&all>")\nplural(n, "1 card", "{n} cards")\nlater("gone")\n')
        assert translations.main() == 1
        file = tmp_path / "qmdesk_de.ts"
        text = file.read_text(encoding="utf-8")
        form = "            <numerusform>{}</numerusform>"
        text = text.replace(form.format(""), form.format("{n} Karten"), 2)
        file.write_text(text.replace(' type="unfinished"', ""), encoding="utf-8")
        source.write_text('tr("Load <&all>")\nplural(n, "1 card", "{n} cards")\ntr("new")\n')
        assert translations.main() == 1
        found = translations.read("de")
        assert [*found] == ["Load <&all>", "{n} cards", "new", "What a key means."]
        assert found["{n} cards"].forms == ("{n} Karten", "{n} Karten")
        assert [text for text, each in found.items() if not each.unfinished] == ["{n} cards"]

    @pytest.mark.parametrize(
        "text",
        [
            *("plural(n, one, many)", "later(name)", 'tr("a" if on else "b")', 'tr(f"{n} b")'),
            'plural(n, "1 a", "{n} b"); tr("{n} b")',
        ],
    )
    def test_refuses_what_it_cannot_find_or_tell_apart(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
    ) -> None:
        monkeypatch.setattr(translations, "ROOT", tmp_path)
        monkeypatch.setattr(translations, "DESKTOP", tmp_path)
        (tmp_path / "page.py").write_text(text)
        with pytest.raises(ValueError, match=r"must be written there|is a plural in one place"):
            translations.shown()


class TestTheSource:
    def test_translates_whatever_it_shows(self) -> None:
        found = [
            f"{path.name}, line {node.lineno}: {text}"
            for path in sorted(translations.DESKTOP.rglob("*.py"))
            for node, text in literals(ast.parse(path.read_text(encoding="utf-8")))
        ]
        assert found == []

    @pytest.mark.parametrize(
        "text",
        [
            'QLabel("Loading")',
            'label.setText(f"{n} models")',
            'label.setText("on" if on else tr("off"))',
            'tr("Loading", n=1) + label.setToolTip("Model " + name)',
            'box.addRow(tr("Name"), QLabel("None"))',
        ],
    )
    def test_is_searched_for_literals(self, text: str) -> None:
        assert len([*literals(ast.parse(text))]) == 1


def literals(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Calls that show a text with words in it which no translator has seen."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in SHOWING:
            for argument in node.args:
                for text in _said(argument):
                    if re.search(r"[A-Za-z]{2}", re.sub(r"&\w+;|</?\w+[^>]*>", "", text)):
                        yield node, text


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _said(node: ast.AST) -> Iterator[str]:
    """The literals that become part of the value, but for those of calls."""
    match node:
        case ast.Constant(value=str(text)) if text not in NAMES:
            yield text
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _said(part)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from _said(left)
            yield from _said(right)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _said(part)


class TestGerman:
    def test_counts(self, german: None) -> None:
        said = [plural(n, "1 request", "{n} requests") for n in (0, 1, 2, 21)]
        assert said == ["0 Anfragen", "1 Anfrage", "2 Anfragen", "21 Anfragen"]

    def test_writes_numbers_with_a_comma(self, german: None) -> None:
        assert size(14.2 * (1 << 30)) == "14,2 GiB"
        assert part_of(14.2 * (1 << 30), 24 << 30) == "14,2 von 24,0 GiB"
        assert rate(38.4) == "38,4 Tok/s"
        assert exact(0.42) == "0,42 s"
        assert ago(200) == "vor 3 min"

    def test_is_spoken_by_notifications(self, german: None) -> None:
        told = message(ConfigRejected(("line 3: what is this", "b", "c")))
        assert told is not None
        assert told.title == "Die Konfiguration wurde nicht angewendet"
        assert told.text == "line 3: what is this\nund 2 weitere Probleme"

    @pytest.mark.parametrize(
        ("policy", "said"),
        [
            (GroupsPolicy(), "in der Gruppe (default) läuft immer nur ein Modell"),
            (GroupsPolicy([(Group("mine"), ["a"])]), "die Gruppe mine verdrängt andere"),
            (MatrixPolicy({"s": "b"}, ["a", "b"]), "a steht in keiner Menge der Matrix"),
            (MatrixPolicy({"s": "a"}, ["a", "b"]), "die Menge s der Matrix hat für a nur ohne"),
        ],
    )
    def test_says_why_a_model_had_to_go(self, german: None, policy: Policy, said: str) -> None:
        told = message(Evicted(("b",), "a", policy.why("a", ["b"]), "Zed", 0.6))
        assert told is not None
        assert told.text.startswith(f"b wurde für a entladen (angefordert von Zed): {said}")

    @pytest.mark.parametrize(
        ("needs", "said"),
        [
            ({"a": 4, "b": 8}, "a braucht 4.0 GiB (gelernt) der 10.0 GiB für Modelle auf the card"),
            ({"a": 4}, "niemand weiß, wie viel Speicher b belegt"),
        ],
    )
    def test_says_what_the_budget_had_room_for(
        self, german: None, needs: dict[str, float], said: str
    ) -> None:
        why = BudgetPolicy(GroupsPolicy()).why("a", ["b"], room(10, **needs))
        told = message(Evicted(("b",), "a", why, "Zed", 0.6))
        assert told is not None
        assert said in told.text

    def test_leaves_reasons_of_others_as_they_are(self, german: None) -> None:
        told = message(Evicted(("b",), "a", "the card has 23.1 GiB.", "", 0.6))
        assert told is not None
        assert told.text == "b wurde für a entladen: the card has 23.1 GiB."

    def test_is_spoken_by_the_tray(self, german: None, qapp: QApplication) -> None:
        desk = Desk(FakeInstance(some_models()))  # type: ignore[arg-type]
        try:
            said = texts(desk.tray.menu.menu)
            assert said[:2] == ["gpt-oss-20b lädt, 64 %, noch 6 s", "qwen3-30b-a3b   2 Anfragen"]
            assert said[-5:] == [
                *("API-Adresse kopieren", "qmdesk öffnen", "Einstellungen…"),
                *("Bei der Anmeldung starten", "Beenden"),
            ]
            model = desk.tray.menu.model("qwen3-30b-a3b")
            assert model is not None
            assert english([*said, *texts(model.menu), *texts(desk.tray.menu.pause.menu)]) == []
        finally:
            desk.close()

    def test_is_spoken_by_every_page_of_the_window(self, german: None, qapp: QApplication) -> None:
        desk = Desk(FakeInstance(some_models()))  # type: ignore[arg-type]
        try:
            desk.window.present()
            titles = [desk.window.rail.item(at).text() for at in range(desk.window.rail.count())]
            assert titles[:3] == ["Modelle", "Aktivität", "Speicher"]
            for at in range(desk.window.rail.count()):
                desk.window.rail.setCurrentRow(at)
                assert english(everything(desk.window)) == []
        finally:
            desk.close()

    def test_is_spoken_by_the_settings(
        self, german: None, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENROUTER_KEY", "sk-or-1")

        async def look() -> None:
            async with opened(SettingsInstance(tmp_path / "config.yaml", NAMED)) as window:
                assert window.windowTitle() == "Einstellungen[*]"
                for page in pages.PAGES:
                    window.rail.setCurrentRow(pages.PAGES.index(page))
                    assert english(everything(window)) == []
                form = window.form(pages.GENERAL).fields["globalTTL",]
                assert form.field.label == "Entladen nach, Sekunden"
                assert form.field.help.endswith("entladen wird; 0: nie.")

        run(look())

    def test_is_spoken_by_qt_too(self, german: None, qtbot: QtBot) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        qtbot.addWidget(buttons)
        assert [each.text() for each in buttons.buttons()] == ["Abbrechen"]


def english(shown: list[str]) -> list[str]:
    """Those of ``shown`` that are texts of the source with a translation of their own."""
    spoken = {form for each in entries("de") for form in each.forms}
    foreign = {each.shown.text for each in entries("de")} - spoken
    return sorted(foreign.intersection(shown))


def everything(window: QWidget) -> list[str]:
    """All that the widgets of ``window`` show or tell."""
    found = [window.windowTitle()]
    for each in window.findChildren(QWidget):
        found += [each.toolTip(), each.accessibleName(), each.accessibleDescription()]
        if isinstance(each, QAbstractButton | QLabel):
            found.append(each.text())
        elif isinstance(each, QLineEdit):
            found.append(each.placeholderText())
        elif isinstance(each, QComboBox):
            found += [each.itemText(at) for at in range(each.count())]
        elif isinstance(each, QAbstractItemView) and (model := each.model()) is not None:
            # A list's model does not say that it has one column.
            listed = isinstance(model, QAbstractListModel)
            for at in range(1 if listed else model.columnCount()):
                found.append(str(model.headerData(at, Qt.Orientation.Horizontal)))
                found += [str(model.index(row, at).data()) for row in range(model.rowCount())]
    return found


@pytest.mark.parametrize("name", LANGUAGES)
class TestKeysWithAlt:
    """Each is that of one button or field at a time."""

    def test_in_the_window(self, name: str, speak: Speak, qapp: QApplication) -> None:
        speak(name)
        desk = Desk(FakeInstance(some_models()))  # type: ignore[arg-type]
        try:
            desk.window.present()
            for at in range(desk.window.rail.count()):
                desk.window.rail.setCurrentRow(at)
                assert twice(desk.window) == {}
        finally:
            desk.close()

    def test_in_the_settings(
        self, name: str, speak: Speak, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENROUTER_KEY", "sk-or-1")
        file = tmp_path / "config.yaml"
        # The offer to restore what was left is in sight as well.
        Drafts(state_folder() / "drafts", file).keep(NAMED, "")

        async def look() -> None:
            async with opened(SettingsInstance(file, NAMED)) as window:
                assert window.restore.isVisible()
                for page in pages.PAGES:
                    window.rail.setCurrentRow(pages.PAGES.index(page))
                    # Qt shows what has just been made when the loop has had its turn.
                    made = window.form(page)
                    await until(lambda made=made: made.isVisibleTo(window))
                    assert twice(window) == {}

        speak(name)
        run(look())


def twice(window: QWidget) -> dict[str, list[str]]:
    """Keys of more than one thing in sight, with what they are the keys of."""
    found: dict[str, list[str]] = {}
    for each in window.findChildren(QWidget):
        keyed = isinstance(each, QAbstractButton) or (
            isinstance(each, QLabel) and each.buddy() is not None
        )
        if keyed and each.isVisibleTo(window):
            for key in re.findall(r"&(\w)", each.text().replace("&&", "")):
                found.setdefault(key.upper(), []).append(each.text())
    return {key: texts for key, texts in found.items() if len(texts) > 1}


class TestTheChoice:
    def test_is_the_systems_language_unless_set(
        self, speak: Speak, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prefer(monkeypatch, "gsw-CH", "de-CH", "en-GB")
        assert speak("") == "de"
        assert tr("Quit") == "Beenden"
        assert speak("en") == "en"
        assert tr("Quit") == "Quit"

    @pytest.mark.parametrize("preferred", [("en-GB", "de-DE"), ("fr-FR",), ("C",), ()])
    def test_is_english_where_there_is_no_other(
        self, speak: Speak, monkeypatch: pytest.MonkeyPatch, preferred: tuple[str, ...]
    ) -> None:
        prefer(monkeypatch, *preferred)
        assert speak("") == "en"
        assert size(1.5 * (1 << 30)) == "1.5 GiB"

    def test_is_english_where_its_words_are_missing(
        self, speak: Speak, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert speak("eo") == "en"
        assert "no words in the language eo" in caplog.text

    def test_is_read_from_the_configuration(
        self, speak: Speak, monkeypatch: pytest.MonkeyPatch, qapp: QApplication, run: Run
    ) -> None:
        prefer(monkeypatch, "en-US")
        instance = FakeInstance(some_models())
        instance.config.language = "de"

        async def make_instance() -> FakeInstance:
            return instance

        app = application.Application(
            qapp,
            make_instance,  # type: ignore[arg-type]
            show=False,
            name="language",
        )

        said: list[str] = []
        shown = Desk.show_stopping

        def look(desk: Desk) -> None:
            said.extend(texts(desk.tray.menu.menu))
            shown(desk)

        monkeypatch.setattr(Desk, "show_stopping", look)
        app.quit()
        assert run(app.main()) == 0
        assert said[-1] == "Beenden"


def prefer(monkeypatch: pytest.MonkeyPatch, *languages: str) -> None:
    """Let the system's user want these languages, the dearest first."""

    class System:
        def uiLanguages(self) -> list[str]:
            return list(languages)

    monkeypatch.setattr(QLocale, "system", System)
