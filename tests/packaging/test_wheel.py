"""What pip, pipx and uv install works away from the checkout."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from qmdesk import __version__
from tests.packaging.test_qt_parts import ROOT

PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-q")


def python(*arguments: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of the sdist, as whoever has no wheel does: so both are whole."""
    folder = tmp_path_factory.mktemp("wheel")
    # A copy: files that were made beside the sources must not get in.
    source = folder / "source"
    names = ("qmdesk", "resources", "packaging", "tests", "docs")
    for name in names:
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.png")
        )
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "dev.py"):
        shutil.copyfile(ROOT / name, source / name)
    shutil.copyfile(ROOT / "installer.spec", source / "installer.spec")
    python("-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=source)
    sdist = folder / f"qmdesk-{__version__}.tar.gz"
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir")
    python(*PIP, "wheel", *options, folder, sdist, cwd=folder)
    return folder / f"qmdesk-{__version__}-py3-none-any.whl"


def test_it_holds_the_package_and_its_files_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "qmdesk/resources/config.yaml" in names
    assert "qmdesk/resources/icons/qmdesk.svg" in names
    assert {name.split("/")[0] for name in names} == {
        "qmdesk",
        f"qmdesk-{__version__}.dist-info",
    }


def test_it_offers_its_commands(wheel: Path) -> None:
    entries = configparser.ConfigParser()
    text = zipfile.ZipFile(wheel).read(f"qmdesk-{__version__}.dist-info/entry_points.txt")
    entries.read_string(text.decode())
    assert list(entries["console_scripts"]) == ["qmdesk"]
    assert list(entries["gui_scripts"]) == ["qmdesk-tray"]


def test_installed_it_runs_and_finds_its_files(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    python(*PIP, "install", "--no-deps", "--no-compile", "--target", site, wheel, cwd=tmp_path)
    lines = "import qmdesk, qmdesk.resources as r; print(qmdesk.__file__, r.path('config.yaml'))"
    said = python("-c", lines, cwd=tmp_path, PYTHONPATH=str(site)).split()
    assert all(path.startswith(str(site)) for path in said)
    made = python("-m", "qmdesk", "check", said[1], cwd=tmp_path, PYTHONPATH=str(site))
    assert made == ""
