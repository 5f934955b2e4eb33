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
    assert memory.foreign > 0


def test_it_is_told_in_words() -> None:
    memory = HostMemory(64 * GIB, 16 * GIB, {"a": 2 * GIB, "b": 20 * GIB}, 10 * GIB)
    picture = memory.picture()
    assert picture.line == "48.0 of 64.0 GiB"
    assert picture.story().splitlines() == [
        "This machine's memory: 48.0 of 64.0 GiB",
        "a: 2.0 GiB",
        "b: 20.0 GiB",
        "other programs: 10.0 GiB",
        "Free: 16.0 GiB (25 %)",
    ]


def test_sizes_have_one_unit() -> None:
    assert size(380 << 20) == "380 MiB"
    assert size(1.5 * GIB) == "1.5 GiB"
