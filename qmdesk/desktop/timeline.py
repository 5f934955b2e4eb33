"""The last hour as a picture: a lane per card for what others held, a lane per model, and the
swaps as ticks.  Free of Qt.

All lengths are shares of the hour: 0 is an hour ago, 1 is now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qmdesk.desktop.activity_rows import swap_story
from qmdesk.desktop.journal import HOUR, Journal, Use
from qmdesk.desktop.words import clock, duration, size, tr


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which a model was loading or loaded, or in which others held memory."""

    start: float
    end: float
    loading: bool
    story: str
    height: float = 1.0
    """0 to 1: how much of the lane it fills; of a card, where others hold it."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A swap: from its beginning to the moment at which the model was ready."""

    start: float
    end: float
    failed: bool
    story: str


@dataclass(frozen=True, slots=True)
class Lane:
    model: str
    stretches: tuple[Stretch, ...]
    ticks: tuple[Tick, ...] = ()
    foreign: bool = False
    """It is a card, and tells what other programs held of it; ``model`` is its title."""


def lanes(journal: Journal, models: Sequence[str], now: float) -> list[Lane]:
    """The lanes of the cards, and of the models that were there in the last hour.

    Models come in the order of ``models``; those that have left the configuration last.
    """
    begin = now - HOUR

    def place(at: float) -> float:
        return min(max((at - begin) / HOUR, 0.0), 1.0)

    found = _foreign_lanes(journal, begin, place)
    order = [*models, *(each for each in journal.spans if each not in set(models))]
    swaps: dict[str, list[Tick]] = {}
    for swap in journal.swaps:
        end = now if swap.seconds is None else swap.start + swap.seconds
        if end >= begin:
            tick = Tick(place(swap.start), place(end), bool(swap.error), swap_story(swap))
            swaps.setdefault(swap.model, []).append(tick)
    for model in order:
        stretches: list[Stretch] = []
        for span in journal.spans.get(model, ()):
            end = now if span.end is None else span.end
            if end < begin:
                continue
            ready = end if span.ready is None else span.ready
            if ready > max(span.start, begin):
                story = tr(
                    "{model} was loading from {time} on, for {length}",
                    model=model,
                    time=clock(span.start),
                    length=duration(ready - span.start),
                )
                stretches.append(Stretch(place(span.start), place(ready), True, story))
            if end > ready:
                story = tr(
                    "{model} was loaded from {time} on, for {length}",
                    model=model,
                    time=clock(ready),
                    length=duration(end - ready),
                )
                stretches.append(Stretch(place(ready), place(end), False, story))
        ticks = tuple(swaps.get(model, ()))
        if stretches or ticks:
            found.append(Lane(model, tuple(stretches), ticks))
    return found


def _foreign_lanes(journal: Journal, begin: float, place: Callable[[float], float]) -> list[Lane]:
    found = []
    for card, uses in journal.uses.items():
        stretches = tuple(
            Stretch(
                place(use.start),
                place(use.end),
                False,
                _use_story(use, journal.cards[card].name),
                min(1.0, use.bytes / use.total),
            )
            for use in uses
            if use.end >= begin
        )
        if stretches:
            title = tr("Other programs")
            if len(journal.cards) > 1:
                title = tr("Others on card {n}", n=journal.cards[card].index)
            found.append(Lane(title, stretches, foreign=True))
    return found


def _use_story(use: Use, card: str) -> str:
    text = tr(
        "Other programs held {size} of {card} from {time} on, for {length}",
        size=size(use.bytes),
        card=card,
        time=clock(use.start),
        length=duration(use.end - use.start),
    )
    named = ", ".join(
        tr("{model}: {size}", model=name, size=size(held)) for name, held in use.programs if held
    )
    return f"{text}\n{named}" if named else text
