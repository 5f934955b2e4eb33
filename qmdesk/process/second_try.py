"""Which failed starts are worth a second one: those whose cause goes away by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

SETTLE = 2.5
"""Seconds after which what a stopped server held (memory, a container's name) is free."""
RECENT = 10.0
"""Seconds since another server's end within which it may be the cause."""

_PORT = re.compile(
    r"address (?:is )?already in use|address in use|EADDRINUSE|WinError 10048|"
    r"only one usage of each socket address|couldn't bind|could not bind|cannot bind|"
    r"port \d+ is (?:already )?(?:in use|taken)|bind: .*in use",
    re.IGNORECASE,
)
_NAME = re.compile(r"name .{0,200}\bis already in use|already in use by container", re.IGNORECASE)
_MEMORY = re.compile(
    r"out of memory|outofmemory|OutOfDeviceMemory|ErrorOutOf\w*Memory|"
    r"failed to allocate|unable to allocate|cannot allocate memory|insufficient memory|"
    r"not enough (?:free )?memory",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SecondTry:
    """How the second start is to be made."""

    why: str
    """As a sentence for the log."""
    wait: float = 0.0
    """Seconds before it."""
    other_port: bool = False


def second_try(
    lines: Iterable[str], *, port: int | None, since_other: float | None
) -> SecondTry | None:
    """Whether a server that wrote ``lines`` and ended should be started once more.

    ``port`` is the one that was chosen for it, None where it is fixed; ``since_other``
    the seconds since the last server of ours ended, None where none has.
    """
    text = "\n".join(lines)
    if _NAME.search(text):
        return SecondTry("the name of its container is not free yet; it is tried again", SETTLE)
    if port is not None and _PORT.search(text):
        return SecondTry(
            f"another program took port {port} meanwhile; it is tried on another port",
            other_port=True,
        )
    if since_other is not None and since_other < RECENT and _MEMORY.search(text):
        return SecondTry(
            "the memory of the server that ended last may not be free yet; it is tried again",
            SETTLE,
        )
    return None
