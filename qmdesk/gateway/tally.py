"""Counts of the requests that are over, put into Prometheus' words when somebody asks.

There is one for every request, and a look perhaps every few seconds: its own counters would
take more time than some requests.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from qmdesk.gateway.activity import Row
from qmdesk.gateway.target import is_known_route

SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, float("inf"))
OTHER = "other"
"""The route of what is none of ours: clients must not be able to make up label values."""


class _Count:
    __slots__ = ("since", "value")

    def __init__(self) -> None:
        self.value = 0
        self.since = time.time()


class _Spread:
    """How many took how long."""

    __slots__ = ("counts", "since", "sum")

    def __init__(self) -> None:
        self.counts = [0] * len(SECONDS)
        self.sum = 0.0
        self.since = time.time()

    def add(self, milliseconds: float) -> None:
        seconds = milliseconds / 1000
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.sum += seconds


class Tally(Collector):
    """``add`` a row of each request."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, int], _Count] = {}
        self._tokens: dict[tuple[str, str], _Count] = {}
        self._times: dict[str, tuple[_Spread, _Spread, _Spread]] = {}
        """By model: all of it, until the turn, until the first token."""

    def add(self, row: Row) -> None:
        """Count a request that is over."""
        model = row.model
        key = (model, row.route, row.status)
        found = self._requests.get(key)
        if found is None:
            found = self._counter_of(row)
        found.value += 1
        times = self._times.get(model)
        if times is None:
            times = self._times[model] = (_Spread(), _Spread(), _Spread())
        seconds, queue, first = times
        seconds.add(row.duration_ms)
        queue.add(row.queue_ms)
        if row.first_token_ms is not None:
            first.add(row.first_token_ms)
        if row.prompt_tokens:
            self._add_tokens(model, "prompt", row.prompt_tokens)
        if row.cached_tokens:
            self._add_tokens(model, "cached", row.cached_tokens)
        if row.generated_tokens:
            self._add_tokens(model, "generated", row.generated_tokens)
        if row.drafted_tokens:
            self._add_tokens(model, "drafted", row.drafted_tokens)
        if row.accepted_tokens:
            self._add_tokens(model, "accepted", row.accepted_tokens)

    def _counter_of(self, row: Row) -> _Count:
        route = row.route if is_known_route(row.route) else OTHER
        key = (row.model, route, row.status)
        found = self._requests.get(key)
        if found is None:
            found = self._requests[key] = _Count()
        return found

    def _add_tokens(self, model: str, kind: str, count: int) -> None:
        if count > 0:
            found = self._tokens.get((model, kind))
            if found is None:
                found = self._tokens[model, kind] = _Count()
            found.value += count

    def collect(self) -> Iterator[Metric]:
        """All of it, as Prometheus' library wants it."""
        requests = CounterMetricFamily(
            "qmdesk_requests", "Requests that are over.", labels=("model", "route", "status")
        )
        for (model, route, status), count in self._requests.items():
            requests.add_metric((model, route, str(status)), count.value, created=count.since)
        yield requests
        tokens = CounterMetricFamily(
            "qmdesk_tokens",
            "Tokens, by kind: prompt, cached, generated, drafted, accepted.",
            labels=("model", "kind"),
        )
        for labels, count in self._tokens.items():
            tokens.add_metric(labels, count.value, created=count.since)
        yield tokens
        for at, name, words in (
            (0, "qmdesk_request_seconds", "From arrival to the end."),
            (1, "qmdesk_queue_seconds", "From arrival to the turn, a load included."),
            (2, "qmdesk_first_token_seconds", "From arrival to the first token."),
        ):
            yield _histogram(
                name, words, {model: times[at] for model, times in self._times.items()}
            )


def _histogram(name: str, words: str, spreads: dict[str, _Spread]) -> Metric:
    family = HistogramMetricFamily(name, words, labels=("model",))
    for model, spread in spreads.items():
        if not any(spread.counts):
            continue
        total, buckets = 0, []
        for bound, count in zip(SECONDS, spread.counts, strict=True):
            total += count
            buckets.append(("+Inf" if bound == float("inf") else str(float(bound)), total))
        family.add_metric((model,), buckets, spread.sum)
        family.add_sample(f"{name}_created", {"model": model}, spread.since)
    return family
