"""A start that does not fit as it is written: what may be changed so that it does."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from qmdesk.memory.arguments import (
    CONTEXT,
    EXPERT_LAYERS,
    LAYERS,
    Arguments,
)
from qmdesk.memory.size import Size

STEP = 4096
"""Tokens for each slot."""
LEAST_CONTEXT = 0.6
"""Of the configured one."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A start that fits."""

    arguments: Arguments
    vram: int
    """Bytes on the cards."""
    said: str = ""
    """What was changed, in words; empty where nothing was."""


def fit(
    arguments: Arguments, size: Size | None, need: int, free: int, least_on_card: float
) -> Fitted | None:
    """``arguments``, changed as little as makes them fit into ``free`` bytes; None: never.

    ``need`` is what they take as they are.  A smaller context comes first, then fewer layers
    (of a mixture model: the experts of fewer layers) on the card, though never less than the
    share ``least_on_card`` of the model.  Nothing is ever moved to the card.
    """
    if need <= free:
        return Fitted(arguments, need)
    if size is None or not arguments.llama_server or arguments.fits_itself:
        return None
    # What was measured may differ from what is computed: only the proportions are used.
    made, smaller, said = arguments, size, ""
    for smaller in _contexts(size):
        made = arguments.with_value(CONTEXT, smaller.context)
        said = f"a context of {smaller.context} tokens instead of {size.context}"
        if (vram := _share(need, smaller, size)) <= free:
            return Fitted(made, vram, said)
    for choice in _choices(smaller, least_on_card):
        if (vram := _share(need, choice, size)) > free:
            continue
        if size.mixture:
            made = made.with_value(EXPERT_LAYERS, choice.experts_off)
            change = f"the experts of {choice.experts_off} of {choice.layers} layers in main memory"
        else:
            made = made.with_value(LAYERS, choice.on_card or 0)
            change = f"{choice.on_card} of {choice.layers} layers on the card"
        return Fitted(made, vram, f"{said} and {change}" if said else change)
    return None


def least(arguments: Arguments, size: Size | None, need: int, least_on_card: float) -> int:
    """The bytes below which ``fit`` finds nothing."""
    if arguments.fits_itself:
        return int(need * least_on_card)
    if size is None or not arguments.llama_server:
        return need
    smallest = ([size, *_contexts(size)])[-1]
    sizes = (smallest, *_choices(smallest, least_on_card))
    return min(need, *(_share(need, each, size) for each in sizes))


def _share(need: int, smaller: Size, size: Size) -> int:
    return math.ceil(need * smaller.vram / max(1, size.vram))


def _contexts(size: Size) -> list[Size]:
    """With less and less context."""
    if not size.per_token or not size.context:
        return []
    step = STEP * size.slots
    fewest = math.ceil(LEAST_CONTEXT * size.context)
    numbers = range(size.context - step, fewest - 1, -step)
    return [replace(size, context=number) for number in numbers]


def _choices(size: Size, least_on_card: float) -> list[Size]:
    """With fewer and fewer on the card."""
    if not size.layers:
        return []
    if size.mixture:
        numbers = range(size.experts_off + 1, size.layers + 1)
        made = [replace(size, experts_off=number) for number in numbers]
    else:
        most = size.layers if size.on_card is None else size.on_card - 1
        made = [replace(size, on_card=number) for number in range(most, 0, -1)]
    whole = replace(size, on_card=None, experts_off=0, context=0).vram
    return [each for each in made if replace(each, context=0).vram >= least_on_card * whole]
