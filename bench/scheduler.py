"""What one decision costs: many models, a long queue, a large matrix.

python -m bench.scheduler
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from qmdesk.scheduler import (
    Cancel,
    Group,
    GroupsPolicy,
    MatrixPolicy,
    ModelPlan,
    Plan,
    Request,
    Scheduler,
)


def timed(action: Callable[[], object], rounds: int = 200) -> tuple[float, float]:
    """Median and longest time of ``action``, in milliseconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        action()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times), max(times)


def crowded() -> Scheduler:
    """500 models in one swapping group, one of them busy, 1,000 tickets in the queue."""
    models = {f"m{number}": ModelPlan(limit=1000) for number in range(500)}
    policy = GroupsPolicy([(Group("all"), models)])
    scheduler = Scheduler(Plan(models=models, policy=policy))
    scheduler.handle(Request(0, "m0", 0.0))
    for ticket in range(1, 1001):
        scheduler.handle(Request(ticket, f"m{1 + ticket % 499}", 0.0))
    return scheduler


def main() -> None:
    scheduler = crowded()
    ids = iter(range(10_000, 100_000))

    def ask(now: float) -> Callable[[], object]:
        def one() -> None:
            ticket = next(ids)
            scheduler.handle(Request(ticket, "m7", now))
            asked.append(ticket)

        return one

    asked: list[int] = []
    for name, now in (("", 1.0), (" that have lost their patience", 1000.0)):
        median, longest = timed(ask(now))
        print(f"a request, 500 models, 1,000 queued{name}: {median:.3f} ms (longest {longest:.3f})")
        for ticket in asked:
            scheduler.handle(Cancel(ticket, now))
        asked.clear()
    cancel = iter(range(1, 1000))
    median, longest = timed(lambda: scheduler.handle(Cancel(next(cancel), 2.0)))
    print(f"a cancel, with a look at the whole queue: {median:.3f} ms (longest {longest:.3f})")

    names = [f"m{number}" for number in range(64)]
    ways = " | ".join(f"(m{n} & m{(n + 1) % 64} & m{(n + 7) % 64})" for n in range(40))
    sets = {f"s{number}": f"({ways}) & (m{number} | m{number + 20})" for number in range(4)}

    def compile_and_solve() -> None:
        MatrixPolicy(sets, names).evict("m3", ("m4", "m10", "m40"))

    median, longest = timed(compile_and_solve, 50)
    print(f"a matrix of 64 models, 40 alternatives a set: {median:.2f} ms (longest {longest:.2f})")


if __name__ == "__main__":
    main()
