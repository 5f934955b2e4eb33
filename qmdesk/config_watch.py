"""Sees the configuration's files change, however an editor or a mount changes them.

The folders are watched, not the files: editors replace a file, and mounted ones are
links that flip.  What counts in the end is the content.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

SETTLE = 0.2
"""Seconds of quiet after a change before the files are read: saving takes several steps."""
LOOK_EVERY = 10.0
"""Seconds between looks without any event: network and bind mounts send none."""


class ConfigWatch(FileSystemEventHandler):
    """Calls ``changed`` on the event loop when the content of ``files()`` is another.

    ``files`` is asked anew at each look: a folder may have got more of them.  A file
    that is missing or empty for a moment is being replaced, and is waited for.
    """

    def __init__(self, files: Callable[[], Sequence[Path]], changed: Callable[[], None]) -> None:
        self._files = files
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._observer: BaseObserver | None = None
        self._watched: frozenset[Path] = frozenset()
        self._settling: asyncio.TimerHandle | None = None
        self._next: asyncio.TimerHandle | None = None
        self._seen: str | None = None
        self._looking = False
        self._closed = False

    async def start(self) -> None:
        """Begin; what the files hold now counts as known."""
        self._seen, folders = await asyncio.to_thread(_look, self._files)
        await self._watch(folders)
        self._later()

    def close(self) -> None:
        """Watch no more."""
        self._closed = True
        for timer in (self._settling, self._next):
            if timer is not None:
                timer.cancel()
        if self._observer is not None:
            self._observer.stop()
            self._observer = None

    # Called in watchdog's thread.
    def on_any_event(self, event: FileSystemEvent) -> None:
        # Reading tells too, and our own looks must not lead to the next.
        if event.event_type in ("opened", "closed_no_write"):
            return
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._notice)

    def _notice(self) -> None:
        if self._closed:
            return
        if self._settling is not None:
            self._settling.cancel()
        self._settling = self._loop.call_later(SETTLE, self._begin_look)

    def _later(self) -> None:
        if not self._closed:
            self._next = self._loop.call_later(LOOK_EVERY, self._begin_look)

    def _begin_look(self) -> None:
        if self._looking or self._closed:
            return
        self._looking = True
        if self._next is not None:
            self._next.cancel()
        spawn(self._look(), "look at the configuration")

    async def _look(self) -> None:
        try:
            seen, folders = await asyncio.to_thread(_look, self._files)
            if self._closed:
                return
            await self._watch(folders)
            if seen is not None and seen != self._seen:
                self._seen = seen
                self._changed()
        finally:
            self._looking = False
            self._later()

    async def _watch(self, folders: frozenset[Path]) -> None:
        if folders == self._watched and self._observer is not None and self._observer.is_alive():
            return
        old, self._observer = self._observer, None
        if old is not None:
            old.stop()
        observer = Observer()
        observer.daemon = True
        self._watched = folders
        try:
            for folder in folders:
                observer.schedule(self, str(folder), recursive=False)
            await asyncio.to_thread(observer.start)
        except OSError as error:
            # Too many watches, or no such thing here: the looks go on.
            log.info("the configuration is looked at every %g s only: %s", LOOK_EVERY, error)
            return
        self._observer = observer


def _look(files: Callable[[], Sequence[Path]]) -> tuple[str | None, frozenset[Path]]:
    """A hash of all contents (None where one is not there just now), and what to watch."""
    digest: str | None = ""
    folders: set[Path] = set()
    content = hashlib.sha256()
    for file in files():
        folders |= _folders(file)
        try:
            data = file.read_bytes()
        except OSError:
            data = b""
        if not data.strip():
            digest = None
        content.update(f"{file}\0{len(data)}\0".encode())
        content.update(data)
    return (content.hexdigest() if digest is not None else None), frozenset(folders)


def _folders(file: Path) -> set[Path]:
    """The folders in which something may change what ``file`` is: its own, and those of
    every link on the way to it."""
    found: set[Path] = set()
    path = Path(os.path.abspath(file))
    for _ in range(40):
        if path.parent.is_dir():
            found.add(path.parent)
        link = next((each for each in (path, *path.parents) if each.is_symlink()), None)
        if link is None:
            break
        found.add(link.parent)
        target = Path(os.path.normpath(link.parent / os.readlink(link)))
        path = target / path.relative_to(link)
    return found
