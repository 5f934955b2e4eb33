"""Pages of which one is seen, each made when it is first wanted.

Making all of them at once would hold the event loop for as long as several tokens take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """Shows the page of a number; ``made`` tells of a new one."""

    made = Signal(int)

    def __init__(self, makers: Sequence[Callable[[], QWidget]]) -> None:
        super().__init__()
        self._makers = makers
        self._pages: dict[int, QWidget] = {}
        for _ in makers:
            self.addWidget(QWidget())

    def page(self, at: int) -> QWidget:
        """The page of this number."""
        page = self._pages.get(at)
        if page is None:
            page = self._pages[at] = self._makers[at]()
            current = self.currentIndex()
            self.insertWidget(at, page)
            if (empty := self.widget(at + 1)) is not None:
                self.removeWidget(empty)
                empty.deleteLater()
            self.setCurrentIndex(current)
            self.made.emit(at)
        return page

    def is_made(self, at: int) -> bool:
        return at in self._pages

    def turn_to(self, at: int) -> None:
        """Have the page of this number seen."""
        if 0 <= at < len(self._makers):
            self.setCurrentWidget(self.page(at))
