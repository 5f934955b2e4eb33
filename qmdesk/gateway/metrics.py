"""``/metrics``: counters and gauges in Prometheus' text, of a registry of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psutil
from aiohttp import web
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from qmdesk.events import Bus, Fact, ModelState, ModelStateChanged, StopReason, SwapFinished
from qmdesk.gateway.activity import Row
from qmdesk.gateway.tally import SECONDS, Tally
from qmdesk.memory import Memory
from qmdesk.router import Router

_WHY = {
    StopReason.EVICT: "swap",
    StopReason.TTL: "idle",
    StopReason.MANUAL: "manual",
    StopReason.MEMORY: "memory",
    StopReason.CONFIG: "config",
}


class Metrics:
    """Counts what is told; ``close`` when the gateway closes."""

    def __init__(self, router: Router, bus: Bus, memory: Memory) -> None:
        self._registry = CollectorRegistry()
        made = self._registry
        self._tally = Tally()
        made.register(self._tally)
        self._loads = Counter(
            "qmdesk_loads", "Loads, by result: ok or failed.", ("model", "result"), registry=made
        )
        self._load_seconds = Histogram(
            "qmdesk_load_seconds",
            "How long loads took, evictions included.",
            ("model",),
            buckets=SECONDS,
            registry=made,
        )
        self._evictions = Counter(
            "qmdesk_evictions",
            "Models that were stopped, by what for.",
            ("model", "reason"),
            registry=made,
        )
        self._registry.register(_Now(router, memory))
        self._unsubscribe: Callable[[], None] = bus.subscribe(
            self._hear, SwapFinished, ModelStateChanged
        )

    def close(self) -> None:
        self._unsubscribe()

    def add(self, row: Row) -> None:
        """Count a request that is over."""
        self._tally.add(row)

    def _hear(self, fact: Fact) -> None:
        match fact:
            case SwapFinished():
                self._loads.labels(fact.model, "ok" if fact.ok else "failed").inc()
                self._load_seconds.labels(fact.model).observe(fact.seconds)
            case ModelStateChanged(state=ModelState.STOPPING, previous=ModelState.READY):
                if fact.reason in _WHY:
                    self._evictions.labels(fact.model, _WHY[fact.reason]).inc()

    async def serve(self, _: web.BaseRequest) -> web.Response:
        return web.Response(
            body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )


class _Now(Collector):
    """What is so at the moment of asking."""

    def __init__(self, router: Router, memory: Memory) -> None:
        self._router = router
        self._memory = memory
        # The first answer is about no time at all.
        psutil.cpu_percent()

    def collect(self) -> Iterator[Metric]:
        snapshot = self._router.snapshot()
        resident = sum(
            model.state is ModelState.READY and not model.external for model in snapshot.models
        )
        memory = psutil.virtual_memory()
        own = psutil.Process().memory_info()
        for name, what, value in (
            ("qmdesk_resident_models", "Models that are loaded.", resident),
            ("qmdesk_in_flight", "Requests that are being answered.", snapshot.in_flight),
            ("qmdesk_queue_length", "Requests that wait.", snapshot.waiting),
            ("qmdesk_host_memory_bytes", "The machine's memory.", memory.total),
            ("qmdesk_host_memory_available_bytes", "Of it, free to use.", memory.available),
            ("qmdesk_host_cpu_percent", "Since the last look, all cores.", psutil.cpu_percent()),
            ("qmdesk_resident_memory_bytes", "qmdesk's own memory.", own.rss),
        ):
            yield GaugeMetricFamily(name, what, value)
        yield from self._cards()

    def _cards(self) -> Iterator[Metric]:
        gauges = {
            name: GaugeMetricFamily(f"qmdesk_gpu_{name}", what, labels=("card", "name"))
            for name, what in (
                ("memory_bytes", "The card's memory."),
                ("memory_used_bytes", "Of it, used by whomever."),
                ("memory_budget_bytes", "Of it, for models of ours now."),
                ("utilisation", "0 to 1."),
                ("temperature_celsius", "Degrees."),
                ("power_watts", "Watts."),
            )
        }
        held = GaugeMetricFamily(
            "qmdesk_model_memory_bytes", "What a model holds on a card.", labels=("model", "card")
        )
        for card in self._memory.cards:
            for name, value in (
                ("memory_bytes", card.total or None),
                ("memory_used_bytes", card.used),
                ("memory_budget_bytes", card.ceiling),
                ("utilisation", card.utilisation),
                ("temperature_celsius", card.temperature),
                ("power_watts", card.power),
            ):
                if value is not None:
                    gauges[name].add_metric((card.id, card.name), value)
            for model, size in card.ours:
                if size is not None:
                    held.add_metric((model, card.id), size)
        yield from (*gauges.values(), held)
