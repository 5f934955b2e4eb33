"""Edits from two sides."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.config.three_way import Clash, Conflict, merge

BASE = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        (BASE, BASE, BASE),
        (BASE.replace("1", "10"), BASE, BASE.replace("1", "10")),
        (BASE, BASE.replace("1", "10"), BASE.replace("1", "10")),
        (BASE.replace("1", "10"), BASE.replace("5", "50"), "a: 10\nb: 2\nc: 3\nd: 4\ne: 50\n"),
        (BASE.replace("2", "20"), BASE.replace("3", "30"), "a: 1\nb: 20\nc: 30\nd: 4\ne: 5\n"),
        (BASE.replace("2", "20"), BASE.replace("2", "20"), BASE.replace("2", "20")),
        (BASE + "f: 6\n", "z: 0\n" + BASE, "z: 0\n" + BASE + "f: 6\n"),
        (BASE.replace("b: 2\n", ""), BASE.replace("5", "50"), "a: 1\nc: 3\nd: 4\ne: 50\n"),
        (BASE + "f: 6\n", BASE + "f: 6\n", BASE + "f: 6\n"),
        (BASE.removesuffix("\n"), "z: 0\n" + BASE, "z: 0\n" + BASE.removesuffix("\n")),
        ("", BASE, ""),
    ],
)
def test_what_does_not_touch_goes_together(mine: str, theirs: str, merged: str) -> None:
    assert merge(BASE, mine, theirs) == merged


@pytest.mark.parametrize(
    ("mine", "theirs", "line"),
    [
        (BASE.replace("2", "20"), BASE.replace("2", "21"), 2),
        (BASE + "f: 6\n", BASE + "g: 7\n", 6),
        (BASE.replace("c: 3\n", ""), BASE.replace("3", "30"), 3),
        (BASE.replace("c: 3\n", ""), BASE.replace("4", "40"), 3),
        (BASE.replace("c: 3\n", "c: 3\n  x: 1\n"), BASE.replace("c: 3\n", ""), 3),
        ("", BASE.replace("3", "30"), 1),
    ],
)
def test_what_touches_is_a_conflict(mine: str, theirs: str, line: int) -> None:
    found = merge(BASE, mine, theirs)
    assert isinstance(found, Conflict)
    assert found.clashes[0].line == line
    assert f"line {line}" in str(found)


def test_a_conflict_shows_all_three_sides() -> None:
    found = merge(BASE, BASE.replace("2", "x"), BASE.replace("2", "y"))
    assert found == Conflict((Clash(2, "b: 2\n", "b: x\n", "b: y\n"),))


@given(st.integers(0))
def test_separate_edits_always_go_together(seed: int) -> None:
    rng = random.Random(seed)
    lines = [f"k{i}: {rng.randrange(3)}\n" for i in range(20)]

    def edit(first: int, last: int) -> list[str]:
        changed = list(lines)
        at = rng.randrange(first, last)
        changed[at : at + rng.randrange(2)] = ["new: 1\n"] * rng.randrange(3)
        return changed

    mine, theirs = edit(0, 9), edit(11, 20)
    merged = merge("".join(lines), "".join(mine), "".join(theirs))
    if not isinstance(merged, Conflict):  # equal lines may have made the edits touch
        assert merged == merge("".join(lines), "".join(theirs), "".join(mine))
        gone = len(lines) - len(mine) + len(lines) - len(theirs)
        assert merged.count("\n") == len(lines) - gone
    assert merge("".join(lines), "".join(mine), "".join(lines)) == "".join(mine)
    assert merge("".join(lines), "".join(mine), "".join(mine)) == "".join(mine)
