"""The rows of the activity: requests that run, requests that are over, evictions.

Free of Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from qmdesk.desktop.journal import Swap
from qmdesk.desktop.reasons import told
from qmdesk.desktop.words import clock, exact, last_line, listed, plural, rate, tr


class Part(StrEnum):
    """What a request spends its time on, in this order."""

    WAITING = "waiting"
    LOADING = "loading"
    PROMPT = "prompt"
    ANSWER = "answer"


class RowKind(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    EVICTION = "eviction"


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """One row."""

    kind: RowKind
    id: int
    at: float
    """Unix time of the arrival."""
    model: str
    client: str
    text: str
    """Tokens and rate, or what had to go."""
    status: str
    parts: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Seconds of waiting, loading, prompt and answer."""
    failed: bool = False
    story: str = ""
    """All of it in words, a line each."""

    @property
    def key(self) -> tuple[RowKind, int]:
        return self.kind, self.id

    @property
    def seconds(self) -> float:
        return sum(self.parts)


def running_row(row: Mapping[str, Any], loading_since: float | None = None) -> ActivityRow:
    """A request under way, of ``Instance.requests``.

    ``loading_since``: Unix time at which the load that it may wait for has begun.
    """
    age = float(row["age_seconds"])
    waits = row["state"] == "waiting"
    load = float(row["load_seconds"])
    if waits and loading_since is not None:
        load = max(0.0, min(age, row["arrived_at"] + age - loading_since))
    waited = age if waits else float(row["waited_seconds"])
    first = row["first_token_seconds"]
    parts = _parts(waited, load, age if first is None else float(first), age)
    if waits:
        status = tr("loading") if load else tr("waiting")
    else:
        status = tr("reading") if first is None else tr("answering")
    return ActivityRow(
        RowKind.RUNNING,
        row["id"],
        row["arrived_at"],
        row["model"],
        row["client"],
        "",
        status,
        parts,
        story=_story(row, parts, []),
    )


def finished_row(row: Mapping[str, Any]) -> ActivityRow:
    """A request that is over, of ``Instance.activity``."""
    duration = row["duration_ms"] / 1000
    first = row["first_token_ms"]
    parts = _parts(
        row["queue_ms"] / 1000,
        row["load_ms"] / 1000,
        duration if first is None else first / 1000,
        duration,
    )
    said: list[str] = []
    tokens, speed = row["generated_tokens"], row["tokens_per_second"]
    if tokens is not None:
        said.append(plural(tokens, "1 token", "{n} tokens"))
    if speed:
        said.append(rate(speed))
    more: list[str] = []
    if row["prompt_tokens"] is not None:
        more.append(plural(row["prompt_tokens"], "1 token of prompt", "{n} tokens of prompt"))
        if row["cached_tokens"]:
            more[0] += " " + tr("({n} of them remembered)", n=row["cached_tokens"])
    if said:
        more.append(tr("Answer: {figures}", figures=", ".join(said)))
    failed = row["status"] >= 400
    if row["error"]:
        more.append(row["error"])
    return ActivityRow(
        RowKind.FINISHED,
        row["id"],
        datetime.fromisoformat(row["timestamp"]).timestamp(),
        row["model"],
        row["client"],
        ", ".join(said),
        str(row["status"]),
        parts,
        failed,
        _story(row, parts, more),
    )


def eviction_row(swap: Swap) -> ActivityRow:
    """What had to go for a load, and what that cost."""
    gone = listed(swap.evicted, 6)
    status = tr("under way")
    if swap.seconds is not None:
        status = exact(swap.seconds)
    return ActivityRow(
        RowKind.EVICTION,
        swap.id,
        swap.start,
        swap.model,
        swap.by,
        tr("evicted {models}", models=gone),
        status,
        failed=bool(swap.error),
        story=swap_story(swap),
    )


def swap_story(swap: Swap) -> str:
    """A swap in words: who asked, what had to go and why, what it cost."""
    asker = swap.by or tr("somebody")
    lines = [
        tr(
            "{client} asked for {model} at {time}.",
            client=asker,
            model=swap.model,
            time=clock(swap.start),
        )
    ]
    if swap.evicted:
        lines.append(
            tr(
                "{models} had to go: {why}.",
                models=listed(swap.evicted, 6),
                why=told(swap.why).rstrip("."),
            )
        )
    if swap.error:
        lines.append(tr("It did not start: {reason}", reason=last_line(told(swap.error))))
    elif swap.seconds is not None and not swap.ok:
        lines.append(tr("The load was given up after {time}.", time=exact(swap.seconds)))
    elif swap.seconds is not None:
        load = max(0.0, swap.seconds - swap.stop_seconds)
        if swap.evicted:
            lines.append(
                tr(
                    "It took {all}: {stop} for the unload, {load} for the load.",
                    all=exact(swap.seconds),
                    stop=exact(swap.stop_seconds),
                    load=exact(load),
                )
            )
        else:
            lines.append(tr("The load took {load}.", load=exact(load)))
    return "\n".join(lines)


def merged(
    running: Iterable[ActivityRow], over: Iterable[ActivityRow], limit: int
) -> list[ActivityRow]:
    """Those that run on top, oldest first; then what is over, newest first."""
    first = sorted(running, key=lambda row: (row.at, row.id))
    rest = sorted(over, key=lambda row: (-row.at, row.kind, -row.id))
    return (first + rest)[:limit]


def _parts(
    queue: float, load: float, first: float, end: float
) -> tuple[float, float, float, float]:
    """Seconds of each part, from the moments at which they end."""
    load = min(load, queue)
    first = min(max(first, queue), max(end, queue))
    return (
        round(queue - load, 3),
        round(load, 3),
        round(first - queue, 3),
        round(max(end - first, 0.0), 3),
    )


def _story(
    row: Mapping[str, Any], parts: tuple[float, float, float, float], more: list[str]
) -> str:
    names = (tr("waited"), tr("loaded"), tr("read the prompt"), tr("answered"))
    spent = ", ".join(
        f"{name} {exact(seconds)}" for name, seconds in zip(names, parts, strict=True) if seconds
    )
    head = tr(
        "{client} asked {model} at {route}.",
        client=row["client"],
        model=row["model"],
        route=row["route"],
    )
    return "\n".join([head, *([spent[:1].upper() + spent[1:] + "."] if spent else []), *more])
