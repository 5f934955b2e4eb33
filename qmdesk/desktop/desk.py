"""What is on the user's desktop while an instance runs."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox

from qmdesk.collector import settle
from qmdesk.desktop import assistant, settings_window
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.desktop_notifier import DesktopNotifier
from qmdesk.desktop.feed import SnapshotFeed
from qmdesk.desktop.imports import import_each
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.login_item import login_item, this_command
from qmdesk.desktop.notification_text import Deed, Kind, Message, exposed, muted
from qmdesk.desktop.notifications import Notifications, Notifier
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings import settings
from qmdesk.desktop.tray import Tray
from qmdesk.desktop.tray_icon import TrayIcon
from qmdesk.desktop.tray_state import tray_state
from qmdesk.desktop.words import TRAY_SHOWN, first_line, tr
from qmdesk.events import ConfigApplied, ConfigRejected, Fact
from qmdesk.instance import Instance
from qmdesk.router.snapshot import Snapshot
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.desktop.assistant.window import AssistantWindow
    from qmdesk.desktop.diagnostics_dialog import DiagnosticsDialog
    from qmdesk.desktop.main_window import MainWindow
    from qmdesk.desktop.settings_window.window import SettingsWindow

log = logging.getLogger(__name__)

TRAY_PATIENCE = 5_000
"""Milliseconds that a tray has to appear in before the window opens instead."""
OPENING_GAP = 4
"""Milliseconds between the steps in which a window opens; tokens flow in them."""
SETTLED = 1_000
"""Milliseconds after which a window that has been built is taken for complete."""
TRAY_LOOK = 10_000
"""Milliseconds between looks for a tray while there is none."""
SETTINGS_KEPT = 10 * 60_000
"""Milliseconds that the settings window is kept after it was closed."""
_WINDOW = tuple(
    f"qmdesk.desktop.{name}"
    for name in (
        *("label", "button", "row_list", "memory_bar", "model_list", "model_detail", "peer_list"),
        *("activity_rows", "activity_list", "activity_page", "models_page", "memory_panel"),
        *("timeline", "timeline_view", "memory_page", "log_page", "connect_page"),
        *("message_page", "memory_look", "main_window"),
    )
)
"""What the main window is made of, each before those that need it."""
_ASKED = "tray/asked_to_keep_running"


class Desk(QObject):
    """What is on the user's desktop: the tray, the messages, the windows when they are wanted."""

    quit_agreed = Signal()
    """The user wants to quit, and nothing that was being edited is lost by it."""

    def __init__(
        self,
        instance: Instance,
        parent: QObject | None = None,
        *,
        icon: TrayIcon | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        """``icon`` is in the tray already, since the start; it is closed with this."""
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
        self.tray = Tray(self.commands, self, icon=icon)
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
        if unread := instance.config.unread:
            instance.bus.publish(ConfigRejected(tuple(str(each) for each in unread)))
        for warning in instance.warnings:
            title = tr("Something in the configuration is doubtful")
            self.notifications.add(Message(Kind.WARNING, title, first_line(told(warning))))
        self._look_who_gets_in()
        self._free = QTimer(self, singleShot=True, interval=SETTINGS_KEPT)
        self._free.timeout.connect(self._free_settings)
        self._steps: list[Callable[[], None]] = []
        self._opening = QTimer(self, singleShot=True, interval=OPENING_GAP)
        self._opening.timeout.connect(self._on_opening)
        self._look = QTimer(self, singleShot=True)
        self._look.timeout.connect(self._look_for_tray)
        if not self._has_tray():
            self._look.start(TRAY_PATIENCE)

    @property
    def window(self) -> MainWindow:
        """The main window, built when it is first wanted."""
        if self._window is None:
            from qmdesk.desktop.main_window import MainWindow

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

    async def make_ready(self) -> None:
        """Import what the main window needs, so that it opens at once when it is wanted."""
        await import_each(_WINDOW)
        # All of it stays to the end.
        settle()

    def show_window(self) -> None:
        """Open the main window, or bring it to the front."""
        self._open(self._present)

    def show_log(self, model: str) -> None:
        """Open the window at the log of ``model``."""
        self._open(lambda: self.window.show_log(model))

    def _present(self) -> None:
        self.window.present()

    def _open(self, act: Callable[[], None]) -> None:
        """Do ``act`` with the window; the first time that comes in steps, a turn each."""
        if self._stopping:
            return
        if self._window is None:
            self._steps = [self.window.build]
        # What it is opened at may be no older than the last fact.
        self.feed.refresh()
        if self._steps:
            self._steps.append(act)
            self._opening.start()
        else:
            act()

    def _on_opening(self) -> None:
        if not self._stopping:
            self._steps.pop(0)()
            if self._steps:
                self._opening.start()

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
        empty = not (config.models or config.peers or config.broken or config.unread)
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
            # A step of its own, as with the main window.
            await asyncio.sleep(OPENING_GAP / 1000)
        if self._settings is not None and not self._stopping:
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
        self._opening.stop()
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
            reason = first_line(told(fact.problems[0])) if fact.problems else ""
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
            model, at = message.model, message.at
            self._open(lambda: self.window.show_eviction(model, at))
        else:
            self._open(lambda: self.window.show_message(message.id))

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
            passed = self.tray.icon.shown_at - psutil.Process().create_time()
            log.info("%s since %.2f s after the start", TRAY_SHOWN, passed)
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
