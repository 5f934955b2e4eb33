"""Edits that were not applied, kept beside the state until they are applied or given up.

Each window has a draft of its own, so that one which is found and not decided on yet is never
overwritten.  Free of Qt; reads and writes files, so only in a thread.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

KEPT: Final = 10
"""Drafts of one file; beyond that the oldest go."""
HALF: Final = 60.0
"""Seconds after which a draft that is half written is taken to be nobody's any more."""

_FORMAT: Final = 1
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
"""A draft may hold keys, whatever the permissions of the configuration are."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that somebody was at, and the file's as it was then; lines end with ``\\n``."""

    place: Path
    """Where the draft itself is kept."""
    base: str
    text: str
    time: float
    """Unix time of the last edit that is in it."""


class Drafts:
    """The drafts of one configuration file."""

    def __init__(self, folder: Path, file: Path) -> None:
        """``folder`` is where drafts are kept, ``file`` what is edited."""
        self._folder = folder
        self._file = file
        self._own: Path | None = None
        self._one_at_a_time = threading.Lock()

    def waiting(self) -> tuple[Draft, ...]:
        """Those that earlier windows have left, the newest first."""
        self._clean()
        found = [_read(place) for place in self._places() if place != self._own]
        return tuple(sorted(filter(None, found), key=lambda each: each.time, reverse=True))

    def keep(self, base: str, text: str) -> None:
        """Keep ``text``, in place of what this window has kept before; OSError: it is not kept.

        Where it is the same as ``base`` there is nothing to keep.
        """
        with self._one_at_a_time:
            if text == base:
                self._drop()
                return
            said = {
                "format": _FORMAT,
                "file": str(self._file),
                "time": time.time(),
                "base": base,
                "text": text,
            }
            own = self._own or self._folder / f"{self._prefix()}{time.time_ns()}.json"
            self._folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            _write(own, json.dumps(said).encode())
            self._own = own
            for place in sorted(self._places(), key=lambda each: each.name)[:-KEPT]:
                drop(place)

    def _drop(self) -> None:
        if self._own is not None:
            drop(self._own)
            self._own = None

    def _clean(self) -> None:
        """Remove what was killed within its writing."""
        for half in self._folder.glob(f".{self._prefix()}*.new"):
            with contextlib.suppress(OSError):
                if time.time() - half.stat().st_mtime > HALF:
                    half.unlink()

    def _places(self) -> list[Path]:
        try:
            return [*self._folder.glob(f"{self._prefix()}*.json")]
        except OSError:
            return []

    def _prefix(self) -> str:
        """Tells the drafts of files with the same name apart."""
        place = hashlib.sha256(os.fsencode(self._file.absolute())).hexdigest()[:12]
        return f"draft-{place}-"


def drop(place: Path) -> None:
    """Forget the draft that is kept at ``place``."""
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        log.warning("the draft %s cannot be removed: %s", place, error)


def _read(place: Path) -> Draft | None:
    """The draft at ``place``; None where it is none, or of a later version."""
    try:
        said: Any = json.loads(place.read_bytes())
        if said["format"] != _FORMAT:
            return None
        return Draft(place, str(said["base"]), str(said["text"]), float(said["time"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        log.warning("the draft %s cannot be read: %s", place, error)
        return None


def _write(place: Path, data: bytes) -> None:
    """All of it or nothing, also where the power goes."""
    temporary = place.with_name(f".{place.name}.{os.getpid()}.new")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
