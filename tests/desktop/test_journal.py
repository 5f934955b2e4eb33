"""What has happened, from the facts: spans, swaps, and the pictures of them.  Without Qt."""

from __future__ import annotations

import subprocess
import sys

import pytest

from qmdesk.desktop.journal import HOUR, LOADS, SPANS, Journal, Span
from qmdesk.desktop.model_colour import PALETTE, model_colours
from qmdesk.desktop.timeline import lanes
from qmdesk.events import (
    Bus,
    Evicted,
    MemorySampled,
    ModelState,
    ModelStateChanged,
    StopReason,
    SwapFinished,
    SwapStarted,
)
from qmdesk.router.snapshot import Snapshot
from tests.desktop.fake_instance import GIB, card, model, some_cards

NOW = 1_800_000_000.0


class Life:
    """A bus with a journal, and a clock that is set by hand."""

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self.now = NOW
        self.bus = Bus()
        self.journal = Journal(self.bus, snapshot or Snapshot((), 0, 0), lambda: self.now)

    def state(self, model: str, state: ModelState, reason: StopReason | None = None) -> None:
        self.bus.publish(ModelStateChanged(model, state, ModelState.STOPPED, reason))

    def load(self, model: str, seconds: float, *evicted: str, by: str = "curl") -> None:
        """A swap from its beginning to its end."""
        self.bus.publish(SwapStarted(model, evicted, by))
        if evicted:
            for each in evicted:
                self.state(each, ModelState.STOPPING, StopReason.EVICT)
                self.state(each, ModelState.STOPPED)
            self.bus.publish(Evicted(evicted, model, "no room", by, 0.5))
        self.state(model, ModelState.STARTING)
        self.now += seconds
        self.state(model, ModelState.READY)
        self.bus.publish(SwapFinished(model, True, seconds))


def test_a_span_goes_from_start_to_end() -> None:
    life = Life()
    life.load("a", 4.0)
    life.now += 60
    life.state("a", ModelState.STOPPING, StopReason.TTL)
    life.now += 2
    life.state("a", ModelState.STOPPED)
    assert list(life.journal.spans["a"]) == [Span(NOW, NOW + 4, NOW + 66)]


def test_what_runs_already_is_there_from_the_start() -> None:
    ready = model("a", ModelState.READY, ready_at=NOW - 100)
    far = model("far", ModelState.READY, external=True)
    life = Life(Snapshot((ready, far, model("b")), 0, 0))
    assert {name: list(spans) for name, spans in life.journal.spans.items()} == {
        "a": [Span(NOW - 100, NOW - 100)]
    }


def test_a_swap_knows_whom_for_whom_and_what_it_cost() -> None:
    life = Life()
    life.load("a", 4.0)
    life.load("b", 6.5, "a", by="Open WebUI")
    swap = life.journal.swaps[-1]
    assert (swap.model, swap.by, swap.evicted, swap.why) == ("b", "Open WebUI", ("a",), "no room")
    assert (swap.stop_seconds, swap.seconds, swap.ok) == (0.5, 6.5, True)
    # A load is what is left of a swap without its stops.
    assert life.journal.loads("b") == (6.0,)


def test_a_load_under_way_is_known() -> None:
    life = Life()
    assert life.journal.loading_since("a") is None
    life.bus.publish(SwapStarted("a", (), "curl"))
    assert life.journal.loading_since("a") == NOW
    life.bus.publish(SwapFinished("a", True, 1.0))
    assert life.journal.loading_since("a") is None


def test_a_failed_load_counts_as_none() -> None:
    life = Life()
    life.bus.publish(SwapStarted("a", (), "curl"))
    life.bus.publish(SwapFinished("a", False, 1.0, "code 1"))
    assert life.journal.loads("a") == ()
    assert life.journal.swaps[-1].error == "code 1"


def test_the_memory_of_it_is_bounded() -> None:
    life = Life()
    for _ in range(SPANS + 100):
        life.load("a", 0.5)
        life.state("a", ModelState.STOPPED)
    assert len(life.journal.spans["a"]) <= SPANS
    assert len(life.journal.loads("a")) == LOADS
    life.now += 2 * HOUR
    life.load("a", 1.0)
    assert len(life.journal.spans["a"]) == 1


def test_closed_it_hears_nothing() -> None:
    life = Life()
    life.journal.close()
    life.load("a", 1.0)
    assert not life.journal.spans
    assert life.journal.version == 0


