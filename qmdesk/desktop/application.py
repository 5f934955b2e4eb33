"""The desktop app's life: one instance, the gateway first, then the tray, then the end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication, QMessageBox

from qmdesk.collector import settle
from qmdesk.config import ConfigError
from qmdesk.desktop import assistant, language, settings_window
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.crash_hooks import CrashHooks
from qmdesk.desktop.desktop_notifier import DesktopNotifier
from qmdesk.desktop.feed import SnapshotFeed
from qmdesk.desktop.icon import app_icon
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.login_item import login_item, this_command
from qmdesk.desktop.loop import new_event_loop, unsupported
from qmdesk.desktop.main_window import MainWindow
from qmdesk.desktop.notification_text import Deed, Kind, Message, exposed, muted
from qmdesk.desktop.notifications import Notifications, Notifier
from qmdesk.desktop.settings import settings
from qmdesk.desktop.single_instance import QUIT, SHOW, SingleInstance
from qmdesk.desktop.tray import Tray
from qmdesk.desktop.tray_state import tray_state
from qmdesk.desktop.words import TRAY_SHOWN, first_line, tr
from qmdesk.events import ConfigApplied, ConfigRejected, Fact
from qmdesk.instance import Instance, InstanceError
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.desktop.assistant.window import AssistantWindow
    from qmdesk.desktop.diagnostics_dialog import DiagnosticsDialog
    from qmdesk.desktop.settings_window.window import SettingsWindow

log = logging.getLogger(__name__)

STOP_BUDGET = 10.0
"""Seconds that the models have to end in."""
STOP_LIMIT = 20.0
"""Seconds after which the app ends whatever still hangs."""
SWITCH = 0.001
"""Seconds after which a thread that computes gives way to the event loop."""
TRAY_PATIENCE = 5_000
"""Milliseconds that a tray has to appear in before the window opens instead."""
SETTLED = 1_000
"""Milliseconds after which a window that has been built is taken for complete."""
TRAY_LOOK = 10_000
"""Milliseconds between looks for a tray while there is none."""
SETTINGS_KEPT = 10 * 60_000
"""Milliseconds that the settings window is kept after it was closed."""
_ASKED = "tray/asked_to_keep_running"


def run(
    make_instance: Callable[[], Instance],
    *,
    show: bool,
    name: str,
    arguments: Sequence[str] = (),
) -> int:
    """Run the desktop app until it is quit; returns the exit code.

    ``name`` tells user and configuration apart: a second start with the same one shows
    the first's window and returns 0.  ``show`` opens the window at once.  ``arguments``
    are those that a start at login needs to run the same.
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
        make_instance: Callable[[], Instance],
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
        language.speak(instance.config.language)
        desk = self._desk = Desk(instance, self, arguments=self._arguments)
        desk.quit_agreed.connect(self.quit)
        self._troubled.connect(desk.tell_trouble)
        if self._hooks.crashed is not None:
            desk.tell_crash(self._hooks.crashed)
        settle()
        if self._show:
            desk.show_window()
        if desk.is_first_start():
            desk.show_assistant()
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
    """What is on the user's desktop: the tray, the messages, the windows when they are wanted."""

    quit_agreed = Signal()
    """The user wants to quit, and nothing that was being edited is lost by it."""

    def __init__(
        self,
        instance: Instance,
        parent: QObject | None = None,
        *,
        arguments: Sequence[str] = (),
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._window: MainWindow | None = None
        self._settings: SettingsWindow | None = None
        self._assistant: AssistantWindow | None = None
        self._problem: str | None = None
        self._stopping = False
        self.commands = Commands(instance, self, login=login_item(this_command(arguments)))
        self.feed = SnapshotFeed(instance, self)
        self.journal = Journal(instance.bus, instance.router.snapshot())
        self.tray = Tray(self.commands, self)
        self._exposed: tuple[str, ...] = ()
        self._notifier: DesktopNotifier | None = None
        notifier: Notifier = self.tray
        if sys.platform.startswith("linux"):
            notifier = self._notifier = DesktopNotifier(self.tray, self.act)
        self.notifications = Notifications(
            instance.bus,
            notifier,
            self,
            muted=lambda: muted(instance.config.notifications),
        )
        self._unsubscribe = instance.bus.subscribe(self._on_config, ConfigApplied, ConfigRejected)
        self.commands.window_wanted.connect(self.show_window)
        self.commands.log_wanted.connect(self.show_log)
        self.commands.settings_wanted.connect(self.show_settings)
        self.commands.assistant_wanted.connect(self.show_assistant)
        self.commands.diagnostics_wanted.connect(self.show_diagnostics)
        self.commands.quit_wanted.connect(self._on_quit_wanted)
        self.commands.failed.connect(self.notifications.add)
        self.commands.done.connect(self.notifications.add)
        self.commands.replace_wanted.connect(self._ask_to_replace)
        self.tray.message_clicked.connect(self._on_message_clicked)
        self.feed.changed.connect(self._on_snapshot)
        self.feed.refresh()
        for warning in instance.warnings:
            title = tr("Something in the configuration is doubtful")
            self.notifications.add(Message(Kind.WARNING, title, first_line(warning)))
        self._look_who_gets_in()
        self._free = QTimer(self, singleShot=True, interval=SETTINGS_KEPT)
        self._free.timeout.connect(self._free_settings)
        self._look = QTimer(self, singleShot=True)
        self._look.timeout.connect(self._look_for_tray)
        if not self._has_tray():
            self._look.start(TRAY_PATIENCE)

    @property
    def window(self) -> MainWindow:
        """The main window, built when it is first wanted."""
        if self._window is None:
            self._window = MainWindow(
                self._instance,
                self.commands,
                self.feed,
                journal=self.journal,
                notifications=self.notifications,
                acted=self.act,
            )
            self._window.closed.connect(self._on_window_closed)
            self._window.show_notice(self._problem or "")
            # All of it stays as well, and need not be looked through for garbage.
            QTimer.singleShot(SETTLED, self, settle)
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

    @property
    def settings(self) -> SettingsWindow | None:
        """The settings window; None before it is first wanted and long after it was closed."""
        return self._settings

    def show_settings(self, page: str = "") -> None:
        """Open the settings window, at ``page`` where one is named."""
        if self._stopping:
            return
        self._free.stop()
        if self._settings is not None:
            self._settings.present(page)
        else:
            spawn(self._make_settings(page), "settings window")

    def is_first_start(self) -> bool:
        """Whether nothing is configured yet, and the assistant was never finished or closed."""
        config = self._instance.config
        empty = not config.models and not config.peers and not config.broken
        return empty and settings().value(assistant.DONE) is None

    @property
    def assistant(self) -> AssistantWindow | None:
        """The assistant, while it is open."""
        return self._assistant

    def show_assistant(self) -> None:
        """Open the assistant of the first start, or bring it to the front."""
        if self._stopping:
            return
        if self._assistant is not None:
            self._assistant.present()
        else:
            spawn(self._make_assistant(), "assistant")

    async def _make_assistant(self) -> None:
        made = await assistant.imported()
        if self._stopping:
            return
        if self._assistant is None:
            self._assistant = made(self._instance, self.commands)
            self._assistant.closed.connect(self._on_assistant_closed)
        self._assistant.present()

    def _on_assistant_closed(self) -> None:
        if self._assistant is not None:
            self._assistant.deleteLater()
            self._assistant = None
        # What was set up is seen there; without a tray it is the only way back.
        self.show_window()

    def show_diagnostics(self) -> DiagnosticsDialog | None:
        """Show what a report needs; None where everything is being stopped already."""
        if self._stopping:
            return None
        from qmdesk.desktop.diagnostics_dialog import DiagnosticsDialog

        dialog = DiagnosticsDialog(self._instance, self.window)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def _free_assistant(self) -> None:
        if self._assistant is not None:
            self._assistant.stop()
            self._assistant.hide()
            self._assistant.deleteLater()
            self._assistant = None

    def _on_quit_wanted(self) -> None:
        window = self._settings
        # Whoever wants to quit while being asked means it.
        if window is None or window.asking:
            self.quit_agreed.emit()
            return
        if window.session.dirty:
            window.present()
        window.ask_then(self.quit_agreed.emit)

    async def _make_settings(self, page: str) -> None:
        made = await settings_window.imported()
        if self._stopping:
            return
        if self._settings is None:
            self._settings = made(self._instance)
            self._settings.closed.connect(self._free.start)
        self._settings.present(page)

    def show_stopping(self) -> None:
        """Say that the models are being stopped; nothing else can be done any more."""
        self._stopping = True
        self._look.stop()
        self.notifications.close()
        self.tray.show_stopping()
        self._free_settings()
        self._free_assistant()
        if self._window is not None:
            self._window.remember()
            self._window.hide()

    def close(self) -> None:
        """Take everything off the desktop."""
        self._look.stop()
        self._free_settings()
        self._free_assistant()
        self._unsubscribe()
        self.feed.close()
        self.journal.close()
        self.notifications.close()
        if self._notifier is not None:
            self._notifier.close()
        self.tray.close()
        if self._window is not None:
            self._window.stop()
            self._window.deleteLater()
            self._window = None

    def tell_trouble(self) -> None:
        """Say once that an error was caught by nobody."""
        title = tr("Something went wrong")
        if all(each.title != title for each in self.notifications.history):
            text = tr("qmdesk goes on; its log says more.")
            self.notifications.add(Message(Kind.FAILURE, title, text))

    def tell_crash(self, record: Path) -> None:
        """Say that the run before ended unexpectedly; ``record`` has its stacks."""
        title = tr("qmdesk ended unexpectedly the last time")
        text = tr(
            "Its servers were ended with it, the configuration is as it was. The record says where"
            " it happened; add it to a report: {path}",
            path=record,
        )
        self.notifications.add(Message(Kind.FAILURE, title, text, file=record))

    def _free_settings(self) -> None:
        self._free.stop()
        if self._settings is not None:
            self._settings.remember()
            self._settings.stop()
            self._settings.hide()
            self._settings.deleteLater()
            self._settings = None

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        state = tray_state(snapshot, problem=self._problem, memory=self.feed.memory)
        self.tray.show_state(state)
        profiles = tuple(self._instance.config.profiles)
        self.tray.menu.profiles.show_profiles(profiles, self._instance.profile)

    def _on_config(self, fact: Fact) -> None:
        self._problem = None
        if isinstance(fact, ConfigRejected):
            reason = first_line(fact.problems[0]) if fact.problems else ""
            self._problem = tr("The configuration was not applied: {reason}", reason=reason)
        else:
            self._look_who_gets_in()
        if self._window is not None:
            self._window.show_notice(self._problem or "")

    def act(self, message: Message, deed: Deed) -> None:
        """Do what ``message`` offers."""
        if self._stopping:
            return
        if deed is Deed.LOG and message.file is not None:
            self.commands.open_file(message.file)
        elif deed is Deed.LOG and message.model:
            self.show_log(message.model)
        elif deed is Deed.LOAD:
            for model in message.models:
                self.commands.start(model)
        elif message.kind is Kind.EVICTED and message.model:
            self.feed.refresh()
            self.window.show_eviction(message.model, message.at)
        else:
            self.feed.refresh()
            self.window.show_message(message.id)

    def _on_message_clicked(self) -> None:
        # The tray does not say which message: the newest is the likeliest.
        last = self.notifications.last
        if last is None:
            self.show_window()
        else:
            self.act(last, last.deeds[0][0])

    def _look_who_gets_in(self) -> None:
        """Tell once where other machines get in without a key."""
        before, self._exposed = self._exposed, self._instance.exposed
        if set(self._exposed) - set(before):
            self.notifications.add(exposed(self._exposed))

    def _ask_to_replace(self, command: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Question,
            "qmdesk",
            tr("Another qmdesk is started at login. Start this one instead?"),
        )
        box.setInformativeText(command)
        replace = box.addButton(tr("Start this one"), QMessageBox.ButtonRole.AcceptRole)
        keep = box.addButton(tr("Keep the other"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)

        def on_finished() -> None:
            box.deleteLater()
            if box.clickedButton() is replace:
                self.commands.start_at_login(True, replace=True)

        box.finished.connect(on_finished)
        box.open()

    def _has_tray(self) -> bool:
        """Whether there is one now; to be asked after an icon was made."""
        if there := self.tray.available:
            log.info(TRAY_SHOWN)
        return there

    def _look_for_tray(self) -> None:
        if self.tray.available:
            return
        self.tray.renew()
        if not self._has_tray():
            # The assistant leads to the window at its end.
            if self._window is None and self._assistant is None:
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
