"""The environment that a server starts in: the user's, without what is ours alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

_SYSTEM_FOLDERS = (
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
)
_LOADER_PATH = {"linux": "LD_LIBRARY_PATH", "darwin": "DYLD_LIBRARY_PATH"}


def child_environment(
    base: Mapping[str, str],
    extra: Iterable[str] = (),
    *,
    program: str | None = None,
    platform: str = sys.platform,
) -> dict[str, str]:
    """``base`` cleaned, with ``extra`` (``NAME=value`` each) on top.

    Of a bundle's own there is nothing in it any more: see ``qmdesk.bundle``.

    ``program`` is the path of the executable: its own folder goes first in the loader
    path, unless it is a system folder, because self-contained llama.cpp folders need it.
    """
    env = dict(base)
    env.pop("QT_API", None)
    for entry in extra:
        name, _, value = entry.partition("=")
        # Windows takes no notice of the case, but would pass both spellings on.
        env[name.upper() if platform == "win32" else name] = value
    loader = _LOADER_PATH.get(platform)
    if loader and program and os.sep in program:
        folder = str(Path(program).resolve().parent)
        if folder not in _SYSTEM_FOLDERS:
            env[loader] = os.pathsep.join(filter(None, (folder, env.get(loader))))
    return env
