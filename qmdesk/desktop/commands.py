"""What the tray and the windows can do: plain methods that never wait and never raise."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication

from qmdesk.desktop.login_item import LoginEntry, LoginItem, LoginState, login_item, this_command
from qmdesk.desktop.notification_text import Message, failure, unloaded
from qmdesk.desktop.words import tr
from qmdesk.process import programs
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)


class Commands(QObject):
    """The actions of menus and buttons; what fails is told through ``failed``."""

    failed = Signal(object)
    """A ``Message`` for the user."""
    done = Signal(object)
    """A ``Message`` of what a command has brought."""
    window_wanted = Signal()
    log_wanted = Signal(str)
    """The name of the model whose log is to be shown."""
    settings_wanted = Signal(str)
    """The page to open at; empty: the one that was open last."""
    assistant_wanted = Signal()
    diagnostics_wanted = Signal()
    quit_wanted = Signal()
    programs_found = Signal(tuple)
    """Names of programs whose end a pause may wait for."""
    login_known = Signal(bool)
    """Whether this qmdesk is started at login."""
    replace_wanted = Signal(str)
    """Another command is started at login: may it be replaced?"""

    def __init__(
        self,
        instance: Instance,
        parent: QObject | None = None,
        *,
        login: LoginItem | None = None,
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._login = login or login_item(this_command())

    def start(self, model: str) -> None:
        """Load ``model`` as a request for it would."""
        self._spawn(self._instance.router.load(model, by="qmdesk"), f"load {model}", model)

    def unload(self, model: str) -> None:
        """Stop ``model``; harmless where it has gone meanwhile."""
        self._spawn(self._instance.router.unload((model,), by="qmdesk"), f"unload {model}", model)

    def unload_all(self) -> None:
        """Stop every model that runs."""
        self._spawn(self._unload_all(), "unload all", None)

    async def _unload_all(self) -> None:
        memory = self._instance.memory(foresight=False)
        gone = await self._instance.router.unload(by="qmdesk")
        held = sum(each.holds or 0 for each in memory.models if each.model in gone)
        if held:
            self.done.emit(unloaded(gone, held))

    def restart(self, model: str) -> None:
        """Stop ``model`` and load it again, with what the configuration now says."""
        self._spawn(self._instance.router.restart(model, by="qmdesk"), f"restart {model}", model)

    def pin(self, model: str, pinned: bool) -> None:
        """Keep ``model`` against eviction by others, or no longer."""
        self._instance.router.pin(model, pinned)

    def pause(self, minutes: float | None = None) -> None:
        """Free the card for ``minutes``; until it is resumed where None."""
        seconds = None if minutes is None else minutes * 60.0
        self._spawn(self._instance.router.pause(seconds=seconds, by="qmdesk"), "pause", None)

    def pause_until(self, program: str) -> None:
        """Free the card until nothing called ``program`` runs any more."""
        self._spawn(self._instance.router.pause(program=program, by="qmdesk"), "pause", None)

    def resume(self) -> None:
        """End the pause."""
        self._instance.router.resume(by="qmdesk")

    def switch_profile(self, name: str | None) -> None:
        """Turn a profile on; None: have none on."""
        self._spawn(self._switch_profile(name), "profile", None)

    async def _switch_profile(self, name: str | None) -> None:
        self._instance.switch_profile(name)

    def look_for_programs(self) -> None:
        """Tell ``programs_found`` what runs now."""
        spawn(self._look_for_programs(), "programs")

    async def _look_for_programs(self) -> None:
        cards = self._instance.memory(foresight=False).cards
        held = [each for card in cards for each in card.programs]
        held.sort(key=lambda each: -each[1])
        names = [name for name, _ in held]
        self.programs_found.emit(await asyncio.to_thread(programs.foremost, 5, names))

    def look_for_login(self) -> None:
        """Tell ``login_known`` what the system has noted."""
        spawn(self._look_for_login(), "login item")

    async def _look_for_login(self) -> LoginEntry:
        entry = await asyncio.to_thread(self._login.read)
        self.login_known.emit(entry.state is LoginState.ON)
        return entry

    def start_at_login(self, on: bool, *, replace: bool = False) -> None:
        """Have this qmdesk started at login, or no longer.

        Where another one is, ``replace_wanted`` asks first, unless ``replace``.
        """
        self._spawn(self._start_at_login(on, replace), "start at login", None)

    async def _start_at_login(self, on: bool, replace: bool) -> None:
        try:
            entry = await asyncio.to_thread(self._login.read)
            if entry.state is LoginState.OTHER and on and not replace:
                self.replace_wanted.emit(entry.command)
                return
            if on:
                await asyncio.to_thread(self._login.write)
            elif entry.state is LoginState.ON:
                await asyncio.to_thread(self._login.remove)
        except OSError as error:
            where = error.filename or tr("the system's list")
            raise OSError(
                tr("{file} cannot be written: {reason}", file=where, reason=error.strerror)
            ) from None
        finally:
            # Also where nothing was done: the tick was set by the click itself.
            await self._look_for_login()

    def cancel_request(self, id: int) -> None:
        """End a request under way; harmless where it is over already."""
        self._instance.cancel_request(id, by="qmdesk")

    def open_page(self, model: str) -> None:
        """Open the page that the server of ``model`` has, in the browser, through us."""
        if addresses := self._instance.addresses:
            path = f"/upstream/{quote(model)}/"
            QDesktopServices.openUrl(QUrl(addresses[0].rstrip("/") + path))

    def open_file(self, path: Path) -> None:
        """Show a file in the program that the desktop has for it."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

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

    def set_up(self) -> None:
        """Open the assistant of the first start."""
        self.assistant_wanted.emit()

    def collect_diagnostics(self) -> None:
        """Show what a report needs, to be saved."""
        self.diagnostics_wanted.emit()

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
