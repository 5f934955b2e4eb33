"""The figures behind sharing: floors, ceilings, trust, and the guard.  Sizes are in GiB."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmdesk.config import Config, Model, parse
from qmdesk.gpu import Card, CardSample, Kind, Program, Sample
from qmdesk.memory.arguments import Arguments
from qmdesk.memory.budget import ALL, RAM, Budget, trusted_cards
from qmdesk.memory.guard import SLACK, Guard, short
from qmdesk.memory.launch import Launch
from qmdesk.memory.lingering import Lingering
from qmdesk.memory.runs import Run
from qmdesk.memory.size import Size
from qmdesk.memory.starts import NoRoom, start_of

GIB = 1 << 30


def card(used: float | None, total: float = 24, index: int = 0, kind: Kind = Kind.NVIDIA) -> Card:
    held = None if used is None else int(used * GIB)
    return Card(f"GPU-{index}", index, f"card {index}", kind, int(total * GIB), held)


def seen(used: float | None, programs: dict[str, float] | None = None, **ours: float) -> CardSample:
    named = [Program(name, int(size * GIB)) for name, size in (programs or {}).items()]
    return CardSample(card(used), {m: int(size * GIB) for m, size in ours.items()}, tuple(named))


def ceiling(
    budget: Budget, sample: CardSample, config: Config | None = None
) -> tuple[float, float]:
    trusted = {sample.card.id}
    pools = budget.pools(config or Config(), Sample((sample,)), trusted, 0)
    pool = pools[sample.card.id]
    return pool.budget / GIB, pool.ceiling / GIB


class TestBudgets:
    def test_the_card_less_what_a_desktop_takes_less_the_reserve(self) -> None:
        assert ceiling(Budget({"GPU-0": 2 * GIB}), seen(2)) == (21, 21)

    def test_what_others_hold_above_that_comes_off(self) -> None:
        assert ceiling(Budget({"GPU-0": 2 * GIB}), seen(20, a=10)) == (21, 13)

    def test_a_budget_that_is_written_has_room_for_others_beside_it(self) -> None:
        config = Config(vram_budget_gb=12)
        floor = Budget({"GPU-0": GIB})
        assert ceiling(floor, seen(9), config) == (12, 12)
        assert ceiling(floor, seen(16), config) == (12, 7)

    def test_it_may_be_written_for_each_card(self) -> None:
        for key in ("GPU-0", "0", "card 0"):
            config = parse(f"memory: {{cards: {{'{key}': 8}}}}")
            assert ceiling(Budget(), seen(1), config) == (8, 8)

    def test_the_lowest_that_was_trusted_is_the_floor(self) -> None:
        budget = Budget()
        assert budget.lower_floors(Sample((seen(5, a=2),)), {"GPU-0"}) == {"GPU-0": 3 * GIB}
        assert budget.lower_floors(Sample((seen(9, a=2),)), {"GPU-0"}) == {}
        assert budget.lower_floors(Sample((seen(1),)), ()) == {}
        assert budget.lower_floors(Sample((seen(1),)), {"GPU-0"}) == {"GPU-0": GIB}

    def test_what_is_not_trusted_changes_no_ceiling(self) -> None:
        pools = Budget({"GPU-0": 0}).pools(Config(), Sample((seen(20),)), (), 0)
        assert pools["GPU-0"].ceiling == 23 * GIB

    def test_a_sum_over_several_cards_is_a_pool_of_its_own(self) -> None:
        cards = Sample((seen(0), CardSample(card(0, index=1))))
        pools = Budget().pools(Config(vram_budget_gb=30), cards, (), 0)
        assert set(pools) == {"GPU-0", "GPU-1", ALL}
        assert pools[ALL].budget == 30 * GIB
        assert pools["GPU-1"].budget == 23 * GIB

    def test_main_memory_is_one_where_somebody_counts_it(self) -> None:
        assert RAM in Budget().pools(Config(), Sample((seen(0),)), (), 64 * GIB)
        assert Budget().pools(Config(), Sample(), (), 64 * GIB) == {}

    def test_main_memory_that_stands_in_for_a_card_has_no_budget(self) -> None:
        sample = Sample((CardSample(card(8, 64, kind=Kind.RAM)),))
        assert Budget().pools(Config(), sample, (), 0) == {}


class TestTrust:
    def test_everybody_of_ours_must_show_up(self) -> None:
        sample = Sample((seen(10, a=5),))
        assert trusted_cards(sample, {"a"}) == {"GPU-0"}
        assert trusted_cards(sample, {"a", "b"}) == frozenset()
        assert trusted_cards(sample, ()) == {"GPU-0"}

    def test_on_any_card(self) -> None:
        sample = Sample((seen(10, a=5), CardSample(card(3, index=1), {"b": GIB})))
        assert trusted_cards(sample, {"a", "b"}) == {"GPU-0", "GPU-1"}

    def test_with_a_size(self) -> None:
        assert trusted_cards(Sample((CardSample(card(10), {"a": None}),)), {"a"}) == frozenset()


class TestLingering:
    """What a stopped server held, and the driver has not given back, is nobody's."""

    def foreign(self, used: float, now: float, *, gone: float = 8) -> float:
        lingering = Lingering(4)
        lingering.without(Sample((seen(2 + gone, a=gone),)), 0)
        lingering.stopping("a", {"GPU-0": int(gone * GIB)})
        assert lingering.lately(9)
        lingering.stopped("a", {"GPU-0": int(gone * GIB)}, 10)
        found = lingering.without(Sample((seen(used),)), now).cards[0].foreign
        assert found is not None
        return found / GIB

    def test_it_is_not_taken_for_somebody_elses(self) -> None:
        assert self.foreign(10, 11) == 2
        assert self.foreign(6, 11) == 2

    def test_once_it_has_been_released_nothing_is_taken_off(self) -> None:
        assert self.foreign(2, 11) == 2

    def test_what_comes_on_top_is_somebody_elses(self) -> None:
        assert self.foreign(15, 11) == 7

    def test_a_program_that_is_named_is_never_taken_for_it(self) -> None:
        lingering = Lingering(4)
        lingering.stopping("a", {"GPU-0": 8 * GIB})
        sample = Sample((seen(10, {"game.exe": 9}),))
        assert lingering.without(sample, 11).cards[0].foreign == 9 * GIB

    def test_after_a_while_so_is_all_of_it(self) -> None:
        assert self.foreign(10, 14) == 10


