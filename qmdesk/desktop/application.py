"""The desktop app's life: one instance, the icon at once, then all the rest, then the end.

What an instance and its desk need is imported when the icon is there: that takes longer than
everything before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qmdesk.desktop import plain_imports  # noqa: F401

# isort: split
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication, QMessageBox

from qmdesk.collector import settle
from qmdesk.desktop import language
from qmdesk.desktop.crash_hooks import CrashHooks
from qmdesk.desktop.icon import app_icon
from qmdesk.desktop.loop import new_event_loop, unsupported
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.single_instance import QUIT, SHOW, SingleInstance
from qmdesk.desktop.tray_icon import TrayIcon
from qmdesk.desktop.words import tr
from qmdesk.tasks import spawn
from qmdesk.user_error import UserError

if TYPE_CHECKING:
    from qmdesk.desktop.desk import Desk
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)

STOP_BUDGET = 10.0
"""Seconds that the models have to end in."""
STOP_LIMIT = 20.0
"""Seconds after which the app ends whatever still hangs."""
SWITCH = 0.001
"""Seconds after which a thread that computes gives way to the event loop."""

MakeInstance = Callable[[], Awaitable["Instance"]]
"""Raises ``UserError`` where what it reads cannot be used."""


def run(
    make_instance: MakeInstance,
    *,
    show: bool,
    name: str,
    arguments: Sequence[str] = (),
) -> int:
    """Run the desktop app until it is quit; returns the exit code.

    ``name`` tells user and configuration apart: a second start with the same one shows
    the first's window and returns 0.  ``show`` opens the window at once.  ``arguments``
    are those that a start at login needs to run the same.  What ``make_instance`` imports and
    reads, it does in a thread: the icon is there already and lives.
    """
    if (reason := unsupported()) is not None:
        print(reason, file=sys.stderr)
        return 1
    app = _made_app()
    application = Application(app, make_instance, show=show, name=name, arguments=arguments)
    with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
        return runner.run(application.main())


def run_beside(main: Callable[[Callable[[Instance], None]], Coroutine[Any, Any, int]]) -> int:
    """Run ``main`` with a tray beside it; returns its exit code.

    ``main`` is given a function that puts an instance which it has started on the
    desktop.  Quit in the menu is told to it as SIGTERM.
    """
    app = _made_app()
    shown: list[Desk] = []

    from qmdesk.desktop.desk import Desk

    def show(instance: Instance) -> None:
        language.speak(instance.config.language)
        desk = Desk(instance)
        desk.quit_agreed.connect(lambda: os.kill(os.getpid(), signal.SIGTERM))
        shown.append(desk)

    try:
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            return runner.run(main(show))
    finally:
        for desk in shown:
            desk.close()


def _made_app() -> QApplication:
    # A thread that reads a flood of log lines must not keep a token waiting.
    sys.setswitchinterval(SWITCH)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("qmdesk")
    app.setApplicationDisplayName("qmdesk")
    app.setOrganizationName("qmdesk")
    app.setDesktopFileName("qmdesk")
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(app_icon())
    # Until the configuration is read, which may name another.
    language.speak()
    return app


class Application(QObject):
    """Everything that lives from the start of the app to its end."""

    _troubled = Signal()

    def __init__(
        self,
        app: QApplication,
        make_instance: MakeInstance,
        *,
        show: bool,
        name: str,
        arguments: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._arguments = arguments
        self._app = app
        self._make_instance = make_instance
        self._show = show
        self._quit = asyncio.Event()
        self._single = SingleInstance(name, parent=self)
        self._single.asked.connect(self._on_asked)
        self._hooks = CrashHooks(self._troubled.emit)
        self._instance: Instance | None = None
        self._desk: Desk | None = None
        self._stopping = False

    async def main(self) -> int:
        """The whole life; returns the exit code."""
        try:
            if not self._single.acquire():
                return self._hand_over()
        except OSError as error:
            await self._complain(str(error))
            return 1
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._hooks.on_loop)
        self._app.installEventFilter(self)
        self._app.commitDataRequest.connect(self._on_session_end)
        try:
            with _signals(loop, self.quit, self._reload):
                return await self._live()
        finally:
            self._app.removeEventFilter(self)
            self._app.commitDataRequest.disconnect(self._on_session_end)
            self._single.release()
            self._hooks.remove()

    def quit(self) -> None:
        """End the app cleanly; a second call hurries it."""
        if self._stopping and self._instance is not None:
            self._instance.hurry()
        self._quit.set()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Qt must never end the loop itself: what awaits would be cut off.
        if event.type() is QEvent.Type.Quit:
            self.quit()
            return True
        return super().eventFilter(watched, event)

    async def _live(self) -> int:
        icon = TrayIcon(self)
        icon.quit_wanted.connect(self.quit)
        try:
            instance = self._instance = await self._make_instance()
            # Holds the loop for long, which matters to nobody as long as nothing is served.
            from qmdesk.desktop.desk import Desk

            await instance.start()
        except Exception as error:
            if not isinstance(error, UserError):
                log.exception("qmdesk did not start")
            icon.show_shape(Shape.PROBLEM, None)
            await self._complain(str(error) or type(error).__name__)
            icon.close()
            return 1
        language.speak(instance.config.language)
        desk = self._desk = Desk(instance, self, icon=icon, arguments=self._arguments)
        desk.quit_agreed.connect(self.quit)
        self._troubled.connect(desk.tell_trouble)
        if self._hooks.crashed is not None:
            desk.tell_crash(self._hooks.crashed)
        settle()
        if self._show:
            desk.show_window()
        if desk.is_first_start():
            desk.show_assistant()
        spawn(desk.make_ready(), "main window")
        await self._quit.wait()
        self._stopping = True
        desk.show_stopping()
        try:
            async with asyncio.timeout(STOP_LIMIT):
                await instance.stop(STOP_BUDGET)
        except TimeoutError:
            log.error("stopping took more than %.0f s and was given up", STOP_LIMIT)
        finally:
            self._troubled.disconnect(desk.tell_trouble)
            desk.close()
        return 0

    def _hand_over(self) -> int:
        if self._single.forward(SHOW):
            return 0
        print("qmdesk already runs, but it does not answer. Quit it first.", file=sys.stderr)
        return 1

    async def _complain(self, text: str) -> None:
        print(f"qmdesk: {text}", file=sys.stderr)
        # Whoever started it from a terminal has read it; offscreen nobody could close a box.
        seen = sys.stderr is not None and sys.stderr.isatty()
        if seen or QGuiApplication.platformName() in ("offscreen", "minimal"):
            return
        box = QMessageBox(QMessageBox.Icon.Critical, "qmdesk", tr("qmdesk did not start."))
        box.setInformativeText(text)
        box.finished.connect(lambda _: self._quit.set())
        box.open()
        await self._quit.wait()
        box.deleteLater()

    def _on_asked(self, command: str) -> None:
        if command == QUIT:
            self.quit()
        elif self._desk is not None:
            self._desk.show_window()
        else:
            self._show = True

    def _on_session_end(self, manager: QSessionManager) -> None:
        manager.setRestartHint(QSessionManager.RestartHint.RestartNever)
        self.quit()

    def _reload(self) -> None:
        if self._instance is not None and not self._stopping:
            spawn(_reloaded(self._instance), "reload")


async def _reloaded(instance: Instance) -> None:
    # A configuration that is rejected has been told on the bus.
    try:
        await instance.reload()
    except Exception as error:  # noqa: BLE001 - everything goes on with the old one
        log.warning("the configuration was not reloaded: %s", error)


@contextlib.contextmanager
def _signals(
    loop: asyncio.AbstractEventLoop, quit: Callable[[], None], reload: Callable[[], None]
) -> Iterator[None]:
    handlers = {signal.SIGINT: quit, signal.SIGTERM: quit}
    if sys.platform == "win32":
        # Python hears a signal at its next bytecode only, so a console gets a heartbeat.
        beat = QTimer(interval=250)
        beat.timeout.connect(lambda: None)
        if sys.stdin is not None and sys.stdin.isatty():
            beat.start()
        for number, handler in handlers.items():
            signal.signal(number, functools.partial(_heard, loop, handler))
        yield
        beat.stop()
        return
    handlers[signal.SIGHUP] = reload
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


def _heard(loop: asyncio.AbstractEventLoop, handler: Callable[[], None], *_: object) -> None:
    loop.call_soon_threadsafe(handler)
