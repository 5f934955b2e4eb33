"""Whom to evict for whom: the interface of the eviction policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from qmdesk.scheduler.room import Room

NOTHING_KNOWN: Final = Room()
NOBODY_IDLE: Final[Mapping[str, float]] = MappingProxyType({})


class Policy(Protocol):
    """Pure: no clock, no logging, no memory.  Asked for every request and queued ticket."""

    def evict(
        self,
        target: str,
        resident: Sequence[str],
        room: Room = NOTHING_KNOWN,
        idle: Mapping[str, float] = NOBODY_IDLE,
    ) -> tuple[str, ...]:
        """The models of ``resident`` that must go before ``target`` may run.

        ``resident`` is least recently used first and may hold ``target`` itself, which
        is never a victim, and names that the configuration no longer has.  ``idle`` are
        the seconds for which those have been idle that nobody uses.
        """
        ...

    def why(self, target: str, victims: Sequence[str], room: Room = NOTHING_KNOWN) -> str:
        """Why ``victims`` must go for ``target``, as the end of a sentence for people."""
        ...

    def refuse(self, target: str, resident: Sequence[str], room: Room) -> str | None:
        """Why ``target`` cannot be loaded whoever goes, in words; None where it can be."""
        ...
