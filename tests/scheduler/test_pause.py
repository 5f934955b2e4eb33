"""Freeing the card: everything of ours goes, nothing is loaded until the pause is over."""

from __future__ import annotations

import math
from dataclasses import replace

from qmdesk.events import StopReason
from qmdesk.scheduler import Grant, ModelPlan, Plan, Refusal, Reject, Stop, Swap
from qmdesk.scheduler.scheduler import PAUSE_RETRY
from tests.scheduler.world import World

PLAN = Plan(models={"a": ModelPlan(), "b": ModelPlan(), "far": ModelPlan(external=True)})


def test_what_is_loaded_is_stopped_whatever_it_does() -> None:
    world = World(PLAN)
    world.load("a")
    streaming = world.ask("a")
    world.lease("a")
    assert Stop("a", StopReason.PAUSE, "the test") in world.pause(600.0)
    world.stopped("a")
    assert world.scheduler.in_flight("a") == 0
    assert not world.scheduler.resident()
    world.done(streaming)


def test_requests_are_refused_with_the_time_that_is_left() -> None:
    world = World(PLAN)
    world.pause(600.0)
    world.advance(100.0)
    ticket = world.ask("a")
    assert world.answered[ticket] == Reject(
        ticket, Refusal.PAUSED, "a is paused by the test", 500.0
    )


def test_without_an_end_they_are_told_to_ask_again_in_a_minute() -> None:
    world = World(PLAN)
    world.pause(math.inf)
    assert world.wake is None
    answer = world.answered[world.ask("a")]
    assert isinstance(answer, Reject)
    assert answer.retry_after == PAUSE_RETRY


def test_whoever_waits_is_refused_and_a_load_is_given_up() -> None:
    world = World(PLAN)
    first, second = world.ask("a"), world.ask("b")
    world.pause(60.0)
    for ticket in (first, second):
        answer = world.answered[ticket]
        assert isinstance(answer, Reject)
        assert (answer.refusal, answer.retry_after) == (Refusal.PAUSED, 60.0)
    world.swapped()
    assert not world.scheduler.resident()


def test_a_load_that_comes_up_all_the_same_is_stopped() -> None:
    world = World(PLAN)
    world.ask("a")
    (swap,) = world.swaps
    world.evicted(swap)
    world.processes["a"] = "ready"
    world.pause()
    assert Stop("a", StopReason.PAUSE, "the test") in world.finish(swap)


def test_servers_that_are_not_ours_go_on() -> None:
    world = World(PLAN)
    before = world.ask("far")
    world.pause()
    assert before in world.granted
    after = world.ask("far")
    assert world.answered[after] == Grant(after, loaded=False)


def test_it_ends_by_itself() -> None:
    world = World(PLAN)
    world.pause(60.0)
    assert world.wake == 60.0
    world.advance(60.0)
    assert not world.scheduler.paused
    world.ask("a")
    assert any(isinstance(action, Swap) for action in world.last)


def test_it_ends_when_somebody_resumes() -> None:
    world = World(PLAN)
    world.pause()
    world.resume()
    assert not world.scheduler.paused
    world.load("a")
    world.resume()
    assert world.scheduler.resident() == ("a",)


def test_a_later_pause_takes_the_place_of_an_earlier_one() -> None:
    world = World(PLAN)
    world.pause(60.0)
    world.pause(600.0)
    world.advance(60.0)
    assert world.scheduler.paused
    world.pause(1.0)
    world.advance(1.0)
    assert not world.scheduler.paused


def test_a_new_configuration_does_not_end_it() -> None:
    world = World(PLAN)
    world.pause(60.0)
    world.configure(replace(PLAN, models={**PLAN.models, "c": ModelPlan()}))
    answer = world.answered[world.ask("c")]
    assert isinstance(answer, Reject)
    assert answer.refusal is Refusal.PAUSED
