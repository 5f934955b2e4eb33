"""A crash leaves a record, the next start tells of it once, and the records stay few."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qmdesk.desktop import crash_log
from qmdesk.desktop.crash_hooks import CrashHooks
from qmdesk.desktop.crash_log import CrashLog
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.main_window import MESSAGES
from qmdesk.desktop.notification_text import Deed
from qmdesk.folders import crash_folder
from qmdesk.tasks import spawn
from tests.conftest import environment, until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, some_models

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")

OVER = 10
"""Seconds that a process which was killed may take to be gone."""


@pytest.fixture
def no_faulthandler() -> Iterator[None]:
    """As outside of pytest, which has one of its own."""
    faulthandler.disable()
    yield
    faulthandler.enable()


def crash(folder: Path, number: signal.Signals = signal.SIGSEGV) -> Path:
    """A real process that crashes; its record."""
    code = (
        "import os, sys, pathlib\n"
        "from qmdesk.desktop.crash_log import CrashLog\n"
        "log = CrashLog(pathlib.Path(sys.argv[1]))\n"
        "print(log.path, flush=True)\n"
        f"os.kill(os.getpid(), {int(number)})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == -number
    return Path(done.stdout.strip())


def test_a_run_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    run = CrashLog(tmp_path)
    assert run.path.exists()
    run.close()
    run.close()
    assert list(tmp_path.iterdir()) == []


def test_a_crash_is_told_once_by_the_next_run(tmp_path: Path) -> None:
    record = crash(tmp_path)
    text = record.read_text()
    assert text.startswith("qmdesk ")
    assert "Fatal Python error: Segmentation fault" in text
    first, second = CrashLog(tmp_path), CrashLog(tmp_path)
    assert first.crashed == record
    assert second.crashed is None
    first.close()
    second.close()
    assert record.exists()


def test_who_was_killed_has_not_crashed(tmp_path: Path) -> None:
    record = crash(tmp_path, signal.SIGKILL)
    run = CrashLog(tmp_path)
    assert run.crashed is None
    assert not record.exists()
    run.close()


def test_one_that_still_runs_is_left_alone(tmp_path: Path) -> None:
    other, run = CrashLog(tmp_path), CrashLog(tmp_path)
    assert other.path.exists()
    assert run.crashed is None
    run.close()
    other.close()


def test_a_number_that_was_given_anew_is_somebody_else(tmp_path: Path) -> None:
    old = tmp_path / f"run-1000-{os.getpid()}.log"
    old.write_text("qmdesk 0\nlong ago\nFatal Python error: Aborted\n")
    run = CrashLog(tmp_path)
    assert run.crashed == old
    run.close()


def test_few_records_are_kept_and_each_stays_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash_log, "LARGEST", 1000)
    for at in range(crash_log.KEPT + 3):
        (tmp_path / f"run-{1000 + at}-{2**22 + at}.log").write_text("a\nb\nan error\nended\n")
    run = CrashLog(tmp_path)
    assert len(list(tmp_path.glob("run-*"))) == crash_log.KEPT + 1
    for _ in range(100):
        run.note("x" * 90)
    run.close()
    assert run.path.stat().st_size < 2500


def test_where_nothing_can_be_written_the_app_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    run = CrashLog(tmp_path / "file" / "crashes")
    run.note("an error")
    run.close()
    assert "crashes are not recorded" in caplog.text


def test_errors_of_slots_tasks_threads_and_the_loop_are_noted(
    qapp: QApplication, run: Run, no_faulthandler: None
) -> None:
    def fail(where: str) -> None:
        raise RuntimeError(f"in a {where}")

    async def failing() -> None:
        fail("task")

    async def main() -> None:
        told: list[None] = []
        hooks = CrashHooks(lambda: told.append(None))
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(hooks.on_loop)
        try:
            sys.excepthook(RuntimeError, RuntimeError("in a slot"), None)
            spawn(failing(), "a failing task")
            loop.call_soon(fail, "callback")
            thread = threading.Thread(target=fail, args=("thread",))
            thread.start()
            thread.join()
            await until(lambda: len(told) == 3)
            record = next(crash_folder().glob("run-*")).read_text()
        finally:
            hooks.remove()
        for where in ("slot", "task", "callback", "thread"):
            assert f"RuntimeError: in a {where}" in record
        (kept,) = crash_folder().glob("run-*")
        assert kept.read_text().endswith("ended\n")
        assert not faulthandler.is_enabled()

    run(main())


def test_the_message_leads_to_the_record(
    qapp: QApplication, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "qmdesk.desktop.commands.QDesktopServices.openUrl",
        lambda url: opened.append(url.toLocalFile()),
    )

    async def main() -> None:
        desk = Desk(FakeInstance(some_models()))  # type: ignore[arg-type]
        try:
            desk.tell_crash(tmp_path / "run-1-2.log")
            message = desk.notifications.last
            assert message is not None
            assert message.failed
            assert message.title == "qmdesk ended unexpectedly the last time"
            desk.window.rail.setCurrentRow(MESSAGES)
            desk.window.messages.table.selectRow(0)
            desk.window.messages.buttons[Deed.LOG].click()
            assert opened == [str(tmp_path / "run-1-2.log")]
        finally:
            desk.close()

    run(main())


def test_a_crashed_app_is_told_of_by_the_next_one(tmp_path: Path) -> None:
    """The whole app: killed by a real fault, started again, ended well, started again."""
    env = environment(QT_QPA_PLATFORM="offscreen", XDG_STATE_HOME=str(tmp_path / "state"))
    env.pop("PYTHONFAULTHANDLER", None)

    def begin() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.desktop.fake_app"],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        while process.stdout.readline().strip() not in ("started", ""):
            pass
        return process

    def said(process: subprocess.Popen[str]) -> str:
        assert process.stdin is not None
        process.stdin.write("messages\n")
        process.stdin.flush()
        assert process.stdout is not None
        return process.stdout.readline().strip()

    with begin() as first:
        first.send_signal(signal.SIGSEGV)
        assert first.wait(OVER) == -signal.SIGSEGV
    with begin() as second:
        assert said(second) == "messages qmdesk ended unexpectedly the last time"
        second.terminate()
        assert second.wait(OVER) == 0
    with begin() as third:
        assert said(third) == "messages"
        third.terminate()
        assert third.wait(OVER) == 0
