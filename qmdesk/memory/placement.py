"""On which cards a model is charged, and with what share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qmdesk.gpu import Card, Kind
from qmdesk.memory.arguments import DEVICE, MAIN, SPLIT, SPLIT_MODE, Arguments

_VISIBLE = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GGML_VK_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
)


def shares(arguments: Arguments, env: Sequence[str], cards: Sequence[Card]) -> Mapping[str, float]:
    """By card, adding up to 1; empty where it uses none of ``cards``.

    What names its card is charged there, a split model as it is split, else in proportion
    to what is free; a server whose ways are not known gets the first card that it sees.
    """
    seen = _visible(env, [card for card in cards if card.kind is not Kind.RAM])
    if (named := arguments.value(DEVICE)) is not None:
        if named.strip().lower() == "none":
            return {}
        # `CUDA0`, `Vulkan1`, `ROCm0`: the number counts among those that it sees.
        numbers = [match[1] for each in named.split(",") if (match := re.search(r"(\d+)$", each))]
        seen = [seen[int(number)] for number in numbers if int(number) < len(seen)] or seen
    if not seen:
        return {}
    if len(seen) == 1 or not arguments.llama_server:
        return {seen[0].id: 1.0}
    if arguments.value(SPLIT_MODE) == "none":
        main = arguments.number(MAIN) or 0
        return {seen[main if 0 <= main < len(seen) else 0].id: 1.0}
    weights = _written(arguments.value(SPLIT), len(seen))
    if weights is None:
        weights = [float(card.free if card.free is not None else card.total) for card in seen]
    total = sum(weights) or 1.0
    return {
        card.id: weight / total for card, weight in zip(seen, weights, strict=True) if weight > 0
    }


def _visible(env: Sequence[str], cards: Sequence[Card]) -> list[Card]:
    settings = dict(entry.split("=", 1) for entry in env if "=" in entry)
    for name in _VISIBLE:
        if name not in settings:
            continue
        found: list[Card] = []
        for word in settings[name].split(","):
            word = word.strip()
            match = next((each for each in cards if _is(word, each)), None)
            if match is None:
                # As the driver does: what follows an unknown one is not seen.
                break
            found.append(match)
        return found
    return list(cards)


def _is(word: str, card: Card) -> bool:
    return word == str(card.index) or (len(word) > 3 and card.id.startswith(word))


def _written(text: str | None, count: int) -> list[float] | None:
    if text is None:
        return None
    try:
        weights = [float(each) for each in re.split(r"[,/]", text)]
    except ValueError:
        return None
    return [*weights, *[0.0] * count][:count]
