"""A reading with names: what is ours, model by model, and which programs hold the rest."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import psutil

from qmdesk.gpu.reading import Card, Reading


@dataclass(frozen=True, slots=True)
class Program:
    """Somebody else who uses a card; all processes of one name together."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class CardSample:
    card: Card
    ours: Mapping[str, int | None] = field(default_factory=dict)
    """Bytes by model; None: it is there, and the system does not tell how much it holds."""
    programs: tuple[Program, ...] = ()
    """Largest first."""
    lingering: int = 0
    """Bytes that nobody holds any more and the driver has not given back."""

    @property
    def ours_told(self) -> int:
        """Bytes of ours, as far as the system tells."""
        return sum(size or 0 for size in self.ours.values())

    @property
    def tells(self) -> bool:
        """Whether everything of ours that shows up has a size."""
        return None not in self.ours.values()

    @property
    def foreign(self) -> int | None:
        """Bytes that are not ours; None where that cannot be told."""
        if self.card.used is None or not self.tells:
            return None
        return max(0, self.card.used - self.ours_told - self.lingering)


@dataclass(frozen=True, slots=True)
class Sample:
    """One look, attributed."""

    cards: tuple[CardSample, ...] = ()
    problem: str = ""
    at: float = 0.0
    """Seconds of the steady clock."""
    seconds: float = 0.0
    """How long it took."""

    def card(self, id: str) -> CardSample | None:
        return next((each for each in self.cards if each.card.id == id), None)


def attribute(reading: Reading, leaders: Mapping[str, int], began: float) -> Sample:
    """Divide ``reading`` into ours and others'; ``leaders`` are processes by model.

    Looks at process tables: not for the event loop.
    """
    models = {pid: model for model, pid in leaders.items()}
    names: dict[int, str] = {}
    cards: list[CardSample] = []
    for card in reading.cards:
        ours: dict[str, int | None] = {}
        programs: dict[str, int] = {}
        for holding in reading.holdings:
            if holding.card != card.id:
                continue
            model = _model_of(holding.pid, models)
            if model is not None:
                told = ours.get(model, 0)
                size = holding.bytes
                ours[model] = None if told is None or size is None else told + size
            else:
                name = names.setdefault(holding.pid, _name(holding.pid))
                programs[name] = programs.get(name, 0) + (holding.bytes or 0)
        found = (Program(name, size) for name, size in programs.items())
        cards.append(CardSample(card, ours, tuple(sorted(found, key=lambda each: -each.bytes))))
    now = time.monotonic()
    return Sample(tuple(cards), reading.problem, now, now - began)


def _model_of(pid: int, models: Mapping[int, str]) -> str | None:
    """The model in whose process tree ``pid`` is."""
    if not models:
        return None
    if pid in models:
        return models[pid]
    if hasattr(os, "getpgid"):
        # A server whose wrapper has ended keeps the wrapper's group.
        try:
            group = os.getpgid(pid)
        except OSError:
            group = 0
        if group in models:
            return models[group]
    try:
        for parent in psutil.Process(pid).parents():
            if parent.pid in models:
                return models[parent.pid]
    except psutil.Error:
        return None
    return None


def _name(pid: int) -> str:
    try:
        return psutil.Process(pid).name() or f"process {pid}"
    except psutil.Error:
        return f"process {pid}"
