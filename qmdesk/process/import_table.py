"""Which DLLs a Windows program asks for, and which of them are not there.

Reads the import table of a PE file as Microsoft's "PE Format" describes it, within
bounds: the file may be anything.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

_MOST_IMPORTS = 512
_MOST_SECTIONS = 96
_MOST_FILES = 100
_NAME = 256
_DESCRIPTOR = 20
_IMPORTS = 1  # its place among the data directories

# The system makes these up; there are no files of their names.
_VIRTUAL = ("api-ms-win-", "ext-ms-")


class NotAProgram(ValueError):
    """The file is no PE file, or one that is cut short."""


def imports(path: Path) -> tuple[str, ...]:
    """The names of the DLLs that the program or DLL at ``path`` cannot start without.

    Raises ``NotAProgram``, and ``OSError`` where it cannot be read.
    """
    with path.open("rb") as file:
        try:
            return tuple(_names(file))
        except (struct.error, OverflowError, ValueError) as error:
            raise NotAProgram(f"{path} is not a Windows program: {error}") from None


def missing(program: Path, folders: Iterable[str] | None = None) -> tuple[str, ...]:
    """The DLLs that ``program``, or a DLL beside it that it needs, asks for in vain.

    ``folders`` are searched after the program's own; by default those of the system and
    the PATH.  What cannot be read is taken to need nothing.
    """
    places = _listing((str(program.parent), *(system_folders() if folders is None else folders)))
    lacking: dict[str, None] = {}
    seen: set[str] = set()
    waiting = [program]
    while waiting and len(seen) < _MOST_FILES:
        try:
            wanted = imports(waiting.pop())
        except (NotAProgram, OSError):
            continue
        for name in wanted:
            key = name.lower()
            if key in seen or key.startswith(_VIRTUAL):
                continue
            seen.add(key)
            if (found := places.get(key)) is None:
                lacking[name] = None
            elif found.parent == program.parent:
                waiting.append(found)
    return tuple(lacking)


def system_folders(env: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Where Windows looks for DLLs after the program's own folder."""
    windows = env.get("SYSTEMROOT", r"C:\Windows")
    path = env.get("PATH", "").split(os.pathsep)
    return (str(Path(windows, "System32")), windows, *filter(None, path))


def _listing(folders: Iterable[str]) -> dict[str, Path]:
    """The DLLs in ``folders`` by name in lower case, the first folder winning."""
    found: dict[str, Path] = {}
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            found.setdefault(name.lower(), Path(folder, name))
    return found


def _names(file: BinaryIO) -> Iterable[str]:
    dos = _read(file, 0, 64)
    if dos[:2] != b"MZ":
        raise NotAProgram("no MZ")
    at: int = struct.unpack_from("<I", dos, 60)[0]
    head = _read(file, at, 24)
    if head[:4] != b"PE\0\0":
        raise NotAProgram("no PE header")
    sections, optional_size = struct.unpack_from("<6xH12xH", head)
    optional = _read(file, at + 24, optional_size)
    # The 64-bit kind has wider fields before the directories.
    kind: int = struct.unpack_from("<H", optional)[0]
    directories = {0x10B: 96, 0x20B: 112}.get(kind)
    if directories is None:
        raise NotAProgram(f"header of kind {kind:#x}")
    if struct.unpack_from("<I", optional, directories - 4)[0] <= _IMPORTS:
        return
    table: int = struct.unpack_from("<I", optional, directories + 8 * _IMPORTS)[0]
    if table == 0:
        return
    count = min(sections, _MOST_SECTIONS)
    rows = _read(file, at + 24 + optional_size, 40 * count)
    places = [struct.unpack_from("<8xIIII", rows, 40 * number) for number in range(count)]
    for number in range(_MOST_IMPORTS):
        row = _read(file, _offset(places, table + _DESCRIPTOR * number), _DESCRIPTOR)
        name: int = struct.unpack_from("<12xI", row)[0]
        if name == 0:
            return
        file.seek(_offset(places, name))
        yield file.read(_NAME).partition(b"\0")[0].decode("ascii", "replace")


def _offset(places: Iterable[tuple[int, ...]], address: int) -> int:
    """Where in the file stands what the program will have at ``address``."""
    for size, start, raw_size, raw in places:
        if start <= address < start + max(size, raw_size):
            return raw + address - start
    raise NotAProgram(f"address {address:#x} is in no section")


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    data = file.read(size)
    if len(data) < size:
        raise NotAProgram("it is cut short")
    return data
