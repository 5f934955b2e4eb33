"""What importing the desktop costs: no source is read and kept for nobody."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import linecache
import qmdesk.desktop.application
import aiohttp.web
kept = [each for each in linecache.cache if "aiohttp" in each and each.endswith(".py")]
assert not kept, kept
"""


def test_qt_keeps_no_source_of_what_is_imported_after_it() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
