"""Rows for a table, changed by difference: what stays is neither rebuilt nor moved."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex

Index = QModelIndex | QPersistentModelIndex


class Keyed(Protocol):
    """A row with a name of its own."""

    @property
    def key(self) -> Hashable: ...


R = TypeVar("R", bound=Keyed)


class RowList(QAbstractTableModel, Generic[R]):
    """Subclasses say what stands in a cell; ``columns`` is how many there are."""

    columns = 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[R] = []

    def show_rows(self, rows: Sequence[R]) -> None:
        """Bring the rows up to ``rows``; a selected one stays selected.

        Takes as long as there are rows, however many of them differ.
        """
        wanted = {row.key for row in rows}
        for at in reversed(range(len(self.rows))):
            if self.rows[at].key not in wanted:
                self.beginRemoveRows(QModelIndex(), at, at)
                del self.rows[at]
                self.endRemoveRows()
        here = {row.key for row in self.rows}
        for at, row in enumerate(rows):
            if row.key not in here:
                self.beginInsertRows(QModelIndex(), at, at)
                self.rows.insert(at, row)
                self.endInsertRows()
            elif self.rows[at].key != row.key:
                source = next(i for i in range(at, len(self.rows)) if self.rows[i].key == row.key)
                self.beginMoveRows(QModelIndex(), source, source, QModelIndex(), at)
                self.rows.insert(at, self.rows.pop(source))
                self.endMoveRows()
            if self.rows[at] != row:
                self.rows[at] = row
                self.dataChanged.emit(self.index(at, 0), self.index(at, self.columns - 1))

    def row_of(self, key: Hashable) -> int | None:
        """Where the row of this name stands."""
        return next((at for at, each in enumerate(self.rows) if each.key == key), None)

    def row_at(self, row: int) -> R | None:
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def touch(self, first: int, last: int) -> None:
        """Have these columns of all rows drawn anew."""
        if self.rows:
            self.dataChanged.emit(self.index(0, first), self.index(len(self.rows) - 1, last))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.columns
