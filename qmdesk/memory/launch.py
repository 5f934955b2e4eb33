"""One command of a model, studied: its key, its files' sizes, and what was learned of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from qmdesk.config import Model
from qmdesk.config.command import split
from qmdesk.gpu import Card
from qmdesk.memory.arguments import Arguments
from qmdesk.memory.fitting import least
from qmdesk.memory.footprint import Footprint, Known, launch_key
from qmdesk.memory.placement import shares
from qmdesk.memory.size import Size, size_of
from qmdesk.memory.store import Store

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Launch:
    """What is known of starting ``model`` with ``arguments``."""

    model: Model
    arguments: Arguments
    key: str
    size: Size | None = None
    learned: Mapping[str, int] = field(default_factory=dict)
    """Bytes by card."""
    driver: str = ""
    """Under which that was measured."""
    load_seconds: float | None = None

    @classmethod
    def study(cls, model: Model, argv: Sequence[str] | None, store: Store) -> Launch:
        """Read files and the store: not for the event loop.

        ``argv`` are the words that are started; None: as the configuration has them.
        """
        if argv is None:
            argv = split(model.cmd) if isinstance(model.cmd, str) else model.cmd
        arguments = Arguments(tuple(argv))
        folder = os.path.expanduser(model.cwd) if model.cwd else str(Path.home())
        key = launch_key(model, arguments, folder)
        rows = store.footprint(key)
        return cls(
            model,
            arguments,
            key,
            size_of(arguments, folder),
            {card: size for card, (size, _) in rows.items()},
            next((driver for _, driver in rows.values()), ""),
            store.loaded(key),
        )

    def footprint(self) -> Footprint:
        """The best that is known."""
        ram = int(self.model.est_ram_gb * GIB)
        if self.learned:
            return Footprint(Known.LEARNED, sum(self.learned.values()), self.learned, ram)
        if self.model.est_vram_gb > 0:
            return Footprint(Known.CONFIGURED, int(self.model.est_vram_gb * GIB), None, ram)
        if self.size is not None:
            return Footprint(Known.COMPUTED, self.size.vram, None, ram or self.size.ram)
        return Footprint(ram=ram)

    def cards(self, known: Sequence[Card]) -> Mapping[str, int] | None:
        """Bytes by card of ``known``; None where they are not known."""
        footprint = self.footprint()
        if footprint.vram is None:
            return None
        if footprint.cards is not None:
            return footprint.cards
        parts = shares(self.arguments, self.model.env, known)
        return {card: int(footprint.vram * part) for card, part in parts.items()}

    def least(self, least_on_card: float) -> int | None:
        """Bytes on all cards below which it is not started."""
        vram = self.footprint().vram
        return None if vram is None else least(self.arguments, self.size, vram, least_on_card)
