"""The self-test says step by step what works, and leaves nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from qmdesk import __version__
from tests.conftest import environment
from tests.desktop.desk import Desk, missing

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk(trayer=True) as made:
        yield made


def selftest(env: dict[str, str], **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qmdesk", "--selftest"],
        env={**env, **options},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_on_a_desktop_with_a_tray(desk: Desk) -> None:
    done = selftest(desk.env, PYTHONPATH=environment()["PYTHONPATH"])
    steps = [line.split(None, 1) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    assert [step[0] for step in steps] == [
        *("version", "start", "tray", "load", "stream", "again", "quit")
    ]
    assert __version__ in steps[0][1]
    assert "shown" in steps[2][1]
    assert "this sentence came out of a real model" in steps[4][1]
    assert not list((Path(desk.env["HOME"])).glob(".config/qmdesk/*"))


def test_what_fails_is_named(tmp_path: Path) -> None:
    # Qt ends a program whose screen is not there.
    env = environment(DISPLAY=":12345", QT_QPA_PLATFORM="xcb", XDG_RUNTIME_DIR=str(tmp_path))
    done = selftest(env)
    assert done.returncode == 1
    assert "FAILED  the application ended at once" in done.stdout
    assert "xcb" in done.stdout, "the application's own last words"
    assert "Traceback" not in done.stdout + done.stderr


def test_quitting_what_does_not_run_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "qmdesk", "--quit"],
        env=environment(XDG_RUNTIME_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert not (Path(environment()["XDG_CONFIG_HOME"]) / "qmdesk").exists()
