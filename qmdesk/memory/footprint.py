"""What one model takes, and how that is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from qmdesk.config import Model
from qmdesk.memory.arguments import Arguments
from qmdesk.memory.size import shards


class Known(StrEnum):
    """Best first."""

    LEARNED = "learned"
    CONFIGURED = "configured"
    COMPUTED = "computed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Footprint:
    known: Known = Known.UNKNOWN
    vram: int | None = None
    """Bytes on all cards together; None: unknown, which is never taken for zero."""
    cards: Mapping[str, int] | None = None
    """By card, where that was measured."""
    ram: int = 0
    """Bytes of main memory; 0: not known."""


def launch_key(model: Model, arguments: Arguments, folder: str) -> str:
    """What a measurement belongs to: the model's files and the arguments that matter.

    Looks at files: not for the event loop.
    """
    files: list[object] = []
    for name in arguments.files():
        for part in shards(Path(folder, name)):
            try:
                status = part.stat()
                files.append((str(part), status.st_size, status.st_mtime_ns))
            except OSError:
                files.append(str(part))
    # Environment variables choose cards and kernels.
    whole = (arguments.what_matters(), sorted(model.env), files)
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()
