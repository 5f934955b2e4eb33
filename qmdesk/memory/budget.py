"""From samples to the pools that the scheduler decides by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from qmdesk.config import Config
from qmdesk.gpu import CardSample, Kind, Sample
from qmdesk.said import joined, said
from qmdesk.scheduler import Pool, gib

GIB = 1 << 30
ALL = "all cards"
"""The pool of ``vramBudgetGB``, where there is not exactly one card."""
RAM = "main memory"
"""The pool of ``estRamGB``."""
_NAMED = 3
"""Other programs that are named in a sentence."""


@dataclass(slots=True)
class Budget:
    """Remembers, by card, the least that other programs hold.

    The floor is what a desktop always takes; what is above it is a game, a browser, another
    server, and comes off the ceiling.
    """

    floors: dict[str, int] = field(default_factory=dict)
    """Bytes; only of readings that could be trusted."""

    def lower_floors(self, sample: Sample, trusted: Collection[str]) -> Mapping[str, int]:
        """Learn from ``sample``; the floors that are new."""
        new: dict[str, int] = {}
        for each in sample.cards:
            foreign = each.foreign
            if each.card.id in trusted and foreign is not None:
                known = self.floors.get(each.card.id)
                if known is None or foreign < known:
                    self.floors[each.card.id] = new[each.card.id] = foreign
        return new

    def pools(
        self, config: Config, sample: Sample, trusted: Collection[str], main_memory: int
    ) -> dict[str, Pool]:
        """The pools now; none where there is neither a measured card nor a budget."""
        cards = measured(sample)
        told = int(config.vram_budget_gb * GIB)
        if not cards and not told:
            return {}
        pools = {each.card.id: self._pool(config, each, trusted, len(cards)) for each in cards}
        if told and len(cards) != 1:
            pools[ALL] = Pool("all cards together", told, told)
        if main_memory:
            room = max(0, main_memory - int(config.memory.reserve_gb * GIB))
            pools[RAM] = Pool("main memory", room, room)
        return pools

    def _pool(
        self, config: Config, sample: CardSample, trusted: Collection[str], count: int
    ) -> Pool:
        card = sample.card
        reserve = int(config.memory.reserve_gb * GIB)
        budget = self._written(config, sample, count)
        if budget is None:
            budget = max(0, card.total - self.floors.get(card.id, 0) - reserve)
        ceiling, others = budget, ""
        foreign = sample.foreign
        if card.id in trusted and foreign is not None:
            excess = foreign - self.floors.get(card.id, foreign)
            if excess > 0:
                # The reserve keeps this below what the guard allows, or both would flap.
                ceiling = max(0, min(budget, card.total - foreign - reserve))
                others = holders(sample)
        return Pool(card.name, budget, ceiling, others)

    @staticmethod
    def _written(config: Config, sample: CardSample, count: int) -> int | None:
        """What the configuration says of this card, in bytes."""
        card = sample.card
        for key in (card.id, str(card.index), card.name):
            if key in config.memory.cards:
                return int(config.memory.cards[key] * GIB)
        if config.vram_budget_gb > 0 and count == 1:
            return int(config.vram_budget_gb * GIB)
        return None


def measured(sample: Sample) -> list[CardSample]:
    """The cards with memory of a known size; main memory is none."""
    return [each for each in sample.cards if each.card.total and each.card.kind is not Kind.RAM]


def trusted_cards(sample: Sample, expected: Collection[str]) -> frozenset[str]:
    """The cards whose figures may be believed.

    ``expected`` are the models of ours that hold something somewhere: where one of them
    shows up nowhere, what it holds would be taken for somebody else's.
    """
    cards = measured(sample)
    seen = {model for each in cards for model in each.ours}
    if not seen.issuperset(expected):
        return frozenset()
    return frozenset(each.card.id for each in cards if each.foreign is not None)


def holders(sample: CardSample) -> str:
    """``game.exe holds 9.1 GiB``; what has no name is told as such."""
    named = [each for each in sample.programs if each.bytes][:_NAMED]
    if not named:
        return said("other programs hold {size}", size=gib(sample.foreign or 0))
    return joined(
        ", ", [said("{name} holds {size}", name=each.name, size=gib(each.bytes)) for each in named]
    )
