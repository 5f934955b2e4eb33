"""Which of its targets a selector chooses: pure, from what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qmdesk.config.target import Strategy
from qmdesk.events import ModelState

_COLD = (ModelState.STOPPED, ModelState.SHUTDOWN)


@dataclass(frozen=True, slots=True)
class Standing:
    """One target as it is now."""

    state: ModelState = ModelState.STOPPED
    """Of our own process; a peer's model counts as stopped until it is used."""
    reserved: int = 0
    """Requests that this selector has given it and that are not over."""
    able: bool = True
    """False where it cannot serve at all."""


def choose(
    strategy: Strategy, targets: Sequence[Standing], spillover: int = 1, last: int = -1
) -> int | None:
    """The index of the chosen target, best first in ``targets``; None where none can serve.

    ``last`` is the index that was chosen before: of equally busy targets the next one is
    taken.
    """
    able = [index for index, target in enumerate(targets) if target.able]
    if not able:
        return None
    match strategy:
        case Strategy.PIN:
            # It is what the name means; another one would be a surprise.
            return 0 if targets[0].able else None
        case Strategy.WARM:
            for state in (ModelState.READY, ModelState.STARTING):
                for index in able:
                    if targets[index].state is state:
                        return index
            return able[0]
        case Strategy.SPILLOVER:
            return _spill(targets, able, spillover, last)


def _spill(targets: Sequence[Standing], able: list[int], spillover: int, last: int) -> int:
    staying = [index for index in able if targets[index].state is not ModelState.STOPPING]
    active = [
        index for index in staying if targets[index].state not in _COLD or targets[index].reserved
    ]
    cold = [index for index in staying if index not in active]
    if not active:
        return (cold or able)[0]
    least = min(targets[index].reserved for index in active)
    if least >= spillover and cold:
        return cold[0]
    equal = [index for index in active if targets[index].reserved == least]
    # The first one behind the last, around the end.
    return min(equal, key=lambda index: (index <= last, index))
