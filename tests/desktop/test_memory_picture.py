"""Who holds what of a card, as it is painted and told.  Without Qt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qmdesk.desktop.memory_picture import (
    MemoryPicture,
    all_cards_line,
    card_pictures,
    real_cards,
)
from qmdesk.desktop.model_memory import foresight_story, held_line, memory_story, short_line
from qmdesk.events import CardMemory
from qmdesk.memory import ModelMemory
from tests.desktop.fake_instance import GIB, card, some_cards


def picture(given: CardMemory, problem: str = "") -> MemoryPicture:
    (found,) = card_pictures([given], problem)
    return found


def test_ours_others_and_the_rest_are_what_is_used() -> None:
    shared = picture(some_cards()[0])
    assert [part.name for part in shared.ours] == ["gemma-3-12b-it", "gpt-oss-20b"]
    assert [part.name for part in shared.others] == [
        "game.exe",
        "firefox",
        "the system and others",
    ]
    assert sum(part.bytes for part in shared.parts) == shared.used == 23 * GIB
    assert shared.free == GIB
    assert (shared.line, shared.note) == ("23.0 of 24.0 GiB", "")
    assert shared.facts == "87 % busy, 64 °C, 212 W"


def test_a_card_is_told_in_words() -> None:
    assert picture(some_cards()[0]).story().splitlines() == [
        "NVIDIA GeForce RTX 3090: 23.0 of 24.0 GiB",
        "gemma-3-12b-it: 8.1 GiB",
        "gpt-oss-20b: 4.2 GiB",
        "game.exe: 9.1 GiB",
        "firefox: 922 MiB",
        "the system and others: 717 MiB",
        "Free: 1.0 GiB (4 %)",
        "Budget for models: 22.0 GiB",
        "Room for models beside the others now: 12.6 GiB",
    ]


def test_programs_that_say_more_than_the_card_does_are_cut_short() -> None:
    crowded = picture(card(6.0, ours=(("a", 4 * GIB),), programs=(("x", 3 * GIB), ("y", GIB))))
    assert [(part.name, part.bytes // GIB) for part in crowded.parts] == [("a", 4), ("x", 2)]


def test_programs_that_hold_a_little_are_told_together() -> None:
    programs = tuple((f"program {at}", (40 - at) << 20) for at in range(40))
    desktop = picture(card(2.0, programs=(("Xorg", GIB), *programs)))
    assert [(part.name, part.bytes) for part in desktop.parts] == [
        ("Xorg", GIB),
        ("the system and others", GIB),
    ]


def test_a_size_that_the_system_keeps_to_itself_is_not_taken_for_others() -> None:
    untold = picture(card(6.0, ours=(("a", None),), trusted=False))
    assert [(part.name, part.ours) for part in untold.parts] == [("not told apart", False)]
    assert untold.note.startswith("Ours and others' cannot be told apart here")


def test_a_limit_that_is_the_whole_card_is_no_mark() -> None:
    assert picture(card(1.0, budget=24 * GIB, ceiling=24 * GIB)).marks == ()
    assert picture(card(1.0, budget=None, ceiling=None)).marks == ()
    (budget,) = picture(card(1.0)).marks
    assert (budget.at, budget.now) == (22 * GIB, False)


@pytest.mark.parametrize(
    ("given", "problem", "line", "note"),
    [
        (card(None, asleep=True), "", "asleep", "It is asleep"),
        (
            card(None),
            "no reading: the driver has not answered for 5 s",
            "no reading",
            "No reading: the driver has not answered for 5 s. Until there is one",
        ),
        (card(None), "", "no reading", "No reading. Until there is one"),
    ],
)
def test_no_figure_is_told_with_its_reason(
    given: CardMemory, problem: str, line: str, note: str
) -> None:
    blank = picture(given, problem)
    assert (blank.line, blank.parts, blank.free) == (line, (), None)
    assert blank.note.startswith(note)
    assert all_cards_line([blank]) == ""


def test_several_cards_have_numbers_and_one_sum() -> None:
    pictures = card_pictures(some_cards())
    assert [each.name for each in pictures] == [
        "0: NVIDIA GeForce RTX 3090",
        "1: NVIDIA GeForce RTX 3090",
    ]
    assert all_cards_line(pictures) == "41.1 of 48.0 GiB"
    asleep = picture(card(None, asleep=True))
    # What cannot be read is in neither figure.
    assert all_cards_line([pictures[1], asleep]) == "18.1 of 24.0 GiB"


def test_main_memory_and_cards_without_a_size_are_no_cards() -> None:
    main = card(12.0, kind="ram", name="main memory")
    integrated = replace(card(None), total=0, kind="intel")
    assert real_cards([main, integrated]) == ()


@pytest.mark.parametrize(
    ("given", "short", "line", "story"),
    [
        (None, "", "", ""),
        (
            ModelMemory("a", 17 * GIB, 18 * GIB, "learned"),
            "17.0 GiB",
            "17.0 GiB (learned)",
            "Holds 17.0 GiB, learned.",
        ),
        (
            ModelMemory("a", 17 * GIB, 12 * GIB, "configured"),
            "17.0 GiB",
            "17.0 GiB (measured)",
            "Holds 17.0 GiB, measured.",
        ),
        (
            ModelMemory("a", None, 12 * GIB, "computed"),
            "12.0 GiB",
            "12.0 GiB (computed)",
            "Takes 12.0 GiB, computed.",
        ),
        (
            ModelMemory("a"),
            "",
            "",
            "What it takes is not known before it has been loaded once.",
        ),
    ],
)
def test_what_a_model_holds_or_takes(
    given: ModelMemory | None, short: str, line: str, story: str
) -> None:
    assert (short_line(given), held_line(given), memory_story(given)) == (short, line, story)


@pytest.mark.parametrize(
    ("given", "story"),
    [
        (ModelMemory("a"), ""),
        (
            ModelMemory("a", evicts=("b", "c"), why="9.0 GiB are free."),
            "Asked for now, it would unload b and c: 9.0 GiB are free.",
        ),
        (ModelMemory("a", evicts=("b",)), "Asked for now, it would unload b."),
        (
            ModelMemory("a", why="a needs 30.0 GiB, the card has 24.0 GiB", refused=True),
            "Asked for now, it would be refused: a needs 30.0 GiB, the card has 24.0 GiB.",
        ),
    ],
)
def test_what_would_happen_if_it_were_asked_for(given: ModelMemory, story: str) -> None:
    assert foresight_story(given) == story
