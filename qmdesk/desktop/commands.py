"""What the tray and the windows can do: plain methods that never wait and never raise."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from qmdesk.desktop.notification_text import Message, failure
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)


class Commands(QObject):
    """The actions of menus and buttons; what fails is told through ``failed``."""

    failed = Signal(object)
    """A ``Message`` for the user."""
    window_wanted = Signal()
    log_wanted = Signal(str)
    """The name of the model whose log is to be shown."""
    settings_wanted = Signal(str)
    """The page to open at; empty: the one that was open last."""
    quit_wanted = Signal()

    def __init__(self, instance: Instance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._instance = instance

    def start(self, model: str) -> None:
        """Load ``model`` as a request for it would."""
        self._spawn(self._instance.router.load(model, by="qmdesk"), f"load {model}", model)

    def unload(self, model: str) -> None:
        """Stop ``model``; harmless where it has gone meanwhile."""
        self._spawn(self._instance.router.unload((model,), by="qmdesk"), f"unload {model}", model)

    def unload_all(self) -> None:
        """Stop every model that runs."""
        self._spawn(self._instance.router.unload(by="qmdesk"), "unload all", None)

    def restart(self, model: str) -> None:
        """Stop ``model`` and load it again, with what the configuration now says."""
        self._spawn(self._instance.router.restart(model, by="qmdesk"), f"restart {model}", model)

    def address(self) -> str:
        """The base URL that a front end is pointed at; empty while nothing listens."""
        addresses = self._instance.addresses
        return f"{addresses[0].rstrip('/')}/v1" if addresses else ""

    def copy_address(self) -> None:
        self.copy(self.address())

    def copy(self, text: str) -> None:
        """Put ``text`` on the clipboard."""
        QGuiApplication.clipboard().setText(text)

    def show_log(self, model: str) -> None:
        self.log_wanted.emit(model)

    def show_window(self) -> None:
        self.window_wanted.emit()

    def show_settings(self, page: str = "") -> None:
        self.settings_wanted.emit(page)

    def quit(self) -> None:
        self.quit_wanted.emit()

    def _spawn(self, coro: Coroutine[Any, Any, object], name: str, model: str | None) -> None:
        spawn(self._tell(coro, name, model), name)

    async def _tell(self, coro: Coroutine[Any, Any, object], name: str, model: str | None) -> None:
        try:
            await coro
        except Exception as error:  # noqa: BLE001 - whatever it was, the user asked and is told
            log.warning("%s: %s", name, error)
            told: Message = failure(str(error) or type(error).__name__, model)
            self.failed.emit(told)
