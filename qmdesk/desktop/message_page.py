"""The page that keeps what was told, for whoever was away or shows no notifications."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.icon import coloured_icon
from qmdesk.desktop.label import empty_page, say, sentence
from qmdesk.desktop.notification_text import Deed, Message
from qmdesk.desktop.notifications import HISTORY, Notifications
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import clock, tr

WHEN, WHAT, WHY = range(3)

_Index = QModelIndex | QPersistentModelIndex


class MessageList(QAbstractTableModel):
    """Messages as rows, the newest first."""

    def __init__(self, messages: list[Message], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = messages[::-1]

    def add(self, message: Message) -> None:
        """Put ``message`` on top; beyond ``HISTORY`` the oldest goes."""
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._rows.insert(0, message)
        self.endInsertRows()
        if (last := len(self._rows) - 1) >= HISTORY:
            self.beginRemoveRows(QModelIndex(), last, last)
            del self._rows[last]
            self.endRemoveRows()

    def message(self, row: int) -> Message:
        return self._rows[row]

    def row(self, id: int) -> int | None:
        """Where the message of this number stands."""
        return next((at for at, each in enumerate(self._rows) if each.id == id), None)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else WHY + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (tr("When"), tr("What"), tr("Why"))[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        message = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            text = message.text.replace("\n", " ")
            return (clock(message.at), message.title, text)[index.column()]
        if role == Qt.ItemDataRole.DecorationRole and index.column() == WHAT:
            return coloured_icon(Shape.PROBLEM if message.urgent else Shape.UNLOADING)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == WHY:
            return message.text
        return None


class MessagePage(QWidget):
    """A table of messages; the buttons below it do what a message offers."""

    def __init__(
        self,
        notifications: Notifications,
        acted: Callable[[Message, Deed], None],
        parent: QWidget | None = None,
    ) -> None:
        """``acted`` is told what is to be done about a message."""
        super().__init__(parent)
        self._acted = acted
        self.messages = MessageList(list(notifications.history), self)
        self.table = _made_table(self.messages)
        self.story = sentence()
        empty = empty_page(
            tr("Nothing to tell yet: evictions, failed starts and the like come here.")
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(empty)
        self._stack.addWidget(self.table)

        self.buttons = {
            Deed.LOG: self._button(tr("&Open log"), Deed.LOG),
            Deed.LOAD: self._button(tr("&Load again"), Deed.LOAD),
        }
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.story)
        layout.addLayout(row)

        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        self.table.activated.connect(lambda _: self._do_first())
        notifications.added.connect(self._on_added)
        self._show_selected()

    def select(self, id: int) -> None:
        """Select the message of this number, where it is still kept."""
        row = self.messages.row(id)
        if row is not None:
            self.table.selectRow(row)
            self.table.scrollTo(self.messages.index(row, WHAT))

    def selected(self) -> Message | None:
        rows = self.table.selectionModel().selectedRows()
        return self.messages.message(rows[0].row()) if rows else None

    def _on_added(self, message: Message) -> None:
        self.messages.add(message)
        self._show_selected()

    def _show_selected(self) -> None:
        self._stack.setCurrentIndex(1 if self.messages.rowCount() else 0)
        message = self.selected()
        deeds = [deed for deed, _ in message.deeds] if message else []
        for deed, button in self.buttons.items():
            button.setEnabled(deed in deeds)
        say(self.story, message.text if message else "")

    def _do_first(self) -> None:
        message = self.selected()
        if message is not None and (deed := message.deeds[0][0]) is not Deed.SHOW:
            self._acted(message, deed)

    def _button(self, text: str, deed: Deed) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._do(deed))
        return button

    def _do(self, deed: Deed) -> None:
        if (message := self.selected()) is not None:
            self._acted(message, deed)


def _made_table(messages: MessageList) -> QTableView:
    table = QTableView()
    table.setModel(messages)
    table.setAccessibleName(tr("Messages"))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 12)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    width = table.fontMetrics().averageCharWidth()
    header.resizeSection(WHEN, 18 * width)
    header.resizeSection(WHAT, 38 * width)
    header.setStretchLastSection(True)
    return table
