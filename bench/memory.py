"""What one sample costs the event loop: two cards, 60 programs, 50 models, 8 of them loaded.

python -m bench.memory
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from qmdesk.config import parse
from qmdesk.events import Bus, ModelState
from qmdesk.gpu import Card, CardSample, Kind, Program, Reading, Sample
from qmdesk.logs import Logs
from qmdesk.memory import Memory
from qmdesk.router import Router, Running

GIB = 1 << 30
LOADED = 8


class Nothing:
    """A sampler of a machine without cards; the samples are made here."""

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        return Reading()

    def close(self) -> None: ...


def sample(number: int) -> Sample:
    """One whose every figure differs from the last one's."""
    cards = []
    for index in range(2):
        used = 20 * GIB + number * 4096
        card = Card(f"GPU-{index}", index, "card", Kind.NVIDIA, 24 * GIB, used, driver="1")
        ours = {f"m{model}": GIB + number for model in range(index, LOADED, 2)}
        programs = tuple(Program(f"program {at}", (60 - at) << 20) for at in range(60))
        cards.append(CardSample(card, ours, programs))
    return Sample(tuple(cards), at=float(number))


async def main() -> None:
    config = parse(
        "models:\n"
        + "".join(
            f"  m{number}:\n    cmd: llama-server --port ${{PORT}} -c {number + 512}\n"
            f"    estVramGB: 2\n"
            for number in range(50)
        )
    )
    bus = Bus()
    with tempfile.TemporaryDirectory() as folder:
        router = Router(config, bus, Logs(), Path(folder))
        memory = Memory(router, bus, Path(folder), sampler=Nothing)
        await memory.look()
        for number in range(LOADED):
            model = config.models[f"m{number}"]
            assert isinstance(model.cmd, str)
            await memory._before_start(model, tuple(model.cmd.split()))
        running = {f"m{n}": Running(ModelState.READY, 1, 1.0) for n in range(LOADED)}
        router.running = lambda: running  # type: ignore[method-assign]
        times = []
        for number in range(300):
            made = sample(number)
            began = time.perf_counter()
            memory._take(made)
            times.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0)
        began = time.perf_counter()
        memory.snapshot()
        picture = (time.perf_counter() - began) * 1000
        await memory.close()
        await router.shutdown(1.0)
    print(f"one sample on the event loop: {statistics.median(times):.3f} ms", end="")
    print(f" (longest {max(times):.3f})")
    print(f"the whole picture, with a look ahead for every model: {picture:.3f} ms")


if __name__ == "__main__":
    asyncio.run(main())
