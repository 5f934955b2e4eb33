"""Who stays loaded when somebody else is asked for: the picture of groups and matrix.

Free of Qt.  The policy itself is asked, so the picture cannot say something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qmdesk.config import Config
from qmdesk.desktop.words import tr
from qmdesk.router.plan import plan_of

MOST = 16
"""Models in one picture; more cannot be read."""


@dataclass(frozen=True, slots=True)
class Together:
    """For each model, which others stay when it is asked for."""

    ids: tuple[str, ...]
    left_out: int
    """Models that the picture has no room for."""
    stays: tuple[tuple[bool, ...], ...]
    """Row: who is asked for; column: who is loaded."""

    def told(self, row: int, column: int) -> str:
        """One cell in words, for a tool tip."""
        asked, loaded = self.ids[row], self.ids[column]
        if row == column:
            return asked
        if self.stays[row][column]:
            return tr("{loaded} stays loaded when {asked} is asked for", loaded=loaded, asked=asked)
        return tr("{loaded} is unloaded when {asked} is asked for", loaded=loaded, asked=asked)


def together(config: Config, first: Sequence[str] = ()) -> Together:
    """The picture of ``config``; ``first`` are the models that matter most."""
    ids = [id for id in first if id in config.models]
    ids += [id for id, each in config.models.items() if id not in ids and not each.external]
    shown = tuple(ids[:MOST])
    policy = plan_of(config).policy
    stays = tuple(
        tuple(other == id or other not in policy.evict(id, (other,)) for other in shown)
        for id in shown
    )
    return Together(shown, len(ids) - len(shown), stays)
