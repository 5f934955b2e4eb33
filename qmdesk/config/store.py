"""The configuration's file: read, written whole or not at all, with its last versions."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NewType

from qmdesk.config.document import decoded
from qmdesk.config.three_way import Clash, Conflict, merge

__all__ = [
    "ABSENT",
    "ChangedOnDisk",
    "Clash",
    "ConfigStore",
    "Conflict",
    "Stamp",
    "Version",
    "merge",
]

Stamp = NewType("Stamp", str)
"""Stands for a file's content; equal stamps, equal contents."""

ABSENT: Final = Stamp("")
"""The stamp of a file that is not there."""

KEPT: Final = 10
"""Versions in the history."""

_TIME: Final = "%Y%m%dT%H%M%S%f"
_OWNER_ONLY: Final = 0o600
"""Versions may hold keys, whatever the file's own permissions are now."""


class ChangedOnDisk(Exception):
    """Somebody else has changed the file since it was read; nothing was written.

    ``text`` is what it says now, for a ``merge``, and ``stamp`` belongs to it.
    """

    def __init__(self, path: Path, text: str, stamp: Stamp) -> None:
        super().__init__(f"{path} has been changed by another program in the meantime")
        self.path = path
        self.text = text
        self.stamp = stamp


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier content of the file."""

    path: Path
    time: datetime
    """When it was replaced, in UTC."""

    def text(self) -> str:
        """What the file said; OSError where the version is gone."""
        return decoded(self.path.read_bytes(), str(self.path), keep_mark=True)


class ConfigStore:
    """One configuration file and its history.

    Texts keep their line ends and their byte order mark.  All methods may raise OSError
    with the system's own words; then the file is as it was before.
    """

    def __init__(self, path: Path, history_folder: Path) -> None:
        """``path`` may be a link, whose target is then read and written."""
        self.path = path
        self._folder = history_folder

    def load(self) -> tuple[str, Stamp]:
        """The text and its stamp; an empty text with ABSENT where there is no file.

        ConfigError: the file is not UTF-8.
        """
        data = self._bytes()
        if data is None:
            return "", ABSENT
        return decoded(data, str(self.path), keep_mark=True), _stamp(data)

    def save(self, text: str, stamp: Stamp) -> Stamp:
        """Writes ``text`` in place of what ``stamp`` stands for, which goes to the history.

        ChangedOnDisk: the file says something else by now.  A file that has vanished is
        written anew.
        """
        data = text.encode("utf-8")
        old = self._bytes()
        self._refuse_changed(old, stamp)
        if old == data:
            return stamp
        if old is not None:
            self._keep(old)
        target = self._target()
        self._write(target, data, stamp)
        return _stamp(data)

    def history(self) -> tuple[Version, ...]:
        """The earlier versions that are still there, newest first."""
        return tuple(sorted(self._versions(), key=lambda each: each.path.name, reverse=True))

    def restore(self, version: Version) -> Stamp:
        """Makes the file say what it said in ``version``; what it says now is kept too."""
        _, stamp = self._present()
        return self.save(version.text(), stamp)

    # reading

    def _bytes(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def _present(self) -> tuple[bytes, Stamp]:
        data = self._bytes()
        return (b"", ABSENT) if data is None else (data, _stamp(data))

    def _refuse_changed(self, data: bytes | None, stamp: Stamp) -> None:
        if data is not None and _stamp(data) != stamp:
            text = decoded(data, str(self.path), keep_mark=True)
            raise ChangedOnDisk(self.path, text, _stamp(data))

    def _target(self) -> Path:
        return Path(os.path.realpath(self.path))

    # writing

    def _write(self, target: Path, data: bytes, stamp: Stamp) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            _sweep(target)
        with _temporary(target, _mode(target)) as temporary:
            _fill(temporary, data)
            _like(temporary, target)
            self._refuse_changed(self._bytes(), stamp)
            try:
                os.replace(temporary, target)
            except OSError as error:
                # A file that is mounted by itself, as containers do, cannot be replaced.
                if error.errno != errno.EBUSY:
                    raise
                _overwrite(target, data)
        _sync_folder(target.parent)

    # history

    def _keep(self, data: bytes) -> None:
        versions = self.history()
        if not versions or versions[0].path.read_bytes() != data:
            self._folder.mkdir(parents=True, exist_ok=True)
            time = datetime.now(UTC)
            if versions:  # clocks are coarse, and go back
                time = max(time, versions[0].time + timedelta(microseconds=1))
            name = f"{self._prefix()}{time.strftime(_TIME)}Z{self.path.suffix}"
            path = self._folder / name
            with _temporary(path, _OWNER_ONLY) as temporary:
                _fill(temporary, data)
                os.replace(temporary, path)
            versions = self.history()
        for version in versions[KEPT:]:
            with contextlib.suppress(OSError):
                version.path.unlink()

    def _versions(self) -> Iterator[Version]:
        prefix = self._prefix()
        if not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            if path.name.startswith(prefix):
                with contextlib.suppress(ValueError):
                    written = path.name[len(prefix) :].split(".")[0]
                    yield Version(path, datetime.strptime(written, f"{_TIME}%z"))

    def _prefix(self) -> str:
        """Tells the versions of files with the same name apart."""
        place = hashlib.sha256(os.fsencode(self.path.absolute())).hexdigest()[:8]
        return f"{self.path.stem}.{place}."


def _stamp(data: bytes) -> Stamp:
    return Stamp(hashlib.sha256(data).hexdigest())


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        return _OWNER_ONLY


@contextlib.contextmanager
def _temporary(target: Path, mode: int) -> Iterator[Path]:
    """An empty file beside ``target`` that is gone afterwards unless it was moved."""
    path = target.with_name(f".{target.name}.{os.getpid()}.new")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    os.close(os.open(path, flags, _OWNER_ONLY))
    try:
        if mode != _OWNER_ONLY:
            path.chmod(mode)
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def _sweep(target: Path) -> None:
    """Takes away what a run that was cut off has left beside ``target``."""
    for path in target.parent.glob(f".{target.name}.*.new"):
        path.unlink()


def _fill(path: Path, data: bytes) -> None:
    with path.open("r+b", buffering=0) as file:
        _write_all(file.fileno(), data)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _like(path: Path, target: Path) -> None:
    """Gives ``path`` the owner that ``target`` has, as far as we may."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            owner = target.stat()
            if (owner.st_uid, owner.st_gid) != (path.stat().st_uid, path.stat().st_gid):
                os.chown(path, owner.st_uid, owner.st_gid)
                path.chmod(stat.S_IMODE(owner.st_mode))


def _overwrite(target: Path, data: bytes) -> None:
    """Writes into the file itself; puts the old content back where that fails."""
    with target.open("r+b", buffering=0) as file:
        old = file.read()
        try:
            file.seek(0)
            _write_all(file.fileno(), data)
            file.truncate(len(data))
        except OSError:
            with contextlib.suppress(OSError):
                file.seek(0)
                _write_all(file.fileno(), old)
                file.truncate(len(old))
            raise


def _sync_folder(folder: Path) -> None:
    """Makes a rename last through a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
