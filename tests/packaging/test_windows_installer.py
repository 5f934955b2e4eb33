"""The installer for Windows, made here and run under wine with a stand-in for the program.

Run it is where QMDESK_WINE is set: wine itself fails now and then at its first start.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from qmdesk import __version__
from tests.desktop.desk import Desk
from tests.packaging.test_qt_parts import ROOT, load

WINDOWS = ROOT / "packaging" / "windows"
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\qmdesk"
RUN = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
with_wine = pytest.mark.skipif(not os.environ.get("QMDESK_WINE"), reason="QMDESK_WINE is not set")


def makensis(script: str, **defines: object) -> None:
    options = [f"-D{name}={value}" for name, value in defines.items()]
    done = subprocess.run(
        ["makensis", "-V2", "-WX", *options, str(WINDOWS / script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("makensis") is None and not os.environ.get("CI"):
        pytest.skip("makensis is not installed")
    folder: Path = tmp_path_factory.mktemp("installer")
    bundle = folder / "qmdesk"
    (bundle / "_internal").mkdir(parents=True)
    makensis("stand_in.nsi", OUTPUT=bundle / "qmdesk-tray.exe")
    shutil.copyfile(bundle / "qmdesk-tray.exe", bundle / "qmdesk.exe")
    (bundle / "_internal" / "library.dll").write_text("a library")
    icon = load("icon_files").write(ROOT / "resources" / "icons" / "qmdesk.svg", folder, "win32")
    made = folder / "qmdesk-windows.exe"
    makensis("qmdesk.nsi", VERSION=__version__, BUNDLE=bundle, OUTPUT=made, ICON=icon)
    return made


def test_it_can_be_made_anywhere(installer: Path) -> None:
    assert installer.read_bytes()[:2] == b"MZ"


class Wine:
    """A Windows of its own."""

    def __init__(self, folder: Path, desk: Desk) -> None:
        self._env = {**desk.env, "WINEPREFIX": str(folder), "WINEDEBUG": "-all"}
        self._env["WINEDLLOVERRIDES"] = "mscoree,mshtml="
        self.folder = folder
        self.run("wineboot", "--init")

    def run(self, *command: str | Path, code: int = 0) -> str:
        done = subprocess.run(
            ["wine", *map(str, command)],
            env=self._env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def value(self, key: str, name: str) -> str | None:
        """A value of the registry; None where there is none."""
        done = subprocess.run(
            ["wine", "reg", "query", key, "/v", name],
            env=self._env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for line in done.stdout.splitlines():
            if line.split()[:1] == [name]:
                return line.split(None, 2)[2].strip()
        return None

    def close(self) -> None:
        subprocess.run(["wineserver", "--kill"], env=self._env, check=False)
        subprocess.run(["wineserver", "--wait"], env=self._env, check=False, timeout=60)

    @property
    def local(self) -> Path:
        """%LOCALAPPDATA%"""
        return next(self.folder.glob("drive_c/users/*/AppData/Local"))


@pytest.fixture
def wine(tmp_path: Path) -> Iterator[Wine]:
    with Desk() as desk:
        made = Wine(tmp_path / "wine", desk)
        yield made
        made.close()


@with_wine
@pytest.mark.timeout(300)
def test_installed_upgraded_and_taken_away(installer: Path, wine: Wine) -> None:
    config = wine.local / "qmdesk" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("models: {}\n")

    wine.run(installer, "/S", "/LOGIN")
    program = wine.local / "Programs" / "Quartermaster Desk"
    assert (program / "_internal" / "library.dll").exists()
    assert wine.value(UNINSTALL, "DisplayVersion") == __version__
    started = wine.value(RUN, "qmdesk")
    assert started is not None
    assert started.endswith(r'\Programs\Quartermaster Desk\qmdesk-tray.exe"')
    menu = wine.folder.glob("drive_c/users/*/AppData/Roaming/**/Quartermaster Desk.lnk")
    assert list(menu)

    # An upgrade asks the running one to quit, and leaves nothing of the old version.
    (program / "_internal" / "old.dll").write_text("of an older version")
    wine.run(installer, "/S")
    assert (program / "asked.txt").read_text().split() == ["--quit"]
    assert not (program / "_internal" / "old.dll").exists()

    # Uninstalled without a word it keeps what is the user's.
    (program / "asked.txt").unlink()
    wine.run(program / "uninstall.exe", "/S", f"_?={_windows(program, wine)}")
    assert (program / "asked.txt").read_text().split() == ["--quit"]
    assert {path.name for path in program.iterdir()} <= {"asked.txt", "uninstall.exe"}
    assert wine.value(UNINSTALL, "DisplayVersion") is None
    assert wine.value(RUN, "qmdesk") is None
    assert config.read_text() == "models: {}\n"


def _windows(path: Path, wine: Wine) -> str:
    return "C:\\" + str(path.relative_to(wine.folder / "drive_c")).replace("/", "\\")
