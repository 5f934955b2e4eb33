"""Other programs on this machine, by name: whether they run, and when they have ended.

Looking at the table of processes takes milliseconds: it is done in a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Final

import psutil

GAP: Final = 5.0
"""Seconds between two looks where the system does not tell of an end."""

_BACKGROUND: Final = frozenset(
    (
        "at-spi-bus-launcher",
        "bash",
        "csrss",
        "dash",
        "dbus-broker",
        "dbus-daemon",
        "explorer",
        "fish",
        "gnome-shell",
        "kwin_wayland",
        "kwin_x11",
        "launchd",
        "pipewire",
        "plasmashell",
        "pulseaudio",
        "sh",
        "ssh-agent",
        "svchost",
        "systemd",
        "wireplumber",
        "xorg",
        "xwayland",
        "zsh",
    )
)
"""Part of every desktop: nobody waits for their end."""


class ProgramNotFound(Exception):
    """Nothing of that name runs; the message says so and names what is near."""


def pids_of(name: str) -> tuple[int, ...]:
    """The processes that are called ``name``, in any case, with or without ``.exe``."""
    wanted = _plain(name)
    me = os.getpid()
    return tuple(
        process.pid for process, names in _named() if process.pid != me and wanted in names
    )


def foremost(limit: int, on_cards: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of this user's largest programs by memory, without ourselves and our servers.

    ``on_cards``, those that hold memory of a card, come before them where they still run.
    """
    sizes: Counter[str] = Counter()
    me = psutil.Process()
    ours = {me.pid, *(child.pid for child in me.children(recursive=True))}
    user = me.username()
    for process in psutil.process_iter(("name", "username", "memory_info")):
        info = process.info
        name, memory = info["name"], info["memory_info"]
        if not name or memory is None or info["username"] != user or process.pid in ours:
            continue
        if _plain(name) not in _BACKGROUND:
            sizes[name] += memory.rss
    first = [name for name in dict.fromkeys(on_cards) if name in sizes]
    others = (name for name, _ in sizes.most_common(limit + len(first)) if name not in first)
    return (*first, *others)[:limit]


async def find(name: str) -> tuple[int, ...]:
    """The processes of a program that runs.  Raises ``ProgramNotFound``."""
    pids = await asyncio.to_thread(pids_of, name)
    if not pids:
        near = await asyncio.to_thread(foremost, 5)
        hint = f"; there are for instance {', '.join(near)}" if near else ""
        raise ProgramNotFound(f"no program called {name!r} runs{hint}")
    return pids


async def ended(name: str) -> None:
    """Return when nothing called ``name`` runs any more."""
    while pids := await asyncio.to_thread(pids_of, name):
        await _one_ends(pids)


async def _one_ends(pids: Iterable[int]) -> None:
    """Wait until one of ``pids`` ends, or for ``GAP`` where the system does not tell."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    handles: list[int] = []
    limit: float | None = GAP
    try:
        for pid in pids:
            handles.append(os.pidfd_open(pid))
            loop.add_reader(handles[-1], over.set)
        limit = None
    except ProcessLookupError:
        over.set()
    except (AttributeError, NotImplementedError, OSError):
        # Not Linux, or no more files: looked at now and then.
        pass
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await over.wait()
    finally:
        for handle in handles:
            loop.remove_reader(handle)
            os.close(handle)


def _named() -> Iterator[tuple[psutil.Process, set[str]]]:
    for process in psutil.process_iter(("name", "exe", "status")):
        info = process.info
        # A zombie has ended, only its parent has not heard.
        if info["status"] != psutil.STATUS_ZOMBIE:
            names = (info["name"], info["exe"])
            yield process, {_plain(PurePath(each).name) for each in names if each}


def _plain(name: str) -> str:
    return name.strip().casefold().removesuffix(".exe")
