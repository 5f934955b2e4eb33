"""The memory picture at one moment, as plain values for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass

from qmdesk.events import CardMemory
from qmdesk.gpu import CardSample
from qmdesk.scheduler import Pool


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """One model; sizes are in bytes."""

    model: str
    holds: int | None = None
    """On all cards now; None while it is stopped, or where the system does not tell."""
    needs: int | None = None
    """On all cards when it is loaded; None: unknown."""
    known: str = "unknown"
    """How that is known: ``learned``, ``configured``, ``computed`` or ``unknown``."""
    evicts: tuple[str, ...] = ()
    """Who would go if it were asked for now."""
    why: str = ""
    """Why they would go; or why it would be refused."""
    refused: bool = False


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    cards: tuple[CardMemory, ...] = ()
    problem: str = ""
    """Why there is no reading, in words; empty where there is one."""
    policy: str = ""
    """What decides who may run together: ``budget``, ``groups`` or ``matrix``."""
    models: tuple[ModelMemory, ...] = ()

    def model(self, id: str) -> ModelMemory | None:
        return next((each for each in self.models if each.model == id), None)


def card_memory(sample: CardSample, pool: Pool | None, *, trusted: bool) -> CardMemory:
    """One card's sample as a fact."""
    card = sample.card
    return CardMemory(
        id=card.id,
        index=card.index,
        name=card.name,
        total=card.total,
        used=card.used,
        ours=tuple(sample.ours.items()),
        programs=tuple((program.name, program.bytes) for program in sample.programs),
        budget=pool.budget if pool else None,
        ceiling=pool.ceiling if pool else None,
        trusted=trusted,
        utilisation=card.utilisation,
        temperature=card.temperature,
        power=card.power,
        asleep=card.asleep,
        kind=card.kind.value,
        driver=card.driver,
    )
