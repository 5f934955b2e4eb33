"""The ``memory budget`` policy: models stay while the sum of what they take fits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from qmdesk.said import said
from qmdesk.scheduler.policy import NOBODY_IDLE, NOTHING_KNOWN, Policy
from qmdesk.scheduler.room import Bytes, Room, gib


class BudgetPolicy:
    """Evicts as few as make room, those that have been idle longest for what a reload costs.

    A model of unknown size goes by ``static``; so does everything while no pool is known.
    """

    def __init__(self, static: Policy, kept: Collection[str] = ()) -> None:
        """``kept`` are charged and never evicted."""
        self._static = static
        self.kept = frozenset(kept)

    def evict(
        self,
        target: str,
        resident: Sequence[str],
        room: Room = NOTHING_KNOWN,
        idle: Mapping[str, float] = NOBODY_IDLE,
    ) -> tuple[str, ...]:
        if not self.applies(target, room):
            return self._static.evict(target, resident)
        if target in resident:
            return ()
        others = [model for model in resident if model != target]
        movable = [model for model in others if model not in self.kept]
        lost = [model for model in movable if room.charge(model) is None]
        movable = [model for model in movable if room.charge(model) is not None]
        staying = [model for model in others if room.charge(model) is not None]
        wanted = self._wanted(target, others, room)
        if wanted is None:
            return ()
        going: list[str] = []
        for model in self._order(movable, room, idle):
            short = self._short(wanted, staying, room)
            if not short:
                break
            if any((room.charge(model) or {}).get(pool) for pool in short):
                going.append(model)
                staying.remove(model)
        # A large one that had to go in the end may have made a smaller one's place needless.
        for model in reversed(going[:]):
            if not self._short(wanted, [*staying, model], room):
                going.remove(model)
                staying.append(model)
        gone = {*lost, *going}
        return tuple(model for model in resident if model in gone)

    def why(self, target: str, victims: Sequence[str], room: Room = NOTHING_KNOWN) -> str:
        if not self.applies(target, room):
            return self._static.why(target, victims)
        unknown = [model for model in victims if room.charge(model) is None]
        if len(unknown) == len(victims):
            return said("nobody knows how much memory {models} takes", models=", ".join(unknown))
        need = room.needs[target]
        pool = max(need.full, key=lambda each: need.full[each])
        freed = sum((room.charge(victim) or {}).get(pool, 0) for victim in victims)
        return said(
            "{model} needs {size} ({known}) of the {ceiling} for models on {card}; {freed} come"
            " free",
            model=target,
            size=gib(need.full[pool]),
            known=need.known,
            ceiling=gib(room.pools[pool].ceiling),
            card=room.pools[pool].name,
            freed=gib(freed),
        )

    def refuse(self, target: str, resident: Sequence[str], room: Room) -> str | None:
        """Why ``target`` cannot be loaded even if everything movable went; else None."""
        if target in room.refused and not self.evict(target, resident, room):
            return room.refused[target]
        if not self.applies(target, room):
            return None
        if self._wanted(target, [each for each in resident if each != target], room) is not None:
            return None
        need = room.needs[target]
        kept = [model for model in resident if model in self.kept and model != target]
        pool = next(iter(self._short(need.least, self._charged(kept, room), room)))
        at, least = room.pools[pool], need.least[pool]
        values = {
            "model": target,
            "size": gib(need.full[pool]),
            "known": need.known,
            "card": at.name,
            "budget": gib(at.budget),
        }
        if least == need.full[pool]:
            words = said(
                "{model} needs {size} ({known}) on {card}, where {budget} are for models", **values
            )
        else:
            words = said(
                "{model} needs {size} ({known}), {least} at the least, on {card}, where {budget}"
                " are for models",
                least=gib(least),
                **values,
            )
        if at.ceiling < at.budget:
            others = at.others or said("other programs hold the rest")
            words += said(" and {ceiling} now: {others}", ceiling=gib(at.ceiling), others=others)
        for model in kept:
            if size := (room.charge(model) or {}).get(pool, 0):
                words += said("; {model} ({size}) stays", model=model, size=gib(size))
        return words

    @staticmethod
    def applies(target: str, room: Room) -> bool:
        """Whether enough is known to decide by the budget."""
        need = room.needs.get(target)
        return bool(room.pools) and need is not None

    def _wanted(self, target: str, others: Sequence[str], room: Room) -> Bytes | None:
        """What to make room for: all of it, or the least where that alone can be had."""
        staying = self._charged([model for model in others if model in self.kept], room)
        need = room.needs[target]
        for wanted in (need.full, need.least):
            if not self._short(wanted, staying, room):
                return wanted
        return None

    @staticmethod
    def _charged(models: Iterable[str], room: Room) -> list[str]:
        return [model for model in models if room.charge(model) is not None]

    @staticmethod
    def _short(wanted: Bytes, staying: Sequence[str], room: Room) -> list[str]:
        """The pools in which ``wanted`` has no room beside those that stay."""
        return [
            pool
            for pool, size in wanted.items()
            if size > 0
            and pool in room.pools
            and size + sum((room.charge(model) or {}).get(pool, 0) for model in staying)
            > room.pools[pool].ceiling
        ]

    @staticmethod
    def _order(models: Sequence[str], room: Room, idle: Mapping[str, float]) -> list[str]:
        """Who is missed least comes first; who works comes last."""
        known = [room.load_seconds[model] for model in models if room.load_seconds.get(model)]
        usual = sum(known) / len(known) if known else 1.0

        def missed(model: str) -> float:
            return idle.get(model, 0.0) / (room.load_seconds.get(model) or usual)

        # A stable sort: the least recently used first among equals.
        return sorted(models, key=lambda model: -missed(model))
