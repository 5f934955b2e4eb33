"""Where the files of ``resources/`` lie: in a checkout, a wheel or a bundle."""

from __future__ import annotations

import sys
from pathlib import Path


def path(name: str) -> Path:
    """The path of the resource ``name``, such as ``config.yaml``."""
    package = Path(__file__).parent
    bundle = getattr(sys, "_MEIPASS", None)
    folders = [package / "resources", package.parent / "resources"]
    if bundle:
        folders.insert(0, Path(bundle) / "resources")
    return next((each / name for each in folders if (each / name).exists()), folders[0] / name)
