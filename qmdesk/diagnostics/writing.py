"""The collection as one file."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from qmdesk.diagnostics.parts import Part


def default_name() -> str:
    """What the file is called unless somebody says otherwise."""
    return f"qmdesk-diagnostics-{time.strftime('%Y%m%d-%H%M%S')}.zip"


def pack(parts: Iterable[Part], path: Path) -> None:
    """Write ``parts`` into the archive ``path``, whole or not at all.  Raises ``OSError``."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with (
            os.fdopen(handle, "wb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for part in parts:
                archive.writestr(part.name, part.text)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
