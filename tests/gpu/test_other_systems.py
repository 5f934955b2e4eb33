"""Windows and macOS: what their tools say, put together."""

from __future__ import annotations

import sys

import pytest

from qmdesk.gpu import apple, windows
from qmdesk.gpu.apple import Apple
from qmdesk.gpu.reading import Holding
from qmdesk.gpu.windows import HELD, USED, Adapter, Windows

GIB = 1 << 30
MIB = 1 << 20

# As `Get-Counter` shows the instances on a machine with a card and a processor's part.
COUNTERS = {
    USED: {
        "luid_0x00000000_0x0000d1e5_phys_0": 5 * GIB,
        "luid_0x00000000_0x0000E0AB_phys_0": 300 * MIB,
    },
    HELD: {
        "pid_4242_luid_0x00000000_0x0000D1E5_phys_0": 4 * GIB,
        "pid_4242_luid_0x00000000_0x0000E0AB_phys_0": 5 * MIB,
        "pid_880_luid_0x00000000_0x0000D1E5_phys_0": 0,
        "pid_900_luid_0x00000000_0x0000D1E5_phys_0": 700 * MIB,
        "nonsense": 1,
    },
}
ADAPTERS = (
    Adapter(0xD1E5, "GeForce RTX 4080", 16 * GIB, "10de:2704#0"),
    Adapter(0xE0AB, "UHD Graphics", 0, "8086:4680#0"),
)


class TestWindows:
    def test_totals_and_counters_meet_by_the_cards_number(self) -> None:
        reading = Windows(lambda: ADAPTERS, lambda: COUNTERS).read((), idle=False)
        (card,) = reading.cards
        assert (card.id, card.name, card.total, card.used) == (
            "10de:2704#0",
            "GeForce RTX 4080",
            16 * GIB,
            5 * GIB,
        )
        assert set(reading.holdings) == {
            Holding("10de:2704#0", 4242, 4 * GIB),
            Holding("10de:2704#0", 900, 700 * MIB),
        }

    def test_a_card_without_a_counter_has_an_unknown_use(self) -> None:
        (card,) = windows.cards_of(ADAPTERS, {}).cards
        assert card.used is None

    def test_a_system_that_does_not_tell_says_so(self) -> None:
        def fails() -> None:
            raise OSError("PdhAddEnglishCounter answered 0xc0000bb8")

        reading = Windows(lambda: ADAPTERS, fails).read((), idle=False)  # type: ignore[arg-type]
        assert "0xc0000bb8" in reading.problem

    @pytest.mark.skipif(sys.platform == "win32", reason="there it can be read")
    def test_elsewhere_there_is_nothing_to_read(self) -> None:
        assert "not Windows" in Windows().read((), idle=False).problem


class TestApple:
    def test_the_limit_that_somebody_has_set(self) -> None:
        said = "iogpu.wired_limit_mb: 28672\nhw.memsize: 34359738368\n"
        assert apple.parse(said + "machdep.cpu.brand_string: Apple M2 Max\n") == (
            28 * GIB,
            "Apple M2 Max",
        )

    @pytest.mark.parametrize(
        ("memory", "share"), [(24 * GIB, 16 * GIB), (64 * GIB, 48 * GIB), (128 * GIB, 96 * GIB)]
    )
    def test_else_what_the_system_recommends(self, memory: int, share: int) -> None:
        assert apple.parse(f"iogpu.wired_limit_mb: 0\nhw.memsize: {memory}")[0] == share

    def test_an_older_mac_has_no_such_card(self) -> None:
        assert apple.parse("hw.memsize: 17179869184\n")[0] == 0
        assert Apple(lambda: "hw.memsize: 17179869184\n").read((), idle=False).cards == ()

    def test_what_is_free_of_the_memory_bounds_what_is_free_of_the_card(self) -> None:
        (card,) = (
            Apple(lambda: "iogpu.wired_limit_mb: 1\nhw.memsize: 1\n").read((), idle=False).cards
        )
        # This machine has more than 1 MiB to spare.
        assert (card.total, card.used, card.unified) == (MIB, 0, True)
