"""A page that is nothing but fields under headings."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from qmdesk.config.document import KeyPath
from qmdesk.desktop.label import title
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.edits import MISSING, put
from qmdesk.desktop.settings_window.entries import offered
from qmdesk.desktop.settings_window.field import Field, Offer
from qmdesk.desktop.settings_window.field_editor import FieldEditor
from qmdesk.desktop.settings_window.section import Section
from qmdesk.desktop.settings_window.session import Session

SLICE: Final = 0.004
"""Seconds in which editors are made at a stretch: a long page comes in several."""


class Form(QWidget):
    """Fields that write into a session's text and follow it."""

    focused = Signal(object)
    """The ``FieldEditor`` that has got the focus."""
    undo_wanted = Signal(bool)
    grown = Signal()
    """There are more editors than before."""

    def __init__(
        self,
        session: Session,
        sections: Iterable[Section],
        *,
        explained: bool = False,
        at_once: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        """``explained``: what each key means stands below it, not only in its tool tip.

        ``at_once``: the first editors are made here, not when the loop has had its turn.
        """
        super().__init__(parent)
        self._session = session
        self._explained = explained
        self._above: KeyPath = ()
        self._made: dict[KeyPath, FieldEditor] = {}
        self._shown = False
        self._to_make = deque(
            (section.title if at == 0 else "", field)
            for section in sections
            for at, field in enumerate(section.fields)
        )
        self._growth = QTimer(self)
        self._growth.timeout.connect(self._grow)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 8, 8, 12)
        self.column.setSpacing(6)
        self._layout = QFormLayout()
        self._layout.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._layout.setHorizontalSpacing(12)
        self._layout.setVerticalSpacing(6)
        self.column.addLayout(self._layout)
        self.column.addStretch(1)
        if at_once:
            self._grow()
        else:
            self._growth.start(0)

    @property
    def fields(self) -> dict[KeyPath, FieldEditor]:
        """All editors, by the paths of their fields."""
        if self._to_make:
            while self._to_make:
                self._make(*self._to_make.popleft())
            self.grown.emit()
        return self._made

    def field(self, path: KeyPath) -> FieldEditor:
        """The editor of one key."""
        return self._made[path] if path in self._made else self.fields[path]

    def set_above(self, above: KeyPath) -> None:
        """The fields are of what stands at ``above`` from now on."""
        self._above = above
        for field in self._made.values():
            if field.above != above:
                field.flush()
                field.forget()  # what could not be told is of no use for another one
                field.above = above

    def refresh(self) -> None:
        """Show what the session's text says."""
        self._shown = True
        for field in self._made.values():
            self._show(field)

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        for field in self._made.values():
            field.flush()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        for field in self._made.values():
            field.forget()

    def _grow(self) -> None:
        """Make editors until the time is up; the rest follow when the loop has had its turn."""
        end = time.monotonic() + SLICE
        # Rows of wrapped text that come later than others are squeezed by Qt's layout, so
        # a page that explains its keys is made at once.
        while self._to_make and (self._explained or time.monotonic() < end):
            self._make(*self._to_make.popleft())
        if self._to_make:
            self._growth.start(0)
        else:
            self._growth.stop()
        self.grown.emit()

    def _make(self, heading: str, field: Field) -> None:
        if heading:
            self._layout.addRow(self._made_heading(heading))
        editor = FieldEditor(field)
        editor.above = self._above
        if field.offer is not Offer.NONE:
            editor.names = lambda: offered(self._session.analysis.preview, field.offer)
        if self._explained and field.help:
            editor.explain()
        editor.add_to(self._layout, below=self._explained)
        editor.committed.connect(self._on_committed)
        editor.focused.connect(self.focused)
        editor.undo_wanted.connect(self.undo_wanted)
        self._made[field.path] = editor
        if self._shown:
            self._show(editor)

    def _made_heading(self, text: str) -> QLabel:
        heading = title(text)
        heading.setContentsMargins(0, 8 if self._made else 0, 0, 0)
        return heading

    def _show(self, editor: FieldEditor) -> None:
        session = self._session
        root = session.analysis.root
        if root is None:
            # Unreadable just now: what was shown last stays, and cannot be edited.
            editor.editor.setEnabled(False)
            return
        editor.spell(lambda path: value_at(root, path, MISSING) is not MISSING)
        editor.show_value(
            value_at(root, editor.path, MISSING),
            value_at(session.base_root, editor.path, MISSING),
            session.analysis.problem(editor.path),
            enabled=not session.locked,
        )

    def _on_committed(self, path: KeyPath, value: object) -> None:
        self._session.edit(path, put(path, value))


class Scrolled(QScrollArea):
    """Scrolls a widget up and down, and gives it the height that its texts take when wrapped."""

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidget(widget)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        widget.installEventFilter(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        # The area asks for the smallest height at any width, and squeezes what needs more.
        widget = self.widget()
        layout = widget.layout() if widget is not None else None
        if widget is not None and layout is not None and layout.hasHeightForWidth():
            width = max(self.viewport().width(), widget.minimumSizeHint().width())
            height = layout.totalHeightForWidth(width)
            if height != widget.minimumHeight():
                widget.setMinimumHeight(height)
