"""When idle models have to go because other programs need the memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from qmdesk.gpu import CardSample

SLACK = 64 << 20
"""Bytes: figures are taken one after the other and never quite agree."""


def short(card: CardSample, charged: int, floor: int) -> bool:
    """Whether ours and the others do not fit on the card together.

    ``charged`` is what ours may come to take, ``floor`` what others always hold, in bytes.
    The reserve is not in it: what may be loaded again would at once be too much.
    """
    foreign, free = card.foreign, card.card.free
    if foreign is None or free is None or foreign <= floor + SLACK:
        return False
    # A card that is full to the brim holds back a program that would like more.
    return charged + foreign > card.card.total + SLACK or free < SLACK


@dataclass(slots=True)
class Guard:
    """One card's watch.  Times are seconds of the samples' clock.

    A shortage must last for ``grace``; then one model goes, and the card is measured again
    before the next.  When the shortage is over, twice the grace must pass before another one
    counts, so that a program at the edge does not take the models away again and again.
    """

    grace: float
    _since: float | None = None
    _shedding: bool = False
    _quiet_until: float = field(default=float("-inf"))

    def wants(self, is_short: bool, now: float) -> bool:
        """Whether one model must go now."""
        if not is_short:
            if self._shedding:
                self._shedding = False
                self._quiet_until = now + 2 * self.grace
            self._since = None
            return False
        if self._shedding:
            return True
        if now < self._quiet_until:
            return False
        if self._since is None:
            self._since = now
        self._shedding = now - self._since >= self.grace
        return self._shedding
