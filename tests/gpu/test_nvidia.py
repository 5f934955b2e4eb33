"""NVIDIA's cards, read by the real binding from a library that stands in for the driver's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import environment

GIB = 1 << 30
MIB = 1 << 20

LOOKS = """
import json, os, sys, pathlib
from qmdesk.gpu.nvidia import Nvidia

now = 0.0
sampler = Nvidia(pathlib.Path(sys.argv[1]), clock=lambda: now)
for seconds, idle, figures in json.load(sys.stdin):
    now += seconds
    if figures is None:
        pathlib.Path(os.environ["STAND_IN"]).unlink(missing_ok=True)
    else:
        pathlib.Path(os.environ["STAND_IN"]).write_text(figures)
    reading = sampler.read((), idle=idle)
    print(json.dumps({
        "problem": reading.problem,
        "cards": [{name: getattr(card, name) for name in card.__slots__} for card in reading.cards],
        "holdings": sorted([each.card, each.pid, each.bytes] for each in reading.holdings),
    }))
sampler.close()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or shutil.which("gcc") is None:
        why = "the stand-in for the driver's library needs Linux and gcc"
        if os.environ.get("CI") and sys.platform == "linux":
            pytest.fail(why)
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("nvml")
    file = folder / "libnvidia-ml.so.1"
    source = Path(__file__).with_name("stand_in.c")
    subprocess.run(
        ("gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(file), str(source)), check=True
    )
    return folder


class Look:
    """What each of some looks is to find."""

    def __init__(self, library: Path, tmp_path: Path) -> None:
        self.pci = tmp_path / "pci"
        self._figures = tmp_path / "figures"
        self._library = library

    def device(self, **power: str) -> None:
        """A card of NVIDIA's on the bus."""
        folder = self.pci / f"0000:0{len(list(self.pci.glob('*')))}:00.0"
        (folder / "power").mkdir(parents=True)
        (folder / "vendor").write_text("0x10de\n")
        (folder / "class").write_text("0x030200\n")
        for name, value in power.items():
            (folder / "power" / name).write_text(f"{value}\n")

    def __call__(self, *looks: tuple[float, bool, str | None]) -> list[dict[str, Any]]:
        done = subprocess.run(
            (sys.executable, "-c", LOOKS, str(self.pci)),
            input=json.dumps(looks),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=environment(LD_LIBRARY_PATH=str(self._library), STAND_IN=str(self._figures)),
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def once(self, figures: str | None) -> dict[str, Any]:
        return self((0, False, figures))[0]


@pytest.fixture
def look(library: Path, tmp_path: Path) -> Look:
    return Look(library, tmp_path)


def test_a_card_with_all_its_figures(look: Look) -> None:
    (card,) = look.once("version 580.95\ndevice 24576 2000 0")["cards"]
    assert card == {
        "id": "GPU-0",
        "index": 0,
        "name": "Stand-in 9000",
        "kind": "nvidia",
        "total": 24 * GIB,
        "used": 2000 * MIB,
        "utilisation": 0.45,
        "temperature": 61.0,
        "power": 123.0,
        "driver": "580.95",
        "unified": False,
        "asleep": False,
    }


def test_what_the_driver_sets_aside_is_not_used_except_where_it_is_too_old(look: Look) -> None:
    new, old = look(
        (0, False, "device 8192 1000 0"),
        (0, False, "device 8192 1000 0\nerror 13 MemoryInfo_v2"),
    )
    assert new["cards"][0]["used"] == 1000 * MIB
    assert old["cards"][0]["used"] == 1300 * MIB


def test_processes_that_compute_and_those_that_draw(look: Look) -> None:
    found = look.once(
        "device 8192 1000 0\nholds 0 11 500 c\nholds 0 12 200 g\nholds 0 13 300 c\nholds 0 13 300 g"
    )
    assert found["holdings"] == [
        ["GPU-0", 11, 500 * MIB],
        ["GPU-0", 12, 200 * MIB],
        ["GPU-0", 13, 300 * MIB],
    ]


def test_a_driver_that_does_not_tell_how_much_a_process_holds(look: Look) -> None:
    found = look.once("device 8192 1000 0\nholds 0 11 -1 c")
    assert found["holdings"] == [["GPU-0", 11, None]]


def test_figures_that_a_card_does_not_have_are_left_out(look: Look) -> None:
    found = look.once(
        "device 8192 1000 0\nerror 3 Utilization\nerror 3 Temperature\nerror 3 Power\n"
        "error 3 Processes"
    )
    (card,) = found["cards"]
    assert (card["utilisation"], card["temperature"], card["power"]) == (None, None, None)
    assert (card["used"], found["holdings"], found["problem"]) == (1000 * MIB, [], "")


def test_a_driver_that_is_older_than_the_binding_tells_no_processes(look: Look) -> None:
    found = look.once("device 8192 1000 0\nholds 0 11 500 c\nerror 13 ComputeRunningProcesses")
    assert found["cards"][0]["used"] == 1000 * MIB
    assert found["holdings"] == []
    assert found["problem"] == ""


def test_a_card_without_memory_of_its_own_has_the_machines(look: Look) -> None:
    (card,) = look.once("device 8192 1000 0\nerror 3 MemoryInfo")["cards"]
    assert card["unified"]
    assert card["total"] > card["used"] > 0


def test_the_parts_of_a_card_that_is_cut_into_some(look: Look) -> None:
    found = look.once(
        "device 81920 0 1\npart 0 20480 100\npart 0 40960 200\nholds 100 7 90 c\nholds 101 8 150 c"
    )
    assert [(card["id"], card["total"], card["index"]) for card in found["cards"]] == [
        ("MIG-100", 20 * GIB, 0),
        ("MIG-101", 40 * GIB, 0),
    ]
    assert found["holdings"] == [["MIG-100", 7, 90 * MIB], ["MIG-101", 8, 150 * MIB]]


def test_several_cards_one_of_which_is_lost(look: Look) -> None:
    found = look.once("device 8192 1 0\ndevice 8192 2 0\nerror 15 nothing")
    assert [card["id"] for card in found["cards"]] == ["GPU-0", "GPU-1"]


def test_no_driver_is_no_problem_and_is_tried_again_after_a_pause(look: Look) -> None:
    none, still, later = look(
        (0, False, None),
        (9, False, "device 8192 1 0"),
        (2, False, "device 8192 1 0"),
    )
    assert (none["cards"], none["problem"]) == ([], "")
    assert still["cards"] == []
    assert len(later["cards"]) == 1


def test_a_driver_that_was_updated_is_told_and_tried_again_with_growing_pauses(look: Look) -> None:
    bad, good = "device 8192 1 0\nerror 18 nvmlInit", "device 8192 1 0"
    first, _, second, third, last = look(
        (0, False, bad), (5, False, bad), (6, False, bad), (12, False, good), (9, False, good)
    )
    assert "updated" in first["problem"]
    assert second["problem"] == first["problem"]
    assert third["cards"] == []
    assert len(last["cards"]) == 1


def test_a_card_that_falls_off_the_bus_comes_back(look: Look) -> None:
    there, gone, back = look(
        (0, False, "device 8192 1 0"),
        (1, False, "device 8192 1 0\nerror 15 HandleByIndex"),
        (11, False, "device 8192 1 0"),
    )
    assert len(there["cards"]) == 1
    assert (gone["cards"], gone["problem"]) == ([], "NVIDIA's driver does not answer: GPU is lost")
    assert len(back["cards"]) == 1
    assert back["problem"] == ""


class TestLaptops:
    def test_a_card_that_sleeps_is_not_woken(self, look: Look) -> None:
        look.device(runtime_status="suspended", control="auto")
        # The driver would answer, if it were asked.
        assert look.once("device 8192 1 0")["cards"] == []

    def test_one_that_would_sleep_is_read_once_and_then_left_alone_while_idle(
        self, look: Look
    ) -> None:
        look.device(runtime_status="active", control="auto")
        figures = "device 8192 1000 0"
        first, idle, used = look((0, True, figures), (9, True, figures), (9, False, figures))
        assert first["cards"][0]["used"] == 1000 * MIB
        (card,) = idle["cards"]
        assert (card["used"], card["total"], card["asleep"]) == (None, 8 * GIB, True)
        assert used["cards"][0]["asleep"] is False

    def test_one_that_never_sleeps_is_read_while_idle_too(self, look: Look) -> None:
        look.device(runtime_status="active", control="on")
        looks = look((0, True, "device 8192 1 0"), (9, True, "device 8192 2 0"))
        assert [each["cards"][0]["used"] for each in looks] == [MIB, 2 * MIB]
