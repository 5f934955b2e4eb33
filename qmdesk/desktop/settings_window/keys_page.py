"""The page of API keys: whose they are, and what each of them may do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.desktop.label import aside
from qmdesk.desktop.settings_window import api_keys
from qmdesk.desktop.settings_window.api_keys import KEYS, SCOPES, KeyEntry
from qmdesk.desktop.settings_window.check_list import CheckList
from qmdesk.desktop.settings_window.problem_label import ProblemLabel
from qmdesk.desktop.settings_window.session import Session
from qmdesk.desktop.settings_window.undo_keys import undo_of
from qmdesk.desktop.words import tr


class KeysPage(QWidget):
    """Adds and removes keys, and edits one at a time."""

    focused = Signal(object)
    undo_wanted = Signal(bool)
    chosen = Signal(object)
    """The path of the key that is shown now; empty where none is."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._entries: tuple[KeyEntry, ...] = ()
        self._usable: tuple[str, ...] = ()
        self._last = False
        """The last one is to be shown: it was just added."""
        self.list = QListWidget()
        self.add = QPushButton(tr("&Add"))
        self.remove = QPushButton(tr("Re&move"))
        self.key = QLineEdit()
        self.make = QPushButton(tr("Make a new one"))
        self.copy = QPushButton(tr("Copy"))
        self.name = QLineEdit()
        self.admin = QCheckBox(tr("May operate the gateway, from anywhere"))
        self.models = CheckList()
        self.scope_problem = ProblemLabel()
        self.problem = ProblemLabel()
        self._lay_out()
        self._connect()

    @property
    def entry(self) -> KeyEntry | None:
        """The selected key."""
        row = self.list.currentRow()
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def refresh(self) -> None:
        """Show what the session's text says."""
        analysis = self._session.analysis
        readable = analysis.root is not None and not self._session.locked
        if analysis.root is not None:
            self._show_list(api_keys.entries(analysis.root))
        if analysis.preview is not None:
            self._usable = api_keys.usable(analysis.preview)
        entry = self.entry
        self.add.setEnabled(readable)
        self.remove.setEnabled(readable and entry is not None)
        self._inside.setVisible(entry is not None)
        self._inside.setEnabled(readable)
        if entry is not None:
            self._show_entry(entry)
            self.problem.show_problem(analysis.problem((*KEYS, entry.at)))
        else:
            self.problem.show_problem(analysis.problem(KEYS))
        self.scope_problem.show_problem(analysis.problem(SCOPES))

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        self._change_key()
        self._change_name()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        self.key.setModified(False)
        self.name.setModified(False)

    # what is shown

    def _show_list(self, entries: tuple[KeyEntry, ...]) -> None:
        before, row = self._entries, self.list.currentRow()
        if entries == before:
            return
        self._entries = entries
        if self._last and len(entries) > len(before):
            row = len(entries) - 1
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems([each.told for each in entries])
            self.list.setCurrentRow(min(max(row, 0), len(entries) - 1))

    def _show_entry(self, entry: KeyEntry) -> None:
        for field, text in ((self.key, entry.key), (self.name, entry.name)):
            if not field.isModified() and field.text() != text:
                field.setText(text)
        self.admin.setChecked(entry.admin)
        names = [*self._usable, *(each for each in entry.models if each not in self._usable)]
        self.models.show_names(names, entry.models)
        if self._last and entry.at == len(self._entries) - 1:
            self._last = False
            self.name.setFocus()

    # what is done

    def _add(self) -> None:
        self.flush()
        self._last = True
        self._session.edit(("add key", object()), api_keys.add(api_keys.new_key()))

    def _remove(self) -> None:
        # It can be undone, so nobody is asked.
        if (entry := self.entry) is not None:
            self.forget()
            self._session.edit(("remove key", entry), api_keys.remove(entry))

    def _make(self) -> None:
        self.key.setText(api_keys.new_key())
        self.key.setModified(True)
        self._change_key()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.key.text())

    def _change_key(self) -> None:
        entry, key = self.entry, self.key.text().strip()
        if not self.key.isModified() or entry is None or not key:
            return
        self.key.setModified(False)
        if key != entry.key:
            self._session.edit(("key", entry), api_keys.change_key(entry, key))

    def _change_name(self) -> None:
        entry, name = self.entry, self.name.text().strip()
        if not self.name.isModified() or entry is None:
            return
        self.name.setModified(False)
        if name != entry.name:
            self._session.edit(("name of key", entry), api_keys.change_name(entry, name))

    def _change_admin(self, on: bool) -> None:
        if (entry := self.entry) is not None:
            self._session.edit(("admin", entry), api_keys.change_admin(entry, on))

    def _change_models(self) -> None:
        entry = self.entry
        if entry is None:
            return
        names = self.models.changed(entry.models)
        if tuple(names) != entry.models:
            self._session.edit(("scope", entry.at), api_keys.change_models(entry, names))

    def _on_row(self) -> None:
        self.forget()
        self.refresh()
        self.chosen.emit((*KEYS, self.entry.at) if self.entry is not None else ())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        typed = isinstance(watched, QLineEdit) and watched.isModified()
        if not typed and (undo := undo_of(event)) is not None:
            if event.type() is QEvent.Type.KeyPress:
                self.undo_wanted.emit(undo)
            event.accept()
            return True
        return super().eventFilter(watched, event)

    # how it looks

    def _lay_out(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self.list.setAccessibleName(tr("API keys"))
        self.list.setMinimumHeight(line * 4)
        self.list.setMaximumHeight(line * 7)
        self.add.setAccessibleName(tr("Add: {what}", what=tr("API keys")))
        self.remove.setAccessibleName(tr("Remove: {what}", what=tr("API keys")))
        self.key.setAccessibleName(tr("Key"))
        self.name.setAccessibleName(tr("Whose it is"))
        self.name.setPlaceholderText(tr("shown in the log and among the requests"))
        self.make.setToolTip(tr("A random key that nobody can guess"))
        self.admin.setToolTip(
            tr("Without it, operating takes this machine or one of the networks that may.")
        )
        self.models.setAccessibleName(tr("Models that it may use"))
        self.models.setMinimumHeight(line * 5)
        self.models.setMaximumHeight(line * 12)
        about = aside(
            tr(
                "Without any key, everybody who reaches the gateway may use it. With keys, each "
                "request to a model must bring one of them."
            )
        )
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        top = QHBoxLayout()
        top.addWidget(self.list, 1)
        top.addLayout(buttons)
        key = QHBoxLayout()
        key.setSpacing(4)
        key.addWidget(self.key, 1)
        for button in (self.make, self.copy):
            button.setAutoDefault(False)
            key.addWidget(button)
        self._inside = QWidget()
        form = QFormLayout(self._inside)
        form.setContentsMargins(0, 4, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(12)
        label = QLabel(tr("&Key"))
        label.setBuddy(self.key)
        form.addRow(label, key)
        form.addRow(tr("&Whose it is"), self.name)
        form.addRow(self.admin)
        models = QLabel(tr("Models that &it may use"))
        models.setBuddy(self.models)
        form.addRow(models)
        form.addRow(self.models)
        form.addRow(aside(tr("Without a tick it may use all of them.")))
        form.addRow(self.scope_problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 12)
        column.setSpacing(6)
        column.addWidget(about)
        column.addLayout(top)
        column.addWidget(self.problem)
        column.addWidget(self._inside)
        column.addStretch(1)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _: self._on_row())
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self.make.clicked.connect(self._make)
        self.copy.clicked.connect(self._copy)
        self.key.editingFinished.connect(self._change_key)
        self.name.editingFinished.connect(self._change_name)
        self.admin.clicked.connect(self._change_admin)
        self.models.itemChanged.connect(lambda _: self._change_models())
        for each in (self.key, self.name, self.admin, self.models, self.list):
            each.installEventFilter(self)
        here = Qt.ShortcutContext.WidgetWithChildrenShortcut
        QShortcut(QKeySequence.StandardKey.Delete, self.list, self.remove.click, context=here)
