"""What is started where a model does not fit as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qmdesk.gpu import CardSample
from qmdesk.memory.arguments import Arguments
from qmdesk.memory.budget import holders
from qmdesk.memory.fitting import fit
from qmdesk.memory.launch import Launch
from qmdesk.said import joined, said
from qmdesk.scheduler import gib


class NoRoom(Exception):
    """It cannot be started now; the message has the arithmetic."""


@dataclass(frozen=True, slots=True)
class Start:
    """What to start, and what it will take."""

    arguments: Arguments
    cards: Mapping[str, int]
    """Bytes by card."""
    said: str = ""
    """What was changed and why, in words; empty where nothing was."""


def start_of(
    launch: Launch,
    need: Mapping[str, int],
    free: Mapping[str, int],
    cards: Sequence[CardSample],
    *,
    least_on_card: float,
    reserve: int,
) -> Start:
    """The start of ``launch``, which takes ``need``, into what is ``free``; bytes by card.

    A server that finds its own sizes is only told to leave ``reserve`` bytes.  Raises
    ``NoRoom``.
    """
    shares = {card: free[card] / size for card, size in need.items() if size and card in free}
    tight = min(shares, key=lambda card: shares[card], default="")
    share = shares.get(tight, 1.0)
    arguments = launch.arguments
    if arguments.fits_itself and share >= least_on_card:
        cards_then = {card: int(size * min(1.0, share)) for card, size in need.items()}
        return Start(arguments.left_free(reserve), cards_then)
    if share >= 1.0:
        return Start(arguments, need)
    total = sum(need.values())
    found = fit(arguments, launch.size, total, int(total * share), least_on_card)
    if found is None:
        raise NoRoom(_arithmetic(launch, tight, need[tight], free[tight], cards))
    on_card = next(each.card for each in cards if each.card.id == tight)
    return Start(
        found.arguments,
        {card: int(size * found.vram / total) for card, size in need.items()},
        f"{launch.model.id} is started with {found.said}: as configured it needs"
        f" {gib(need[tight])} on {on_card.name}, {gib(free[tight])} are free",
    )


def _arithmetic(
    launch: Launch, card: str, need: int, free: int, cards: Sequence[CardSample]
) -> str:
    sample = next(each for each in cards if each.card.id == card)
    known = launch.footprint().known.value
    ours = [
        said("{name} holds {size}", name=model, size=gib(size))
        for model, size in sample.ours.items()
        if size
    ]
    others = [holders(sample)] if sample.programs or not ours else []
    return said(
        "it needs {size} ({known}) on {card}, {free} of {total} are free: {holders}. Close what"
        " holds the rest, or give it a smaller context or fewer layers on the card (-c, -ngl)",
        size=gib(need),
        known=known,
        card=sample.card.name,
        free=gib(free),
        total=gib(sample.card.total),
        holders=joined(", ", [*ours, *others]),
    )
