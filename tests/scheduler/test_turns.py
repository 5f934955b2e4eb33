"""Who gets a turn, who waits, who is refused."""

from __future__ import annotations

import pytest

from qmdesk.events import StopReason
from qmdesk.scheduler import (
    AbortSwap,
    Grant,
    Group,
    GroupsPolicy,
    ModelPlan,
    Outcome,
    Plan,
    QueuePosition,
    Refusal,
    Reject,
    Request,
    Shutdown,
    Stop,
    Swap,
    SwapDone,
)
from tests.scheduler.world import World


def plan(*models: str, **options: object) -> Plan:
    return Plan(models={model: ModelPlan() for model in models}, **options)  # type: ignore[arg-type]


@pytest.fixture
def world() -> World:
    """Three models, one at a time."""
    return World(plan("a", "b", "c"))


def refusal(world: World, ticket: int) -> Refusal:
    answer = world.answered[ticket]
    assert isinstance(answer, Reject)
    return answer.refusal


def test_a_cold_model_is_loaded_and_then_granted(world: World) -> None:
    ticket = world.ask("a")
    (swap,) = [each for each in world.last if isinstance(each, Swap)]
    assert (swap.target, swap.evict, swap.ticket) == ("a", (), ticket)
    assert ticket in world.waiting
    assert Grant(ticket, loaded=True) in world.swapped()


def test_a_ready_model_is_granted_at_once(world: World) -> None:
    world.load("a")
    ticket = world.ask("a")
    assert world.last == [Grant(ticket, loaded=False)]


def test_an_unknown_model_is_refused(world: World) -> None:
    assert refusal(world, world.ask("x")) is Refusal.UNKNOWN_MODEL


def test_a_second_request_joins_the_load(world: World) -> None:
    first, second = world.ask("a"), world.ask("a")
    assert len(world.swaps) == 1
    assert world.swapped()[:2] == [Grant(first, loaded=True), Grant(second, loaded=True)]


def test_another_model_evicts_the_idle_one(world: World) -> None:
    world.load("a")
    world.ask("b")
    (going,) = world.swaps.values()
    assert going.action.evict == ("a",)
    assert "one model at a time" in going.action.why


def test_a_busy_model_is_never_evicted(world: World) -> None:
    world.load("a")
    busy = world.ask("a")
    ticket = world.ask("b")
    assert not world.swaps
    assert world.positions == {ticket: 1}
    world.done(busy)
    assert [each.action.target for each in world.swaps.values()] == ["b"]


def test_a_loading_model_is_no_victim(world: World) -> None:
    first = world.ask("a")
    world.ask("b")
    assert len(world.swaps) == 1
    world.swapped()
    assert world.granted == {first: "a"}


def test_the_request_that_caused_a_load_is_served_before_the_next_eviction(world: World) -> None:
    first, second = world.ask("a"), world.ask("b")
    world.swapped()
    world.done(first)
    world.swapped()
    assert world.granted == {second: "b"}


def test_requests_are_gathered_by_model(world: World) -> None:
    """A B C A B C is served A A B B C C: one load each."""
    for model in "abcabc":
        world.ask(model)
    order: list[str] = []
    while world.waiting or world.granted:
        while world.swaps:
            world.swapped()
        order += world.granted.values()
        for ticket in list(world.granted):
            world.done(ticket)
    assert "".join(order) == "aabbcc"


def test_swaps_that_do_not_touch_run_side_by_side() -> None:
    groups = GroupsPolicy(
        [(Group("one", exclusive=False), ("a", "b")), (Group("two", exclusive=False), ("c", "d"))]
    )
    world = World(plan("a", "b", "c", "d", policy=groups))
    world.load("a")
    world.load("c")
    world.ask("b")
    world.ask("d")
    assert sorted(each.action.target for each in world.swaps.values()) == ["b", "d"]


def test_overlapping_evictions_wait_for_each_other() -> None:
    groups = GroupsPolicy([(Group("shared", swap=False, exclusive=False), ("x",))])
    world = World(plan("x", "a", "b", policy=groups))
    world.load("x")
    world.ask("a")
    world.ask("b")
    assert [each.action.target for each in world.swaps.values()] == ["a"]


def test_a_ready_target_that_must_evict_goes_through_a_swap() -> None:
    """An exclusive model stays when another group's is added; its next request clears up."""
    groups = GroupsPolicy([(Group("side", exclusive=False), ("s",))])
    world = World(plan("a", "s", policy=groups))
    world.load("a")
    world.load("s")
    assert set(world.processes) == {"a", "s"}
    ticket = world.ask("a")
    assert Grant(ticket, loaded=True) in world.swapped()
    assert set(world.processes) == {"a"}


