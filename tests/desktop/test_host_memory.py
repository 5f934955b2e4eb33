"""How full the machine's memory is."""

from __future__ import annotations

import os

from qmdesk.desktop.host_memory import HostMemory, host_memory
from qmdesk.desktop.words import size

GIB = 1 << 30


def test_ours_others_and_the_rest_are_the_whole() -> None:
    memory = host_memory({"me": os.getpid(), "gone": 2**22 + 1})
    assert set(memory.models) == {"me"}
    assert memory.models["me"] > 10 << 20
    assert 0 < memory.available <= memory.total
    assert 0 <= memory.free <= memory.total
    assert memory.foreign > 0


def test_it_is_told_in_words() -> None:
    memory = HostMemory(64 * GIB, 16 * GIB, {"a": 2 * GIB, "b": 20 * GIB}, 10 * GIB)
    assert memory.line == "48.0 GiB of 64.0 GiB"
    assert memory.free == 32 * GIB
    assert memory.story().splitlines() == [
        "b: 20.0 GiB",
        "a: 2.0 GiB",
        "Other programs: 10.0 GiB",
        "Available: 16.0 GiB (25 %)",
    ]


def test_sizes_have_one_unit() -> None:
    assert size(380 << 20) == "380 MiB"
    assert size(1.5 * GIB) == "1.5 GiB"
