"""The llama-servers of this machine: on the PATH, in usual places, and the embedded one.

Free of Qt; runs programs, so only in a thread.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qmdesk.desktop.settings_window.proposal import embedded
from qmdesk.desktop.words import tr
from qmdesk.process.environment import child_environment

NAME = "llama-server.exe" if os.name == "nt" else "llama-server"
TIME_LIMIT = 20
"""Seconds that a program may take to say its version; the first start may read a card."""

_VERSION = re.compile(r"^version:\s*(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Server:
    """A program that serves models."""

    command: tuple[str, ...]
    version: str
    place: str
    """Where it was found, in words."""

    @property
    def title(self) -> str:
        return tr("llama-server {version}", version=self.version)


class NoServer(Exception):
    """The program is no llama-server that runs here; says why."""


def find() -> tuple[Server, ...]:
    """Every llama-server that is found and says its version, the one to prefer first."""
    found: list[Server] = []
    seen: set[Path] = set()
    for command, place in _candidates():
        real = Path(shutil.which(command[0]) or command[0]).resolve()
        if len(command) == 1 and real in seen:
            continue
        try:
            version = _version(command)
        except NoServer:
            continue
        seen.add(real)
        found.append(Server(command, version, place))
    return tuple(found)


def look_at(path: Path) -> Server:
    """The server that somebody has chosen.  Raises ``NoServer``."""
    return Server((str(path),), _version((str(path),)), str(path))


def _candidates() -> Iterator[tuple[tuple[str, ...], str]]:
    if on_path := shutil.which("llama-server"):
        yield ("llama-server",), on_path
    for folder in usual_places():
        path = folder / NAME
        if path.is_file():
            yield (str(path),), str(path)
    if command := embedded():
        yield tuple(command), tr("comes with qmdesk")


def usual_places() -> tuple[Path, ...]:
    """Folders in which people and package managers put it.

    A program that was started from a desktop does not see what a shell adds to the PATH.
    """
    home = Path.home()
    built = (home / "llama.cpp" / "build" / "bin", home / "llama.cpp")
    if sys.platform == "win32":
        local = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
        programs = Path(os.environ.get("PROGRAMFILES", r"C:\Program Files"))
        return (
            local / "Microsoft" / "WinGet" / "Links",
            home / "scoop" / "shims",
            programs / "llama.cpp",
            Path("C:\\llama.cpp"),
            home / "llama.cpp" / "build" / "bin" / "Release",
            *built,
        )
    return (
        Path("/opt/homebrew/bin"),
        Path("/home/linuxbrew/.linuxbrew/bin"),
        Path("/usr/local/bin"),
        Path("/opt/llama.cpp/bin"),
        home / ".local" / "bin",
        home / "bin",
        *built,
    )


def _version(command: tuple[str, ...]) -> str:
    program = shutil.which(command[0]) or command[0]
    try:
        done = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=child_environment(os.environ, program=program),
            timeout=TIME_LIMIT,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired:
        raise NoServer(
            tr("{program} did not say its version within {n} s.", program=program, n=TIME_LIMIT)
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NoServer(
            tr("{program} cannot be run: {reason}.", program=program, reason=reason)
        ) from None
    said = done.stdout.decode("utf-8", "replace")
    if found := _VERSION.search(said):
        return found[1].strip()
    last = (said.strip().splitlines() or [tr("it ended with code {n}", n=done.returncode)])[-1]
    raise NoServer(
        tr("{program} does not say that it is llama-server: {last}", program=program, last=last)
    )