class TestLimits:
    def test_waiters_of_a_load_count(self) -> None:
        world = World(Plan(models={"a": ModelPlan(limit=2)}))
        world.ask("a")
        world.ask("a")
        third = world.ask("a")
        assert refusal(world, third) is Refusal.TOO_BUSY
        answer = world.answered[third]
        assert isinstance(answer, Reject)
        assert answer.retry_after

    def test_ten_where_nothing_is_said(self, world: World) -> None:
        tickets = [world.ask("a") for _ in range(11)]
        assert [ticket in world.answered for ticket in tickets] == [False] * 10 + [True]

    def test_a_cancelled_request_makes_room(self) -> None:
        world = World(Plan(models={"a": ModelPlan(limit=1)}))
        world.cancel(world.ask("a"))
        assert world.ask("a") in world.waiting


class TestCancelling:
    def test_a_load_that_nobody_waits_for_goes_on(self, world: World) -> None:
        world.cancel(world.ask("a"))
        (going,) = world.swaps.values()
        assert not going.aborted
        world.swapped()
        assert world.processes == {"a": "ready"}

    def test_unless_somebody_else_needs_the_room(self, world: World) -> None:
        world.cancel(world.ask("a"))
        ticket = world.ask("b")
        (going,) = world.swaps.values()
        assert going.aborted
        world.swapped()
        assert "a" not in world.processes
        world.swapped()
        assert world.granted == {ticket: "b"}

    def test_also_when_it_queued_before_the_other_gave_up(self, world: World) -> None:
        first = world.ask("a")
        world.ask("b")
        world.cancel(first)
        assert any(isinstance(action, AbortSwap) for action in world.last)

    def test_nobody_joins_a_swap_that_is_being_aborted(self, world: World) -> None:
        world.cancel(world.ask("a"))
        world.ask("b")
        again = world.ask("a")
        world.swapped()
        assert again in world.waiting
        assert [each.action.target for each in world.swaps.values()] == ["b"]

    def test_a_grant_that_nobody_took_is_given_back(self, world: World) -> None:
        world.load("a")
        ticket = world.ask("a")
        world.cancel(ticket)
        assert world.scheduler.in_flight("a") == 0

    def test_giving_back_twice_is_harmless(self, world: World) -> None:
        world.load("a")
        ticket = world.ask("a")
        world.done(ticket)
        world.done(ticket)
        assert world.scheduler.in_flight("a") == 0


