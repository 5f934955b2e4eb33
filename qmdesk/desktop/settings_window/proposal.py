"""What to write for a model file that somebody drops on the window.

Free of Qt; looks at folders, so only in a thread.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from qmdesk.desktop.words import listed, tr

SHARD = re.compile(r"-(\d{5})-of-(\d{5})$", re.IGNORECASE)
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A model that may be added."""

    id: str
    cmd: str
    file: Path
    note: str = ""
    """What the user should know: parts that are missing, no server found."""


def is_model_file(path: Path) -> bool:
    """True for a GGUF that is a model by its name; projectors go with their model."""
    return path.suffix.lower() == ".gguf" and not path.stem.lower().startswith("mmproj")


def propose(path: Path, taken: Collection[str], program: Sequence[str] = ()) -> Proposal:
    """A model for the file at ``path``, under a name that is not ``taken``.

    ``program`` is the server to run it with; the one that is found where there is none.
    """
    first, missing = first_shard(path)
    command = [*(program or server()), "-m", str(first), "--port", "${PORT}"]
    if projector := _projector(first):
        command += ["--mmproj", str(projector)]
    notes = []
    if missing:
        notes.append(tr("Parts of it are missing: {names}.", names=listed(tuple(missing))))
    if shutil.which(command[0]) is None:
        notes.append(tr("No llama-server was found; write the path of yours in its place."))
    return Proposal(free_name(_name(first), taken), quoted(command), first, " ".join(notes))


def server() -> list[str]:
    """The llama-server on PATH, else the embedded one, else the bare name."""
    if shutil.which("llama-server"):
        return ["llama-server"]
    return embedded() or ["llama-server"]


def embedded() -> list[str]:
    """The command of the embedded llama-server; empty where it is not installed."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "llama-server"]
    if importlib.util.find_spec("xllamacpp") is None:
        return []
    if shutil.which("qmdesk"):
        return ["qmdesk", "llama-server"]
    return [sys.executable, "-m", "qmdesk.llama_server"]


def free_name(name: str, taken: Collection[str]) -> str:
    """``name``, or it with a number where it is taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def quoted(words: list[str]) -> str:
    """A command line of ``words``; ``${PORT}`` and other macros need no quotes."""
    if os.name == "nt":
        return " ".join(f'"{each}"' if re.search(r"\s", each) else each for each in words)
    macro = re.compile(r"\$\{[\w.-]+\}")
    return " ".join(each if macro.fullmatch(each) else shlex.quote(each) for each in words)


def first_shard(path: Path) -> tuple[Path, list[str]]:
    """The first part of a split file, and which parts are not there."""
    found = SHARD.search(path.stem)
    if found is None:
        return path, []
    base, count = path.stem[: found.start()], int(found[2])
    parts = [
        path.with_name(f"{base}-{at:05}-of-{count:05}{path.suffix}")
        for at in range(1, min(count, 1000) + 1)
    ]
    return parts[0], [each.name for each in parts if not each.exists()]


def _projector(path: Path) -> Path | None:
    """The one projector beside the model, or the one that bears its name."""
    try:
        found = sorted(path.parent.glob("*mmproj*.gguf"))
    except OSError:
        return None
    family = _family(path)
    related = [each for each in found if family and family in each.stem.lower()]
    if related:
        return related[0]
    models = {
        SHARD.sub("", each.stem) for each in path.parent.glob("*.gguf") if is_model_file(each)
    }
    return found[0] if len(found) == 1 and len(models) <= 1 else None


def _family(path: Path) -> str:
    """The part of a name before its size of numbers, such as ``gemma-3-12b-it``."""
    stem = SHARD.sub("", path.stem).lower()
    return re.split(r"[-.](?:i?q\d|f16|f32|bf16|mxfp4|ud-)", stem)[0]


def _name(path: Path) -> str:
    stem = SHARD.sub("", path.stem).lower()
    return _NO_NAME.sub("-", stem).strip("-.") or "model"
