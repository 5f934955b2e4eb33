"""A list of entries by name, and a form for the selected one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config import Problem
from qmdesk.config.document import KeyPath
from qmdesk.desktop.label import aside, title
from qmdesk.desktop.settings_window.edits import MISSING, move_entry, put, rename_entry
from qmdesk.desktop.settings_window.entries import Entries, chosen, names
from qmdesk.desktop.settings_window.form_page import Form
from qmdesk.desktop.settings_window.problem_label import ProblemLabel
from qmdesk.desktop.settings_window.proposal import free_name
from qmdesk.desktop.settings_window.session import Session
from qmdesk.desktop.words import tr


class EntriesView(QWidget):
    """Adds, names, orders and removes entries, and edits one at a time."""

    focused = Signal(object)
    undo_wanted = Signal(bool)
    chosen = Signal(object)
    """The path of the entry that is shown now; empty where none is."""

    def __init__(
        self,
        session: Session,
        entries: Entries,
        parent: QWidget | None = None,
        *,
        within: bool = False,
    ) -> None:
        """``within``: below other fields, not a page of its own."""
        super().__init__(parent)
        self._session = session
        self._entries = entries
        self._within = within
        self._path = entries.path
        self._wanted = ""
        self._unnamed = ""
        """The entry that was just added and wants a name."""
        self._names: tuple[str, ...] = ()
        self.list = QListWidget()
        # Keys with Alt are the page's, of which there is one in sight.
        self.add = QPushButton(tr("Add") if within else tr("&Add"))
        self.remove = QPushButton(tr("Remove") if within else tr("Re&move"))
        self.up = QPushButton(tr("Move up"))
        self.down = QPushButton(tr("Move down"))
        self.name = QLineEdit()
        self.problem = ProblemLabel()
        self.form = Form(session, entries.sections, at_once=False)
        self.inner: EntriesView | None = None
        """Entries within the selected one."""
        if entries.inner is not None:
            self.inner = EntriesView(session, entries.inner, within=True)
            self.form.column.insertWidget(1, self.inner)
        self._lay_out()
        self._connect()

    @property
    def entry(self) -> str:
        """The name of the selected entry; empty where there is none."""
        row = self.list.currentRow()
        return self._names[row] if 0 <= row < len(self._names) else ""

    def set_path(self, path: KeyPath) -> None:
        """The entries are those at ``path`` from now on."""
        if path != self._path:
            self.name.setModified(False)
            self._wanted = self._unnamed = ""
            self._path = path

    def select(self, name: str) -> None:
        """Show the entry ``name``, now or as soon as the text has it."""
        self._wanted = name
        if name in self._names:
            self.list.setCurrentRow(self._names.index(name))

    def refresh(self) -> None:
        """Show what the session's text says."""
        analysis = self._session.analysis
        readable = analysis.root is not None and not self._session.locked
        if analysis.root is not None:
            self._show_list(names(analysis.root, self._path))
        there = bool(self.entry)
        self.add.setEnabled(readable)
        for each in (self.remove, self.name):
            each.setEnabled(readable and there)
        row = self.list.currentRow()
        self.up.setEnabled(readable and row > 0)
        self.down.setEnabled(readable and 0 <= row < len(self._names) - 1)
        if not self.name.hasFocus() or not self.name.isModified():
            self.name.setText(self.entry)
        self.form.set_above(self._at())
        self.form.refresh()
        if self.inner is not None:
            self.inner.set_path((*self._at(), *self._entries.inner_path))
            self.inner.refresh()
        # What is wrong with the whole of it has no field.
        found = analysis.problem(self._at() if there else self._path)
        told = found is not None and there and self._has_field(found)
        self.problem.show_problem(None if told else found)
        if self._unnamed and self.entry == self._unnamed:
            self._unnamed = ""
            self._to_name()

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        self._rename()
        self.form.flush()
        if self.inner is not None:
            self.inner.flush()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        self.name.setModified(False)
        self.form.forget()
        if self.inner is not None:
            self.inner.forget()

    # what is shown

    def _show_list(self, now: tuple[str, ...]) -> None:
        before, shown = self._names, self.entry
        wanted = chosen(before, now, shown, self._wanted)
        if self._wanted in now:
            self._wanted = ""
        if now != before:
            with QSignalBlocker(self.list):
                self.list.clear()
                self.list.addItems(now)
            self._names = now
        if wanted != shown or now != before:
            with QSignalBlocker(self.list):
                self.list.setCurrentRow(now.index(wanted) if wanted else -1)
        for each in self._inside:
            each.setVisible(bool(now))
        if self._within:
            self.list.setVisible(bool(now))
            self.remove.setVisible(bool(now))

    def _at(self) -> KeyPath:
        return (*self._path, self.entry)

    def _has_field(self, problem: Problem) -> bool:
        """Whether ``problem`` is told at a field, or within."""
        analysis, fields = self._session.analysis, self._entries.sections
        paths = [field.path for section in fields for field in section.fields]
        if self.inner is not None:
            paths.append(self._entries.inner_path)
        return any(analysis.problem((*self._at(), *path)) is problem for path in paths)

    # what is done

    def _add(self) -> None:
        self.form.flush()
        name = free_name(self._entries.name, self._names)
        self._wanted = self._unnamed = name
        path = (*self._path, name)
        self._session.edit(path, put(path, dict(self._entries.new)))

    def _remove(self) -> None:
        # It can be undone, so nobody is asked.
        self.forget()
        self._session.edit(("remove", *self._at()), put(self._at(), MISSING))

    def _move(self, by: int) -> None:
        self._wanted = self.entry
        self._session.edit(("move", *self._at(), object()), move_entry(self._at(), by))

    def _rename(self) -> None:
        name, entry = self.name.text().strip(), self.entry
        if not self.name.isModified() or not name or not entry or name == entry:
            return
        self.name.setModified(False)
        self.form.flush()
        self._wanted = name
        self._session.edit(("rename", *self._at()), rename_entry(self._at(), name))

    def _on_row(self) -> None:
        self.name.setModified(False)
        self.refresh()
        self.chosen.emit(self._at() if self.entry else ())

    def _to_name(self) -> None:
        self.name.setFocus()
        self.name.selectAll()

    # how it looks

    def _lay_out(self) -> None:
        entries, line = self._entries, self.fontMetrics().lineSpacing()
        self.list.setAccessibleName(entries.title)
        self.name.setAccessibleName(entries.one)
        self.add.setAccessibleName(tr("Add: {what}", what=entries.title))
        self.remove.setAccessibleName(tr("Remove: {what}", what=entries.title))
        self.list.setMinimumHeight(line * (3 if self._within else 4))
        self.list.setMaximumHeight(line * (4 if self._within else 7))
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        ordering = (self.up, self.down) if entries.ordered else ()
        for button in (self.add, self.remove, *ordering):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout()
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        if self._within:
            row.addStretch(0)
        label = QLabel(entries.one if self._within else tr("&Name"))
        if not self._within:
            label.setBuddy(self.name)
        named = QFormLayout()
        named.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        named.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        named.setHorizontalSpacing(12)
        named.addRow(label, self.name)
        self.form.column.insertLayout(0, named)
        self._inside = (self.form,)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        top = QVBoxLayout()
        top.setContentsMargins(0 if self._within else 12, 8, 0 if self._within else 8, 0)
        top.setSpacing(6)
        if self._within:
            top.addWidget(title(entries.title))
            self.form.column.setContentsMargins(0, 4, 0, 0)
        top.addWidget(aside(entries.about))
        top.addLayout(row)
        top.addWidget(self.problem)
        column.addLayout(top)
        column.addWidget(self.form)
        column.addStretch(1)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _: self._on_row())
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.name.editingFinished.connect(self._rename)
        self.form.focused.connect(self.focused)
        self.form.undo_wanted.connect(self.undo_wanted)
        if self.inner is not None:
            self.inner.focused.connect(self.focused)
            self.inner.undo_wanted.connect(self.undo_wanted)
            self.inner.chosen.connect(self.chosen)
        here = Qt.ShortcutContext.WidgetWithChildrenShortcut
        QShortcut(QKeySequence.StandardKey.Delete, self.list, self.remove.click, context=here)
        QShortcut(QKeySequence(Qt.Key.Key_F2), self.list, self._to_name, context=here)
        if self._entries.ordered:
            QShortcut(QKeySequence("Alt+Up"), self, self.up.click, context=here)
            QShortcut(QKeySequence("Alt+Down"), self, self.down.click, context=here)
