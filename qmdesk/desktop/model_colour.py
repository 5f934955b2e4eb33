"""The colours of models in pictures: told apart by the colour-blind too, fixed by name.

M. Okabe and K. Ito, https://jfly.uni-koeln.de/color/
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")


def model_colours(models: Iterable[str]) -> dict[str, str]:
    """A colour for each of ``models``: the same after every start and in every picture.

    Its name decides; where two would have the same, the later in the alphabet takes the
    next that is free, as long as one is.
    """
    colours: dict[str, str] = {}
    for model in sorted(set(models)):
        at = crc32(model.encode()) % len(PALETTE)
        places = [PALETTE[(at + step) % len(PALETTE)] for step in range(len(PALETTE))]
        taken = set(colours.values())
        colours[model] = next((each for each in places if each not in taken), places[0])
    return colours


def model_colour(model: str) -> str:
    """The colour of a model that is not among those that are configured."""
    return PALETTE[crc32(model.encode()) % len(PALETTE)]
