"""The ``groups`` policy, with llama-swap's rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from qmdesk.said import said
from qmdesk.scheduler.policy import NOBODY_IDLE, NOTHING_KNOWN
from qmdesk.scheduler.room import Room

DEFAULT = "(default)"


@dataclass(frozen=True, slots=True)
class Group:
    """``swap``: one member at a time.  ``exclusive``: its members evict other groups.
    ``persistent``: other groups never evict its members."""

    id: str
    swap: bool = True
    exclusive: bool = True
    persistent: bool = False


class GroupsPolicy:
    """Evicts siblings of a swapping group, and other groups for an exclusive one.

    A target whose group is not exclusive evicts no other group, not even an exclusive
    one: files written for llama-swap rely on it.
    """

    def __init__(
        self,
        groups: Iterable[tuple[Group, Collection[str]]] = (),
        pinned: Collection[str] = (),
    ) -> None:
        self._default = Group(DEFAULT)
        self._group = {member: group for group, members in groups for member in members}
        self._pinned = frozenset(pinned)

    def group(self, model: str) -> Group:
        """The group of ``model``; models that no group names share the default one."""
        return self._group.get(model, self._default)

    def evict(
        self,
        target: str,
        resident: Sequence[str],
        room: Room = NOTHING_KNOWN,
        idle: Mapping[str, float] = NOBODY_IDLE,
    ) -> tuple[str, ...]:
        mine = self.group(target)
        return tuple(model for model in resident if model != target and self._must_go(mine, model))

    def _must_go(self, mine: Group, model: str) -> bool:
        other = self.group(model)
        if other is mine:
            return mine.swap
        return mine.exclusive and not other.persistent and model not in self._pinned

    def refuse(self, target: str, resident: Sequence[str], room: Room) -> str | None:
        return None if self.evict(target, resident) else room.refused.get(target)

    def why(self, target: str, victims: Sequence[str], room: Room = NOTHING_KNOWN) -> str:
        mine = self.group(target)
        if any(self.group(victim) is mine for victim in victims):
            return said("group {group} runs one model at a time", group=mine.id)
        return said("group {group} is exclusive", group=mine.id)
