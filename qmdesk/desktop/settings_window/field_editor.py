"""One field of a form: its label with a dot where it has changed, its editor, its problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config import Problem
from qmdesk.config.document import KeyPath, dotted
from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.label import aside
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings_window.arguments_edit import ArgumentsEdit
from qmdesk.desktop.settings_window.command_lines import as_lines, from_lines
from qmdesk.desktop.settings_window.edits import MISSING
from qmdesk.desktop.settings_window.field import Field, Kind, Offer
from qmdesk.desktop.settings_window.name_button import NameButton
from qmdesk.desktop.settings_window.peer_models_edit import PeerModelsEdit
from qmdesk.desktop.settings_window.undo_keys import undo_of
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import tr

TYPED = 300
"""Milliseconds after the last key press until what was typed goes into the text."""
DOT = "●"
_LISTS = (Kind.LIST, Kind.COMMAND, Kind.NAMES, Kind.PEER_MODELS)
_LEAST = 18
"""Characters that a field has room for."""


class FieldEditor(QWidget):
    """Shows a written value and tells what the user makes of it."""

    committed = Signal(object, object)
    """The path, and the value that is meant; ``MISSING``: the key is to go."""
    focused = Signal(object)
    """This editor has got the focus."""
    undo_wanted = Signal(bool)
    """The last change of the text is to be undone; false: done again."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.above: KeyPath = ()
        """What the field's path is below, for a model's fields."""
        self.names: Callable[[], Sequence[str]] = tuple
        """What the field's ``offer`` comes to just now."""
        self._older = False
        self._written: Any = MISSING
        self._saved: Any = MISSING
        self._pending = False
        self._shown = False
        self._changed = False
        self._typed = QTimer(self, singleShot=True, interval=TYPED)
        self._typed.timeout.connect(self.flush)
        self.label = QLabel(field.label)
        self.editor = self._made_editor()
        self._row = QHBoxLayout()
        self._lay_out()
        for watched in self._watched():
            watched.installEventFilter(self)

    # Most fields have neither changed nor a problem: these are made when one first has.

    @cached_property
    def dot(self) -> QLabel:
        """Shown while the field says something else than the file."""
        dot = QLabel(DOT)
        dot.setToolTip(tr("Changed; the file says something else"))
        dot.setAccessibleName(tr("{field} has changed", field=self.field.label))
        self._row.addWidget(dot, 0, self._beside())
        return dot

    @cached_property
    def reset(self) -> QToolButton:
        """Puts back what the file says."""
        reset = QToolButton()
        reset.setText(tr("Reset"))
        reset.setAutoRaise(True)
        reset.setAccessibleName(tr("Reset {field}", field=self.field.label))
        reset.setToolTip(tr("Back to what the file says"))
        reset.clicked.connect(self._on_reset)
        self._row.addWidget(reset, 0, self._beside())
        QWidget.setTabOrder(self.editor, reset)
        return reset

    @cached_property
    def problem(self) -> QLabel:
        """What is wrong with the value."""
        problem = QLabel()
        problem.setWordWrap(True)
        problem.setMinimumWidth(1)
        problem.setTextFormat(Qt.TextFormat.PlainText)
        problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._column.addWidget(problem)
        return problem

    @property
    def path(self) -> KeyPath:
        """Where the field is written, from the root."""
        path = self.field.path
        return (*self.above, *((*path[:-1], self.field.older) if self._older else path))

    def spell(self, written: Callable[[KeyPath], bool]) -> None:
        """Take the spelling that the text has; ``written`` tells which keys it has."""
        if self.field.older:
            self._older = False
            new = written(self.path)
            self._older = True
            self._older = not new and written(self.path)

    def add_to(self, form: QFormLayout, *, below: bool = False) -> None:
        """Put label and editor into a row of ``form``; ``below``: into two."""
        if self.field.kind is Kind.FLAG:
            form.addRow(self)
        elif below or self.field.path == ("cmd",) or self._wide:
            form.addRow(self.label)
            form.addRow(self)
        else:
            form.addRow(self.label, self)

    @property
    def _wide(self) -> bool:
        """Whether it needs all the width that there is."""
        return self.field.kind is Kind.PARAMETERS or self.field.offer is not Offer.NONE

    def explain(self) -> None:
        """Say below the editor what the key means."""
        self.add_below(aside(self.field.help))

    def add_below(self, widget: QWidget) -> None:
        """Put ``widget`` below the editor and its problem."""
        self._column.addWidget(widget)

    def show_value(
        self, written: Any, saved: Any, problem: Problem | None, *, enabled: bool
    ) -> None:
        """Show what the text says, what the file says, and what is wrong with it.

        What the user is typing just now stays.
        """
        self._saved, self._written = saved, written
        self.editor.setEnabled(enabled and self._editable(written))
        if self._changed:
            self.reset.setEnabled(enabled)
        if not self._pending:
            if not self._shows(written):
                self._put(written)
            self._show_problem(problem)
        self._show_changed()

    def flush(self) -> None:
        """Tell what has been typed, without waiting for more."""
        self._typed.stop()
        if not self._pending:
            return
        try:
            value = self._value()
        except ValueError as error:
            self._show_problem(Problem(str(error)))
            return
        self._pending = False
        if not _same(value, self._written):
            self._written = value
            self._show_changed()
            self.committed.emit(self.path, value)

    def forget(self) -> None:
        """Drop what has been typed and not told."""
        self._typed.stop()
        self._pending = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.FocusIn:
            self.focused.emit(self)
        elif kind is QEvent.Type.FocusOut:
            self.flush()
        elif kind is QEvent.Type.Resize:
            self._size_editor()
        elif kind is QEvent.Type.Wheel and isinstance(watched, QComboBox):
            # Scrolling the page must not change what the pointer happens to pass.
            if not watched.hasFocus():
                event.ignore()
                return True
        elif (undo := undo_of(event)) is not None:
            if kind is QEvent.Type.KeyPress:
                self._undo(undo)
            event.accept()
            return True
        return super().eventFilter(watched, event)

    # how

    def _made_editor(self) -> QWidget:
        field = self.field
        editor: Any
        match field.kind:
            case Kind.FLAG:
                editor = QCheckBox(field.label)
                editor.clicked.connect(self._on_flag)
            case Kind.CHOICE:
                editor = QComboBox()
                editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                default = next(
                    (words for value, words in field.choices if value == field.default), ""
                )
                unset = tr("default ({value})", value=tr(default)) if default else tr("default")
                if field.required:
                    unset = tr("please choose")
                editor.addItem(unset, MISSING)
                for value, words in field.choices:
                    if value != "":
                        editor.addItem(tr(words), value)
                editor.activated.connect(self._on_edited)
                editor.activated.connect(self.flush)
            case Kind.COMMAND:
                editor = ArgumentsEdit()
                editor.textChanged.connect(self._on_edited)
            case Kind.PEER_MODELS:
                editor = PeerModelsEdit()
                editor.edited.connect(self._on_edited)
            case Kind.LIST | Kind.PAIRS | Kind.NAMES | Kind.PARAMETERS:
                editor = QPlainTextEdit()
                editor.setTabChangesFocus(True)
                editor.setPlaceholderText(field.placeholder.replace(", ", "\n"))
                editor.textChanged.connect(self._on_edited)
            case _:
                editor = QLineEdit()
                editor.setPlaceholderText(field.placeholder)
                editor.textEdited.connect(self._on_edited)
                editor.editingFinished.connect(self.flush)
        editor.setToolTip(field.help)
        key = dotted(field.path)
        editor.setStatusTip(f"{key}: {field.help}" if key else field.help)
        editor.setAccessibleName(field.label)
        editor.setAccessibleDescription(field.help)
        return editor  # type: ignore[no-any-return]

    def _lay_out(self) -> None:
        self.label.setBuddy(self.editor)
        self.label.setToolTip(self.field.help)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._row.addWidget(self.editor, 1)
        if self.field.offer is not Offer.NONE and isinstance(self.editor, QPlainTextEdit):
            pairs = self.field.kind is Kind.PAIRS
            self.pick = NameButton(self.editor, self._offered, pairs=pairs)
            self._row.addWidget(self.pick, 0, self._beside())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addLayout(self._row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._size_editor()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._changed:
            self._paint_dot()
        elif event.type() is QEvent.Type.FontChange:
            self._size_editor()

    def _paint_dot(self) -> None:
        colour = state_colour(Shape.LOADING, dark=is_dark())
        palette = self.dot.palette()
        if palette.color(palette.ColorRole.WindowText) != colour:
            palette.setColor(palette.ColorRole.WindowText, colour)
            self.dot.setPalette(palette)

    def _beside(self) -> Qt.AlignmentFlag:
        tall = isinstance(self.editor, QPlainTextEdit | PeerModelsEdit)
        return Qt.AlignmentFlag.AlignTop if tall else Qt.AlignmentFlag.AlignVCenter

    def _size_editor(self) -> None:
        if not isinstance(self.editor, QCheckBox):
            # With less room than that a field goes below its label.
            self.editor.setMinimumWidth(self.editor.fontMetrics().averageCharWidth() * _LEAST)
        editor = self.editor.lines if isinstance(self.editor, PeerModelsEdit) else self.editor
        if not isinstance(editor, QPlainTextEdit):
            return
        least, most = (6, 14) if self.field.path[-1:] == ("cmd",) else (2, 6)
        # What is wrapped counts as it is seen.
        shown = max(editor.blockCount(), round(editor.document().size().height()))
        lines = min(max(shown, least), most)
        editor.setFixedHeight(editor.fontMetrics().lineSpacing() * lines + 14)

    def _watched(self) -> tuple[QObject, ...]:
        if isinstance(self.editor, PeerModelsEdit):
            return self.editor.box, self.editor.lines, self.editor.lines.viewport()
        if isinstance(self.editor, QAbstractScrollArea):
            return self.editor, self.editor.viewport()
        return (self.editor,)

    def _undo(self, undo: bool) -> None:
        if undo and self._pending:
            self.forget()
            self._put(self._written)
        else:
            self.flush()
            self.undo_wanted.emit(undo)

    def _offered(self) -> Sequence[str]:
        return self.names()

    def _on_edited(self, *_: object) -> None:
        self._pending = True
        self._typed.start()
        self._size_editor()

    def _on_flag(self, on: bool) -> None:
        default = on == bool(self.field.default) and self._saved is MISSING
        self._written = MISSING if default else on
        self._show_changed()
        self.committed.emit(self.path, self._written)

    def _on_reset(self) -> None:
        self.forget()
        self._put(self._saved)
        self._written = self._saved
        self._show_changed()
        self.editor.setFocus()
        self.committed.emit(self.path, self._saved)

    def _editable(self, written: Any) -> bool:
        """False for what this field cannot show without spoiling it."""
        if self.field.kind is Kind.FLAG:
            return self.field.flag(written) is not None
        if isinstance(written, dict):
            return self.field.kind in (Kind.PAIRS, Kind.PARAMETERS)
        if isinstance(written, list):
            plain = all(not isinstance(each, dict | list) for each in written)
            return plain and self.field.kind in _LISTS
        return True

    def _shows(self, written: Any) -> bool:
        """Whether there is nothing to put: setting a text anew would move its cursor."""
        if not self._shown:
            self._shown = True
            return False
        if isinstance(self.editor, QCheckBox):
            return self.field.flag(written) is self.editor.isChecked()
        try:
            return _same(self._value(), written)
        except ValueError:
            return False

    def _value(self) -> Any:
        """The value that the editor shows now."""
        editor: Any = self.editor
        if isinstance(editor, QCheckBox):
            return self._written
        if isinstance(editor, QComboBox):
            return editor.currentData()
        if isinstance(editor, ArgumentsEdit):
            text = editor.toPlainText()
            if not text.strip():
                return MISSING
            if self._written is not MISSING and text == as_lines(self._written):
                return self._written
            return from_lines(text, self._written)
        if isinstance(editor, QPlainTextEdit):
            return self.field.read(editor.toPlainText(), self._written)
        # PeerModelsEdit and QLineEdit
        return self.field.read(editor.text(), self._written)

    def _put(self, value: Any) -> None:
        editor: Any = self.editor
        with QSignalBlocker(editor):
            if isinstance(editor, QCheckBox):
                editor.setChecked(bool(self.field.flag(value)))
                macro = self.field.flag(value) is None
                editor.setToolTip(
                    tr("Written as {value}; change it in the text", value=value)
                    if macro
                    else self.field.help
                )
            elif isinstance(editor, QComboBox):
                self._choose(editor, value)
            elif isinstance(editor, ArgumentsEdit):
                editor.put(as_lines(value) if value is not MISSING else "")
                self._size_editor()
            elif isinstance(editor, PeerModelsEdit):
                editor.put(self.field.shown(value))
                self._size_editor()
            elif isinstance(editor, QPlainTextEdit):
                editor.setPlainText(self.field.shown(value))
                self._size_editor()
            else:
                editor.setText(self.field.shown(value))

    def _choose(self, combo: QComboBox, value: Any) -> None:
        if isinstance(value, str) and any(each is True for each, _ in self.field.choices):
            truth = self.field.flag(value)
            value = value if truth is None else truth
        for at in range(combo.count()):
            data = combo.itemData(at)
            if data is value or (_same(data, value)):
                combo.setCurrentIndex(at)
                return
        # A value that is not among the choices, such as a macro, is kept.
        combo.addItem(self.field.shown(value), value)
        combo.setCurrentIndex(combo.count() - 1)

    def _show_problem(self, problem: Problem | None) -> None:
        text = told(problem.message) if problem else ""
        if not text and "problem" not in vars(self):
            return
        if self.problem.text() != text:
            self.problem.setText(text)
        self.problem.setVisible(bool(text))
        if problem:
            shape = Shape.PROBLEM if problem.severity == "error" else Shape.OUTDATED
            palette = self.problem.palette()
            palette.setColor(palette.ColorRole.WindowText, state_colour(shape, dark=is_dark()))
            self.problem.setPalette(palette)

    def _show_changed(self) -> None:
        changed = not _same(self._written, self._saved)
        if changed == self._changed:
            return
        self._changed = changed
        if changed:
            self._paint_dot()
        self.dot.setVisible(changed)
        self.reset.setVisible(changed)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
