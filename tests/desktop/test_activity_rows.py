"""Requests and evictions as rows, without Qt."""

from __future__ import annotations

import pytest

from qmdesk.desktop.activity_rows import (
    RowKind,
    eviction_row,
    finished_row,
    merged,
    running_row,
    swap_story,
)
from qmdesk.desktop.journal import Swap
from tests.desktop.fake_instance import a_running, one_that_is_over


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        ({}, (0.004, 0.0, 0.416, 4.78)),
        ({"queue_ms": 3000.0, "load_ms": 2500.0, "first_token_ms": 3500.0}, (0.5, 2.5, 0.5, 1.7)),
        # Nothing came: all of it after the turn was the prompt.
        ({"first_token_ms": None}, (0.004, 0.0, 5.196, 0.0)),
        # Clocks that disagree never give less than nothing.
        ({"queue_ms": 9000.0, "load_ms": 9999.0}, (0.0, 9.0, 0.0, 0.0)),
    ],
)
def test_what_a_request_spent_its_time_on(
    values: dict[str, object], parts: tuple[float, ...]
) -> None:
    assert finished_row(one_that_is_over(1, "a", 0, **values)).parts == pytest.approx(parts)


@pytest.mark.parametrize(
    ("values", "status", "parts"),
    [
        ({"state": "waiting"}, "waiting", (8.0, 0.0, 0.0, 0.0)),
        ({"waited_seconds": 3.0, "load_seconds": 2.0}, "reading", (1.0, 2.0, 5.0, 0.0)),
        ({"waited_seconds": 3.0, "first_token_seconds": 4.0}, "answering", (3.0, 0.0, 1.0, 4.0)),
    ],
)
def test_a_running_one_grows(
    values: dict[str, object], status: str, parts: tuple[float, ...]
) -> None:
    row = running_row(a_running(1, "a", 8.0, **values))
    assert (row.status, row.parts, row.seconds) == (status, parts, 8.0)


def test_what_waits_for_a_load_shows_it() -> None:
    row = a_running(1, "a", 8.0, state="waiting")
    loading = running_row(row, row["arrived_at"] + 3.0)
    assert (loading.status, loading.parts) == ("loading", (3.0, 5.0, 0.0, 0.0))
    # It was under way before the request came.
    assert running_row(row, row["arrived_at"] - 9.0).parts == (0.0, 8.0, 0.0, 0.0)


def test_what_is_over_tells_all() -> None:
    row = finished_row(one_that_is_over(1, "a", 0))
    assert (row.text, row.status, row.failed) == ("183 tokens, 38.4 tok/s", "200", False)
    assert row.story.splitlines() == [
        "OpenWebUI/0.6 asked a at /v1/chat/completions.",
        "Waited 0.00 s, read the prompt 0.42 s, answered 4.8 s.",
        "812 tokens of prompt (640 of them remembered)",
        "Answer: 183 tokens, 38.4 tok/s",
    ]
    failed = finished_row(one_that_is_over(2, "a", 0, status=503, error="a is not loaded"))
    assert failed.failed
    assert failed.story.endswith("a is not loaded")


SWAP = Swap(7, "b", "Open WebUI", 1e9, ("a",), "both need 31 GiB", 0.5, 6.5, True)


def test_an_eviction_has_its_story() -> None:
    row = eviction_row(SWAP)
    assert (row.kind, row.model, row.client, row.text, row.status) == (
        RowKind.EVICTION,
        "b",
        "Open WebUI",
        "evicted a",
        "6.5 s",
    )
    first, why, cost = row.story.splitlines()
    assert first.startswith("Open WebUI asked for b at ")
    assert why == "a had to go: both need 31 GiB."
    assert cost == "It took 6.5 s: 0.50 s for the unload, 6.0 s for the load."


@pytest.mark.parametrize(
    ("swap", "end"),
    [
        (Swap(1, "b", "", 0.0), "asked for b at"),
        (Swap(1, "b", "", 0.0, seconds=3.0, ok=True), "The load took 3.0 s."),
        (Swap(1, "b", "", 0.0, seconds=3.0, error="code 1\nno file"), "did not start: no file"),
        (Swap(1, "b", "", 0.0, seconds=3.0), "was given up after 3.0 s."),
    ],
)
def test_a_swap_in_words(swap: Swap, end: str) -> None:
    assert end in swap_story(swap).splitlines()[-1]


def test_those_that_run_stand_on_top_the_oldest_first() -> None:
    running = [running_row(a_running(9, "a", 1.0)), running_row(a_running(8, "a", 5.0))]
    over = [finished_row(one_that_is_over(at, "a", 100 - at)) for at in range(5)]
    eviction = eviction_row(Swap(1, "b", "", over[2].at + 0.5, ("a",)))
    rows = merged(running, [*over, eviction], 6)
    assert [row.key for row in rows] == [
        (RowKind.RUNNING, 8),
        (RowKind.RUNNING, 9),
        (RowKind.FINISHED, 4),
        (RowKind.FINISHED, 3),
        (RowKind.EVICTION, 1),
        (RowKind.FINISHED, 2),
    ]
