"""The folder of the .tar.xz and the .run: installed anywhere, used, and taken away.

Runs where QMDESK_BUNDLE names a folder that ``dev.py build`` made: see .ci/run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from qmdesk import __version__
from tests.conftest import environment, until
from tests.packaging.test_qt_parts import load

BUNDLE = Path(os.environ.get("QMDESK_BUNDLE") or "none").resolve()
pytestmark = [
    pytest.mark.skipif(not BUNDLE.is_dir(), reason="QMDESK_BUNDLE names no bundle"),
    pytest.mark.timeout(120),
]


def run(*command: Path | str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def test_installed_used_upgraded_and_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = load("linux/package")
    monkeypatch.setattr(package, "BUNDLE", BUNDLE)
    top = package.unpacked(tmp_path)
    # A path with a space: quoting matters in a menu entry.
    prefix = tmp_path / "my programs"
    assert "to take it away" in run(top / "install.sh", prefix)
    program = prefix / "bin" / "qmdesk"
    assert run(program, "--version").strip() == f"qmdesk {__version__}"
    entry = (prefix / "share" / "applications" / "qmdesk.desktop").read_text()
    execs = [line.removeprefix("Exec=") for line in entry.splitlines() if line.startswith("Exec=")]
    assert {shlex.split(each)[0] for each in execs} == {str(prefix / "lib/qmdesk/qmdesk")}

    config = tmp_path / "config.yaml"
    config.write_text("models: {}\n")
    log = tmp_path / "log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            [program, "serve", "--config", config, "--listen", "127.0.0.1:0"],
            env=environment(),
            stderr=output,
        ) as app,
    ):
        await until(lambda: "/v1" in log.read_text())
        assert "ending the running qmdesk" in run(top / "install.sh", prefix)
        assert app.wait(5) == 0

    run(prefix / "lib" / "qmdesk" / "uninstall.sh")
    assert [path for path in prefix.rglob("*") if not path.is_dir()] == []
    assert config.exists()
