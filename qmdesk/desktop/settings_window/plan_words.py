"""What "Apply" would do to the models that run, in words.

Free of Qt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qmdesk.config import Config
from qmdesk.config.diff import relaunched
from qmdesk.desktop.reasons import told
from qmdesk.desktop.words import first_line, listed, number, plural, tr
from qmdesk.events import ModelState
from qmdesk.router.snapshot import ModelSnapshot

_RUNS = (ModelState.STARTING, ModelState.READY)


@dataclass(frozen=True, slots=True)
class Consequence:
    """What becomes of a model that runs."""

    model: str
    stops: bool
    """It is no longer in the configuration; else it goes on until its next start."""
    text: str
    """All of it in words."""


def concerned(old: Config, new: Config) -> tuple[str, ...]:
    """The models that would have to stop or start anew if they ran, in the old file's order."""
    again = relaunched(old, new)
    return tuple(id for id in old.models if id not in new.models or id in again)


def consequences(
    old: Config, new: Config, models: Iterable[ModelSnapshot]
) -> tuple[Consequence, ...]:
    """What becomes of those of ``models`` that run; they are ``concerned``."""
    found = []
    for model in models:
        if model.state not in _RUNS or model.external:
            continue
        stops = model.id not in new.models
        text = _stops(model, old) if stops else _goes_on(model)
        found.append(Consequence(model.id, stops, text))
    return tuple(found)


def _stops(model: ModelSnapshot, old: Config) -> str:
    if not model.in_flight:
        return tr("{model} is loaded and will be stopped", model=model.id)
    before = old.models.get(model.id)
    return plural(
        model.in_flight,
        "{model} is loaded and will be stopped; 1 request in flight finishes first "
        "({limit} at most)",
        "{model} is loaded and will be stopped; {n} requests in flight finish first "
        "({limit} at most)",
        model=model.id,
        limit=tr("{n} s", n=number(before.unload_timeout if before else 10)),
    )


def _goes_on(model: ModelSnapshot) -> str:
    if not model.in_flight:
        return tr("{model} is loaded and goes on as it is until its next start", model=model.id)
    return plural(
        model.in_flight,
        "{model} is loaded and goes on as it is until its next start; 1 request in flight is "
        "not disturbed",
        "{model} is loaded and goes on as it is until its next start; {n} requests in flight "
        "are not disturbed",
        model=model.id,
    )


def summary(changes: tuple[str, ...], found: tuple[Consequence, ...]) -> str:
    """The plan in a line: how much changes, and what becomes of the models that run."""
    if not changes:
        return ""
    parts = [plural(len(changes), "1 change", "{n} changes")]
    stop = tuple(each.model for each in found if each.stops)
    go_on = tuple(each.model for each in found if not each.stops)
    if stop:
        parts.append(plural(len(stop), "{names} stops", "{names} stop", names=listed(stop, 2)))
    if go_on:
        parts.append(
            plural(
                len(go_on),
                "{names} goes on as it is until its next start",
                "{names} go on as they are until their next start",
                names=listed(go_on, 2),
            )
        )
    if not found:
        return tr("{count}: {first}", count=parts[0], first=first_line(told(changes[0]), 120))
    return "; ".join(parts)
