"""What desktops and software centres read is as they want it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from qmdesk import __version__
from qmdesk.bundle import APP_ID
from tests.packaging.test_qt_parts import ROOT, load

LINUX = ROOT / "packaging" / "linux"
package = load("linux/package")


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("share")
    package.share(folder)
    return folder


def checked(tool: str, *arguments: str) -> str:
    """What is wrong, in the tool's words; in continuous integration it has to be there."""
    if shutil.which(tool) is None and not os.environ.get("CI"):
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_the_metadata_is_valid(share: Path) -> None:
    file = share / "metainfo" / package.METADATA
    assert __version__ in file.read_text(encoding="utf-8")
    assert checked("appstreamcli", "validate", "--no-net", "--strict", str(file)) == ""


def test_the_menu_entry_is_valid(share: Path) -> None:
    assert checked("desktop-file-validate", str(share / "applications" / "qmdesk.desktop")) == ""


def test_every_installer_gives_the_same_name() -> None:
    files = ("packaging/windows/qmdesk.iss", "packaging/macos/package.sh", "installer.spec")
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert APP_ID in text or "bundle.APP_ID" in text, name
    assert package.METADATA.startswith(f"{APP_ID}.")


def test_there_is_an_icon_of_every_size(share: Path) -> None:
    icons = share / "icons" / "hicolor"
    for size in (16, 32, 48, 64, 128, 256, 512):
        data = (icons / f"{size}x{size}" / "apps" / "qmdesk.png").read_bytes()
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20], "big") == int.from_bytes(data[20:24], "big") == size
    assert (icons / "scalable" / "apps" / "qmdesk.svg").exists()


def test_the_icons_of_the_other_systems_hold_all_sizes(tmp_path: Path) -> None:
    icon_files = load("icon_files")
    svg = ROOT / "resources" / "icons" / "qmdesk.svg"
    ico = icon_files.write(svg, tmp_path, "win32").read_bytes()
    assert ico[:4] == b"\0\0\1\0"
    for row in range(ico[4]):
        entry = ico[6 + 16 * row :]
        size, at = entry[0] or 256, int.from_bytes(entry[12:16], "little")
        assert ico[at : at + 4] == b"\x89PNG"
        assert int.from_bytes(ico[at + 16 : at + 20], "big") == size
    icns = icon_files.write(svg, tmp_path, "darwin").read_bytes()
    assert icns[:4] == b"icns"
    assert int.from_bytes(icns[4:8], "big") == len(icns)
    assert icns.count(b"\x89PNG") == 6