class TestShortage:
    def test_ours_at_their_largest_and_others_do_not_fit_together(self) -> None:
        assert not short(seen(20, a=10), 14 * GIB, 0)
        assert short(seen(20, a=10), 15 * GIB, 0)

    def test_a_full_card_holds_a_program_back(self) -> None:
        assert short(seen(24, a=14), 14 * GIB, 0)

    def test_but_not_where_nobody_has_come(self) -> None:
        assert not short(seen(24, a=22), 22 * GIB, 2 * GIB)

    def test_nor_where_nothing_is_known(self) -> None:
        assert not short(seen(None, a=14), 30 * GIB, 0)
        assert SLACK < GIB


class TestGuard:
    def run(self, *shortage: tuple[float, bool]) -> list[bool]:
        guard = Guard(30)
        return [guard.wants(is_short, now) for now, is_short in shortage]

    def test_waits_for_the_grace(self) -> None:
        assert self.run((0, True), (29, True), (30, True)) == [False, False, True]

    def test_a_moment_without_begins_it_anew(self) -> None:
        assert self.run((0, True), (20, False), (30, True), (59, True))[-1] is False

    def test_goes_on_until_it_is_enough(self) -> None:
        assert self.run((0, True), (30, True), (32, True), (34, False))[1:] == [True, True, False]

    def test_then_rests_for_twice_the_grace(self) -> None:
        shortage = [(0.0, True), (30.0, True), (32.0, False), (91.0, True), (93.0, True)]
        assert self.run(*shortage, (122.0, True), (123.0, True))[3:] == [False, False, False, True]


def launch(text: str, need: float, tmp_path: Path) -> Launch:
    size = Size(int(need * GIB * 0.7), 128 << 10, 16384, 1, 32, None, False, 0)
    return Launch(Model("m", est_vram_gb=need), Arguments(tuple(text.split())), "key", size)


