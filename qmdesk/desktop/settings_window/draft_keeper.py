"""Keeps the edits of a settings window on disk while they are not applied."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer

from qmdesk.config import ConfigError
from qmdesk.config.editor import EditError
from qmdesk.desktop.settings_window.drafts import Draft, Drafts, drop
from qmdesk.desktop.settings_window.edits import Edit, edited
from qmdesk.tasks import spawn

REST: Final = 1000
"""Milliseconds after the last edit until it is kept."""
LONGEST: Final = 10.0
"""Seconds after which edits are kept though others follow."""

log = logging.getLogger(__name__)

State = Callable[[], tuple[str, str] | None]
"""Base and text as they are now; None where nothing can be edited."""


class DraftKeeper(QObject):
    """Writes a draft a while after an edit, in a thread, and drops it when nothing is to keep."""

    def __init__(self, state: State, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts: Drafts | None = None
        self._state = state
        self._kept: tuple[str, str] | None = None
        self._since: float | None = None
        """When the first edit was made that is not kept yet."""
        self._one_at_a_time = asyncio.Lock()
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self._keep_soon)

    def use(self, drafts: Drafts) -> None:
        """Keep what there is among ``drafts`` from now on; until then nothing is kept."""
        self._drafts = drafts
        self._kept = None

    def touch(self) -> None:
        """Something has been edited."""
        if self._drafts is None:
            return
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if not self._rest.isActive() or now - self._since < LONGEST:
            self._rest.start()

    async def keep(self) -> None:
        """Make what is kept what there is to keep."""
        self._rest.stop()
        self._since = None
        async with self._one_at_a_time:
            state = self._state()
            if self._drafts is None or state is None or state == self._kept:
                return
            try:
                await asyncio.to_thread(self._drafts.keep, *state)
            except OSError as error:
                log.warning("unsaved settings cannot be kept: %s", error)
                return
            self._kept = state

    async def waiting(self) -> tuple[Draft, ...]:
        """What earlier windows have left, the newest first."""
        return () if self._drafts is None else await asyncio.to_thread(self._drafts.waiting)

    async def discard(self, draft: Draft) -> None:
        """Forget a draft of an earlier window."""
        await asyncio.to_thread(drop, draft.place)

    def close(self, edits: Sequence[Edit]) -> None:
        """Keep what there is, with ``edits`` that are not made yet; the window is about to go."""
        self._rest.stop()
        state = self._state()
        if state is None or (state == self._kept and not edits):
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # it has ended, and nobody waits for it
            self._last(*state, edits)
        else:
            spawn(asyncio.to_thread(self._last, *state, edits), "settings: keep")

    def _keep_soon(self) -> None:
        spawn(self.keep(), "settings: keep")

    def _last(self, base: str, text: str, edits: Sequence[Edit]) -> None:
        for edit in edits:
            # One that cannot be made could not have been made before either.
            with contextlib.suppress(EditError, ConfigError):
                text = edited(text, edit)
        if self._drafts is not None:
            try:
                self._drafts.keep(base, text)
            except OSError as error:
                log.warning("unsaved settings cannot be kept: %s", error)