class TestPositions:
    def test_are_told_and_close_up(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        first, second = world.ask("b"), world.ask("c")
        assert world.positions == {first: 1, second: 2}
        world.cancel(first)
        assert QueuePosition(second, 1) in world.last

    def test_zero_when_it_has_left_the_queue(self, world: World) -> None:
        world.load("a")
        busy = world.ask("a")
        ticket = world.ask("b")
        assert QueuePosition(ticket, 0) in world.done(busy)

    def test_higher_priority_goes_first(self) -> None:
        models = {"a": ModelPlan(), "b": ModelPlan(), "c": ModelPlan(priority=5)}
        world = World(Plan(models=models))
        world.load("a")
        busy = world.ask("a")
        low, high = world.ask("b"), world.ask("c")
        assert world.positions == {high: 1, low: 2}
        world.done(busy)
        assert [each.action.target for each in world.swaps.values()] == ["c"]


class TestFailures:
    def test_all_waiters_hear_why(self, world: World) -> None:
        tickets = [world.ask("a"), world.ask("a")]
        world.swapped(ok=False)
        for ticket in tickets:
            answer = world.answered[ticket]
            assert isinstance(answer, Reject)
            assert (answer.refusal, answer.message) == (Refusal.START_FAILED, "a failed")

    def test_a_failed_start_is_tried_again(self, world: World) -> None:
        world.ask("a")
        world.swapped(ok=False)
        ticket = world.ask("a")
        world.swapped()
        assert world.granted == {ticket: "a"}

    def fail(self, world: World, times: int) -> None:
        for _ in range(times):
            world.ask("a")
            world.swapped(ok=False)

    def test_three_in_a_minute_and_it_is_left_alone(self, world: World) -> None:
        self.fail(world, 3)
        ticket = world.ask("a")
        answer = world.answered[ticket]
        assert isinstance(answer, Reject)
        assert answer.refusal is Refusal.START_FAILED
        assert "a failed" in answer.message
        assert answer.retry_after == 5.0

    def test_the_pause_grows_to_a_minute(self, world: World) -> None:
        self.fail(world, 3)
        pauses = []
        for _ in range(6):
            answer = world.answered[world.ask("a")]
            assert isinstance(answer, Reject)
            assert answer.retry_after
            pauses.append(answer.retry_after)
            world.advance(answer.retry_after)
            self.fail(world, 1)
        assert pauses == [5, 10, 20, 40, 60, 60]

    def test_rare_failures_begin_no_pause(self, world: World) -> None:
        for _ in range(5):
            self.fail(world, 1)
            world.advance(31)
        assert world.ask("a") in world.waiting

    def test_one_good_start_ends_it(self, world: World) -> None:
        self.fail(world, 3)
        world.advance(5)
        world.load("a")
        world.unload("a")
        world.stopped("a")
        self.fail(world, 1)
        assert world.ask("a") in world.waiting

    def test_a_new_launch_ends_it(self, world: World) -> None:
        self.fail(world, 3)
        world.configure(world.plan, relaunched=["a"])
        assert world.ask("a") in world.waiting

    def test_a_server_that_dies_at_every_request_is_left_alone_too(self, world: World) -> None:
        for _ in range(3):
            world.ask("a")
            world.swapped()
            world.die("a")
        assert refusal(world, world.ask("a")) is Refusal.START_FAILED

    def test_a_dead_model_is_loaded_again(self, world: World) -> None:
        world.load("a")
        world.die("a")
        ticket = world.ask("a")
        world.swapped()
        assert world.granted == {ticket: "a"}


class TestRenders:
    """A model that makes pictures needs more memory while it works than when it idles."""

    @pytest.fixture
    def studio(self) -> World:
        models = {
            "paint": ModelPlan(renders=True),
            "chat": ModelPlan(),
            "film": ModelPlan(renders=True),
        }
        return World(Plan(models=models, policy=GroupsPolicy([(Group("all", swap=False), models)])))

    def test_nothing_is_started_beside_a_render(self, studio: World) -> None:
        studio.load("paint")
        render = studio.ask("paint")
        studio.ask("chat")
        assert not studio.swaps
        studio.done(render)
        assert studio.swaps

    def test_but_another_render_is(self, studio: World) -> None:
        studio.load("paint")
        studio.ask("paint")
        studio.ask("film")
        assert studio.swaps

    def test_and_what_is_ready_goes_on(self, studio: World) -> None:
        studio.load("chat")
        studio.load("paint")
        studio.ask("paint")
        assert studio.ask("chat") in studio.granted


class TestExternal:
    def test_is_always_there_and_takes_no_room(self) -> None:
        world = World(Plan(models={"a": ModelPlan(), "cloud": ModelPlan(external=True, limit=1)}))
        world.load("a")
        ticket = world.ask("cloud")
        assert world.last == [Grant(ticket, loaded=False)]
        assert world.scheduler.resident() == ("a",)
        assert refusal(world, world.ask("cloud")) is Refusal.TOO_BUSY


class TestUnload:
    def test_waiters_are_refused_and_the_process_stops(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        world.unload("a")
        assert world.stops == {"a": StopReason.MANUAL}
        world.stopped("a")
        assert world.scheduler.in_flight("a") == 0

    def test_queued_tickets_are_refused_with_who_it_was(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        ticket = world.ask("b")
        world.unload("b")
        answer = world.answered[ticket]
        assert isinstance(answer, Reject)
        assert answer.refusal is Refusal.UNLOADED
        assert "the test" in answer.message

    def test_others_are_served_all_the_time(self) -> None:
        free = GroupsPolicy([(Group("free", swap=False), ("a", "b"))])
        world = World(plan("a", "b", policy=free))
        world.load("a")
        world.load("b")
        world.unload("a")
        assert world.ask("b") in world.granted

    def test_a_request_during_the_stop_waits_and_starts_it_again(self, world: World) -> None:
        world.load("a")
        world.unload("a")
        ticket = world.ask("a")
        assert ticket in world.waiting
        world.stopped("a")
        world.swapped()
        assert ticket in world.granted

    def test_a_load_is_ended(self, world: World) -> None:
        ticket = world.ask("a")
        world.unload("a")
        assert refusal(world, ticket) is Refusal.UNLOADED
        (going,) = world.swaps.values()
        assert going.aborted
        world.swapped()
        assert world.processes == {}

    def test_a_target_that_came_up_all_the_same_is_stopped(self, world: World) -> None:
        world.ask("a")
        (swap,) = world.swaps
        world.evicted(swap)
        world.unload("a")
        world.swaps[swap].aborted = False  # The abort came too late.
        world.finish(swap)
        assert world.stops == {"a": StopReason.MANUAL}

    def test_what_has_not_been_started_is_not_started(self, world: World) -> None:
        world.load("a")
        world.ask("b")
        world.unload("b")
        world.swapped()
        assert world.processes == {}

    def test_a_result_of_an_older_swap_is_dropped(self, world: World) -> None:
        ticket = world.ask("a")
        (old,) = world.swaps
        world.unload("a")
        world.swapped()
        new = world.ask("a")
        world.scheduler.handle(SwapDone(old, Outcome.READY, world.now))
        assert (ticket in world.answered, new in world.waiting) == (True, True)


class TestTtl:
    @pytest.fixture
    def short(self) -> World:
        return World(Plan(models={"a": ModelPlan(ttl=60.0), "b": ModelPlan()}))

    def test_an_idle_model_is_unloaded(self, short: World) -> None:
        short.load("a")
        short.advance(59.9)
        assert not short.stops
        short.advance(0.1)
        assert short.stops == {"a": StopReason.TTL}

    def test_a_busy_one_does_not_age(self, short: World) -> None:
        short.load("a")
        ticket = short.ask("a")
        short.advance(500)
        short.done(ticket)
        short.advance(59)
        assert not short.stops

    def test_becoming_ready_counts_as_a_use(self, short: World) -> None:
        short.cancel(short.ask("a"))
        short.advance(100)
        short.swapped()
        short.advance(59)
        assert not short.stops

    def test_a_leased_one_does_not_age(self, short: World) -> None:
        short.load("a")
        lease = short.lease("a")
        short.advance(500)
        short.release(lease)
        assert not short.stops
        short.advance(60)
        assert short.stops

    def test_a_request_in_the_same_moment_keeps_it(self, short: World) -> None:
        short.load("a")
        short.now += 60
        ticket = short.ask("a")
        assert ticket in short.granted
        assert not short.stops

    def test_never_where_there_is_none(self, short: World) -> None:
        short.load("b")
        assert short.wake is None


class TestQueueTimeout:
    def test_a_ticket_that_waited_too_long_is_refused(self) -> None:
        world = World(plan("a", "b", queue_timeout=30.0))
        world.load("a")
        world.ask("a")
        ticket = world.ask("b")
        world.advance(30)
        assert refusal(world, ticket) is Refusal.QUEUE_TIMEOUT

    def test_a_load_is_not_the_queue(self) -> None:
        world = World(plan("a", queue_timeout=30.0))
        ticket = world.ask("a")
        world.advance(100)
        assert ticket in world.waiting


class TestConfigure:
    def test_turns_queue_and_residents_survive(self, world: World) -> None:
        world.load("a")
        busy, queued = world.ask("a"), world.ask("b")
        world.configure(plan("a", "b", "d"))
        assert busy in world.granted
        assert queued in world.waiting
        assert not world.stops

    def test_a_removed_model_stops_and_its_waiters_are_refused(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        queued = world.ask("b")
        world.configure(plan("c"))
        assert world.stops == {"a": StopReason.CONFIG}
        assert refusal(world, queued) is Refusal.UNLOADED
        assert refusal(world, world.ask("a")) is Refusal.UNKNOWN_MODEL

    def test_one_that_comes_back_waits_for_its_stop(self, world: World) -> None:
        world.load("a")
        world.configure(plan("b"))
        world.configure(plan("a", "b"))
        ticket = world.ask("a")
        assert ticket in world.waiting
        world.stopped("a")
        world.swapped()
        assert ticket in world.granted

    def test_the_queue_is_looked_at_again(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        ticket = world.ask("b")
        together = GroupsPolicy([(Group("all", swap=False), ("a", "b"))])
        world.configure(plan("a", "b", policy=together))
        assert [each.action.target for each in world.swaps.values()] == ["b"]
        world.swapped()
        assert ticket in world.granted

    def test_priorities_follow(self, world: World) -> None:
        world.load("a")
        world.ask("a")
        first, second = world.ask("b"), world.ask("c")
        models = {"a": ModelPlan(), "b": ModelPlan(), "c": ModelPlan(priority=1)}
        world.configure(Plan(models=models))
        assert world.positions == {second: 1, first: 2}


def test_shutdown_answers_everybody_and_takes_nobody(world: World) -> None:
    world.load("a")
    busy = world.ask("a")
    waiting = [world.ask("b"), world.ask("c")]
    world.feed(Shutdown(world.now))
    assert [refusal(world, ticket) for ticket in waiting] == [Refusal.SHUTTING_DOWN] * 2
    assert refusal(world, world.ask("a")) is Refusal.SHUTTING_DOWN
    world.done(busy)
    assert world.scheduler.total_in_flight() == 0


def test_shutdown_ends_loads(world: World) -> None:
    world.ask("a")
    world.feed(Shutdown(world.now))
    (going,) = world.swaps.values()
    assert going.aborted


def test_the_scheduler_keeps_no_reference_to_a_finished_ticket(world: World) -> None:
    world.load("a")
    for _ in range(100):
        world.done(world.ask("a"))
    assert world.scheduler.total_waiting() == 0
    assert world.scheduler.total_in_flight() == 0
    assert isinstance(world.scheduler.handle(Request(10_000, "a", world.now))[0], Grant)


def test_stops_name_their_reason_and_author(world: World) -> None:
    world.load("a")
    world.unload("a")
    assert Stop("a", StopReason.MANUAL, "the test") in world.last