class TestStarts:
    def start(self, text: str, need: float, free: float, tmp_path: Path) -> str:
        start = start_of(
            launch(text, need, tmp_path),
            {"GPU-0": int(need * GIB)},
            {"GPU-0": int(free * GIB)},
            (seen(24 - free, {"game.exe": 24 - free}),),
            least_on_card=0.5,
            reserve=GIB,
        )
        return " ".join(start.arguments.argv)

    def test_what_fits_is_started_as_it_is(self, tmp_path: Path) -> None:
        text = "llama-server -c 16384 -ngl 99"
        assert self.start(text, 8, 10, tmp_path) == text

    def test_what_does_not_is_made_smaller(self, tmp_path: Path) -> None:
        text = "llama-server -c 16384 -ngl 99"
        assert self.start(text, 8, 7.8, tmp_path) == "llama-server -c 12288 -ngl 99"
        assert self.start(text, 8, 6, tmp_path).startswith("llama-server -c 12288 -ngl 2")

    def test_a_server_that_fits_itself_is_told_what_to_leave(self, tmp_path: Path) -> None:
        made = self.start("llama-server --fit on", 8, 6, tmp_path)
        assert made == "llama-server --fit on --fit-target 1024"
        own = "llama-server --fit on -fitt 500"
        assert self.start(own, 8, 20, tmp_path) == own

    @pytest.mark.parametrize("text", ["llama-server --fit on", "llama-server -c 16384", "vllm x"])
    def test_what_cannot_be_made_small_enough_is_refused_with_the_arithmetic(
        self, tmp_path: Path, text: str
    ) -> None:
        with pytest.raises(NoRoom) as no_room:
            self.start(text, 20, 3, tmp_path)
        assert "it needs 20.0 GiB (configured) on card 0, 3.0 GiB of 24.0 GiB are free" in str(
            no_room.value
        )
        assert "game.exe holds 21.0 GiB" in str(no_room.value)


class TestRuns:
    def begin(self, planned: dict[str, int] | None = None) -> Run:
        return Run(Launch(Model("m"), Arguments(()), "key"), planned, {"GPU-0": GIB}, 1)

    def test_a_peak_is_kept_and_charged(self) -> None:
        run = self.begin({"GPU-0": 4 * GIB})
        run.follow("m", (seen(9, m=6),), ready=True)
        run.follow("m", (seen(9, m=5),), ready=True)
        assert run.charge == {"GPU-0": 6 * GIB}
        assert run.holds == {"GPU-0": 5 * GIB}
        lesson = run.lesson([card(9)], 1)
        assert lesson is not None
        assert lesson[0] == {"GPU-0": 6 * GIB}

    def test_what_is_planned_is_charged_until_it_is_taken(self) -> None:
        run = self.begin({"GPU-0": 4 * GIB})
        run.follow("m", (seen(2, m=1),), ready=False)
        assert run.charge == {"GPU-0": 4 * GIB}

    def test_the_rise_of_the_card_counts_once_and_only_if_nothing_else_moved(self) -> None:
        run = self.begin()
        assert run.lesson([card(6)], 2) is None
        lesson = run.lesson([card(6)], 1)
        assert lesson is not None
        assert lesson[0] == {"GPU-0": 5 * GIB}
        assert run.lesson([card(9)], 1) is None

    def test_a_list_that_names_nobody_says_nothing_of_who_is_missing(self) -> None:
        run = self.begin({"GPU-0": GIB})
        for _ in range(5):
            run.follow("m", (seen(9),), ready=True)
        assert run.expected
        for _ in range(5):
            run.follow("m", (seen(9, {"Xorg": 1}),), ready=True)
        assert not run.expected
        lesson = run.lesson([card(9)], 1)
        assert lesson is not None
        assert lesson[0] == {"GPU-0": 0}

    def test_another_drivers_figures_are_replaced(self) -> None:
        old = Launch(Model("m"), Arguments(()), "key", learned={"GPU-0": 9 * GIB}, driver="old")
        run = Run(old, {}, {}, 1)
        run.follow("m", (seen(9, m=6),), ready=True)
        new = Card("GPU-0", 0, "card", Kind.NVIDIA, 24 * GIB, 9 * GIB, driver="new")
        assert run.lesson([new], 1) == ({"GPU-0": 6 * GIB}, "new")
