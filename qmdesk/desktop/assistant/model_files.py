"""Model files of this machine, in the folders of other programs and wherever one points.

Free of Qt; walks through folders, so only in a thread.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from qmdesk.demo.smollm2 import default_folder
from qmdesk.desktop.settings_window.proposal import first_shard, is_model_file

DEPTH = 6
"""Folders within folders that are looked through."""
LIMIT = 500
"""Files that are offered; a whole disk is searched by nobody."""
ENTRIES = 50_000
"""Files and folders that are looked at."""


def known_folders() -> tuple[Path, ...]:
    """The folders of other programs that there are: llama.cpp, LM Studio, Hugging Face, Jan."""
    home = Path.home()
    cache = platformdirs.user_cache_path()
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    hub = Path(os.environ.get("HF_HOME", home / ".cache" / "huggingface")) / "hub"
    folders = (
        Path(os.environ.get("LLAMA_CACHE", cache / "llama.cpp")),
        home / ".lmstudio" / "models",
        home / ".cache" / "lm-studio" / "models",
        Path(os.environ.get("HF_HUB_CACHE", hub)),
        home / "jan" / "models",
        home / "models",
        default_folder(),
    )
    return tuple(dict.fromkeys(each for each in folders if each.is_dir()))


def find(places: Iterable[Path]) -> tuple[Path, ...]:
    """The models at ``places``, which are files and folders: of a split one its first part.

    One file under several names is one model.
    """
    found: dict[Path, Path] = {}
    left = ENTRIES
    for place in places:
        files = [place] if place.is_file() else []
        if not files:
            files, left = _within(place, left)
        for path in files:
            first, missing = first_shard(path)
            if is_model_file(first) and first.name not in missing:
                found.setdefault(first.resolve(), first)
    return tuple(found.values())[:LIMIT]


def _within(folder: Path, left: int) -> tuple[list[Path], int]:
    """Model files below ``folder``, sorted, and how many entries may still be looked at."""
    files: list[Path] = []
    # Linked folders are not followed: they may lead in circles.
    for here, folders, names in os.walk(folder):
        left -= len(folders) + len(names)
        path = Path(here)
        deep = len(path.relative_to(folder).parts) >= DEPTH
        folders[:] = [] if deep or left < 0 else sorted(each for each in folders if each[:1] != ".")
        files += [path / name for name in sorted(names) if name.lower().endswith(".gguf")]
        if len(files) >= LIMIT:
            break
    return files, left
