"""A list of names to be ticked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

_Index = QModelIndex | QPersistentModelIndex


class CheckList(QListWidget):
    """Names with a box each, which is seen on dark ground too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(_Boxes(self))

    def show_names(self, names: Sequence[str], ticked: Collection[str]) -> None:
        """Show ``names``, those in ``ticked`` with a tick; tells nobody of a change."""
        with QSignalBlocker(self):
            if [*names] != [self.item(at).text() for at in range(self.count())]:
                self.clear()
                for name in names:
                    item = QListWidgetItem(name)
                    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                    self.addItem(item)
            for at, name in enumerate(names):
                state = Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked
                item = self.item(at)
                if item.data(Qt.ItemDataRole.CheckStateRole) is None or item.checkState() != state:
                    item.setCheckState(state)

    def ticked(self) -> list[str]:
        """The names with a tick, from the top."""
        items = (self.item(at) for at in range(self.count()))
        return [item.text() for item in items if item.checkState() is Qt.CheckState.Checked]

    def changed(self, before: Sequence[str]) -> list[str]:
        """``ticked``, but those that were there ``before`` keep their order: it is the user's."""
        ticked = self.ticked()
        kept = [each for each in before if each in ticked]
        return [*kept, *(each for each in ticked if each not in kept)]


class _Boxes(QStyledItemDelegate):
    """Fusion outlines a box in a darker shade of the window: on dark ground nobody sees it."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        palette: QPalette = option.palette
        roles = QPalette.ColorRole
        if palette.color(roles.Base).lightness() < 128:
            shade = palette.color(roles.PlaceholderText)
            shade.setAlpha(255)
            palette.setColor(roles.Window, shade)
            option.palette = palette
