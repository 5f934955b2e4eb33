"""What a bundle's bootloader put into the environment is taken out of it again."""

from __future__ import annotations

import os
from pathlib import Path

from qmdesk.bundle import restore

BUNDLE = Path("/opt/qmdesk/_internal")


def restored(**environ: str) -> dict[str, str]:
    restore(environ, BUNDLE)
    return environ


def test_the_loader_paths_get_their_old_values_back() -> None:
    left = restored(
        LD_LIBRARY_PATH=f"{BUNDLE}:/usr/cuda",
        LD_LIBRARY_PATH_ORIG="/usr/cuda",
        DYLD_LIBRARY_PATH=str(BUNDLE),
    )
    assert left == {"LD_LIBRARY_PATH": "/usr/cuda"}


def test_nothing_of_the_bootloader_is_left() -> None:
    left = restored(
        _PYI_ARCHIVE_FILE="x", _MEIPASS2="x", PYINSTALLER_RESET_ENVIRONMENT="1", HOME="/home/me"
    )
    assert left == {"HOME": "/home/me"}


def test_qts_paths_go_and_the_users_own_settings_of_qt_stay() -> None:
    left = restored(
        QT_PLUGIN_PATH=f"{BUNDLE}/PySide6/Qt/plugins",
        QML2_IMPORT_PATH=f"{BUNDLE}/PySide6/Qt/qml",
        QT_SCALE_FACTOR="2",
    )
    assert left == {"QT_SCALE_FACTOR": "2"}
    assert restored(QT_PLUGIN_PATH="/usr/qt") == {"QT_PLUGIN_PATH": "/usr/qt"}


def test_the_path_loses_the_bundle_only() -> None:
    path = os.pathsep.join(("/usr/bin", "/opt/qmdesk"))
    assert restored(PATH=f"{BUNDLE}{os.pathsep}{path}") == {"PATH": path}
