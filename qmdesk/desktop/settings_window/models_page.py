"""The page of the models: a list in the file's order, and a form for the selected one."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config import Model
from qmdesk.config.command import redact, split
from qmdesk.config.document import KeyPath
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.arguments_edit import ArgumentsEdit
from qmdesk.desktop.settings_window.edits import (
    add_model,
    duplicate_model,
    groups_path,
    join_group,
    move_model,
    remove_model,
    rename_model,
)
from qmdesk.desktop.settings_window.entries import BY_NAME, parameters_by_name
from qmdesk.desktop.settings_window.entries_view import EntriesView
from qmdesk.desktop.settings_window.form_page import Form, Scrolled
from qmdesk.desktop.settings_window.help_shelf import HelpShelf
from qmdesk.desktop.settings_window.pages import model_sections
from qmdesk.desktop.settings_window.program_help import asked_program
from qmdesk.desktop.settings_window.proposal import free_name, quoted, server
from qmdesk.desktop.settings_window.session import Session
from qmdesk.desktop.words import tr


class ModelsPage(QWidget):
    """Adds, copies, names, orders and removes models, and edits one at a time."""

    focused = Signal(object)
    undo_wanted = Signal(bool)
    chosen = Signal(object)
    """The path of the model that is shown now; empty where none is."""
    files_wanted = Signal()
    """The user wants to choose model files."""

    def __init__(self, session: Session, shelf: HelpShelf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shelf = shelf
        self._wanted = ""
        self._unnamed = ""
        """The model that was just added and wants a name."""
        self._ids: list[str] = []
        self.list = QListWidget()
        self.add = QPushButton(tr("&Add"))
        self.add_file = QPushButton(tr("Add from &file…"))
        self.duplicate = QPushButton(tr("D&uplicate"))
        self.remove = QPushButton(tr("Re&move"))
        self.up = QPushButton(tr("Move up"))
        self.down = QPushButton(tr("Move down"))
        self.empty = QLabel(
            tr(
                "No models yet. Drop a .gguf file here, choose one with “Add from file…”, or "
                "write one with “Add”."
            )
        )
        self.id = QLineEdit()
        self.group = QComboBox()
        self.expanded = QLabel()
        self.doubts = QLabel()
        self.form = Form(session, model_sections())
        self._lay_out()
        self._connect()
        shelf.changed.connect(self._show_help)
        # Below all the others and out of sight: it can wait until the loop has had its turn.
        QTimer.singleShot(0, self, lambda: self.by_name)

    @cached_property
    def by_name(self) -> EntriesView:
        """The model's parameters by requested name."""
        made = EntriesView(self._session, parameters_by_name(), within=True)
        made.focused.connect(self.focused)
        made.undo_wanted.connect(self.undo_wanted)
        made.chosen.connect(self.chosen)
        made.form.grown.connect(self.form.grown)
        self.form.column.insertWidget(2, made)
        made.set_path(("models", self.model, *BY_NAME))
        made.refresh()
        return made

    @property
    def model(self) -> str:
        """The id of the selected model; empty where there is none."""
        row = self.list.currentRow()
        return self._ids[row] if 0 <= row < len(self._ids) else ""

    def select(self, id: str) -> None:
        """Show the model ``id``, now or as soon as the text has it."""
        self._wanted = id
        if id in self._ids:
            self.list.setCurrentRow(self._ids.index(id))

    def refresh(self) -> None:
        """Show what the session's text says."""
        root = self._session.analysis.root
        if root is None:
            self._enable(readable=False)
            self.form.refresh()
            self._show_by_name()
            return
        self._show_list(root)
        self._enable(readable=not self._session.locked)
        self._show_model()
        if self._unnamed and self.model == self._unnamed:
            self._unnamed = ""
            self._to_name()

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        self._rename()
        self.form.flush()
        if "by_name" in vars(self):
            self.by_name.flush()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        self.id.setModified(False)
        self.form.forget()
        if "by_name" in vars(self):
            self.by_name.forget()

    # what is shown

    def _show_list(self, root: dict[str, object]) -> None:
        models = root.get("models")
        ids = [each for each in models if each != "current"] if isinstance(models, dict) else []
        kept = self._wanted if self._wanted in ids else self.model
        if self._wanted in ids:
            self._wanted = ""
        if ids != self._ids:
            row = self.list.currentRow()
            with QSignalBlocker(self.list):
                if len(ids) == len(self._ids):
                    for at, (id, before) in enumerate(zip(ids, self._ids, strict=True)):
                        if id != before:
                            self.list.item(at).setText(id)
                else:
                    self.list.clear()
                    self.list.addItems(ids)
                self._ids = ids
                row = ids.index(kept) if kept in ids else max(0, min(row, len(ids) - 1))
                self.list.setCurrentRow(row)
        elif kept != self.model:
            with QSignalBlocker(self.list):
                self.list.setCurrentRow(ids.index(kept))
        self.empty.setVisible(not ids)
        self._body.setVisible(bool(ids))

    def _show_model(self) -> None:
        id = self.model
        path: KeyPath = ("models", id) if id else ("models", "")
        if not self.id.hasFocus() or not self.id.isModified():
            self.id.setText(id)
        self.form.set_above(path)
        self.form.refresh()
        self._show_by_name()
        self._show_group(id)
        preview = self._session.analysis.preview
        self._show_expanded(preview.models.get(id) if preview is not None else None)
        self._show_help()

    def _show_by_name(self) -> None:
        if "by_name" in vars(self):
            self.by_name.set_path(("models", self.model, *BY_NAME))
            self.by_name.refresh()

    def _show_group(self, id: str) -> None:
        root = self._session.analysis.root
        groups = value_at(root, groups_path(root), {})
        names = [str(name) for name in groups] if isinstance(groups, dict) else []
        mine = ""
        for name in names:
            members = value_at(groups, (name, "members"), [])
            if id in (members if isinstance(members, list) else [members]):
                mine = name
        with QSignalBlocker(self.group):
            wanted = ["", *names]
            if wanted != [self.group.itemData(at) for at in range(self.group.count())]:
                self.group.clear()
                self.group.addItem(tr("none: one model at a time"), "")
                for name in names:
                    self.group.addItem(name, name)
            self.group.setItemText(0, self._elsewhere(id) or tr("none: one model at a time"))
            self.group.setCurrentIndex(wanted.index(mine))
        self.group.setEnabled(bool(names) and not self._session.locked)

    def _elsewhere(self, id: str) -> str:
        """The group that another file of the configuration has the model in."""
        preview = self._session.analysis.preview
        for name, group in preview.groups.items() if preview is not None else ():
            if id in group.members and len(self._session.files) > 1:
                return tr("{group}, in another file", group=name)
        return ""

    def _show_expanded(self, model: Model | None) -> None:
        text = ""
        if model is not None and model.cmd:
            words = split(model.cmd) if isinstance(model.cmd, str) else list(model.cmd)
            text = quoted(redact(words))
            if model.port is not None:
                port = tr("{port}, or the next free one", port=model.port)
                text += f"\n${{PORT}}: {port}"
        elif model is not None:
            text = tr("No command: an external server, which is never started or stopped")
        self.expanded.setText(text)

    def _show_help(self) -> None:
        edit = self._command
        preview = self._session.analysis.preview
        model = preview.models.get(self.model) if preview is not None else None
        # With a mistake in the model itself, the flags known before stay known.
        if model is not None:
            edit.set_help(self._shelf.help(asked_program(model.cmd)))

    @property
    def _command(self) -> ArgumentsEdit:
        edit = self.form.field(("cmd",)).editor
        assert isinstance(edit, ArgumentsEdit)
        return edit

    def _enable(self, *, readable: bool) -> None:
        some = readable and bool(self._ids)
        row = self.list.currentRow()
        self.add.setEnabled(readable)
        self.add_file.setEnabled(readable)
        for each in (self.duplicate, self.remove, self.id):
            each.setEnabled(some)
        self.up.setEnabled(some and row > 0)
        self.down.setEnabled(some and row < len(self._ids) - 1)

    # what is done

    def _add(self) -> None:
        id = free_name("new-model", self._ids)
        command = quoted([*server(), "-m", "/path/to/model.gguf", "--port", "${PORT}"])
        self._session.edit(("add", id), add_model(id, {"cmd": command}))
        self.select(id)
        self._unnamed = id

    def _duplicate(self) -> None:
        self.flush()
        copy = free_name(f"{self.model}-copy", self._ids)
        self._session.edit(("duplicate", copy), duplicate_model(self.model, copy))
        self.select(copy)

    def _remove(self) -> None:
        # It can be undone, so nobody is asked.
        self._session.edit(("remove", self.model), remove_model(self.model))

    def _move(self, by: int) -> None:
        id = self.model
        self._session.edit(("move", id, object()), move_model(id, by))
        self._wanted = id

    def _rename(self) -> None:
        name, id = self.id.text().strip(), self.model
        if not self.id.isModified() or not name or not id or name == id:
            return
        self.id.setModified(False)
        self.form.flush()
        self._session.edit(("rename", id), rename_model(id, name))
        self._wanted = name

    def _join(self) -> None:
        id, group = self.model, self.group.currentData()
        self._session.edit(("group", id), join_group(id, group))

    def _on_row(self) -> None:
        self.id.setModified(False)
        self.refresh()
        self.chosen.emit(("models", self.model) if self.model else ())

    # how it looks

    def _lay_out(self) -> None:
        self.list.setAccessibleName(tr("Models"))
        self.empty.setWordWrap(True)
        self.empty.setMargin(16)
        self.id.setAccessibleName(tr("Name of the model"))
        self.id.setToolTip(tr("The name that requests use; renamed wherever the file uses it"))
        self.group.setAccessibleName(tr("Group"))
        self.group.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.up.setToolTip(tr("Alt+Up"))
        self.down.setToolTip(tr("Alt+Down"))
        for label in (self.expanded, self.doubts):
            label.setWordWrap(True)
            # Long paths must not make the form wider than its place.
            label.setMinimumWidth(1)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.expanded.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.expanded.setAccessibleName(tr("The command with its macros replaced"))
        self.doubts.hide()

        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        for button in (
            self.add,
            self.add_file,
            self.duplicate,
            self.remove,
            self.up,
            self.down,
        ):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        top = QWidget()
        row = QHBoxLayout(top)
        row.setContentsMargins(8, 8, 8, 4)
        row.addWidget(self.list, 1)
        row.addLayout(buttons)

        names = QFormLayout()
        names.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        names.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        names.setHorizontalSpacing(12)
        names.addRow(tr("&Name"), self.id)
        names.addRow(tr("&Group"), self.group)
        self.form.column.insertLayout(0, names)
        # Below the command: what it comes to, and which flags are doubtful.
        for label in (self.doubts, self.expanded):
            self.form.field(("cmd",)).add_below(label)

        self._body = Scrolled(self.form)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(top)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.empty)
        column.addWidget(self._body, 1)
        self.splitter.addWidget(below)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _: self._on_row())
        self.add.clicked.connect(self._add)
        self.add_file.clicked.connect(self.files_wanted)
        self.duplicate.clicked.connect(self._duplicate)
        self.remove.clicked.connect(self._remove)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.id.editingFinished.connect(self._rename)
        self.group.activated.connect(lambda _: self._join())
        self.form.focused.connect(self.focused)
        self.form.undo_wanted.connect(self.undo_wanted)
        self._command.doubted.connect(self._on_doubted)
        within = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for keys, button in (
            ("Alt+Up", self.up),
            ("Alt+Down", self.down),
        ):
            QShortcut(QKeySequence(keys), self, button.click, context=within)
        QShortcut(QKeySequence.StandardKey.Delete, self.list, self.remove.click, context=within)
        QShortcut(QKeySequence(Qt.Key.Key_F2), self.list, self._to_name, context=within)

    def _to_name(self) -> None:
        self.id.setFocus()
        self.id.selectAll()

    def _on_doubted(self, text: str) -> None:
        self.doubts.setText(text)
        self.doubts.setVisible(bool(text))
