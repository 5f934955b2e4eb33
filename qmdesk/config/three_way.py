"""Two edits of one text brought together, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Clash:
    """A place that both sides changed, each in its own way."""

    line: int
    """The first line of the base that is concerned, from 1."""
    base: str
    mine: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """The two edits exclude each other in these places."""

    clashes: tuple[Clash, ...]

    def __str__(self) -> str:
        lines = ", ".join(str(each.line) for each in self.clashes)
        return f"both sides changed the same place (line {lines})"


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines ``first`` to ``last`` (exclusive) of the base, which ``new`` replaces."""

    first: int
    last: int
    new: list[str]

    @property
    def one_sided(self) -> bool:
        return self.first == self.last or not self.new


def merge(base: str, mine: str, theirs: str) -> str | Conflict:
    """``base`` with the changes of both sides, or where they exclude each other.

    Changed lines next to each other go together; an insertion or a removal beside a line
    that the other side changed does not.  Whether the result is a valid configuration is
    for the reader to say.
    """
    clashes: list[Clash] = []
    merged = _merged(base, mine, theirs, clashes.append)
    return Conflict(tuple(clashes)) if clashes else merged


def resolved(base: str, mine: str, theirs: str, choose: Callable[[Clash], str]) -> str:
    """``base`` with the changes of both sides, and what ``choose`` says where they clash."""
    return _merged(base, mine, theirs, choose)


def _merged(base: str, mine: str, theirs: str, at_clash: Callable[[Clash], str | None]) -> str:
    lines = _lines(base)
    left = list(_hunks(lines, _lines(mine)))
    right = list(_hunks(lines, _lines(theirs)))
    merged: list[str] = []
    done = 0
    while left or right:
        ours, others = _cluster(left, right)
        first = min(each.first for each in (*ours, *others))
        last = max(each.last for each in (*ours, *others))
        merged += lines[done:first]
        done = last
        versions = [_applied(lines, hunks, first, last) for hunks in (ours, others)]
        if not others or versions[0] == versions[1]:
            merged += versions[0]
        elif not ours:
            merged += versions[1]
        else:
            old = "".join(lines[first:last])
            clash = Clash(first + 1, old, "".join(versions[0]), "".join(versions[1]))
            merged.append(at_clash(clash) or "")
    return "".join((*merged, *lines[done:]))


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _hunks(old: list[str], new: list[str]) -> Iterator[_Hunk]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            yield _Hunk(head + first, head + last, after[start:end])


def _cluster(left: list[_Hunk], right: list[_Hunk]) -> tuple[list[_Hunk], list[_Hunk]]:
    """Takes the first hunk of either side, and all that touch it or each other."""
    taken: tuple[list[_Hunk], list[_Hunk]] = ([], [])
    rest = (left, right)
    side = 0 if left and (not right or left[0].first <= right[0].first) else 1
    taken[side].append(rest[side].pop(0))
    grown = True
    while grown:
        grown = False
        for side in (0, 1):
            if rest[side] and any(_touch(each, rest[side][0]) for each in taken[1 - side]):
                taken[side].append(rest[side].pop(0))
                grown = True
    return taken


def _touch(one: _Hunk, other: _Hunk) -> bool:
    if one.first < other.last and other.first < one.last:
        return True
    beside = one.first <= other.last and other.first <= one.last
    return beside and (one.one_sided or other.one_sided)


def _applied(lines: list[str], hunks: list[_Hunk], first: int, last: int) -> list[str]:
    applied: list[str] = []
    for hunk in hunks:
        applied += (*lines[first : hunk.first], *hunk.new)
        first = hunk.last
    return [*applied, *lines[first:last]]
