"""The main window: a rail of pages, and a strip on top that never changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import (
    QByteArray,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QHideEvent,
    QKeySequence,
    QPalette,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.activity_page import ActivityPage
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.connect_page import ConnectPage
from qmdesk.desktop.feed import CALM, QUICK, SnapshotFeed
from qmdesk.desktop.host_memory import HostMemory
from qmdesk.desktop.journal import Journal
from qmdesk.desktop.log_page import LogPage
from qmdesk.desktop.memory_look import MemoryLook
from qmdesk.desktop.memory_page import MemoryPage
from qmdesk.desktop.memory_picture import card_pictures, real_cards
from qmdesk.desktop.memory_strip import MemoryStrip
from qmdesk.desktop.menu_entry import entry
from qmdesk.desktop.message_page import MessagePage
from qmdesk.desktop.model_colour import model_colours
from qmdesk.desktop.models_page import ModelsPage
from qmdesk.desktop.notification_text import Deed, Message, failure
from qmdesk.desktop.notifications import Notifications
from qmdesk.desktop.page_stack import PageStack
from qmdesk.desktop.pause_menu import PauseMenu
from qmdesk.desktop.rail import Rail
from qmdesk.desktop.settings import settings
from qmdesk.desktop.tray_state import pause_line
from qmdesk.desktop.words import plural, tr
from qmdesk.logs import Logs
from qmdesk.router.snapshot import Snapshot

if TYPE_CHECKING:
    from qmdesk.instance import Instance

MODELS, ACTIVITY, MEMORY, LOGS, CONNECT, MESSAGES = range(6)
_GEOMETRY = "main_window/geometry"
_PAGE = "main_window/page"
_SPLIT = "main_window/models"


class MainWindow(QWidget):
    """Shows the models and the logs; closing it hides it and the app goes on."""

    closed = Signal()

    def __init__(
        self,
        instance: Instance,
        commands: Commands,
        feed: SnapshotFeed,
        *,
        journal: Journal,
        notifications: Notifications,
        acted: Callable[[Message, Deed], None],
    ) -> None:
        """``acted`` is told what is to be done about a message."""
        super().__init__()
        self._instance = instance
        self._commands = commands
        self._feed = feed
        self._foresee = instance.model_memory
        self.setWindowTitle("qmdesk")
        self.address = QLabel()
        self.queue = QLabel()
        self.notice = QLabel()
        self.copy_address = QPushButton(tr("Copy &address"))
        self.strip = MemoryStrip()
        self.free = QPushButton(tr("&Free the card"))
        self.pause_menu = PauseMenu(commands, None)
        self.more = QToolButton()
        self.menu = QMenu(self)
        self.rail = Rail(
            (
                tr("Models"),
                tr("Activity"),
                tr("Memory"),
                tr("Logs"),
                tr("Connect"),
                tr("Messages"),
            )
        )
        config = str(instance.config.path or "")
        self.pages = PageStack(
            (
                lambda: self._made_models(journal, config),
                lambda: ActivityPage(instance, commands, journal),
                lambda: MemoryPage(journal),
                lambda: self._made_logs(instance.logs),
                lambda: ConnectPage(instance, commands),
                lambda: MessagePage(notifications, acted),
            )
        )
        self._copied = QTimer(self, singleShot=True, interval=2000)
        self._look = MemoryLook(self)
        self._look.seen.connect(self._on_memory)
        self._snapshot: Snapshot | None = None
        self._colours: dict[str, str] = {}
        self._memory: HostMemory | None = None
        self._lay_out()

        self._copied.timeout.connect(lambda: self.copy_address.setText(tr("Copy &address")))
        self.copy_address.clicked.connect(self._on_copy)
        self.free.clicked.connect(self._on_free)
        self.pages.made.connect(self._bring_up)
        feed.changed.connect(self._on_snapshot)
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)
        QShortcut("Ctrl+,", self, commands.show_settings)
        for at in range(self.pages.count()):
            QShortcut(f"Ctrl+{at + 1}", self, lambda at=at: self.rail.setCurrentRow(at))
        self._restore()
        self.rail.currentRowChanged.connect(self._on_turn)

    @property
    def models(self) -> ModelsPage:
        return cast("ModelsPage", self.pages.page(MODELS))

    @property
    def activity(self) -> ActivityPage:
        return cast("ActivityPage", self.pages.page(ACTIVITY))

    @property
    def memory(self) -> MemoryPage:
        return cast("MemoryPage", self.pages.page(MEMORY))

    @property
    def logs(self) -> LogPage:
        return cast("LogPage", self.pages.page(LOGS))

    @property
    def connect_page(self) -> ConnectPage:
        return cast("ConnectPage", self.pages.page(CONNECT))

    @property
    def messages(self) -> MessagePage:
        return cast("MessagePage", self.pages.page(MESSAGES))

    def show_notice(self, text: str) -> None:
        """Show ``text`` under the strip until it is replaced; empty takes it away."""
        self.notice.setText(text)
        self.notice.setVisible(bool(text))
        if self.pages.is_made(MODELS):
            self.models.show_problem(bool(text))

    def show_log(self, model: str) -> None:
        """Open the page of logs at ``model``."""
        self.rail.setCurrentRow(LOGS)
        self.logs.show_source(model)
        self.present()

    def show_eviction(self, model: str, at: float) -> None:
        """Open the page of requests at the eviction for ``model`` at ``at``, a Unix time."""
        self.rail.setCurrentRow(ACTIVITY)
        self.present()
        self.activity.show_eviction(model, at)

    def stop(self) -> None:
        """Follow nothing any more."""
        if self.pages.is_made(LOGS):
            self.logs.stop()
        if self.pages.is_made(ACTIVITY):
            self.activity.close_page()

    def show_message(self, id: int) -> None:
        """Open the page of messages at the one of this number."""
        self.messages.select(id)
        self.rail.setCurrentRow(MESSAGES)
        self.present()

    def build(self) -> None:
        """Make the page that is to be seen first; a window that shows does so itself."""
        self._on_turn(self.rail.currentRow())

    def present(self) -> None:
        """Show the window before all others, as far as the desktop lets us."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def remember(self) -> None:
        """Keep place, size and page for the next time."""
        store = settings()
        store.setValue(_GEOMETRY, self.saveGeometry())
        store.setValue(_PAGE, self.rail.currentRow())
        if self.pages.is_made(MODELS):
            store.setValue(_SPLIT, self.models.splitter.saveState())

    def showEvent(self, event: QShowEvent) -> None:
        self.build()
        super().showEvent(event)
        self._feed.gap = QUICK
        self._feed.refresh()
        self._follow_host()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._feed.gap = CALM
        self._look.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.remember()
        event.ignore()
        self.hide()
        self.closed.emit()

    def _lay_out(self) -> None:
        self.address.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.address.setAccessibleName(tr("API address"))
        self.copy_address.setAutoDefault(False)
        self.free.setAutoDefault(False)
        self.more.setText("…")
        self.more.setAccessibleName(tr("More"))
        self.more.setToolTip(tr("More (F10)"))
        self.more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        QShortcut("F10", self, self.more.showMenu)
        entry(self.menu, tr("Set up…"), self._commands.set_up)
        entry(self.menu, tr("Settings…"), self._commands.show_settings)
        entry(self.menu, tr("Collect diagnostics…"), self._commands.collect_diagnostics)
        self.menu.addSeparator()
        entry(self.menu, tr("Quit"), self._commands.quit)
        self.more.setMenu(self.menu)
        self.free.setToolTip(tr("Unload all models and load none for a while"))
        self.notice.setWordWrap(True)
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setMargin(8)
        self.notice.hide()

        strip = QHBoxLayout()
        strip.setContentsMargins(12, 8, 8, 8)
        strip.setSpacing(8)
        strip.addWidget(self.address)
        strip.addWidget(self.copy_address)
        strip.addStretch(1)
        strip.addWidget(self.queue)
        strip.addSpacing(8)
        strip.addWidget(self.strip)
        strip.addSpacing(8)
        strip.addWidget(self.free)
        strip.addWidget(self.more)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(strip)
        right.addWidget(_line())
        right.addWidget(self.notice)
        right.addWidget(self.pages, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail)
        layout.addWidget(_line(upright=True))
        layout.addLayout(right, 1)

    def _restore(self) -> None:
        store = settings()
        geometry = store.value(_GEOMETRY)
        # Qt itself moves a window back that was on a screen which is gone.
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            unit = self.fontMetrics().averageCharWidth()
            self.resize(unit * 150, self.fontMetrics().height() * 34)
        # The file keeps text only.
        page = str(store.value(_PAGE))
        pages = [str(at) for at in range(self.rail.count())]
        self.rail.setCurrentRow(pages.index(page) if page in pages else MODELS)

    def _on_copy(self) -> None:
        self._commands.copy_address()
        self.copy_address.setText(tr("Copied"))
        self._copied.start()

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        if not self.isVisible():
            return
        address = self._commands.address()
        if self.address.text() != address:
            self.address.setText(address)
        self.copy_address.setEnabled(bool(address))
        parts = []
        if snapshot.waiting:
            parts.append(plural(snapshot.waiting, "1 waiting", "{n} waiting"))
        if snapshot.in_flight:
            parts.append(plural(snapshot.in_flight, "1 running", "{n} running"))
        paused = snapshot.pause is not None
        if paused and snapshot.pause is not None:
            parts.insert(0, pause_line(snapshot.pause))
        text = tr("Stopping models…") if snapshot.shutting_down else ", ".join(parts)
        words = tr("&Resume") if paused else tr("&Free the card")
        if self.free.text() != words:
            self.free.setText(words)
        if self.queue.text() != text:
            self.queue.setText(text)
        self._look.watch({each.id: each.pid for each in snapshot.models if each.pid is not None})
        ids = [each.id for each in snapshot.models]
        if self._colours.keys() != set(ids):
            self._colours = model_colours(ids)
        self._show_memory()
        self._follow_host()
        # The page that is seen; the others when they are turned to.
        self._bring_up(self.pages.currentIndex())

    def _made_models(self, journal: Journal, config: str) -> ModelsPage:
        page = ModelsPage(self._commands, journal, config, foresee=self._foresee)
        split = settings().value(_SPLIT)
        if isinstance(split, QByteArray):
            page.splitter.restoreState(split)
        return page

    def _made_logs(self, logs: Logs) -> LogPage:
        page = LogPage(logs)
        page.failed.connect(lambda text: self._commands.failed.emit(failure(text)))
        return page

    def _on_turn(self, at: int) -> None:
        self.pages.turn_to(at)
        self._follow_host()
        self._bring_up(at)

    def _bring_up(self, at: int) -> None:
        """Have a page that is there show what is known now."""
        snapshot = self._snapshot
        if snapshot is None or not self.pages.is_made(at):
            return
        if at == MODELS:
            self.models.show_problem(bool(self.notice.text()))
            self.models.show_snapshot(snapshot, self._feed.memory)
            self.models.peers.show_peers(self._instance.peers())
        elif at == MEMORY:
            self.memory.show_snapshot(snapshot, self._colours)
            known = self._feed.memory
            pictures = card_pictures(known.cards, known.problem)
            self.memory.show_cards(pictures, known.problem, self._colours)
            if self._memory is not None:
                self.memory.show_memory(self._memory, self._colours)
        elif at == LOGS:
            self.logs.set_sources([each.id for each in snapshot.models])
        elif at == CONNECT:
            self.connect_page.show_snapshot(snapshot)

    def _on_free(self) -> None:
        if self._snapshot is not None and self._snapshot.pause is not None:
            self._commands.resume()
        else:
            self._commands.look_for_programs()
            self.pause_menu.menu.popup(self.free.mapToGlobal(self.free.rect().bottomLeft()))

    def _on_memory(self, memory: HostMemory) -> None:
        if self.isVisible():
            self._memory = memory
            self._show_memory()
            self._bring_up(self.pages.currentIndex())

    def _show_memory(self) -> None:
        """The cards in the strip; the machine's own memory where there is none."""
        known = self._feed.memory
        pictures = card_pictures(known.cards, known.problem)
        if not pictures and self._memory is not None:
            pictures = (self._memory.picture(),)
        self.strip.show_pictures(pictures, self._colours)

    def _follow_host(self) -> None:
        """Look at the machine's own memory only while it is shown somewhere."""
        shown = self.pages.currentIndex() == MEMORY or not real_cards(self._feed.memory.cards)
        wanted = self.isVisible() and shown
        if wanted and not self._look.active:
            self._look.start()
        elif not wanted:
            self._look.stop()


def _line(*, upright: bool = False) -> QWidget:
    line = QWidget()
    line.setAutoFillBackground(True)
    line.setBackgroundRole(QPalette.ColorRole.Mid)
    if upright:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line