def test_lanes_of_the_last_hour() -> None:
    life = Life()
    life.load("old", 1.0)
    life.state("old", ModelState.STOPPED)
    life.now = NOW + 1.5 * HOUR
    life.load("a", 36.0)
    life.now += 900 - 36
    life.load("b", 36.0, "a")
    life.now = NOW + 2 * HOUR
    found = lanes(life.journal, ["b", "a"], life.now)
    assert [lane.model for lane in found] == ["b", "a"]
    b, a = found
    assert [(round(each.start, 3), round(each.end, 3), each.loading) for each in a.stretches] == [
        (0.5, 0.51, True),
        (0.51, 0.75, False),
    ]
    assert b.stretches[-1].end == 1.0
    assert "a had to go: no room." in b.ticks[0].story
    assert b.stretches[0].story.startswith("b was loading from")


def test_a_lane_of_what_left_the_configuration_comes_last() -> None:
    life = Life()
    life.load("gone", 1.0)
    life.load("a", 1.0)
    assert [lane.model for lane in lanes(life.journal, ["a"], life.now)] == ["a", "gone"]


def test_what_others_held_is_kept_as_stretches() -> None:
    life = Life()

    def sampled(used: float, program: str = "firefox", **values: object) -> None:
        held = round(used * GIB)
        given = card(used + 8, ours=(("a", 8 * GIB),), programs=((program, held),), **values)
        life.bus.publish(MemorySampled((given,)))

    for used in (1.0, 1.1, 0.9):
        sampled(used)
        life.now += 10
    version = life.journal.version
    sampled(9.0, "game.exe")
    life.now += 10
    assert life.journal.version == version + 1
    # Who cannot be told apart is nobody: a gap.
    sampled(9.0, "game.exe", trusted=False)
    life.now += 100
    sampled(9.0, "game.exe")
    found = [(u.start - NOW, u.end - NOW, u.bytes, u.leader) for u in life.journal.uses["GPU-1"]]
    assert found == [
        (0, 30, GIB, "firefox"),
        (30, 30, 9 * GIB, "game.exe"),
        (140, 140, 9 * GIB, "game.exe"),
    ]
    life.now += 2 * HOUR
    sampled(1.0)
    assert len(life.journal.uses["GPU-1"]) == 1


def test_of_what_others_hold_for_moments_the_most_is_kept() -> None:
    life = Life()
    for used in (1, 9, 2, 12, 3):
        given = card(float(used), programs=((f"program {used}", used * GIB),))
        life.bus.publish(MemorySampled((given,)))
        life.now += 2
    (use,) = life.journal.uses["GPU-1"]
    assert (use.end - use.start, use.bytes, use.leader) == (8, 12 * GIB, "program 12")


def test_the_lane_of_the_others_stands_on_top() -> None:
    life = Life()
    life.load("a", 4.0)
    given = card(20.0, ours=(("a", 8 * GIB),), programs=(("game.exe", 11 * GIB),))
    life.bus.publish(MemorySampled((given, card(3.0, kind="ram", id="main"))))
    life.now += 20
    life.bus.publish(MemorySampled((given,)))
    others, mine = lanes(life.journal, ["a"], life.now)
    assert (others.model, others.foreign, mine.model) == ("Other programs", True, "a")
    (stretch,) = others.stretches
    assert stretch.height == 0.5
    assert stretch.story.startswith("Other programs held 12.0 GiB of NVIDIA GeForce RTX 3090 from")
    assert stretch.story.endswith("on, for 20 s\ngame.exe: 11.0 GiB")


def test_with_several_cards_each_has_its_lane() -> None:
    life = Life()
    life.bus.publish(MemorySampled(tuple(some_cards())))
    titles = [lane.model for lane in lanes(life.journal, [], life.now)]
    assert titles == ["Others on card 0", "Others on card 1"]


@pytest.mark.parametrize("count", [1, 3, 7])
def test_up_to_seven_models_have_colours_of_their_own(count: int) -> None:
    names = [f"model-{at}" for at in range(count)]
    assert len(set(model_colours(names).values())) == count


def test_colours_do_not_depend_on_the_order_nor_run_out() -> None:
    names = [f"model-{at}" for at in range(20)]
    colours = model_colours(names)
    assert model_colours(reversed(names)) == colours
    assert set(colours.values()) == set(PALETTE)


def test_none_of_it_needs_qt() -> None:
    modules = (
        "journal, timeline, activity_rows, connect_text, host_memory, trial, login_item,"
        " memory_picture, model_memory"
    )
    code = f"from qmdesk.desktop import {modules}; import sys; assert 'PySide6' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
