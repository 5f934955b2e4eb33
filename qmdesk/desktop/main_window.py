"""The main window: a rail of pages, and a strip on top that never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QHideEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.feed import CALM, QUICK, SnapshotFeed
from qmdesk.desktop.log_page import LogPage
from qmdesk.desktop.models_page import ModelsPage
from qmdesk.desktop.settings import settings
from qmdesk.desktop.words import plural, tr
from qmdesk.router.snapshot import Snapshot

if TYPE_CHECKING:
    from qmdesk.instance import Instance

MODELS, LOGS = range(2)
_AIR = 12
_GEOMETRY = "main_window/geometry"
_PAGE = "main_window/page"


class MainWindow(QWidget):
    """Shows the models and the logs; closing it hides it and the app goes on."""

    closed = Signal()

    def __init__(self, instance: Instance, commands: Commands, feed: SnapshotFeed) -> None:
        super().__init__()
        self._commands = commands
        self._feed = feed
        self.setWindowTitle("qmdesk")
        config = instance.config.path
        self.models = ModelsPage(commands, str(config) if config else "")
        self.logs = LogPage(instance.logs)
        self.address = QLabel()
        self.queue = QLabel()
        self.notice = QLabel()
        self.copy_address = QPushButton(tr("Copy &address"))
        self.rail = QListWidget()
        self.pages = QStackedWidget()
        self._copied = QTimer(self, singleShot=True, interval=2000)
        self._lay_out()

        self._copied.timeout.connect(lambda: self.copy_address.setText(tr("Copy &address")))
        self.copy_address.clicked.connect(self._on_copy)
        self.rail.currentRowChanged.connect(self.pages.setCurrentIndex)
        feed.changed.connect(self._on_snapshot)
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)
        QShortcut("Ctrl+,", self, commands.show_settings)
        for at in range(self.pages.count()):
            QShortcut(f"Ctrl+{at + 1}", self, lambda at=at: self.rail.setCurrentRow(at))
        self._restore()

    def show_notice(self, text: str) -> None:
        """Show ``text`` under the strip until it is replaced; empty takes it away."""
        self.notice.setText(text)
        self.notice.setVisible(bool(text))

    def show_log(self, model: str) -> None:
        """Open the page of logs at ``model``."""
        self.logs.show_source(model)
        self.rail.setCurrentRow(LOGS)
        self.present()

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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._feed.gap = QUICK
        self._feed.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._feed.gap = CALM

    def closeEvent(self, event: QCloseEvent) -> None:
        self.remember()
        event.ignore()
        self.hide()
        self.closed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._size_rail()

    def _lay_out(self) -> None:
        self.address.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.address.setAccessibleName(tr("API address"))
        self.copy_address.setAutoDefault(False)
        self.notice.setWordWrap(True)
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setMargin(8)
        self.notice.hide()

        self.rail.setAccessibleName(tr("Pages"))
        self._rail_delegate = _RailDelegate(self.rail)
        self.rail.setItemDelegate(self._rail_delegate)
        self.rail.setFrameShape(QFrame.Shape.NoFrame)
        self.rail.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for title, page in ((tr("Models"), self.models), (tr("Logs"), self.logs)):
            self.rail.addItem(QListWidgetItem(title))
            self.pages.addWidget(page)
        self._size_rail()

        strip = QHBoxLayout()
        strip.setContentsMargins(12, 8, 8, 8)
        strip.setSpacing(8)
        strip.addWidget(self.address)
        strip.addWidget(self.copy_address)
        strip.addStretch(1)
        strip.addWidget(self.queue)
        strip.addSpacing(4)
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

    def _size_rail(self) -> None:
        metrics = self.rail.fontMetrics()
        for at in range(self.rail.count()):
            self.rail.item(at).setSizeHint(QSize(0, metrics.height() + 16))
        titles = [self.rail.item(at).text() for at in range(self.rail.count())]
        widest = max((metrics.horizontalAdvance(title) for title in titles), default=0)
        self.rail.setFixedWidth(max(widest, metrics.averageCharWidth() * 12) + 3 * _AIR)

    def _restore(self) -> None:
        store = settings()
        geometry = store.value(_GEOMETRY)
        # Qt itself moves a window back that was on a screen which is gone.
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            unit = self.fontMetrics().averageCharWidth()
            self.resize(unit * 130, self.fontMetrics().height() * 30)
        # The file keeps text only.
        self.rail.setCurrentRow(LOGS if str(store.value(_PAGE)) == str(LOGS) else MODELS)

    def _on_copy(self) -> None:
        self._commands.copy_address()
        self.copy_address.setText(tr("Copied"))
        self._copied.start()

    def _on_snapshot(self, snapshot: Snapshot) -> None:
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
        text = tr("Stopping models…") if snapshot.shutting_down else ", ".join(parts)
        if self.queue.text() != text:
            self.queue.setText(text)
        self.models.show_snapshot(snapshot)
        self.logs.set_sources([each.id for each in snapshot.models])


def _line(*, upright: bool = False) -> QWidget:
    line = QWidget()
    line.setAutoFillBackground(True)
    line.setBackgroundRole(QPalette.ColorRole.Mid)
    if upright:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


class _RailDelegate(QStyledItemDelegate):
    """Gives a page's title some air on its left, which item views have no setting for."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        roles = QPalette.ColorRole
        style.drawItemText(
            painter,
            option.rect.adjusted(_AIR, 0, -_AIR, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            option.palette,
            True,
            text,
            roles.HighlightedText if selected else roles.Text,
        )
