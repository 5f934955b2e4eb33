"""Who holds what of one memory, a card's or the machine's, ready to be painted.  Free of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qmdesk.desktop.words import first_line, part_of, share, size, tr
from qmdesk.events import CardMemory

SPECK = 64 << 20
"""Bytes: what is smaller than this has no part of its own."""
NAMED = 6
"""Other programs that have one: a desktop has dozens that hold a little."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one model or one other program holds."""

    name: str
    bytes: int
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A limit for our models, in bytes from the side at which they stand."""

    at: int
    story: str
    now: bool = False
    """It holds as long as others hold what they hold now."""


@dataclass(frozen=True, slots=True)
class MemoryPicture:
    """Sizes in bytes.  Our models stand at one side, the others at the other, room between."""

    id: str
    name: str
    total: int
    used: int | None
    """None: there is no figure."""
    line: str
    """In short, for the strip: ``14.2 of 24.0 GiB``, or why there is no figure."""
    parts: tuple[Part, ...] = ()
    marks: tuple[Mark, ...] = ()
    note: str = ""
    """What has to be known of the figures, in sentences; empty where they may be taken as such."""
    facts: str = ""
    """How busy, how warm, how much power; empty where nothing is told."""

    @property
    def ours(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.ours)

    @property
    def others(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if not part.ours)

    @property
    def free(self) -> int | None:
        """None where it is not known."""
        return None if self.used is None else max(0, self.total - self.used)

    def story(self) -> str:
        """All of it in words, a line each."""
        held = [
            tr("{model}: {size}", model=part.name, size=size(part.bytes)) for part in self.parts
        ]
        lines = [f"{self.name}: {self.line}", *held]
        if self.free is not None and self.total:
            left = share(self.free / self.total)
            lines.append(tr("Free: {size} ({share})", size=size(self.free), share=left))
        lines += [mark.story for mark in self.marks]
        return "\n".join([*lines, *([self.note] if self.note else [])])


def card_pictures(cards: Sequence[CardMemory], problem: str = "") -> tuple[MemoryPicture, ...]:
    """Those of ``cards`` that have a memory of their own; ``problem``: why one has no figure."""
    real = real_cards(cards)
    return tuple(
        _picture(card, card.name if len(real) == 1 else f"{card.index}: {card.name}", problem)
        for card in real
    )


def real_cards(cards: Sequence[CardMemory]) -> tuple[CardMemory, ...]:
    """Without the main memory, and without what does not say how much it has."""
    return tuple(card for card in cards if card.total and card.kind != "ram")


def all_cards_line(pictures: Sequence[MemoryPicture]) -> str:
    """``14.2 of 24.0 GiB``, of all that can be read together; empty where none can."""
    read = [each for each in pictures if each.used is not None]
    if not read:
        return ""
    return part_of(sum(each.used or 0 for each in read), sum(each.total for each in read))


def _picture(card: CardMemory, name: str, problem: str) -> MemoryPicture:
    return MemoryPicture(
        card.id,
        name,
        card.total,
        card.used,
        _line(card),
        _parts(card),
        _marks(card),
        _note(card, problem),
        _facts(card),
    )


def _line(card: CardMemory) -> str:
    if card.used is not None:
        return part_of(card.used, card.total)
    return tr("asleep") if card.asleep else tr("no reading")


def _parts(card: CardMemory) -> tuple[Part, ...]:
    if card.used is None:
        return ()
    parts = [Part(model, held, ours=True) for model, held in sorted(card.ours) if held]
    rest = max(0, card.used - sum(part.bytes for part in parts))
    for name, held in card.programs[:NAMED]:
        # What processes say of themselves can be more than the card says of all.
        if (told := min(held, rest)) >= SPECK:
            parts.append(Part(name, told))
            rest -= told
    if rest >= SPECK:
        untold = any(held is None for _, held in card.ours)
        parts.append(Part(tr("not told apart") if untold else tr("the system and others"), rest))
    return tuple(parts)


def _marks(card: CardMemory) -> tuple[Mark, ...]:
    marks = []
    if card.budget is not None:
        marks.append(Mark(card.budget, tr("Budget for models: {size}", size=size(card.budget))))
    if card.ceiling is not None and card.ceiling != card.budget:
        story = tr("Room for models beside the others now: {size}", size=size(card.ceiling))
        marks.append(Mark(card.ceiling, story, now=True))
    return tuple(mark for mark in marks if mark.at < card.total)


def _note(card: CardMemory, problem: str) -> str:
    if card.asleep:
        return tr("It is asleep, and reading it would wake it: it is read once a model starts.")
    if card.used is None:
        reason = first_line(problem) or tr("no reading")
        return tr(
            "{reason}. Until there is one again, only the budget counts.",
            reason=reason[:1].upper() + reason[1:],
        )
    if not card.trusted:
        return tr(
            "Ours and others' cannot be told apart here: only the budget counts, and no model"
            " gives way to other programs."
        )
    return ""


def _facts(card: CardMemory) -> str:
    facts = []
    if card.utilisation is not None:
        facts.append(tr("{share} busy", share=share(card.utilisation)))
    if card.temperature is not None:
        facts.append(tr("{n} °C", n=round(card.temperature)))
    if card.power is not None:
        facts.append(tr("{n} W", n=round(card.power)))
    return ", ".join(facts)
