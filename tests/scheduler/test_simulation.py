"""The invariants, under thousands of random events."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from qmdesk.scheduler import (
    BudgetPolicy,
    Group,
    GroupsPolicy,
    MatrixPolicy,
    ModelPlan,
    Need,
    Plan,
    Policy,
    Pool,
    Room,
    Swap,
)
from tests.scheduler.world import World

NAMES = ("a", "b", "c", "d", "e", "f")

specs = st.builds(
    ModelPlan,
    limit=st.sampled_from((1, 2, 10)),
    priority=st.sampled_from((0, 0, 5)),
    ttl=st.sampled_from((0.0, 0.0, 10.0, 100.0)),
    renders=st.sampled_from((False, False, False, True)),
    external=st.sampled_from((False, False, False, False, True)),
)


@st.composite
def group_policies(draw: st.DrawFn) -> GroupsPolicy:
    groups = []
    for members in (("a", "b"), ("c",), ("d", "e")):
        flags = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
        groups.append((Group("+".join(members), *flags), members))
    return GroupsPolicy(groups, pinned=draw(st.sets(st.sampled_from(NAMES), max_size=1)))


MATRICES = (
    {"one": "a & b & (c | d)", "two": "e | f"},
    {"all": "(a | b) & (c | d) & (e | f)"},
    {"base": "a & b", "more": "+base & c", "rest": "d & e"},
)


@st.composite
def rooms(draw: st.DrawFn) -> Room:
    """A card of ten, a second one perhaps, and models of known and unknown sizes."""
    pools = {"card": Pool("card", 10, draw(st.sampled_from((10, 10, 6, 0))))}
    if draw(st.booleans()):
        pools["second"] = Pool("second", 4, 4)
    needs = {}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        full = {pool: draw(st.integers(0, 12)) for pool in pools}
        least = {pool: size // draw(st.integers(1, 2)) for pool, size in full.items()}
        needs[name] = Need(full, least, "learned")
    seconds = draw(st.dictionaries(st.sampled_from(NAMES), st.floats(0.5, 60)))
    return Room(pools, needs, load_seconds=seconds)


def plans_of(policy: Policy) -> st.SearchStrategy[list[Plan]]:
    """Some plans of the same policy: models come, go and change their limits."""
    plan = st.builds(
        lambda models, timeout, always: Plan(
            models=models,
            policy=policy,
            hold=10.0,
            hold_always=always,
            patience=300.0,
            queue_timeout=timeout,
            kept=policy.kept if isinstance(policy, BudgetPolicy) else frozenset(),
        ),
        st.dictionaries(st.sampled_from(NAMES), specs, min_size=2),
        st.sampled_from((0.0, 0.0, 50.0)),
        st.booleans(),
    )
    return st.lists(plan, min_size=1, max_size=3)


class GroupWorld(World):
    """Two members of a swapping group never run at once."""

    def check(self) -> None:
        super().check()
        policy = self.plan.policy
        assert isinstance(policy, GroupsPolicy)
        live = [model for model, state in self.processes.items() if state != "stopping"]
        for one, other in itertools.combinations(live, 2):
            if policy.group(one) is policy.group(other):
                assert not policy.group(one).swap, f"{one} and {other} run at once"


# A long life says little more when it is made shorter by trying: the short ones shrink.
LONG = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@settings(LONG, max_examples=10)
@given(st.data())
def test_ten_thousand_random_events_under_groups(data: st.DataObject) -> None:
    plans = data.draw(plans_of(data.draw(group_policies())))
    world = GroupWorld(plans[0])
    world.play(data.draw(st.integers(0, 2**32)), 10_000, plans)


@settings(LONG, max_examples=6)
@given(st.data())
def test_ten_thousand_random_events_under_a_matrix(data: st.DataObject) -> None:
    policy = MatrixPolicy(data.draw(st.sampled_from(MATRICES)), NAMES)
    plans = data.draw(plans_of(policy))
    world = World(plans[0])
    world.play(data.draw(st.integers(0, 2**32)), 10_000, plans)


class BudgetWorld(World):
    """What is loaded fits, and nobody has to go who could have stayed."""

    def _check_swap(self, swap: Swap) -> None:
        super()._check_swap(swap)
        policy, room = self.plan.policy, self.room
        assert isinstance(policy, BudgetPolicy)
        if not policy.applies(swap.target, room):
            return
        assert policy.kept.isdisjoint(swap.evict)
        # Those that stop for somebody else hold their memory until they have stopped.
        staying = [model for model in self._taking() if model not in swap.evict]
        needs = room.needs[swap.target]
        fits = [self._fits(wanted, staying) for wanted in (needs.full, needs.least)]
        assert any(fits), f"{swap.target} does not fit"
        wanted = needs.full if fits[0] else needs.least
        for victim in swap.evict:
            if room.charge(victim) is not None:
                assert not self._fits(wanted, [*staying, victim]), f"{victim} could have stayed"

    def _fits(self, wanted: Mapping[str, int], staying: Sequence[str]) -> bool:
        sums = {
            pool: sum((self.room.charge(model) or {}).get(pool, 0) for model in staying)
            for pool in self.room.pools
        }
        return all(
            size == 0 or size + sums[pool] <= self.room.pools[pool].ceiling
            for pool, size in wanted.items()
            if pool in self.room.pools
        )


@settings(LONG, max_examples=4)
@given(st.data())
def test_many_random_events_under_a_budget(data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.sampled_from(NAMES), max_size=2))
    policy = BudgetPolicy(data.draw(group_policies()), kept)
    plans = data.draw(plans_of(policy))
    world = BudgetWorld(plans[0], rooms=data.draw(st.lists(rooms(), min_size=1, max_size=4)))
    world.play(data.draw(st.integers(0, 2**32)), 3_000, plans)


@settings(max_examples=100, deadline=None, print_blob=True)
@given(st.data())
def test_short_lives_under_a_budget_shrink_well(data: st.DataObject) -> None:
    policy = BudgetPolicy(GroupsPolicy(), data.draw(st.sets(st.sampled_from(NAMES), max_size=1)))
    plans = data.draw(plans_of(policy))
    world = BudgetWorld(plans[0], rooms=data.draw(st.lists(rooms(), min_size=1, max_size=3)))
    world.play(data.draw(st.integers(0, 5000)), data.draw(st.integers(1, 80)), plans)


@settings(max_examples=300, deadline=None, print_blob=True)
@given(st.data())
def test_short_lives_shrink_well(data: st.DataObject) -> None:
    plans = data.draw(plans_of(data.draw(group_policies())))
    world = GroupWorld(plans[0])
    world.play(data.draw(st.integers(0, 5000)), data.draw(st.integers(1, 60)), plans)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_the_same_events_give_the_same_actions(seed: int) -> None:
    plan = Plan(models={name: ModelPlan() for name in NAMES})
    plan = replace(plan, queue_timeout=30.0)
    first, second = World(plan), World(plan)
    first.play(seed, 300, [plan])
    second.play(seed, 300, [plan])
    assert first.log == second.log
