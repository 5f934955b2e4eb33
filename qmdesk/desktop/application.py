"""The desktop app's life: one instance, the gateway first, then the tray, then the end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication, QMessageBox

from qmdesk.config import ConfigError
from qmdesk.desktop import words
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.crash_hooks import CrashHooks
from qmdesk.desktop.feed import SnapshotFeed
from qmdesk.desktop.icon import app_icon
from qmdesk.desktop.loop import new_event_loop, unsupported
from qmdesk.desktop.main_window import MainWindow
from qmdesk.desktop.notification_text import Kind, Message
from qmdesk.desktop.notifications import Notifications
from qmdesk.desktop.settings import settings
from qmdesk.desktop.single_instance import QUIT, SHOW, SingleInstance
from qmdesk.desktop.tray import Tray
from qmdesk.desktop.tray_state import tray_state
from qmdesk.desktop.words import first_line, tr
from qmdesk.events import ConfigApplied, ConfigRejected, Fact
from qmdesk.instance import Instance, InstanceError
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

STOP_BUDGET = 10.0
"""Seconds that the models have to end in."""
STOP_LIMIT = 20.0
"""Seconds after which the app ends whatever still hangs."""
TRAY_PATIENCE = 5_000
"""Milliseconds that a tray has to appear in before the window opens instead."""
TRAY_LOOK = 10_000
"""Milliseconds between looks for a tray while there is none."""
_ASKED = "tray/asked_to_keep_running"


def run(make_instance: Callable[[], Instance], *, show: bool, name: str) -> int:
    """Run the desktop app until it is quit; returns the exit code.

    ``name`` tells user and configuration apart: a second start with the same one shows
    the first's window and returns 0.  ``show`` opens the window at once.
    """
    if (reason := unsupported()) is not None:
        print(reason, file=sys.stderr)
        return 1
    app = _made_app()
    application = Application(app, make_instance, show=show, name=name)
    with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
        return runner.run(application.main())


def run_beside(main: Callable[[Callable[[Instance], None]], Coroutine[Any, Any, int]]) -> int:
    """Run ``main`` with a tray beside it; returns its exit code.

    ``main`` is given a function that puts an instance which it has started on the
    desktop.  Quit in the menu is told to it as SIGTERM.
    """
    app = _made_app()
    shown: list[Desk] = []

    def show(instance: Instance) -> None:
        desk = Desk(instance)
        desk.commands.quit_wanted.connect(lambda: os.kill(os.getpid(), signal.SIGTERM))
        shown.append(desk)

    try:
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            return runner.run(main(show))
    finally:
        for desk in shown:
            desk.close()


def _made_app() -> QApplication:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("qmdesk")
    app.setApplicationDisplayName("qmdesk")
    app.setOrganizationName("qmdesk")
    app.setDesktopFileName("qmdesk")
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(app_icon())
    words.use(_translate)
    return app


def _translate(context: str, text: str, count: int) -> str:
    return QCoreApplication.translate(context, text, "", count)


class Application(QObject):
    """Everything that lives from the start of the app to its end."""

    _troubled = Signal()

    def __init__(
        self,
        app: QApplication,
        make_instance: Callable[[], Instance],
        *,
        show: bool,
        name: str,
    ) -> None:
        super().__init__()
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
        try:
            instance = self._instance = self._make_instance()
            await instance.start()
        except (InstanceError, ConfigError) as error:
            await self._complain(str(error))
            return 1
        except Exception as error:
            log.exception("qmdesk did not start")
            await self._complain(str(error) or type(error).__name__)
            return 1
        desk = self._desk = Desk(instance, self)
        desk.commands.quit_wanted.connect(self.quit)
        self._troubled.connect(desk.tell_trouble)
        if self._show:
            desk.show_window()
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


class Desk(QObject):
    """What is on the user's desktop: the tray, the messages, the window when it is wanted."""

    def __init__(self, instance: Instance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._instance = instance
        self._window: MainWindow | None = None
        self._problem: str | None = None
        self._stopping = False
        self.commands = Commands(instance, self)
        self.feed = SnapshotFeed(instance, self)
        self.tray = Tray(self.commands, self)
        self.notifications = Notifications(instance.bus, self.tray, self)
        self._unsubscribe = instance.bus.subscribe(self._on_config, ConfigApplied, ConfigRejected)
        self.commands.window_wanted.connect(self.show_window)
        self.commands.log_wanted.connect(self.show_log)
        self.commands.failed.connect(self.notifications.add)
        self.tray.message_clicked.connect(self._on_message_clicked)
        self.feed.changed.connect(self._on_snapshot)
        self.feed.refresh()
        for warning in instance.warnings:
            title = tr("Something in the configuration is doubtful")
            self.notifications.add(Message(Kind.WARNING, title, first_line(warning)))
        self._look = QTimer(self, singleShot=True)
        self._look.timeout.connect(self._look_for_tray)
        if not self._has_tray():
            self._look.start(TRAY_PATIENCE)

    @property
    def window(self) -> MainWindow:
        """The main window, built when it is first wanted."""
        if self._window is None:
            self._window = MainWindow(self._instance, self.commands, self.feed)
            self._window.closed.connect(self._on_window_closed)
            self._window.show_notice(self._problem or "")
        return self._window

    def show_window(self) -> None:
        if not self._stopping:
            self.window.present()

    def show_log(self, model: str) -> None:
        """Open the window at the log of ``model``."""
        if not self._stopping:
            self.feed.refresh()
            self.window.present()
            self.window.show_log(model)

    def show_stopping(self) -> None:
        """Say that the models are being stopped; nothing else can be done any more."""
        self._stopping = True
        self._look.stop()
        self.notifications.close()
        self.tray.show_stopping()
        if self._window is not None:
            self._window.remember()
            self._window.hide()

    def close(self) -> None:
        """Take everything off the desktop."""
        self._look.stop()
        self._unsubscribe()
        self.feed.close()
        self.notifications.close()
        self.tray.close()
        if self._window is not None:
            self._window.logs.stop()
            self._window.deleteLater()
            self._window = None

    def tell_trouble(self) -> None:
        """Say once that an error was caught by nobody."""
        title = tr("Something went wrong")
        if all(each.title != title for each in self.notifications.history):
            text = tr("qmdesk goes on; its log says more.")
            self.notifications.add(Message(Kind.FAILURE, title, text))

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self.tray.show_state(tray_state(snapshot, problem=self._problem))

    def _on_config(self, fact: Fact) -> None:
        self._problem = None
        if isinstance(fact, ConfigRejected):
            reason = first_line(fact.problems[0]) if fact.problems else ""
            self._problem = tr("The configuration was not applied: {reason}", reason=reason)
        if self._window is not None:
            self._window.show_notice(self._problem or "")

    def _on_message_clicked(self) -> None:
        # The desktop does not say which message: the newest is the likeliest.
        last = self.notifications.last
        if last is not None and last.model and last.kind is not Kind.EVICTED:
            self.show_log(last.model)
        else:
            self.show_window()

    def _has_tray(self) -> bool:
        """Whether there is one now; to be asked after an icon was made."""
        if there := self.tray.available:
            log.info(words.TRAY_SHOWN)
        return there

    def _look_for_tray(self) -> None:
        if self.tray.available:
            return
        self.tray.renew()
        if not self._has_tray():
            if self._window is None:
                self.show_window()
            self._look.start(TRAY_LOOK)

    def _on_window_closed(self) -> None:
        store = settings()
        if self._stopping or self.tray.available or store.value(_ASKED) is not None:
            return
        box = QMessageBox(
            QMessageBox.Icon.Question,
            "qmdesk",
            tr("This desktop shows no tray icon. Keep qmdesk running without one?"),
        )
        box.setInformativeText(tr("Start qmdesk again to see its window."))
        keep = box.addButton(tr("Keep running"), QMessageBox.ButtonRole.AcceptRole)
        leave = box.addButton(tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(keep)

        def on_finished() -> None:
            box.deleteLater()
            if box.clickedButton() is leave:
                self.commands.quit()
            elif box.clickedButton() is keep:
                store.setValue(_ASKED, "yes")

        box.finished.connect(on_finished)
        box.open()


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
