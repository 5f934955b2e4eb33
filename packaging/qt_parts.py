"""Which parts of Qt a bundle holds.  All others are dropped, with what only they need.

Names are those of PySide6's modules and of plugins without their system's ``lib``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

MODULES = frozenset(("QtCore", "QtDBus", "QtGui", "QtNetwork", "QtSvg", "QtWidgets"))
"""The modules that qmdesk imports; a test compares them."""

PLUGINS: dict[str, frozenset[str]] = {
    # "offscreen" serves tests, and a start from a script.
    "platforms": frozenset(("qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa")),
    # Dark and light, and the file dialogs of the desktop.  Not gtk3: it pulls in 20 MB of GTK.
    "platformthemes": frozenset(("qxdgdesktopportal",)),
    "platforminputcontexts": frozenset(
        ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin")
    ),
    "iconengines": frozenset(("qsvgicon",)),
    "imageformats": frozenset(("qsvg",)),
    "styles": frozenset(("qmodernwindowsstyle", "qmacstyle")),
    "wayland-shell-integration": frozenset(("xdg-shell",)),
    "wayland-decoration-client": frozenset(("bradient",)),
}
"""The plugins that it loads, by their folder."""

SYSTEM_LIBRARIES = (
    # A graphics driver of the system may need its own, newer ones.
    *("libstdc++.so", "libgcc_s.so"),
    # Every desktop has these, of a make that fits its fonts, its screen and its buses.
    *("libX11.so", "libX11-xcb.so", "libfontconfig.so", "libfreetype.so", "libdbus-1.so"),
    *("libglib-2.0.so", "libgthread-2.0.so"),
    # What only the system's libdbus loads.
    *("libsystemd.so", "libgcrypt.so", "libgpg-error.so", "libcap.so", "liblz4.so"),
)
"""Never bundled on Linux; a package depends on them."""

EXCLUDED = (
    # qasync names every binding, and PyInstaller refuses a mix.
    *("PyQt5", "PyQt6", "PySide2"),
    *("tkinter", "lib2to3", "pydoc", "pydoc_data", "unittest", "doctest", "test"),
    *("IPython", "numpy", "pip", "setuptools", "wheel", "pytest", "_pytest"),
    # For those who still use its old form, and for a type checker.
    *("pydantic.v1", "pydantic.mypy"),
)
"""Python modules that something imports where they happen to be installed."""

_MODULE = re.compile(r"PySide6/(Qt\w+)\.(?:abi3\.so|pyd)$")
_PLUGIN = re.compile(r"PySide6/(?:Qt/)?plugins/([\w-]+)/(?:lib)?([\w-]+)\.(?:so|dll|dylib)$")
# Software OpenGL of 20 MB, for windows that we have none of.
_OPENGL = "opengl32sw.dll"

LANGUAGES = tuple(
    each.stem.removeprefix("qmdesk_")
    for each in (Path(__file__).parents[1] / "resources" / "translations").glob("qmdesk_*.qm")
)

Entry = tuple[str, str, str]
"""PyInstaller's: the name in the bundle, the file, and its kind."""


def wanted(name: str) -> bool:
    """Whether the file ``name`` of a bundle is one of those parts, or none of Qt's at all."""
    path = PurePosixPath(name.replace("\\", "/"))
    if match := _MODULE.search(str(path)):
        return match[1] in MODULES
    if match := _PLUGIN.search(str(path)):
        return match[2] in PLUGINS.get(match[1], ())
    if "PySide6" in path.parts and {"translations", "qml"} & set(path.parts):
        # Qt's own words in the languages that the windows speak.
        return path.name in {f"qtbase_{each}.qm" for each in LANGUAGES}
    return path.name != _OPENGL and not path.name.startswith(SYSTEM_LIBRARIES)


def needed(binaries: Iterable[Entry], imports: Callable[[str], Iterable[str]]) -> list[Entry]:
    """``binaries`` less what ``wanted`` drops, and less the libraries that only that loads.

    ``imports`` gives the names of the libraries that a file is linked to.
    """
    kept = {PurePosixPath(each[0]).name: each for each in binaries if wanted(each[0])}
    found = [name for name, entry in kept.items() if not _for_others(entry)]
    seen: set[str] = set()
    while found:
        name = found.pop()
        if name in kept and name not in seen:
            seen.add(name)
            found += imports(kept[name][1])
    return [entry for name, entry in kept.items() if name in seen]


def whole_links(data: Iterable[Entry], binaries: Iterable[Entry]) -> list[Entry]:
    """The data less what ``wanted`` drops, and less links to binaries that are not there."""
    there = {each[0] for each in binaries}
    return [
        each
        for each in data
        if wanted(each[0]) and (each[2] != "SYMLINK" or _target(each) in there)
    ]


def _for_others(entry: Entry) -> bool:
    """Whether it is a library: no module of Python's, no plugin, not Python itself."""
    name, _, kind = entry
    return kind == "BINARY" and not _PLUGIN.search(name) and "libpython" not in name


def _target(link: Entry) -> str:
    return str(PurePosixPath(link[0]).parent / link[1])
