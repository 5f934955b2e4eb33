"""What a Windows job does with the calls of the system; the calls themselves are a stand-in."""

from __future__ import annotations

import ctypes
import sys

import pytest

from qmdesk.process.job import BasicLimits, ExtendedLimits, Job, process_list
from qmdesk.process.tree import Tree


class FakeApi:
    """Notes the calls; fails at those in ``failing``."""

    def __init__(self, *failing: str) -> None:
        self.failing = failing
        self.calls: list[str] = []

    def _call(self, name: str, *values: int) -> None:
        self.calls.append(" ".join((name, *map(str, values))))
        if name in self.failing:
            raise OSError(5, "Access is denied")

    def create(self) -> int:
        self._call("create")
        return 40

    def kill_on_close(self, job: int) -> None:
        self._call("kill_on_close", job)

    def assign(self, job: int, process: int) -> None:
        self._call("assign", job, process)

    def resume(self, process: int) -> None:
        self._call("resume", process)

    def pids(self, job: int) -> tuple[int, ...]:
        self._call("pids", job)
        return (7, 8)

    def terminate(self, job: int, status: int) -> None:
        self._call("terminate", job, status)

    def close(self, job: int) -> None:
        self._call("close", job)


def test_a_server_runs_only_once_it_is_in_its_job() -> None:
    api = FakeApi()
    assert Job.adopt(api, 9) is not None
    assert api.calls == ["create", "kill_on_close 40", "assign 40 9", "resume 9"]


@pytest.mark.parametrize("call", ["create", "kill_on_close", "assign"])
def test_without_a_job_it_runs_all_the_same(call: str, caplog: pytest.LogCaptureFixture) -> None:
    api = FakeApi(call)
    assert Job.adopt(api, 9) is None
    assert api.calls[-1] == "resume 9"
    assert ("close 40" in api.calls) == (call != "create")
    assert "a server is not tied to qmdesk's life" in caplog.text


def test_one_that_cannot_be_let_run_is_the_callers_to_end() -> None:
    api = FakeApi("resume")
    with pytest.raises(OSError, match="denied"):
        Job.adopt(api, 9)
    assert api.calls[-2:] == ["terminate 40 1", "close 40"]


def test_closing_twice_is_once() -> None:
    api = FakeApi()
    job = Job(api, 40)
    job.close()
    job.close()
    job.end()
    assert job.pids() == ()
    assert api.calls == ["close 40"]


def test_calls_that_fail_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    job = Job(FakeApi("pids", "terminate", "close"), 40)
    assert job.pids() == ()
    job.end()
    job.close()
    assert len(caplog.records) == 3


def test_a_tree_is_ended_by_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    api = FakeApi()
    tree = Tree(2**22 + 1, Job(api, 40))
    assert tree.lives()
    tree.kill()
    tree.close()
    assert not tree.lives()
    assert api.calls == ["pids 40", "terminate 40 1", "close 40"]


@pytest.mark.skipif(sys.maxsize < 2**32, reason="a 64-bit layout")
def test_the_structures_have_the_sizes_of_winnt_h() -> None:
    assert ctypes.sizeof(BasicLimits) == 64
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert BasicLimits.LimitFlags.offset == 16
    assert ExtendedLimits.ProcessMemoryLimit.offset == 112
    assert process_list(4).ProcessIdList.offset == 8
    assert ctypes.sizeof(process_list(4)) == 40
