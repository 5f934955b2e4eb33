"""Who listens on a port: our server, or a stranger that would be taken for it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import psutil

_LOCAL = ("127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::", "*")
_ROW = 150
"""Bytes of a row in Linux's tables."""
_LISTEN = "0A"
"""The state in Linux's tables."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A program that listens."""

    pid: int
    program: str

    def __str__(self) -> str:
        return f"{self.program} (process {self.pid})"


def stranger(port: int, tree: Collection[psutil.Process], since: float) -> Listener | None:
    """Who listens on ``port`` of this machine and was there before ``since`` (Unix time).

    None where one of ``tree`` listens, where nobody does, where the system does not tell
    who does, and where that one started later: a container's proxy, a detached server.
    Reads the system's tables: not for the event loop.
    """
    if _tree_listens(port, tree):
        return None
    ours = {process.pid for process in tree}
    for pid in _listening(port):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if pid not in ours and process.create_time() < since:
                return Listener(pid, process.name())
    return None


def listener(port: int) -> Listener | None:
    """Who listens on ``port`` of this machine, where the system tells.

    Reads the system's tables: not for the event loop.
    """
    for pid in _listening(port):
        with contextlib.suppress(psutil.Error):
            return Listener(pid, psutil.Process(pid).name())
    return None


def _tree_listens(port: int, tree: Collection[psutil.Process]) -> bool:
    if sys.platform == "linux":
        # The whole table takes the kernel some 10 ms, which would be added to every start.
        files = {name for each in tree for name in _files(each.pid)}
        return any(f"socket:[{inode}]" in files for inode in _listening_inodes(port))
    else:  # noqa: RET505 - the other systems
        for process in tree:
            with contextlib.suppress(psutil.Error, OSError):
                if any(_matches(each, port) for each in process.net_connections("tcp")):
                    return True
        return False


def _listening_inodes(port: int) -> Iterable[str]:
    """The sockets that listen on ``port``, from Linux's tables.

    Those that listen stand first in them (kernel: networking/proc_net_tcp).  Read a row
    at a time, no more of a table is made than is looked at.
    """
    suffix = f":{port:04X}"
    for name in ("tcp", "tcp6"):
        for row in _rows(name):
            if row[3] != _LISTEN:
                break
            if row[1].endswith(suffix):
                yield row[9]


def _rows(name: str) -> Iterator[list[str]]:
    with contextlib.suppress(OSError), open(f"/proc/net/{name}", "rb", buffering=0) as table:
        rest = b""
        while data := table.read(_ROW):
            *whole, rest = (rest + data).split(b"\n")
            for row in whole:
                fields = row.decode("ascii").split()
                if fields[0] != "sl":  # The heading.
                    yield fields


def _files(pid: int) -> Iterable[str]:
    """What the open files of a process are, as Linux names them."""
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                yield os.readlink(f"/proc/{pid}/fd/{name}")


def _listening(port: int) -> Iterable[int]:
    try:
        found = [each for each in psutil.net_connections("tcp") if _matches(each, port)]
    except (psutil.Error, OSError):
        # macOS shows them to the administrator alone.
        return ()
    # Who listens on the very address is asked before who listens on all of them.
    found.sort(key=_everywhere)
    return [each.pid for each in found if each.pid is not None]


def _everywhere(connection: Any) -> bool:
    return connection.laddr.ip in _EVERYWHERE


def _matches(connection: Any, port: int) -> bool:
    return bool(
        connection.status == psutil.CONN_LISTEN
        and connection.laddr
        and connection.laddr.port == port
        and connection.laddr.ip in (*_LOCAL, *_EVERYWHERE)
    )
