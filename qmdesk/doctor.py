"""``qmdesk doctor``: what the cards hold, what each model takes, and who would go for whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

GIB = 1 << 30
_POLICIES = {
    "budget": "Models stay loaded while they fit (memory budget).",
    "groups": "Groups decide who may run together.",
    "matrix": "The matrix decides who may run together.",
}


def report(memory: dict[str, Any], *, running: bool) -> Iterator[str]:
    """Lines about ``memory``, as ``/api/memory`` has it."""
    if not running:
        yield "qmdesk does not run: this is what it would find."
    for card in memory["cards"]:
        yield from _card(card)
    if not memory["cards"]:
        yield "No card can be read."
    if memory["problem"]:
        yield f"Problem: {memory['problem']}."
    yield ""
    yield _POLICIES[memory["policy"]]
    yield from _table(memory["models"])


def _card(card: dict[str, Any]) -> Iterator[str]:
    driver = f" (driver {card['driver']})" if card["driver"] else ""
    if card["asleep"]:
        yield f"{card['name']}{driver}: asleep, {_gib(card['total'])}"
    else:
        yield f"{card['name']}{driver}: {_gib(card['used'])} of {_gib(card['total'])} used"
    if card["budget"] is not None:
        now = "" if card["ceiling"] == card["budget"] else f", {_gib(card['ceiling'])} now"
        yield f"  for models: {_gib(card['budget'])}{now}"
        if not card["trusted"] and not card["asleep"]:
            yield "  ours and others' cannot be told apart: games are not made room for"
    for held in card["models"]:
        yield f"  {held['model']} holds {_gib(held['bytes'])}"
    for held in card["programs"]:
        yield f"  {held['name']} holds {_gib(held['bytes'])}"


def _table(models: list[dict[str, Any]]) -> Iterator[str]:
    rows = [("model", "holds", "needs", "how that is known", "if it were asked for now")]
    rows += [
        (
            row["model"],
            _gib(row["holds"], "-"),
            _gib(row["needs"]),
            row["known"],
            _now(row),
        )
        for row in models
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join((*cells, row[4])).rstrip()


def _now(row: dict[str, Any]) -> str:
    if row["would_be_refused"]:
        return f"refused: {row['why']}"
    if row["would_evict"]:
        return f"evicts {', '.join(row['would_evict'])}: {row['why']}"
    return "evicts nobody"


def _gib(size: int | None, missing: str = "unknown") -> str:
    return missing if size is None else f"{size / GIB:.1f} GiB"
