"""A bundle that PyInstaller made: what it needs at its start, and must not hand on.

The bootloader and its hooks point the loader and Qt at the bundle's own libraries through
the environment.  Both have read it when our first line runs, so it is put back to what the
user had at once: then no program that is started from here, by whichever way, sees it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

APP_ID = "org.qmdesk.qmdesk"
"""Our name where systems want one that nobody else has; installers use the same."""

# The bootloader keeps the user's own value, where there was one, under NAME_ORIG.
_LOADER_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
_OURS = ("_PYI_", "_MEIPASS", "PYINSTALLER_")
# The hook for Qt sets these without a look at what they were.
_QT = ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH")


def frozen() -> bool:
    """Whether this is a bundle, and not a checkout or an installed package."""
    return bool(getattr(sys, "frozen", False))


def folder() -> Path | None:
    """Where the bundle's own files lie; None where this is none."""
    found = getattr(sys, "_MEIPASS", None)
    return Path(found) if found and frozen() else None


def restore(environ: MutableMapping[str, str], folder: Path) -> None:
    """Give ``environ`` back as it was before the bundle in ``folder`` started."""
    for name in _LOADER_PATHS:
        original = environ.pop(f"{name}_ORIG", None)
        environ.pop(name, None)
        if original is not None:
            environ[name] = original
    for name in _QT:
        if environ.get(name, "").startswith(str(folder)):
            del environ[name]
    for name in [each for each in environ if each.startswith(_OURS)]:
        del environ[name]
    if "PATH" in environ:
        # On Windows the hook for Qt puts the bundle in front of it.
        parts = environ["PATH"].split(os.pathsep)
        environ["PATH"] = os.pathsep.join(each for each in parts if each != str(folder))


def settle_in() -> None:
    """Undo what the bootloader did to our environment; to be called before all else."""
    if (own := folder()) is not None:
        restore(os.environ, own)


def name_ourselves() -> None:
    """Tell Windows who shows the windows and messages to come: as the start menu has it."""
    if sys.platform == "win32" and frozen():
        import ctypes

        shell = ctypes.WinDLL("shell32")
        shell.SetCurrentProcessExplicitAppUserModelID(ctypes.c_wchar_p(APP_ID))


def forget_library_folder() -> None:
    """Take the bundle out of the folders in which Windows looks for a child's libraries.

    The bootloader puts it there for the bundle's own; children inherit it.  By the time a
    server is started, all of ours are loaded.
    """
    if sys.platform == "win32" and frozen():
        import ctypes

        ctypes.WinDLL("kernel32").SetDllDirectoryW(None)
