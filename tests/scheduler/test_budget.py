"""The memory budget: who stays, who goes, who is refused.  A unit of memory is 1 GiB."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from qmdesk.events import StopReason
from qmdesk.scheduler import (
    BudgetPolicy,
    Foresight,
    Group,
    GroupsPolicy,
    ModelPlan,
    Need,
    Plan,
    Pool,
    Refusal,
    Reject,
    Room,
    Stop,
    Swap,
)
from tests.scheduler.world import World

GIB = 1 << 30


def need(full: float, least: float | None = None, card: str = "card") -> Need:
    low = full if least is None else least
    return Need({card: int(full * GIB)}, {card: int(low * GIB)}, "learned")


def room(
    budget: float = 10,
    ceiling: float | None = None,
    others: str = "",
    seconds: dict[str, float] | None = None,
    **sizes: float | Need,
) -> Room:
    now = budget if ceiling is None else ceiling
    pool = Pool("the card", int(budget * GIB), int(now * GIB), others)
    needs = {name: size if isinstance(size, Need) else need(size) for name, size in sizes.items()}
    return Room({"card": pool}, needs, load_seconds=seconds or {})


POLICY = BudgetPolicy(GroupsPolicy())


class TestWhoGoes:
    def test_nobody_while_the_sum_fits(self) -> None:
        figures = room(a=3, b=3, c=4)
        assert POLICY.evict("c", ("a", "b"), figures) == ()

    def test_the_least_recently_used_and_only_until_it_fits(self) -> None:
        figures = room(a=3, b=3, c=3, d=4)
        assert POLICY.evict("d", ("b", "a", "c"), figures) == ("b",)

    def test_a_small_one_stays_where_a_large_one_must_go_anyway(self) -> None:
        figures = room(small=1, large=8, d=9)
        assert POLICY.evict("d", ("small", "large"), figures) == ("large",)

    def test_the_one_that_is_quick_to_load_goes_before_the_slow_one(self) -> None:
        figures = room(quick=5, slow=5, d=5, seconds={"quick": 2, "slow": 60})
        idle = {"slow": 100.0, "quick": 50.0}
        assert POLICY.evict("d", ("slow", "quick"), figures, idle) == ("quick",)

    def test_but_not_for_ever(self) -> None:
        figures = room(quick=5, slow=5, d=5, seconds={"quick": 2, "slow": 60})
        idle = {"slow": 4000.0, "quick": 50.0}
        assert POLICY.evict("d", ("slow", "quick"), figures, idle) == ("slow",)

    def test_whoever_works_goes_last(self) -> None:
        figures = room(busy=5, idle=5, d=5)
        assert POLICY.evict("d", ("busy", "idle"), figures, {"idle": 1.0}) == ("idle",)

    def test_pinned_models_are_charged_and_stay(self) -> None:
        policy = BudgetPolicy(GroupsPolicy(), kept=("pinned",))
        figures = room(pinned=6, a=3, d=4)
        assert policy.evict("d", ("pinned", "a"), figures) == ("a",)

    def test_a_resident_of_unknown_size_always_goes(self) -> None:
        assert POLICY.evict("d", ("mystery", "a"), room(a=1, d=1)) == ("mystery",)

    def test_for_a_target_of_unknown_size_the_groups_decide(self) -> None:
        policy = BudgetPolicy(GroupsPolicy([(Group("g", swap=False), ("a", "mystery"))]))
        assert policy.evict("mystery", ("a", "b"), room(a=1, b=1)) == ("b",)

    def test_and_so_they_do_while_no_card_is_known(self) -> None:
        assert POLICY.evict("d", ("a",), Room(needs={"a": need(1), "d": need(1)})) == ("a",)

    def test_cards_are_charged_apart(self) -> None:
        pools = {name: Pool(name, 10 * GIB, 10 * GIB) for name in ("one", "two")}
        needs = {
            "a": need(8, card="one"),
            "b": need(8, card="two"),
            "c": need(8, card="two"),
            "both": Need({"one": GIB, "two": GIB}, {"one": GIB, "two": GIB}),
        }
        figures = Room(pools, needs)
        assert POLICY.evict("c", ("a", "b"), figures) == ("b",)
        assert POLICY.evict("both", ("a", "b"), figures) == ()

    def test_what_a_resident_really_holds_counts(self) -> None:
        figures = room(a=3, d=5)
        assert POLICY.evict("d", ("a",), figures) == ()
        grown = Room(figures.pools, figures.needs, held={"a": {"card": 6 * GIB}})
        assert POLICY.evict("d", ("a",), grown) == ("a",)

    def test_one_that_can_shrink_evicts_for_its_full_size_where_that_can_be_had(self) -> None:
        figures = room(a=4, d=need(8, 4))
        assert POLICY.evict("d", ("a",), figures) == ("a",)

    def test_and_for_the_least_where_it_cannot(self) -> None:
        policy = BudgetPolicy(GroupsPolicy(), kept=("pinned",))
        figures = room(pinned=4, a=4, d=need(8, 2))
        assert policy.evict("d", ("pinned", "a"), figures) == ()

    def test_why_is_said_in_figures(self) -> None:
        figures = room(a=6, d=8)
        assert POLICY.why("d", ("a",), figures) == (
            "d needs 8.0 GiB (learned) of the 10.0 GiB for models on the card; 6.0 GiB come free"
        )
        assert "nobody knows" in POLICY.why("d", ("mystery",), figures)


def world(figures: Room, *kept: str, models: str = "abcd") -> World:
    policy = BudgetPolicy(GroupsPolicy(), kept)
    plan = Plan({name: ModelPlan() for name in models}, policy, frozenset(kept))
    made = World(plan)
    made.measure(figures)
    return made


class TestWhoIsRefused:
    def test_what_can_never_fit_is_refused_at_once_and_evicts_nobody(self) -> None:
        here = world(room(a=6, b=20))
        here.load("a")
        ticket = here.ask("b")
        answer = here.answered[ticket]
        assert isinstance(answer, Reject)
        assert answer.refusal is Refusal.NO_ROOM
        assert answer.message == (
            "there is no room for it: b needs 20.0 GiB (learned) on the card, where 10.0 GiB"
            " are for models"
        )
        assert here.processes == {"a": "ready"}

    def test_while_a_game_holds_the_card_it_is_named(self) -> None:
        here = world(room(10, 4, "game.exe holds 9.1 GiB", b=6))
        answer = here.answered[here.ask("b")]
        assert isinstance(answer, Reject)
        assert "and 4.0 GiB now: game.exe holds 9.1 GiB" in answer.message
        here.measure(room(b=6))
        here.ask("b")
        assert "b" in [swap.action.target for swap in here.swaps.values()]

    def test_a_pinned_model_in_the_way_is_named(self) -> None:
        here = world(room(a=6, b=6), "a")
        here.load("a")
        answer = here.answered[here.ask("b")]
        assert isinstance(answer, Reject)
        assert answer.message.endswith("; a (6.0 GiB) stays")

    def test_behind_a_busy_model_it_waits_instead(self) -> None:
        here = world(room(a=6, b=6))
        here.load("a")
        busy = here.ask("a")
        ticket = here.ask("b")
        assert ticket in here.waiting
        here.done(busy)
        assert [swap.action.evict for swap in here.swaps.values()] == [("a",)]

    def test_one_that_waits_is_refused_when_there_is_no_hope_any_more(self) -> None:
        here = world(room(a=6, b=6))
        here.load("a")
        here.ask("a")
        ticket = here.ask("b")
        here.measure(room(10, 3, a=6, b=6))
        assert isinstance(here.answered[ticket], Reject)

    def test_one_that_runs_is_served_whatever_the_figures_say(self) -> None:
        here = world(room(a=6))
        here.load("a")
        here.measure(room(10, 0, a=6))
        assert here.ask("a") in here.granted

    def test_a_refusal_at_the_start_is_remembered(self) -> None:
        here = world(Room(refused={"a": "a needs 5.0 GiB, 2.0 GiB are free"}))
        answer = here.answered[here.ask("a")]
        assert isinstance(answer, Reject)
        assert "2.0 GiB are free" in answer.message

    def test_but_not_where_somebody_can_make_room(self) -> None:
        figures = room(a=6, b=6)
        here = world(replace(figures, refused={"b": "2.0 GiB are free"}))
        here.load("a")
        here.ask("b")
        assert [swap.action.evict for swap in here.swaps.values()] == [("a",)]


class TestLoadsSideBySide:
    def test_both_start_where_both_fit(self) -> None:
        here = world(room(a=4, b=4))
        here.ask("a")
        here.ask("b")
        assert len(here.swaps) == 2

    def test_one_that_loads_counts(self) -> None:
        here = world(room(a=6, b=6))
        here.ask("a")
        assert here.ask("b") in here.waiting

    def test_one_that_still_stops_counts_too(self) -> None:
        here = world(room(a=6, b=6))
        here.load("a")
        here.unload("a")
        ticket = here.ask("b")
        assert ticket in here.waiting
        here.stopped("a")
        assert [swap.action.target for swap in here.swaps.values()] == ["b"]


class TestForesight:
    def test_says_who_would_go_and_changes_nothing(self) -> None:
        here = world(room(a=6, b=6, c=30))
        here.load("a")
        seen = here.scheduler.foresee("b", here.now)
        assert seen.evict == ("a",)
        assert "b needs 6.0 GiB" in seen.why
        assert here.scheduler.foresee("a", here.now) == Foresight()
        assert "c needs 30.0 GiB" in here.scheduler.foresee("c", here.now).refused
        assert here.processes == {"a": "ready"}


class TestSheddingForOtherPrograms:
    def shed(self, here: World, pool: str = "card") -> list[str]:
        stops = [action for action in here.shed(pool) if isinstance(action, Stop)]
        assert all(stop.reason is StopReason.MEMORY and stop.by == "game.exe" for stop in stops)
        return [stop.model for stop in stops]

    def test_the_quickest_to_load_again_goes_one_at_a_time(self) -> None:
        here = world(room(a=3, b=3, c=3, seconds={"a": 9, "b": 2, "c": 5}))
        for name in "abc":
            here.load(name)
        assert [self.shed(here), self.shed(here)] == [["b"], ["c"]]

    def test_never_one_in_flight_leased_held_or_kept(self) -> None:
        here = world(room(a=2, b=2, c=2, d=2), "d")
        for name in "abcd":
            here.load(name)
        here.ask("a")
        here.lease("b")
        here.done(here.ask("c", hold=10.0))
        assert self.shed(here) == []
        here.advance(11)
        assert self.shed(here) == ["c"]

    def test_only_one_that_holds_something_there(self) -> None:
        here = world(room(a=2))
        here.load("a")
        assert self.shed(here, "another card") == []

    def test_never_one_that_somebody_waits_for(self) -> None:
        here = world(room(a=6, b=6))
        here.load("a")
        here.ask("b")
        assert self.shed(here) == []


def test_a_swap_for_room_says_the_arithmetic() -> None:
    here = world(room(a=6, b=6))
    here.load("a")
    here.ask("b")
    (swap,) = [action for action in here.last if isinstance(action, Swap)]
    assert "6.0 GiB (learned) of the 10.0 GiB" in swap.why


@pytest.mark.parametrize("idle", [0.0, 1.0, math.inf])
def test_a_model_of_no_size_is_in_nobodys_way(idle: float) -> None:
    figures = room(cpu=0, a=10, d=10)
    assert POLICY.evict("d", ("cpu", "a"), figures, {"cpu": idle}) == ("a",)
