"""The choice of a selector, as a table."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.config.target import Strategy
from qmdesk.events import ModelState
from qmdesk.gateway.selection import Standing, choose

COLD, STARTING, READY, STOPPING = (
    Standing(ModelState.STOPPED),
    Standing(ModelState.STARTING),
    Standing(ModelState.READY),
    Standing(ModelState.STOPPING),
)
UNABLE = Standing(able=False)


def busy(reserved: int, state: ModelState = ModelState.READY) -> Standing:
    return Standing(state, reserved)


@pytest.mark.parametrize(
    ("targets", "chosen"),
    [
        ([COLD, COLD], 0),
        ([COLD, READY], 0),
        ([UNABLE, READY], None),
    ],
)
def test_pin_takes_the_first_and_no_other(targets: list[Standing], chosen: int | None) -> None:
    assert choose(Strategy.PIN, targets) == chosen


@pytest.mark.parametrize(
    ("targets", "chosen"),
    [
        ([COLD, COLD], 0),
        ([COLD, READY, READY], 1),
        ([STARTING, READY], 1),
        ([COLD, STARTING], 1),
        ([STOPPING, COLD], 0),
        ([UNABLE, COLD], 1),
        ([UNABLE, UNABLE], None),
    ],
)
def test_warm_takes_what_is_there(targets: list[Standing], chosen: int | None) -> None:
    assert choose(Strategy.WARM, targets) == chosen


@pytest.mark.parametrize(
    ("targets", "chosen"),
    [
        ([COLD, COLD], 0),
        ([COLD, READY], 1),
        ([READY, COLD], 0),
        ([busy(1), COLD], 1),
        ([busy(1), busy(1)], 0),
        ([busy(2), busy(1)], 1),
        ([busy(1, ModelState.STOPPED), COLD], 1),
        ([STARTING, COLD], 0),
        ([STOPPING, COLD], 1),
        ([STOPPING, busy(3)], 1),
        ([STOPPING, STOPPING], 0),
        ([UNABLE, busy(9)], 1),
        ([UNABLE], None),
    ],
)
def test_spillover_starts_the_next_one_when_all_are_busy(
    targets: list[Standing], chosen: int | None
) -> None:
    assert choose(Strategy.SPILLOVER, targets) == chosen


def test_spillover_gives_each_as_many_as_it_says() -> None:
    assert choose(Strategy.SPILLOVER, [busy(1), COLD], spillover=2) == 0
    assert choose(Strategy.SPILLOVER, [busy(2), COLD], spillover=2) == 1


def test_equally_busy_ones_take_turns() -> None:
    last, seen = -1, []
    for _ in range(6):
        last = choose(Strategy.SPILLOVER, [READY, READY, READY], last=last)
        assert last is not None
        seen.append(last)
    assert seen == [0, 1, 2, 0, 1, 2]


@given(
    st.lists(
        st.builds(
            Standing,
            st.sampled_from(list(ModelState)),
            st.integers(0, 4),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 3),
    st.integers(-1, 4),
    st.sampled_from(list(Strategy)),
)
def test_whoever_is_chosen_can_serve(
    targets: list[Standing], spillover: int, last: int, strategy: Strategy
) -> None:
    chosen = choose(strategy, targets, spillover, last)
    if chosen is None:
        assert not all(target.able for target in targets)
    else:
        assert targets[chosen].able


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 24))
def test_no_target_gets_two_more_than_another_once_all_run(
    count: int, spillover: int, requests: int
) -> None:
    reserved: Counter[int] = Counter()
    last = -1
    for _ in range(requests):
        targets = [Standing(reserved=reserved[index]) for index in range(count)]
        chosen = choose(Strategy.SPILLOVER, targets, spillover, last)
        assert chosen is not None
        last = chosen
        reserved[chosen] += 1
    started = [reserved[index] for index in range(count) if reserved[index]]
    if len(started) == count and requests >= count * spillover:
        assert max(started) - min(started) <= 1
    else:
        assert max(started) <= spillover
