"""Holds, patience and fairness."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qmdesk.scheduler import Grant, Group, GroupsPolicy, ModelPlan, Plan
from tests.scheduler.world import World


@pytest.fixture
def world() -> World:
    """Two models, one at a time; holds of 10 s, patience of 300 s."""
    return World(Plan(models={"a": ModelPlan(), "b": ModelPlan(), "c": ModelPlan()}))


def use(world: World, model: str, *, hold: float | None = None, loop: bool = False) -> None:
    ticket = world.ask(model, hold=hold)
    while ticket in world.waiting:
        world.swapped()
    world.done(ticket, loop=loop)


class TestWhenAHoldIsArmed:
    def test_after_a_tool_call(self, world: World) -> None:
        use(world, "a", loop=True)
        world.ask("b")
        assert not world.swaps
        world.advance(10)
        assert world.swaps

    def test_not_after_a_plain_chat_turn(self, world: World) -> None:
        use(world, "a")
        world.ask("b")
        assert world.swaps

    def test_after_each_request_where_the_policy_says_always(self, world: World) -> None:
        world.configure(replace(world.plan, hold_always=True))
        use(world, "a")
        world.ask("b")
        assert not world.swaps

    def test_for_as_long_as_the_client_says(self, world: World) -> None:
        use(world, "a", hold=3.0)
        world.ask("b")
        world.advance(2.9)
        assert not world.swaps
        world.advance(0.1)
        assert world.swaps

    def test_not_at_all_where_the_client_says_zero(self, world: World) -> None:
        use(world, "a", hold=0.0, loop=True)
        world.ask("b")
        assert world.swaps

    def test_the_last_granted_ticket_counts(self, world: World) -> None:
        world.load("a")
        first, last = world.ask("a", hold=100.0), world.ask("a", hold=1.0)
        world.done(last)
        world.done(first)
        world.ask("b")
        world.advance(1)
        assert world.swaps

    def test_only_once_nothing_is_in_flight(self, world: World) -> None:
        world.load("a")
        first, second = world.ask("a", hold=5.0), world.ask("a", hold=5.0)
        world.done(first)
        world.advance(60)
        world.done(second)
        world.ask("b")
        assert not world.swaps

    def test_none_where_holds_are_off(self, world: World) -> None:
        world.configure(replace(world.plan, hold=0.0))
        use(world, "a", loop=True)
        world.ask("b")
        assert world.swaps

    def test_the_agents_next_request_is_granted_within_it(self, world: World) -> None:
        use(world, "a", loop=True)
        world.ask("b")
        ticket = world.ask("a")
        assert world.last[0] == Grant(ticket, loaded=False)

    def test_a_stop_releases_it(self, world: World) -> None:
        use(world, "a", loop=True)
        world.unload("a")
        world.stopped("a")
        world.ask("b")
        assert world.swaps

    def test_a_lease_arms_it_at_its_release(self, world: World) -> None:
        world.load("a")
        lease = world.lease("a")
        world.ask("b")
        world.advance(100)
        assert not world.swaps
        world.release(lease)
        assert not world.swaps
        world.advance(10)
        assert world.swaps


class TestPatience:
    def test_out_of_patience_it_ignores_holds(self, world: World) -> None:
        use(world, "a", hold=1000.0)
        world.ask("b", patience=5.0)
        world.advance(4.9)
        assert not world.swaps
        world.advance(0.1)
        assert world.swaps

    def test_none_never_waits_behind_a_hold(self, world: World) -> None:
        use(world, "a", loop=True)
        world.ask("b", patience=0.0)
        assert world.swaps

    def test_but_always_behind_a_busy_model(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        world.ask("b", patience=0.0)
        world.advance(1000)
        assert not world.swaps

    def test_it_wakes_at_the_nearer_of_hold_and_patience(self, world: World) -> None:
        use(world, "a", hold=20.0)
        world.ask("b", patience=30.0)
        assert world.wake == world.now + 20.0
        world.ask("c", patience=8.0)
        assert world.wake == world.now + 8.0

    def test_it_runs_from_arrival(self, world: World) -> None:
        world.load("a")
        busy = world.ask("a", hold=100.0)
        world.ask("b", patience=50.0)
        world.advance(60)
        world.done(busy)
        assert world.swaps


class TestFairness:
    def test_a_busy_model_cannot_starve_others_for_ever(self, world: World) -> None:
        """Overlapping traffic on A; B gets its turn once its patience is over."""
        world.load("a")
        current = world.ask("a")
        waiting = world.ask("b", patience=60.0)
        for _ in range(5):
            world.advance(10)
            following = world.ask("a")
            assert following in world.granted
            world.done(current)
            current = following
        world.advance(10)
        late = world.ask("a")
        assert late in world.waiting
        world.done(current)
        world.swapped()
        assert waiting in world.granted
        world.done(waiting)
        world.swapped()
        assert late in world.granted

    def test_models_that_are_in_nobodys_way_are_not_slowed(self, world: World) -> None:
        policy = GroupsPolicy([(Group("side", exclusive=False, persistent=True), ("c",))])
        world.configure(replace(world.plan, policy=policy))
        world.load("c")
        world.load("a")
        world.ask("a")
        world.ask("b", patience=0.0)
        assert world.ask("c") in world.granted

    def test_a_ticket_that_gives_up_no_longer_holds_others_back(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        starving = world.ask("b", patience=0.0)
        late = world.ask("a")
        assert late in world.waiting
        world.cancel(starving)
        assert late in world.granted
