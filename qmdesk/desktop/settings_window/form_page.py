"""A page that is nothing but fields under headings."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from qmdesk.config.document import KeyPath
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.edits import MISSING, put
from qmdesk.desktop.settings_window.field_editor import FieldEditor
from qmdesk.desktop.settings_window.pages import Section
from qmdesk.desktop.settings_window.session import Session


class Form(QWidget):
    """Fields that write into a session's text and follow it."""

    focused = Signal(object)
    """The ``FieldEditor`` that has got the focus."""
    undo_wanted = Signal(bool)

    def __init__(
        self,
        session: Session,
        sections: Iterable[Section],
        *,
        explained: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """``explained``: what each key means stands below it, not only in its tool tip."""
        super().__init__(parent)
        self._session = session
        self.fields: dict[KeyPath, FieldEditor] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 8, 8, 12)
        self.column.setSpacing(6)
        self._layout = QFormLayout()
        policies = QFormLayout.RowWrapPolicy
        self._layout.setRowWrapPolicy(policies.WrapAllRows if explained else policies.WrapLongRows)
        self._layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._layout.setHorizontalSpacing(12)
        self._layout.setVerticalSpacing(6)
        self.column.addLayout(self._layout)
        for section in sections:
            self._add(section, explained=explained)
        self.column.addStretch(1)

    def set_above(self, above: KeyPath) -> None:
        """The fields are of what stands at ``above`` from now on."""
        for field in self.fields.values():
            if field.above != above:
                field.flush()
                field.forget()  # what could not be told is of no use for another one
                field.above = above

    def refresh(self) -> None:
        """Show what the session's text says."""
        session = self._session
        analysis = session.analysis
        for field in self.fields.values():
            if analysis.root is None:
                # Unreadable just now: what was shown last stays, and cannot be edited.
                field.editor.setEnabled(False)
                continue
            field.show_value(
                value_at(analysis.root, field.path, MISSING),
                value_at(session.base_root, field.path, MISSING),
                analysis.problem(field.path),
                enabled=not session.locked,
            )

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        for field in self.fields.values():
            field.flush()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        for field in self.fields.values():
            field.forget()

    def _add(self, section: Section, *, explained: bool) -> None:
        heading = QLabel(section.title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        heading.setContentsMargins(0, 8 if self.fields else 0, 0, 0)
        self._layout.addRow(heading)
        for each in section.fields:
            field = FieldEditor(each)
            if explained and each.help:
                field.explain()
            field.add_to(self._layout)
            field.committed.connect(self._on_committed)
            field.focused.connect(self.focused)
            field.undo_wanted.connect(self.undo_wanted)
            self.fields[each.path] = field

    def _on_committed(self, path: KeyPath, value: object) -> None:
        self._session.edit(path, put(path, value))


def scrolled(widget: QWidget) -> QScrollArea:
    """``widget`` in an area that scrolls up and down only."""
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
