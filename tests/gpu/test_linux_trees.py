"""AMD's and Intel's cards, read from the kernel's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmdesk.gpu.amd import Amd
from qmdesk.gpu.drm import Holders
from qmdesk.gpu.fdinfo import held, parse, size
from qmdesk.gpu.intel import Intel
from qmdesk.gpu.reading import Holding
from tests.gpu.trees import AMDGPU, I915, XE, card, process

GIB = 1 << 30
MIB = 1 << 20
FIRST = "0000:03:00.0"
SECOND = "0000:0a:00.0"


@pytest.fixture
def drm(tmp_path: Path) -> Path:
    folder = tmp_path / "drm"
    # Connectors stand beside the cards.
    (folder / "card0-DP-1").mkdir(parents=True)
    return folder


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    return tmp_path / "proc"


def radeon(drm: Path, number: int = 0, address: str = FIRST, **more: object) -> Path:
    files: dict[str, object] = {
        "mem_info_vram_total": 16 * GIB,
        "mem_info_vram_used": 3 * GIB,
        "mem_info_gtt_total": 32 * GIB,
        "mem_info_gtt_used": GIB,
        "gpu_busy_percent": 87,
        "product_name": "Radeon RX 7800 XT",
        "hwmon__hwmon3__temp1_input": 54000,
        "hwmon__hwmon3__power1_average": 121000000,
    }
    return card(drm, number, "0x1002", address, **{**files, **more})


class TestAmd:
    def test_a_card_with_all_its_figures(self, drm: Path, proc: Path) -> None:
        radeon(drm)
        (found,) = Amd(drm, proc).read((), idle=False).cards
        assert (found.id, found.name, found.total, found.used) == (
            FIRST,
            "Radeon RX 7800 XT",
            16 * GIB,
            3 * GIB,
        )
        assert (found.utilisation, found.temperature, found.power) == (0.87, 54.0, 121.0)

    def test_what_is_missing_is_left_out(self, drm: Path, proc: Path) -> None:
        card(drm, 0, "0x1002", FIRST, mem_info_vram_total=8 * GIB)
        (found,) = Amd(drm, proc).read((), idle=False).cards
        assert (found.name, found.used, found.utilisation, found.temperature) == (
            "AMD card",
            None,
            None,
            None,
        )

    def test_a_part_of_the_processor_works_in_main_memory(self, drm: Path, proc: Path) -> None:
        radeon(
            drm,
            mem_info_vram_total=512 * MIB,
            mem_info_vram_used=100 * MIB,
            mem_info_gtt_total=60 * GIB,
            mem_info_gtt_used=2 * GIB,
        )
        process(proc, 7, AMDGPU.format(client=1, address=FIRST, vram=1024, gtt=2048))
        reading = Amd(drm, proc).read((), idle=False)
        assert reading.cards[0].unified
        assert reading.cards[0].total == 60 * GIB + 512 * MIB
        assert reading.cards[0].used == 2 * GIB + 100 * MIB
        assert reading.holdings == (Holding(FIRST, 7, 3 * MIB),)

    def test_what_each_process_holds_on_each_card(self, drm: Path, proc: Path) -> None:
        radeon(drm)
        radeon(drm, 1, SECOND)
        one = AMDGPU.format(client=1, address=FIRST, vram=1024, gtt=99)
        other = AMDGPU.format(client=2, address=FIRST, vram=2048, gtt=99)
        far = AMDGPU.format(client=3, address=SECOND, vram=4096, gtt=99)
        # The same client through two descriptors counts once.
        process(proc, 7, one, one, other)
        process(proc, 8, far)
        process(proc, 9)
        assert set(Amd(drm, proc).read((), idle=False).holdings) == {
            Holding(FIRST, 7, 3 * MIB),
            Holding(SECOND, 8, 4 * MIB),
        }

    def test_the_cards_of_others_are_not_its(self, drm: Path, proc: Path) -> None:
        card(drm, 0, "0x10de", FIRST, mem_info_vram_total=1)
        assert Amd(drm, proc).read((), idle=False).cards == ()

    def test_no_cards_at_all(self, tmp_path: Path) -> None:
        assert Amd(tmp_path / "none", tmp_path / "none").read((), idle=False).cards == ()

    def test_one_that_sleeps_is_not_touched(self, drm: Path, proc: Path) -> None:
        folder = radeon(drm, power__runtime_status="active", power__control="auto")
        sampler = Amd(drm, proc)
        assert sampler.read((), idle=True).cards[0].used == 3 * GIB
        (folder / "power/runtime_status").write_text("suspended\n")
        # Reading this would wake it.
        (folder / "mem_info_vram_used").write_text("nonsense\n")
        (found,) = sampler.read((), idle=False).cards
        assert (found.asleep, found.used, found.total) == (True, None, 16 * GIB)


class TestIntel:
    @pytest.mark.parametrize(("stats", "driver"), [(XE, "xe"), (I915, "i915")])
    def test_the_sum_of_what_processes_hold(
        self, drm: Path, proc: Path, stats: str, driver: str
    ) -> None:
        card(drm, 0, "0x8086", FIRST, tile0__physical_vram_size_bytes=12 * GIB)
        process(proc, 7, stats.format(client=1, address=FIRST, vram=900, resident=800))
        process(proc, 8, stats.format(client=2, address=FIRST, vram=70, resident=70))
        reading = Intel(drm, proc).read((), idle=False)
        assert (reading.cards[0].total, reading.cards[0].used) == (12 * GIB, 870 * MIB)
        assert Holding(FIRST, 7, 800 * MIB) in reading.holdings

    def test_a_part_of_the_processor_is_no_card(self, drm: Path, proc: Path) -> None:
        card(drm, 0, "0x8086", FIRST)
        assert Intel(drm, proc).read((), idle=False).cards == ()


class TestHolders:
    def test_everybody_now_and_then_and_ours_at_every_look(self, drm: Path, proc: Path) -> None:
        now = 0.0
        holders = Holders(proc, ("amdgpu",), ("vram",), clock=lambda: now)
        stats = AMDGPU.format(client=1, address=FIRST, vram=1024, gtt=0)
        process(proc, 7)
        assert holders.holdings((), (FIRST,)) == []
        process(proc, 8, stats)
        process(proc, 9, stats, child_of=7)
        assert holders.holdings((7,), (FIRST,)) == [Holding(FIRST, 9, MIB)]
        now = 10.0
        found = holders.holdings((7,), (FIRST,))
        assert {each.pid for each in found} == {8, 9}


class TestFdinfo:
    def test_sizes(self) -> None:
        assert [size("12 KiB"), size("3 MiB"), size("1 GiB"), size("77"), size("-")] == [
            12 << 10,
            3 * MIB,
            GIB,
            77,
            0,
        ]

    def test_what_is_resident_counts_where_it_is_told(self) -> None:
        stats = parse("drm-total-vram0: 900 MiB\ndrm-resident-vram0:\t800 MiB\n")
        assert held(stats, ("vram0",)) == 800 * MIB

    def test_other_files_have_no_such_keys(self) -> None:
        assert parse("pos:\t0\nflags:\t02\n") == {}
