"""The list of pages on the left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from qmdesk.desktop.words import tr

_AIR = 12


class Rail(QListWidget):
    """As wide as its longest title, and wide enough to be hit."""

    def __init__(self, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Pages"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Title(self))
        self.addItems(list(titles))
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        titles = [self.item(at).text() for at in range(self.count())]
        for at in range(self.count()):
            self.item(at).setSizeHint(QSize(0, metrics.height() + 16))
        widest = max((metrics.horizontalAdvance(title) for title in titles), default=0)
        self.setFixedWidth(max(widest, metrics.averageCharWidth() * 12) + 3 * _AIR)


class _Title(QStyledItemDelegate):
    """Gives a title some air on its left, which item views have no setting for."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        # An empty picture moves the text, and the selection stays as wide as the row.
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(2, 1)
