"""Memory of ours that has no owner any more: drivers release late."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from qmdesk.gpu import CardSample, Sample


@dataclass(slots=True)
class Lingering:
    """From a stop's beginning until ``seconds`` after its end, what the server held and nobody
    holds now is not taken for somebody else's."""

    seconds: float
    _gone: dict[str, tuple[float, Mapping[str, int]]] = field(default_factory=dict)
    """By model: when its stop ended, and what it held."""
    _before: dict[str, int] = field(default_factory=dict)
    """What was foreign on each card before."""

    def stopping(self, model: str, holds: Mapping[str, int]) -> None:
        """A server of ours is stopped that holds so many bytes, by card."""
        self._gone[model] = (math.inf, holds)

    def stopped(self, model: str, holds: Mapping[str, int], now: float) -> None:
        """It has ended."""
        self._gone[model] = (now, holds)

    def lately(self, now: float) -> bool:
        """Whether something of ours stops, or has so lately that its memory may linger."""
        self._gone = {
            model: (at, holds)
            for model, (at, holds) in self._gone.items()
            if now - at < self.seconds
        }
        return bool(self._gone)

    def without(self, sample: Sample, now: float) -> Sample:
        """``sample``, with what lingers told apart from what is foreign."""
        if not self.lately(now):
            for each in sample.cards:
                if each.foreign is not None:
                    self._before[each.card.id] = each.foreign
            return sample
        return replace(sample, cards=tuple(self._card(each) for each in sample.cards))

    def _card(self, sample: CardSample) -> CardSample:
        if sample.foreign is None:
            return sample
        card = sample.card.id
        left = sum(holds.get(card, 0) for _, holds in self._gone.values())
        # Only what has come since, and what nobody owns, can be it.
        risen = sample.foreign - self._before.get(card, 0)
        nobodys = sample.foreign - sum(program.bytes for program in sample.programs)
        return replace(sample, lingering=max(0, min(left, risen, nobodys)))
