"""The bundle: what is in it, and that it works.

Runs where QMDESK_BUNDLE names a folder that ``dev.py build`` made: see .ci/run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from qmdesk import __version__
from tests.desktop.desk import Desk

BUNDLE = Path(os.environ.get("QMDESK_BUNDLE") or "none")
pytestmark = [
    pytest.mark.skipif(not BUNDLE.is_dir(), reason="QMDESK_BUNDLE names no bundle"),
    pytest.mark.timeout(120),
]
PROGRAM = (BUNDLE / "qmdesk").resolve()
MOST = 130
"""Megabytes that it may take unpacked, without the embedded server."""


def said(*arguments: str) -> str:
    done = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_it_tries_itself_out() -> None:
    with Desk(trayer=True) as desk:
        done = subprocess.run(
            [PROGRAM, "--selftest"],
            env=desk.env,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tray    shown" in done.stdout
    assert "stream" in done.stdout


def test_it_is_no_larger_than_it_need_be() -> None:
    files = [each for each in BUNDLE.rglob("*") if each.is_file() and not each.is_symlink()]
    own = [each for each in files if "xllamacpp" not in each.parts]
    assert sum(each.stat().st_size for each in own) / 1e6 < MOST


def test_it_says_what_it_is_made_of() -> None:
    assert said("--version").strip() == f"qmdesk {__version__}"
    text = said("--licences")
    for name in ("PySide6_Essentials", "aiohttp", "Python", "pyinstaller"):
        assert f"\n{name} " in text
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text


def test_it_holds_the_files_that_it_reads() -> None:
    assert (BUNDLE / "_internal" / "resources" / "config.yaml").is_file()
    assert said("schema").startswith("{")
