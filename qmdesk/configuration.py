"""The configuration that is in force and the files that it comes from.

The command line, the watcher, HTTP and the settings window all read, preview and save
through this, so that each of them refuses the same and tells the same.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from qmdesk.config import Config, ConfigError, Problem, parse
from qmdesk.config.diff import diff
from qmdesk.config.merge import read_all
from qmdesk.config.store import ConfigStore, Stamp, Version
from qmdesk.events import Bus, ConfigRejected
from qmdesk.router.plan import plan_of
from qmdesk.said import said
from qmdesk.sources import Sources

log = logging.getLogger(__name__)

Apply = Callable[[Config, bool], Awaitable[tuple[str, ...]]]
"""Puts a configuration in force; what changed, in words.  Raises ``ConfigError``.

It is told whether the configuration was saved through qmdesk.
"""


class NotEditable(Exception):
    """The configuration cannot be written from here; says why."""


class Configuration:
    """Reads, previews, applies and saves.  All methods run on the event loop."""

    def __init__(self, config: Config, sources: Sources, history: Path, bus: Bus) -> None:
        self.config = config
        """What is in force."""
        self.sources = sources
        self.problems: tuple[Problem, ...] = config.unread
        """What is wrong with what the files say now; none where it is in force."""
        self.applied_at = time.time()
        """Unix time."""
        self._bus = bus
        self._apply: Apply | None = None
        self._history = history
        self._one_at_a_time = asyncio.Lock()

    def use(self, apply: Apply) -> None:
        """From now on ``apply`` puts configurations in force."""
        self._apply = apply

    async def reload(self) -> tuple[str, ...]:
        """Read the files again and apply what they say; what changed, in words.

        Raises ``ConfigError``; then everything goes on as before, and it has been told.
        """
        async with self._one_at_a_time:
            return await self._reload()

    async def _reload(self) -> tuple[str, ...]:
        if not self.sources.files():
            return ()
        try:
            # In a live edit a broken model is rejected, not put aside: nothing is lost
            # by keeping the last good configuration, if there is one.
            config = await asyncio.to_thread(
                read_all,
                self.sources.file,
                self.sources.folder,
                tolerant=bool(self.config.unread),
            )
            return await self._put_in_force(config)
        except ConfigError as error:
            self.problems = error.problems
            for problem in error.problems:
                log.error("%s", problem)
            self._bus.publish(ConfigRejected(tuple(str(each) for each in error.problems)))
            raise

    async def _put_in_force(self, config: Config, *, saved: bool = False) -> tuple[str, ...]:
        assert self._apply is not None
        plan_of(config)
        changes = await self._apply(config, saved)
        self.config = config
        self.problems = ()
        self.applied_at = time.time()
        return changes

    async def text(self, file: Path | None = None) -> tuple[str, Stamp]:
        """The text of the file and its stamp.  Raises ``NotEditable`` and ``ConfigError``.

        ``file`` says which of several; None: the only one.
        """
        return await asyncio.to_thread(self._editable(file).load)

    async def preview(self, text: str) -> tuple[str, ...]:
        """What saving ``text`` would change, in words.  Raises ``ConfigError``."""
        new = await asyncio.to_thread(parse, text, self.sources.file)
        plan_of(new)
        return diff(self.config, new)

    async def save(
        self, text: str, stamp: Stamp | None = None, file: Path | None = None
    ) -> tuple[str, ...]:
        """Validate ``text`` whole, write it and put it in force; what changed, in words.

        ``stamp`` is of the text that was edited; None: whatever is there is replaced.
        ``file`` is as for ``text``; the others count as they are.
        Raises ``ConfigError``, ``NotEditable``, ``ChangedOnDisk`` and ``OSError``; then
        the file and what is in force are as they were.
        """
        store = self._editable(file)
        async with self._one_at_a_time:
            new = await asyncio.to_thread(self._meant, text, store.path)
            plan_of(new)
            old, present = await asyncio.to_thread(store.load)
            written = await asyncio.to_thread(store.save, text, present if stamp is None else stamp)
            try:
                return await self._put_in_force(new, saved=True)
            except ConfigError:
                await asyncio.to_thread(store.save, old, written)
                raise

    def history(self, file: Path | None = None) -> tuple[Version, ...]:
        """Earlier versions of the file, newest first; ``file`` is as for ``text``."""
        return self._editable(file).history()

    def _meant(self, text: str, file: Path) -> Config:
        """What all files mean together when ``file`` says ``text``."""
        if self.sources.folder is None:
            return parse(text, file)
        return read_all(self.sources.file, self.sources.folder, instead={file: text})

    def _editable(self, file: Path | None) -> ConfigStore:
        sources = self.sources
        if file is not None:
            if file != sources.file and (sources.folder is None or file.parent != sources.folder):
                raise NotEditable(said("{file} is no file of this configuration", file=file))
            return ConfigStore(file, self._history)
        if sources.folder is not None:
            raise NotEditable(
                said(
                    "the configuration is spread over the files of {folder}: edit them there",
                    folder=sources.folder,
                )
            )
        if sources.file is None:
            raise NotEditable(said("there is no configuration file: it was started without one"))
        return ConfigStore(sources.file, self._history)
