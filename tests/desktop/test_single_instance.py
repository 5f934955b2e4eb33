"""One app per user and configuration, also after crashes and races."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication

from qmdesk.desktop.single_instance import QUIT, SHOW, SingleInstance
from tests.desktop.conftest import Run

HOLDER = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from qmdesk.desktop.single_instance import SingleInstance
app = QCoreApplication([])
single = SingleInstance("desk", Path(sys.argv[1]))
print(single.acquire(), flush=True)
single.asked.connect(lambda command: (print(command, flush=True), command == "quit" and app.quit()))
app.exec()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that is the first instance."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_the_second_start_is_heard_by_the_first(qapp: QApplication, tmp_path: Path) -> None:
    process = holder(tmp_path)
    assert process.stdout is not None
    second = SingleInstance("desk", tmp_path)
    try:
        assert not second.acquire()
        assert second.forward(SHOW)
        assert process.stdout.readline() == "show\n"
        assert not second.forward("format the disk", patience=0)
        assert second.forward(QUIT)
        assert process.stdout.readline() == "quit\n"
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_an_installer_waits_until_the_first_has_ended(qapp: QApplication, tmp_path: Path) -> None:
    single = SingleInstance("desk", tmp_path)
    assert single.end(0), "nobody runs"
    process = holder(tmp_path)
    assert process.stdout is not None
    try:
        assert single.end(20)
        # Not reaped before: it is a zombie, which holds no files.
        assert process.wait(0.5) == 0
        assert process.stdout.readline() == "quit\n"
        assert single.acquire()
        single.release()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_one_that_does_not_end_is_told(qapp: QApplication, tmp_path: Path) -> None:
    process = holder(tmp_path)
    assert process.stdout is not None
    process.send_signal(signal.SIGSTOP)
    try:
        assert not SingleInstance("desk", tmp_path).end(0.2)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_dead_owner_is_taken_over(qapp: QApplication, tmp_path: Path) -> None:
    process = holder(tmp_path)
    assert process.stdout is not None
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    left = sorted(each.suffix for each in tmp_path.iterdir())
    assert left == [".lock", ".sock"]
    mine = SingleInstance("desk", tmp_path)
    assert mine.acquire()
    mine.release()
    mine.release()


def test_other_configurations_do_not_meet(qapp: QApplication, tmp_path: Path) -> None:
    one, other = SingleInstance("one", tmp_path), SingleInstance("other", tmp_path)
    assert one.acquire()
    assert other.acquire()
    one.release()
    other.release()
    again = SingleInstance("one", tmp_path)
    assert again.acquire()
    again.release()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no mode")
def test_only_the_user_may_connect(qapp: QApplication, tmp_path: Path) -> None:
    single = SingleInstance("desk", tmp_path)
    assert single.acquire()
    socket = next(each for each in tmp_path.iterdir() if each.suffix == ".sock")
    assert stat.S_IMODE(os.stat(socket).st_mode) & 0o077 == 0
    single.release()


def test_nonsense_on_the_socket_is_dropped(run: Run, tmp_path: Path) -> None:
    async def body() -> None:
        single = SingleInstance("desk", tmp_path)
        assert single.acquire()
        heard: list[str] = []
        single.asked.connect(heard.append)
        address = str(next(each for each in tmp_path.iterdir() if each.suffix == ".sock"))

        flood = QLocalSocket()
        gone = asyncio.Event()
        flood.disconnected.connect(gone.set)
        flood.connectToServer(address)
        flood.write(b"x" * 10_000)
        await gone.wait()

        slow = QLocalSocket()
        answered = asyncio.Event()
        slow.readyRead.connect(answered.set)
        slow.connectToServer(address)
        slow.write(b"sh")
        slow.flush()
        await asyncio.sleep(0.02)
        slow.write(b"ow\n")
        await answered.wait()
        assert heard == ["show"]
        slow.abort()
        single.release()

    run(body())


def test_no_answer_is_not_taken_for_one(qapp: QApplication, tmp_path: Path) -> None:
    assert not SingleInstance("desk", tmp_path).forward(SHOW, patience=0.1)


def test_a_folder_that_cannot_be_written_is_told(qapp: QApplication, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="lock file"):
        SingleInstance("desk", tmp_path / "missing").acquire()
