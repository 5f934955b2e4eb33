"""Samples: who is ours, who is not, and a reader that hangs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator

import psutil
import pytest

from qmdesk.gpu import Card, Holding, Kind, Program, Reader, Reading
from qmdesk.gpu.ram import Ram
from qmdesk.gpu.sample import CardSample, attribute
from qmdesk.gpu.sampler import Machine

MIB = 1 << 20
CARD = Card("c", 0, "a card", Kind.NVIDIA, 1000 * MIB, 900 * MIB)


class Fixed:
    """Always reads the same."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.closed = threading.Event()

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        return self.reading

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def family() -> Iterator[tuple[int, int]]:
    """A process that leads a group, and its child."""
    code = (
        "import subprocess, sys; child = subprocess.Popen((sys.executable, '-c',"
        " 'input()'), stdin=0); print(child.pid, flush=True); child.wait()"
    )
    leader = subprocess.Popen(
        (sys.executable, "-c", code),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    assert leader.stdout is not None
    yield leader.pid, int(leader.stdout.readline())
    leader.communicate("\n")


def sample_of(*holdings: Holding, leaders: dict[str, int] | None = None) -> CardSample:
    reading = Reading((CARD,), holdings)
    return attribute(reading, leaders or {}, time.monotonic()).cards[0]


def test_a_process_tree_belongs_to_its_model(family: tuple[int, int]) -> None:
    leader, child = family
    card = sample_of(
        Holding("c", leader, 100 * MIB),
        Holding("c", child, 300 * MIB),
        Holding("elsewhere", leader, 5 * MIB),
        leaders={"m": leader},
    )
    assert card.ours == {"m": 400 * MIB}
    assert card.foreign == 500 * MIB
    assert card.programs == ()


@pytest.mark.skipif(sys.platform == "win32", reason="groups")
def test_a_server_whose_wrapper_has_ended_is_known_by_its_group(family: tuple[int, int]) -> None:
    leader, child = family
    psutil.Process(leader).kill()
    psutil.Process(leader).wait(5)
    assert sample_of(Holding("c", child, MIB), leaders={"m": leader}).ours == {"m": MIB}
    psutil.Process(child).kill()


def test_others_are_named_and_added_up(family: tuple[int, int]) -> None:
    name = psutil.Process(family[0]).name()
    card = sample_of(
        Holding("c", family[0], 100 * MIB),
        Holding("c", family[1], 200 * MIB),
        Holding("c", 2**22 + 5, 500 * MIB),
        leaders={"m": os.getpid() + 2**22},
    )
    assert card.programs == (
        Program(f"process {2**22 + 5}", 500 * MIB),
        Program(name, 300 * MIB),
    )


def test_what_is_not_told_is_not_guessed() -> None:
    card = sample_of(Holding("c", os.getpid(), None), leaders={"m": os.getpid()})
    assert card.ours == {"m": None}
    assert card.foreign is None


def test_the_main_memory_stands_in_only_where_there_is_no_card() -> None:
    main = Fixed(Reading((Card("ram", 0, "main memory", Kind.RAM),)))
    with_card = Machine([Fixed(Reading((CARD,))), Fixed(Reading())], main)
    assert [card.id for card in with_card.read((), idle=True).cards] == ["c"]
    without = Machine([Fixed(Reading(problem="it is broken"))], main)
    reading = without.read((), idle=True)
    assert [card.id for card in reading.cards] == ["ram"]
    assert reading.problem == "it is broken"


def test_the_main_memory_tells_what_ours_hold(family: tuple[int, int]) -> None:
    reading = Ram().read((family[0],), idle=False)
    assert {holding.pid for holding in reading.holdings} == set(family)
    assert all((holding.bytes or 0) > MIB for holding in reading.holdings)


class Hangs(Fixed):
    def __init__(self, answer: threading.Event) -> None:
        super().__init__(Reading((CARD,)))
        self._answer = answer

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        self._answer.wait(20)
        return self.reading


def test_a_reader_that_hangs_is_left_behind_and_another_one_reads() -> None:
    answer = threading.Event()
    stuck = Hangs(answer)
    samplers = [stuck, Fixed(Reading((CARD,)))]
    reader = Reader(lambda: samplers.pop(0))
    first = reader.read({}, idle=False)
    with pytest.raises(TimeoutError):
        first.result(0.05)
    reader.leave()
    assert reader.read({}, idle=False).result(10).card("c") is not None
    answer.set()
    # The one that was left behind lets its driver go once it can.
    assert stuck.closed.wait(10)
    reader.close()


def test_a_sampler_that_fails_is_a_problem_not_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Fails(Fixed):
        def read(self, ours: Collection[int], *, idle: bool) -> Reading:
            raise RuntimeError("out of order")

    reader = Reader(lambda: Fails(Reading()))
    for _ in range(2):
        assert "out of order" in reader.read({}, idle=False).result(10).problem
    reader.close()
    assert "could not be read" in caplog.text
