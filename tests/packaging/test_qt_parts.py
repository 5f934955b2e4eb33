"""The bundle holds the parts of Qt that the code imports, and no others."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


qt_parts = load("qt_parts")


def imported() -> set[str]:
    """The modules of PySide6 that qmdesk imports, anywhere."""
    found = set()
    for file in (ROOT / "qmdesk").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            parts = [name.split(".") for name in names]
            found |= {each[1] for each in parts if each[0] == "PySide6" and len(each) > 1}
    return {name for name in found if name.startswith("Qt")}


def test_what_is_kept_is_what_is_imported() -> None:
    assert imported() == set(qt_parts.MODULES)


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/QtCore.abi3.so",
        "PySide6/QtWidgets.pyd",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/lib/libQt6Core.so.6",
        "PySide6/Qt/translations/qtbase_de.qm",
        "resources/config.yaml",
        "libpython3.11.so.1.0",
    ],
)
def test_kept(name: str) -> None:
    assert qt_parts.wanted(name)


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/QtQml.abi3.so",
        "PySide6/QtTest.pyd",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6\\plugins\\imageformats\\qtiff.dll",
        "PySide6/Qt/translations/qtbase_fr.qm",
        "PySide6/Qt/translations/qtdeclarative_de.qm",
        "PySide6\\opengl32sw.dll",
        "libstdc++.so.6",
    ],
)
def test_dropped(name: str) -> None:
    assert not qt_parts.wanted(name)


def test_a_library_goes_with_the_last_that_needed_it() -> None:
    module = ("PySide6/QtGui.abi3.so", "/QtGui.abi3.so", "EXTENSION")
    theme = ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", "/libqgtk3.so", "BINARY")
    gui, gtk, cairo, python = (
        (name, f"/{name}", "BINARY")
        for name in ("libQt6Gui.so.6", "libgtk-3.so.0", "libcairo.so.2", "libpython3.11.so.1.0")
    )
    links = {
        "/QtGui.abi3.so": ["libQt6Gui.so.6", "libc.so.6"],
        "/libqgtk3.so": ["libgtk-3.so.0", "libQt6Gui.so.6"],
        "/libgtk-3.so.0": ["libcairo.so.2"],
    }
    kept = qt_parts.needed(
        [module, theme, gui, gtk, cairo, python], lambda file: links.get(file, [])
    )
    assert kept == [module, gui, python]
    data = [
        ("libQt6Gui.so", "libQt6Gui.so.6", "SYMLINK"),
        ("libgtk-3.so", "libgtk-3.so.0", "SYMLINK"),
        ("resources/config.yaml", "/config.yaml", "DATA"),
    ]
    assert qt_parts.whole_links(data, kept) == [data[0], data[2]]
