"""What the core says, in German: mistakes in the configuration, failed starts, no room."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qmdesk.config import ConfigError, Model, Problem, parse
from qmdesk.config.diff import diff
from qmdesk.config.editor import EditError
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.language import speak
from qmdesk.desktop.notification_text import message
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings_window.edits import edited, put
from qmdesk.desktop.words import tr
from qmdesk.events import ConfigApplied, ConfigRejected, LoadFailed
from qmdesk.process.exit_status import describe
from qmdesk.process.launch import Launch
from qmdesk.said import Said, said
from qmdesk.scheduler.budget import BudgetPolicy
from qmdesk.scheduler.groups import GroupsPolicy
from qmdesk.scheduler.room import Need, Pool, Room
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, some_models
from tests.desktop.settings_desk import TEXT, SettingsInstance
from tests.desktop.test_settings_window import opened, put_text

GIB = 1 << 30
MODEL = "models:\n  a:\n    cmd: s --port ${PORT}\n"


@pytest.fixture(autouse=True)
def _german(qapp: QApplication) -> Iterator[None]:
    speak("de")
    yield
    speak("en")


def problems(text: str) -> list[Problem]:
    try:
        return list(parse(text, environ={}).warnings)
    except ConfigError as error:
        return [*error.problems, *error.warnings]


@pytest.mark.parametrize(
    ("text", "german"),
    [
        (
            "globalTTL: 5m",
            'globalTTL muss eine Zahl von Sekunden sein, nicht "5m"; schreiben Sie 300',
        ),
        ("startPort: 0", "startPort muss mindestens 1 sein, nicht 0"),
        ("models: [a]", "models muss eine Zuordnung sein: der Name jedes Modells und darunter"),
        ("modles: {}", "unbekannter Schlüssel modles; meinten Sie `models`?"),
        ("ttl: 5", "unbekannter Schlüssel ttl; meinten Sie `globalTTL`?"),
        ("listen: x", 'listen muss HOST:PORT sein, etwa 127.0.0.1:8080 oder [::1]:8080, nicht "x"'),
        ("defaultModel: b\n" + MODEL, 'defaultModel: es gibt kein Modell "b"'),
        (
            MODEL.replace("${PORT}", "${PROT}"),
            'Modell "a": cmd benutzt das unbekannte Makro ${PROT};',
        ),
        (MODEL.replace(" --port ${PORT}", ""), 'Modell "a": cmd nennt den Port nicht; fügen Sie'),
        (
            MODEL + "    ttl: [1]",
            'Modell "a": ttl muss eine Zahl von Sekunden sein, nicht eine Liste',
        ),
        (MODEL + "    pinned: 3", 'Modell "a": pinned muss true oder false sein, nicht 3'),
        ("models:\n  a: {}", 'Modell "a": hat keinen Befehl; schreiben Sie `cmd:`'),
        ("peers:\n  p:\n    models: auto", "peers.p.proxy fehlt"),
        (
            "selectors:\n  s: {strategy: wram, targets: x}",
            "selectors.s.strategy muss eines sein von",
        ),
        ("profiles:\n  p: {}", "profiles.p braucht mindestens eine Zeile unter pins"),
        ("apiKeys: ['a b']", "apiKeys[0] enthält ein Leerzeichen"),
        ("apiKeys: ${env.NO_KEY}", "die Umgebungsvariable NO_KEY ist nicht gesetzt"),
        ("a: [", "das ist kein gültiges YAML"),
        ("a: b: c", "das ist kein gültiges YAML: ein Doppelpunkt mit Leerzeichen"),
        (
            "listen: :1\nlisten: :2",
            "der Schlüssel `listen` steht hier noch einmal; er steht auch in",
        ),
        ("groups:\n  g: {members: [b]}", 'Gruppe "g": es gibt kein Modell "b"'),
        ("matrix:\n  sets: {s: 'a &'}\n" + MODEL.replace("a:", "b:"), "Menge"),
    ],
)
def test_mistakes_of_the_configuration(text: str, german: str) -> None:
    found = [told(each.message) for each in problems(text)]
    assert any(each.startswith(german) for each in found), found
    assert all(isinstance(each.message, Said) for each in problems(text))


def test_what_a_problem_reads_as_in_a_line() -> None:
    (problem,) = problems("globalTTL: 5m")
    assert str(problem).startswith("configuration:1:12: error: globalTTL must be")
    assert told(str(problem)).startswith("Konfiguration:1:12: Fehler: globalTTL muss")
    rejected = message(ConfigRejected((str(problem),)))
    assert rejected is not None
    assert rejected.text.startswith("Konfiguration:1:12: Fehler: globalTTL muss")
    (warning,) = problems("modles: {}")
    assert ": Warnung: " in told(str(warning))


def test_what_applying_would_change() -> None:
    old = parse(TEXT)
    new = parse(
        TEXT.replace("listen: 127.0.0.1:8080", "listen: :9090\napiKeys: [sk-1]")
        .replace("nomic-embed:", "nomic:", 1)
        .replace("[nomic-embed]", "[nomic]")
        .replace("-c 16384", "-c 8192")
        .replace("globalTTL: 1800", "globalTTL: 0")
    )
    changes = diff(old, new)
    german = [told(each) for each in changes]
    assert 'Modell "nomic" hinzugefügt' in german
    assert 'Modell "nomic-embed" entfernt' in german
    assert 'Modell "gpt-oss-20b": Befehl geändert; gilt ab seinem nächsten Start' in german
    assert 'Modell "gpt-oss-20b": ttl 1800 s → nie' in german
    assert ":9090 öffnet" in german
    assert "apiKeys kein Schlüssel → 1 Schlüssel" in german
    applied = message(ConfigApplied(changes))
    assert applied is not None
    assert applied.text.startswith('Modell "gpt-oss-20b": Befehl geändert; gilt ab')
    assert all(isinstance(each, Said) or "→" in each for each in changes)


def test_edits_that_cannot_be_made() -> None:
    with pytest.raises(EditError) as refused:
        edited("a: &x {b: 1}\nmemory: *x\n", put(("memory", "b"), 2))
    assert "dessen Schlüssel geteilt sind" in told(str(refused.value))


def test_starts_that_failed(tmp_path: Path) -> None:
    model = Model(id="a", cmd=(str(tmp_path / "nothing"), "--port", "1"), proxy="http://x")
    why = Launch.of(model, 1).impossible()
    assert why is not None
    failed = said("{model} was not started: {why}", model="a", why=why)
    told_of = message(LoadFailed("a", failed))
    assert told_of is not None
    assert told_of.text.startswith("a wurde nicht gestartet: es gibt kein Programm ")
    assert (
        "Installieren Sie es, oder schreiben Sie seinen vollen Pfad in models.a.cmd" in told_of.text
    )
    assert told(describe(1)) == "endete mit Code 1"
    if sys.platform != "win32":
        assert told(describe(-9)).startswith("wurde von SIGKILL beendet (von außen abgebrochen;")


def test_there_is_no_room() -> None:
    room = Room(
        {
            "gpu": Pool(
                "the card", 10 * GIB, 6 * GIB, said("{name} holds {size}", name="x", size="4")
            )
        },
        {"a": Need({"gpu": 12 * GIB}, {"gpu": 11 * GIB}, "computed")},
    )
    why = BudgetPolicy(GroupsPolicy()).refuse("a", (), room)
    assert why is not None
    assert told(why) == (
        "a braucht 12.0 GiB (berechnet), mindestens 11.0 GiB, auf the card, wo 10.0 GiB für Modelle"
        " sind und jetzt 6.0 GiB: x belegt 4"
    )


def test_the_tray_says_why_a_model_did_not_start(qapp: QApplication) -> None:
    instance = FakeInstance(some_models())
    desk = Desk(instance)  # type: ignore[arg-type]
    try:
        error = said("{model} did not start: {why}", model="nomic-embed", why="kaputt")
        instance.router.change("nomic-embed", error=error)
        desk.feed.refresh()
        shown = [each.text() for each in desk.tray.menu.menu.actions()]
        assert any("startete nicht: kaputt" in each for each in shown)
    finally:
        desk.close()


def test_the_settings_say_what_is_wrong(run: Run, tmp_path: Path) -> None:
    async def body() -> None:
        async with opened(SettingsInstance(tmp_path / "config.yaml")) as window:
            put_text(window, "globalTTL: 1800", "globalTTL: 5m")
            await until(lambda: window.problems.count() == 1)
            said_there = 'globalTTL muss eine Zahl von Sekunden sein, nicht "5m"; schreiben Sie 300'
            assert window.problems.item(0).text() == f"Zeile 3: {said_there}"
            field = window.form(window.page).fields["globalTTL",]  # type: ignore[union-attr]
            assert field.problem.text() == said_there
            put_text(window, "globalTTL: 5m", "globalTTL: 900")
            await window.session.settled()
            assert "ttl 1800 s → 900 s" in window.plan.text()
            assert "Modell " in window.plan.text()
            assert tr("Quit") == "Beenden"

    run(body())


def test_what_nobody_said_stays_as_it_is() -> None:
    assert told("the card has 23.1 GiB") == "the card has 23.1 GiB"
