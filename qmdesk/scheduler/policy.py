"""Whom to evict for whom: the interface of the eviction policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Policy(Protocol):
    """Pure: no clock, no logging, no memory.  Asked for every request and queued ticket."""

    def evict(self, target: str, resident: Sequence[str]) -> tuple[str, ...]:
        """The models of ``resident`` that must go before ``target`` may run.

        ``resident`` is least recently used first and may hold ``target`` itself, which
        is never a victim, and names that the configuration no longer has.
        """
        ...

    def why(self, target: str, victims: Sequence[str]) -> str:
        """Why ``victims`` must go for ``target``, as the end of a sentence for people."""
        ...
