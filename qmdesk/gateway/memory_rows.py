"""The memory picture as JSON: for ``/running``, ``/api/status`` and ``/api/memory``."""

from __future__ import annotations

from typing import Any

from qmdesk.events import CardMemory
from qmdesk.memory import MemorySnapshot, ModelMemory


def memory_row(memory: MemorySnapshot) -> dict[str, Any]:
    """The cards, and what decides who may run together; sizes are in bytes."""
    return {
        "policy": memory.policy,
        "problem": memory.problem or None,
        "cards": [_card_row(card) for card in memory.cards],
    }


def memory_rows(memory: MemorySnapshot) -> dict[str, Any]:
    """All of it: the cards and the models."""
    models = [{"model": each.model, **model_row(each)} for each in memory.models]
    return {**memory_row(memory), "models": models}


def _card_row(card: CardMemory) -> dict[str, Any]:
    return {
        "id": card.id,
        "index": card.index,
        "name": card.name,
        "kind": card.kind,
        "driver": card.driver,
        "total": card.total or None,
        "used": card.used,
        "budget": card.budget,
        "ceiling": card.ceiling,
        "trusted": card.trusted,
        "asleep": card.asleep,
        "utilisation": card.utilisation,
        "temperature": card.temperature,
        "power": card.power,
        "models": [{"model": model, "bytes": size} for model, size in card.ours],
        "programs": [{"name": name, "bytes": size} for name, size in card.programs],
    }


def model_row(model: ModelMemory) -> dict[str, Any]:
    """What one model holds and needs, and whom it would evict if it were asked for now."""
    return {
        "holds": model.holds,
        "needs": model.needs,
        "known": model.known,
        "would_evict": list(model.evicts),
        "would_be_refused": model.refused,
        "why": model.why or None,
    }
