"""What the running processes of ours hold, and what is learned from that."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from qmdesk.gpu import Card, CardSample
from qmdesk.memory.launch import Launch

QUIET_LOOKS = 3
"""Looks after which a ready model that holds nothing on a card is known to hold nothing."""
RISE = 256 << 20
"""Bytes; a card's use that rose by less says nothing of who did it."""
_GROWN = 16 << 20
"""Bytes of a peak above the last one that are worth a note."""


@dataclass(slots=True)
class Run:
    """One process of ours, from its start to its end; bytes by card."""

    launch: Launch
    planned: Mapping[str, int] | None
    """None: unknown."""
    before: Mapping[str, int]
    """What was used before it started."""
    moves: int
    """Starts and stops of ours up to then."""
    holds: dict[str, int] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)
    told: bool = False
    """The system tells what it holds."""
    unseen: int = 0
    """Looks in a row at which it was ready and nowhere to be seen."""
    _compared: bool = False
    """Later on, what has come since would be taken for its own."""

    def follow(self, id: str, cards: Sequence[CardSample], *, ready: bool) -> None:
        """Note what ``cards`` say of it."""
        seen = [each for each in cards if id in each.ours]
        sizes = {each.card.id: each.ours[id] for each in seen}
        self.told = bool(seen) and None not in sizes.values()
        self.holds = {card: size or 0 for card, size in sizes.items()} if self.told else {}
        for card, size in self.holds.items():
            self.peak[card] = max(self.peak.get(card, 0), size)
        # A list that names nobody says nothing of who is missing in it.
        tells = any(each.programs or each.ours for each in cards)
        self.unseen = self.unseen + 1 if ready and not seen and tells else 0

    @property
    def charge(self) -> Mapping[str, int] | None:
        """As it was planned or learned, and more where it holds more; None: unknown."""
        planned = self.launch.learned or self.planned
        if planned is None:
            return self.peak or None
        cards = planned.keys() | self.peak.keys()
        return {card: max(planned.get(card, 0), self.peak.get(card, 0)) for card in cards}

    @property
    def expected(self) -> bool:
        """Whether it must show up on a card once it is ready."""
        if self.unseen >= QUIET_LOOKS:
            return False
        planned = self.launch.learned or self.planned
        return planned is None or any(planned.values())

    def lesson(self, cards: Collection[Card], moves: int) -> tuple[Mapping[str, int], str] | None:
        """What is now known of its launch, and the driver; None where that is nothing new."""
        if self.told:
            found: Mapping[str, int] = self.peak
        elif self.unseen >= QUIET_LOOKS:
            found = {card.id: 0 for card in cards}
        else:
            found = self._rise(cards, moves)
        if not found:
            return None
        driver = next((card.driver for card in cards if card.id in found), "")
        # Another driver's figures are replaced, not topped.
        known = self.launch.learned if self.launch.driver == driver else {}
        if known and all(size <= known.get(card, 0) + _GROWN for card, size in found.items()):
            return None
        union = known.keys() | found.keys()
        return {card: max(known.get(card, 0), found.get(card, 0)) for card in union}, driver

    def _rise(self, cards: Collection[Card], moves: int) -> Mapping[str, int]:
        """By how much more is used since it started, where nothing else of ours moved."""
        if self.launch.learned or moves != self.moves or self._compared:
            return {}
        self._compared = True
        risen = {
            card.id: card.used - self.before[card.id]
            for card in cards
            if card.used is not None and card.id in self.before
        }
        return {card: size for card, size in risen.items() if size > RISE}
