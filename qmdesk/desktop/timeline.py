"""The last hour as a picture: a lane per model, and the swaps as ticks.  Free of Qt.

All lengths are shares of the hour: 0 is an hour ago, 1 is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qmdesk.desktop.activity_rows import swap_story
from qmdesk.desktop.journal import HOUR, Journal
from qmdesk.desktop.words import clock, duration, tr


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which a model was loading or loaded."""

    start: float
    end: float
    loading: bool
    story: str


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
    ticks: tuple[Tick, ...]


def lanes(journal: Journal, models: Sequence[str], now: float) -> list[Lane]:
    """The lanes of the models that were there in the last hour, in the order of ``models``.

    Those that have left the configuration come last.
    """
    begin = now - HOUR

    def place(at: float) -> float:
        return min(max((at - begin) / HOUR, 0.0), 1.0)

    found = []
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
