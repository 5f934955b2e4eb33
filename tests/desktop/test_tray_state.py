"""What the tray and the messages say, without Qt."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from qmdesk.config.settings import Notifications
from qmdesk.desktop import words
from qmdesk.desktop.notification_text import Kind, failure, folded, message, muted
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.tray_state import model_view, tray_state
from qmdesk.desktop.words import ago, at_home, duration, last_line, listed, plural, share
from qmdesk.events import (
    ConfigApplied,
    ConfigRejected,
    Evicted,
    Fact,
    GaveWay,
    LoadFailed,
    ModelState,
    ModelStateChanged,
    QueueChanged,
    StopReason,
)
from qmdesk.memory import MemorySnapshot, ModelMemory
from qmdesk.router.pause import Pause
from qmdesk.router.snapshot import ModelSnapshot, Snapshot
from tests.desktop.fake_instance import GIB, card, model, some_cards


def snapshot(*models: ModelSnapshot, waiting: int = 0, shutting_down: bool = False) -> Snapshot:
    return Snapshot(models, waiting, sum(each.in_flight for each in models), shutting_down)


STOPPED = model("quiet")
READY = model("ready-one", ModelState.READY)
WORKING = model("busy", ModelState.READY, in_flight=2)
LOADING = model("coming", ModelState.STARTING, progress=0.64, eta=6.0)
BROKEN = model("broken", error="code 1\nmore")


@pytest.mark.parametrize(
    ("given", "shape", "line"),
    [
        (snapshot(), Shape.STOPPED, "No models yet"),
        (snapshot(STOPPED), Shape.STOPPED, "No model loaded"),
        (snapshot(READY, STOPPED), Shape.READY, "1 model loaded"),
        (snapshot(READY, WORKING), Shape.WORKING, "2 models loaded"),
        (snapshot(READY, LOADING), Shape.LOADING, "Loading coming, 64 %, 6 s left"),
        (snapshot(model("x", ModelState.STARTING)), Shape.LOADING, "Loading x"),
        (
            snapshot(LOADING, model("x", ModelState.STARTING)),
            Shape.LOADING,
            "Loading 2 models",
        ),
        (snapshot(READY, BROKEN), Shape.PROBLEM, "broken: more"),
        (snapshot(model("x", ModelState.STOPPING)), Shape.UNLOADING, "Unloading x"),
        (snapshot(READY, shutting_down=True), Shape.UNLOADING, "Stopping models…"),
        (
            snapshot(model("far", ModelState.READY, external=True)),
            Shape.STOPPED,
            "No model loaded",
        ),
    ],
)
def test_line_and_shape(given: Snapshot, shape: Shape, line: str) -> None:
    state = tray_state(given)
    assert (state.shape, state.line) == (shape, line)
    assert line in state.tooltip


def test_a_problem_of_no_model_goes_before_theirs() -> None:
    state = tray_state(snapshot(READY, BROKEN), problem="config.yaml:3: unknown key")
    assert (state.shape, state.line) == (Shape.PROBLEM, "config.yaml:3: unknown key")


NOON = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("pause", "line"),
    [
        (Pause("qmdesk", NOON, NOON + 1800), "Paused until 12:30"),
        (Pause("qmdesk", NOON, NOON + 86400), "Paused until 2026-03-03 12:00"),
        (Pause("qmdesk", NOON, program="game.exe"), "Paused until game.exe ends"),
        (Pause("qmdesk", NOON), "Paused until you resume"),
    ],
)
def test_a_pause_is_told_with_its_end(pause: Pause, line: str) -> None:
    state = tray_state(Snapshot((STOPPED, BROKEN), 0, 0, pause=pause))
    assert (state.shape, state.line, state.paused) == (Shape.PAUSED, line, True)
    assert not any(each.can_start or each.can_open for each in state.models)


def test_what_restarts_at_next_use_is_told() -> None:
    old = model("old", ModelState.READY, outdated=True)
    state = tray_state(snapshot(READY, old))
    assert state.shape is Shape.OUTDATED
    assert state.line == "2 models loaded, old runs as before until its next start"
    assert tray_state(snapshot(WORKING, old)).shape is Shape.WORKING


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        (model("a"), "Not loaded"),
        (model("a", last_used_at=NOON), "Not loaded, last used 2026-03-02 12:00"),
        (model("a", ModelState.READY, ready_at=NOON), "Ready, loaded since 2026-03-02 12:00"),
        (
            model("a", ModelState.READY, in_flight=1, ready_at=NOON),
            "1 request, loaded since 2026-03-02 12:00",
        ),
        (LOADING, "64 %, 6 s left"),
        (BROKEN, "Did not start: more"),
        (
            model("a", ModelState.READY, external=True, proxy="http://nas:8080"),
            "Served by http://nas:8080",
        ),
    ],
)
def test_what_a_model_does_and_since_when(given: ModelSnapshot, detail: str) -> None:
    assert model_view(given).detail == detail


@pytest.mark.parametrize(
    ("fact", "title", "text", "deeds"),
    [
        (
            GaveWay("a", "game.exe holds 9.1 GiB"),
            "a was unloaded: game.exe holds 9.1 GiB",
            "It is loaded again when it is asked for.",
            ["show", "load"],
        ),
        (
            ConfigApplied(("globalTTL 0 → 60", "a was added", "b was added")),
            "The changed configuration is in force",
            "globalTTL 0 → 60\nand 2 more changes",
            ["show"],
        ),
        (LoadFailed("a", "code 1\nno such file"), "a did not start", "no such file", ["log"]),
        (
            Evicted(("a", "b"), "c", "no room", "", 0.1),
            "2 models were unloaded",
            "a and b were unloaded for c: no room.",
            ["show"],
        ),
    ],
)
def test_what_is_told_and_what_can_be_done(
    fact: Fact, title: str, text: str, deeds: list[str]
) -> None:
    told = message(fact)
    assert told is not None
    assert (told.title, told.text) == (title, text)
    assert [deed for deed, _ in told.deeds] == deeds


@pytest.mark.parametrize(
    "fact",
    [
        ModelStateChanged("a", ModelState.STOPPING, ModelState.READY, StopReason.TTL),
        # ``GaveWay`` has told it.
        ModelStateChanged("a", ModelState.STOPPING, ModelState.READY, StopReason.MEMORY),
        ConfigApplied(()),
        # Whoever has pressed Save knows it.
        ConfigApplied(("globalTTL 0 → 60",), saved=True),
    ],
)
def test_what_is_nobodys_interruption(fact: Fact) -> None:
    assert message(fact) is None


def test_each_kind_has_its_switch() -> None:
    assert muted(Notifications()) == frozenset()
    for name, kind in (
        ("eviction", Kind.EVICTED),
        ("memory", Kind.MEMORY),
        ("failure", Kind.LOAD_FAILED),
        ("rejected", Kind.CONFIG),
        ("applied", Kind.APPLIED),
        ("exposed", Kind.EXPOSED),
    ):
        assert muted(Notifications(**{name: False})) == {kind}
    assert muted(Notifications(peer=False)) == {Kind.PEER_DOWN, Kind.PEER_BACK}


def test_what_was_shed_is_folded_apart_from_what_was_evicted() -> None:
    shed = [message(GaveWay(name, "game.exe holds 9.1 GiB")) for name in ("a", "b")]
    evicted = message(Evicted(("c",), "x", "no room", "", 0.1))
    told = folded([each for each in (*shed, evicted) if each is not None])
    assert sorted((each.title, each.text) for each in told) == [
        (
            "2 models were unloaded: game.exe holds 9.1 GiB",
            "a and b: they are loaded again when they are asked for.",
        ),
        ("c was unloaded", "c was unloaded for x: no room."),
    ]


def test_the_first_line_says_how_much_of_the_cards_is_used() -> None:
    one = MemorySnapshot((card(14.2),), policy="budget")
    state = tray_state(snapshot(READY, WORKING), memory=one)
    assert state.line == "2 models loaded, 14.2 of 24.0 GiB"
    assert state.tooltip.splitlines() == ["qmdesk", state.line, "2 requests running"]
    assert tray_state(snapshot(STOPPED), memory=one).line == "No model loaded, 14.2 of 24.0 GiB"


def test_the_tooltip_tells_what_the_first_line_has_no_room_for() -> None:
    one = MemorySnapshot((card(14.2),))
    assert "RTX 3090: 14.2 of 24.0 GiB" in tray_state(snapshot(LOADING), memory=one).tooltip
    several = tray_state(snapshot(READY), memory=MemorySnapshot(tuple(some_cards())))
    assert several.line == "1 model loaded, 41.1 of 48.0 GiB"
    assert several.tooltip.splitlines()[2:] == [
        "0: NVIDIA GeForce RTX 3090: 23.0 of 24.0 GiB",
        "1: NVIDIA GeForce RTX 3090: 18.1 of 24.0 GiB",
    ]
    asleep = tray_state(snapshot(STOPPED), memory=MemorySnapshot((card(None, asleep=True),)))
    assert asleep.line == "No model loaded"
    assert asleep.tooltip.splitlines()[2:] == ["NVIDIA GeForce RTX 3090: asleep"]


def test_a_machine_without_a_card_says_nothing_of_memory() -> None:
    main = card(12.0, kind="ram")
    takes = ModelMemory("ready-one", None, 5 * GIB, "computed")
    state = tray_state(snapshot(READY), memory=MemorySnapshot((main,), "", "groups", (takes,)))
    assert state.tooltip == "qmdesk\n1 model loaded"
    assert (state.models[0].memory, state.models[0].detail) == ("", "Ready")
    # A budget without a card is one all the same.
    told = tray_state(snapshot(READY), memory=MemorySnapshot((), "", "budget", (takes,)))
    assert told.models[0].memory == "5.0 GiB"


def test_a_model_says_what_it_holds_and_since_when() -> None:
    holds = ModelMemory("a", 17 * GIB, 17 * GIB, "learned")
    since = "since 2026-03-02 12:00"
    quiet = model("a", ModelState.READY, ready_at=NOON)
    assert model_view(quiet, memory=holds).detail == f"17.0 GiB (learned), {since}"
    busy = model("a", ModelState.READY, ready_at=NOON, in_flight=1)
    assert model_view(busy, memory=holds).detail == f"1 request, 17.0 GiB (learned), {since}"
    assert model_view(model("a"), memory=holds).detail == "Not loaded"


def test_tooltip_counts_requests() -> None:
    tooltip = tray_state(snapshot(WORKING, waiting=1)).tooltip
    assert tooltip == "qmdesk\n1 model loaded\n2 requests running, 1 waiting"


def test_loading_carries_its_progress() -> None:
    assert tray_state(snapshot(LOADING)).progress == 0.64


@pytest.mark.parametrize(
    ("given", "start", "unload", "restart"),
    [
        (STOPPED, True, False, False),
        (BROKEN, True, False, False),
        (LOADING, False, True, False),
        (READY, False, True, True),
        (WORKING, False, True, True),
        (model("x", ModelState.STOPPING), False, False, False),
        (model("x", ModelState.READY, external=True), False, False, False),
    ],
)
def test_what_can_be_done(given: ModelSnapshot, start: bool, unload: bool, restart: bool) -> None:
    view = model_view(given)
    assert (view.can_start, view.can_unload, view.can_restart) == (start, unload, restart)
    assert tray_state(snapshot(given)).can_unload_all == unload


@pytest.mark.parametrize(
    ("given", "shape", "text", "label"),
    [
        (STOPPED, Shape.STOPPED, "not loaded", "quiet"),
        (READY, Shape.READY, "ready", "ready-one"),
        (WORKING, Shape.WORKING, "2 requests", "busy   2 requests"),
        (LOADING, Shape.LOADING, "64 %, 6 s left", "coming   64 %, 6 s left"),
        (model("x", ModelState.STARTING), Shape.LOADING, "loading", "x   loading"),
        (BROKEN, Shape.PROBLEM, "more", "broken   more"),
        (
            model("x", ModelState.READY, outdated=True),
            Shape.OUTDATED,
            "runs as before until its next start",
            "x   runs as before until its next start",
        ),
        # It runs again: the old error is no longer its state.
        (model("x", ModelState.READY, error="old"), Shape.READY, "ready", "x"),
    ],
)
def test_a_model_in_words(given: ModelSnapshot, shape: Shape, text: str, label: str) -> None:
    view = model_view(given)
    assert (view.shape, view.text, view.label) == (shape, text, label)


def test_a_name_is_shown_where_there_is_one() -> None:
    assert model_view(model("id", name="A name")).title == "A name"
    assert model_view(model("id", name="")).title == "id"


def test_eviction_says_whom_for_whom_why_and_who_asked() -> None:
    told = message(
        Evicted(("qwen3",), "gpt-oss", "both need 31.4 GiB, the card has 23.1", "Open WebUI", 1.0)
    )
    assert told is not None
    assert told.title == "qwen3 was unloaded"
    assert told.text == (
        "qwen3 was unloaded for gpt-oss (asked by Open WebUI):"
        " both need 31.4 GiB, the card has 23.1."
    )
    assert not told.urgent


def test_eviction_without_words() -> None:
    told = message(Evicted(("a", "b"), "c", "", "", 1.0))
    assert told is not None
    assert told.title == "2 models were unloaded"
    assert told.text == "a and b were unloaded for c."


def test_failed_load_says_the_last_line() -> None:
    told = message(LoadFailed("gpt-oss", "starting\nerror: no such file\n\n"))
    assert told is not None
    assert (told.title, told.text, told.model) == (
        "gpt-oss did not start",
        "error: no such file",
        "gpt-oss",
    )
    assert told.urgent


def test_rejected_configuration_says_where() -> None:
    told = message(ConfigRejected(("c.yaml:3:1: error: x", "c.yaml:4:1: error: y")))
    assert told is not None
    assert told.text == "c.yaml:3:1: error: x\nand 1 more problem"


def test_other_facts_interrupt_nobody() -> None:
    assert message(QueueChanged(1, 1)) is None
    assert message(Evicted((), "c", "", "", 1.0)) is None


def test_bursts_are_folded() -> None:
    messages = [
        message(Evicted((name,), target, "", "", 1.0))
        for name, target in (("a", "x"), ("b", "y"), ("a", "y"))
    ]
    failed = message(LoadFailed("z", "no"))
    known = [each for each in (*messages, failed) if each is not None]
    one, other = folded(known)
    assert (one.title, one.text) == ("2 models were unloaded", "a and b, for x and y.")
    assert other is failed
    assert folded(known[:1]) == known[:1]


def test_a_failure_is_told_once() -> None:
    failed = message(LoadFailed("z", "no"))
    assert failed is not None
    mine, other = failure("z did not start", "z"), failure("no such model", "y")
    assert folded([mine, failed, other]) == [failed, other]


def test_words() -> None:
    assert [duration(each) for each in (0, 6.4, 59.6, 200, 4000, 200_000)] == [
        "0 s",
        "6 s",
        "1 min",
        "3 min",
        "1 h",
        "2 days",
    ]
    assert (ago(3), ago(180)) == ("just now", "3 min ago")
    assert (share(0.644), share(7)) == ("64 %", "100 %")
    assert listed(("a", "b", "c", "d", "e")) == "a, b and 3 more"
    assert listed(()) == ""
    assert last_line(" \n") == ""
    assert plural(1, "1 model", "{n} models") == "1 model"


def test_words_are_translated() -> None:
    german = {"ready": "bereit", "{n} models loaded": "{n} Modelle geladen"}
    words.use(lambda _context, text, _count: german.get(text, text))
    try:
        assert model_view(READY).text == "bereit"
        two = snapshot(READY, model("b", ModelState.READY))
        assert tray_state(two).line == "2 Modelle geladen"
    finally:
        words.use(None)


def test_no_qt_is_needed() -> None:
    code = (
        "import sys, qmdesk.desktop.tray_state, qmdesk.desktop.notification_text;"
        "sys.exit('PySide6' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_path_at_home_is_shown_short() -> None:
    assert at_home(Path.home() / "models" / "a.gguf") == str(Path("~/models/a.gguf"))
    assert at_home("/srv/models/a.gguf") == str(Path("/srv/models/a.gguf"))
