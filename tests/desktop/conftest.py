"""Fixtures for the room that knows Qt: nothing here touches the user's own settings."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication

from qmdesk.desktop.loop import new_event_loop

Run = Callable[..., Any]


@pytest.fixture
def run(qapp: QApplication) -> Iterator[Run]:
    """Runs one coroutine on the app's own loop, with a timeout; Qt lives meanwhile."""
    with asyncio.Runner(loop_factory=lambda: new_event_loop(qapp)) as runner:

        def run_one(coro: Coroutine[Any, Any, Any], timeout: float = 30.0) -> Any:
            async def limited() -> Any:
                async with asyncio.timeout(timeout):
                    return await coro

            return runner.run(limited())

        yield run_one
    # What was given to deleteLater must not outlive the test that made it.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    """Settings of a test lie in the test's folder."""
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings")
    )
