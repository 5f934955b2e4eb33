"""The flags that a server's program knows, from its own ``--help``.

Free of Qt.  Only llama-server is asked, real or embedded: another program might take
``--help`` for something else and start.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qmdesk.config.command import split
from qmdesk.config.names import nearest
from qmdesk.process.environment import child_environment

TIME_LIMIT = 20.0
"""Seconds that a program may take to print its help; the first start may read a card."""
LARGEST = 1024 * 1024
"""Characters of a help that are looked at."""

_NAME = r"--?[A-Za-z0-9][\w-]*"
_START = re.compile(rf"^\s{{0,4}}({_NAME}(?:,\s*{_NAME})*)(?:[ \t]+(?P<rest>\S.*))?$")
_GAP = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag under all its names."""

    names: tuple[str, ...]
    value: str
    """What its value is called; empty where it takes none."""
    help: str


@dataclass(frozen=True, slots=True)
class Help:
    """The flags of one program."""

    flags: Mapping[str, Flag]
    """By each of their names."""

    def about(self, name: str) -> str:
        """A flag's names, value and meaning, for a tool tip; empty where it is unknown."""
        flag = self.flags.get(name)
        if flag is None:
            return ""
        return "\n".join(filter(None, (f"{', '.join(flag.names)} {flag.value}".strip(), flag.help)))

    def unknown(self, name: str) -> bool:
        """True for a flag that the program does not have."""
        return bool(self.flags) and name not in self.flags and not _is_number(name)

    def meant(self, name: str) -> str | None:
        """The flag that is most like ``name``."""
        return nearest(name, self.flags)


def parse_help(text: str) -> Help:
    """The flags that a help text lists, each with the lines that follow it."""
    found: dict[str, Flag] = {}
    flag: Flag | None = None
    for line in text[:LARGEST].splitlines():
        if start := _START.match(line):
            names = tuple(re.split(r",\s*", start[1]))
            value, help = _value_and_help(start["rest"] or "")
            flag = Flag(names, value, help)
        elif flag is not None and line[:1].isspace() and line.strip():
            flag = Flag(flag.names, flag.value, f"{flag.help} {line.strip()}".strip())
        else:
            flag = None
            continue
        found.update(dict.fromkeys(flag.names, flag))
    return Help(found)


def _value_and_help(rest: str) -> tuple[str, str]:
    parts = _GAP.split(rest, maxsplit=1)
    if len(parts) == 2:
        return parts[0], parts[1].strip()
    # A name that is too long for the column has its help on the next lines.
    return (rest, "") if rest[:1] in "<[{" or len(rest.split()) <= 2 else ("", rest)


def _is_number(name: str) -> bool:
    return name[1:2].isdigit()


def asked_program(cmd: str | Sequence[str]) -> tuple[str, ...]:
    """The part of a command that can be asked for its help; empty where none can."""
    words = split(cmd) if isinstance(cmd, str) else list(cmd)
    if not words:
        return ()
    name = Path(words[0].replace("\\", "/")).name.lower().removesuffix(".exe")
    if name in ("llama-server", "llama-server-cuda", "llama-server-vulkan"):
        return (words[0],)
    for at, word in enumerate(words[1:3], 1):
        if word == "llama-server" or (word == "qmdesk.llama_server" and words[at - 1] == "-m"):
            return tuple(words[: at + 1])
    return ()


def read_help(program: Sequence[str]) -> Help:
    """Runs ``program --help``; waits for it, so only in a thread.

    A program that is not there, fails or takes too long knows no flags.
    """
    try:
        done = subprocess.run(
            [*program, "--help"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=child_environment(os.environ, program=program[0]),
            timeout=TIME_LIMIT,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return Help({})
    return parse_help(done.stdout.decode("utf-8", "replace"))
