"""What "Apply" would do to the models that run, in words.

Free of Qt.
"""

from __future__ import annotations

from qmdesk.config import Config
from qmdesk.config.diff import relaunched
from qmdesk.desktop.words import plural, tr
from qmdesk.events import ModelState
from qmdesk.router.snapshot import ModelSnapshot, Snapshot

_RUNS = (ModelState.STARTING, ModelState.READY)


def consequences(old: Config, new: Config, snapshot: Snapshot) -> tuple[str, ...]:
    """One line for each model that runs now and that ``new`` concerns, in the file's order."""
    again = relaunched(old, new)
    lines = []
    for model in snapshot.models:
        if model.state not in _RUNS or model.external:
            continue
        if model.id not in new.models:
            lines.append(_stops(model, old))
        elif model.id in again:
            lines.append(_goes_on(model))
    return tuple(lines)


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
        limit=tr("{n} s", n=f"{before.unload_timeout if before else 10:g}"),
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


def summary(changes: tuple[str, ...], lines: tuple[str, ...]) -> str:
    """The plan in one line: the models that run first, then how much changes."""
    if not changes:
        return ""
    count = plural(len(changes), "1 change", "{n} changes")
    if not lines:
        return tr("{count}: {first}", count=count, first=changes[0])
    return tr("{count}; {first}", count=count, first="; ".join(lines))
