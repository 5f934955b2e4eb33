"""The page of groups and matrix: who may run together, as a list and as a picture."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config.document import KeyPath
from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.check_list import CheckList
from qmdesk.desktop.settings_window.edits import MISSING, groups_path, put, rename
from qmdesk.desktop.settings_window.field import Kind, top_field
from qmdesk.desktop.settings_window.form_page import Form
from qmdesk.desktop.settings_window.proposal import free_name
from qmdesk.desktop.settings_window.section import Section
from qmdesk.desktop.settings_window.session import Session
from qmdesk.desktop.settings_window.together import Together, together
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import later, plural, tr

_RULES = (
    ("swap", True, later("One member at a time")),
    ("exclusive", True, later("Evicts other groups")),
    ("persistent", False, later("Never evicted by other groups")),
)


class GroupsPage(QWidget):
    """Edits groups by ticking members; a matrix as its names and expressions."""

    focused = Signal(object)
    undo_wanted = Signal(bool)
    chosen = Signal(object)
    """The path of the group that is shown now; empty where none is."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._names: list[str] = []
        self._wanted = ""
        self.list = QListWidget()
        self.add = QPushButton(tr("&Add"))
        self.remove = QPushButton(tr("Re&move"))
        self.name = QLineEdit()
        self.rules = {key: QCheckBox(tr(words)) for key, _, words in _RULES}
        self.members = CheckList()
        self.picture = Picture()
        self.caption = QLabel()
        self.problem = QLabel()
        self.matrix = Form(session, (matrix_section(),))
        self._lay_out()
        self._connect()

    @property
    def group(self) -> str:
        """The selected group; empty where there is none."""
        row = self.list.currentRow()
        return self._names[row] if 0 <= row < len(self._names) else ""

    def refresh(self) -> None:
        """Show what the session's text says."""
        analysis = self._session.analysis
        root = analysis.root
        readable = root is not None and not self._session.locked
        self.add.setEnabled(readable)
        if root is None:
            for each in (self.remove, self.name, self.members, *self.rules.values()):
                each.setEnabled(False)
            self.matrix.refresh()
            return
        has_matrix = isinstance(root.get("matrix"), dict)
        self.matrix.setVisible(has_matrix)
        self._groups.setVisible(not has_matrix or isinstance(root.get("groups"), dict))
        self.matrix.refresh()
        self._show_list(root)
        self._show_group(root, enabled=readable and bool(self.group))
        self._show_picture()
        problem = analysis.problem(groups_path(root))
        self.problem.setText(told(problem.message) if problem else "")
        self.problem.setVisible(bool(problem))

    def flush(self) -> None:
        """Put into the text what has been typed just now."""
        self._rename()
        self.matrix.flush()

    def forget(self) -> None:
        """Drop what has been typed and is not in the text yet."""
        self.name.setModified(False)
        self.matrix.forget()

    # what is shown

    def _show_list(self, root: object) -> None:
        groups = value_at(root, groups_path(root), {})
        names = [str(name) for name in groups] if isinstance(groups, dict) else []
        kept = self._wanted if self._wanted in names else self.group
        if self._wanted in names:
            self._wanted = ""
        if names != self._names or kept != self.group:
            with QSignalBlocker(self.list):
                row = self.list.currentRow()
                self.list.clear()
                self.list.addItems(names)
                self._names = names
                row = names.index(kept) if kept in names else max(0, min(row, len(names) - 1))
                self.list.setCurrentRow(row)

    def _show_group(self, root: object, *, enabled: bool) -> None:
        path = self._path()
        for each in (self.remove, self.name, self.members, *self.rules.values()):
            each.setEnabled(enabled)
        if not self.name.isModified():
            self.name.setText(self.group)
        for key, default, _ in _RULES:
            value = value_at(root, (*path, key), default)
            self.rules[key].setChecked(value is True or str(value).lower() in ("yes", "on"))
        members = self._members(root)
        models = value_at(root, ("models",), {})
        ids = [str(id) for id in models] if isinstance(models, dict) else []
        # Those of other files of the configuration may be members too.
        preview = self._session.analysis.preview
        others = [*preview.models] if preview is not None else []
        ids += [each for each in dict.fromkeys((*others, *members)) if each not in ids]
        self.members.show_names(ids, members)

    def _show_picture(self) -> None:
        config = self._session.analysis.config
        if config is None:
            return  # the last one that made sense stays
        shown = together(config, self._members(self._session.analysis.root))
        self.picture.show_together(shown)
        text = tr("Row: the model asked for. Column: a loaded model; a disc means it stays.")
        if shown.left_out:
            text += " " + plural(
                shown.left_out, "1 more model is not shown.", "{n} more models are not shown."
            )
        self.caption.setText(text if shown.ids else tr("No models yet."))

    def _members(self, root: object) -> list[str]:
        members = value_at(root, (*self._path(), "members"), [])
        listed = members if isinstance(members, list) else [members]
        return [str(each) for each in listed if each is not None]

    def _path(self) -> KeyPath:
        return (*groups_path(self._session.analysis.root), self.group)

    # what is done

    def _add(self) -> None:
        name = free_name("together", self._names)
        path = (*groups_path(self._session.analysis.root), name)
        self._wanted = name
        self._session.edit(path, put(path, {"swap": False, "members": []}))

    def _remove(self) -> None:
        path = self._path()
        self._session.edit(path, put(path, MISSING))

    def _rename(self) -> None:
        name, group = self.name.text().strip(), self.group
        if not self.name.isModified() or not name or not group or name == group:
            return
        self.name.setModified(False)
        self._wanted = name
        self._session.edit(("rename group", group), rename(self._path(), name))

    def _on_rule(self, key: str, default: bool, on: bool) -> None:
        path = (*self._path(), key)
        unwritten = value_at(self._session.base_root, path, MISSING) is MISSING
        self._session.edit(path, put(path, MISSING if on == default and unwritten else on))

    def _on_member(self, item: QListWidgetItem) -> None:
        members = self._members(self._session.analysis.root)
        id = item.text()
        if (item.checkState() is Qt.CheckState.Checked) == (id in members):
            return
        path = (*self._path(), "members")
        self._session.edit(path, put(path, self.members.changed(members)))

    def _on_row(self) -> None:
        self.name.setModified(False)
        self.refresh()
        self.chosen.emit(self._path() if self.group else ())

    # how it looks

    def _lay_out(self) -> None:
        self.list.setAccessibleName(tr("Groups"))
        self.add.setAccessibleName(tr("Add a group"))
        self.remove.setAccessibleName(tr("Remove the group"))
        self.members.setAccessibleName(tr("Members of the group"))
        self.name.setAccessibleName(tr("Name of the group"))
        self.caption.setWordWrap(True)
        self.caption.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.hide()
        line = self.fontMetrics().lineSpacing()
        self.list.setMinimumHeight(line * 4)
        self.list.setMaximumHeight(line * 7)
        self.members.setMinimumHeight(line * 6)
        self.members.setMaximumHeight(line * 12)
        buttons = QVBoxLayout()
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout()
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(tr("&Name"), self.name)
        for box in self.rules.values():
            form.addRow(box)
        members = QLabel(tr("M&embers"))
        members.setBuddy(self.members)
        form.addRow(members, self.members)
        self._groups = QWidget()
        groups = QVBoxLayout(self._groups)
        groups.setContentsMargins(12, 8, 8, 0)
        groups.addLayout(row)
        groups.addWidget(self.problem)
        groups.addLayout(form)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._groups)
        column.addWidget(self.matrix)
        picture = QVBoxLayout()
        picture.setContentsMargins(12, 8, 8, 12)
        picture.addWidget(self.caption)
        picture.addWidget(self.picture)
        column.addLayout(picture)
        column.addStretch(1)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _: self._on_row())
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self.name.editingFinished.connect(self._rename)
        self.members.itemChanged.connect(self._on_member)
        for key, default, _ in _RULES:
            self.rules[key].clicked.connect(
                lambda on, key=key, default=default: self._on_rule(key, default, on)
            )
        self.matrix.focused.connect(self.focused)
        self.matrix.undo_wanted.connect(self.undo_wanted)


class Picture(QWidget):
    """A table of discs: who stays loaded when somebody else is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = Together((), 0, ())
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Who may run together"))

    def show_together(self, shown: Together) -> None:
        """Draw ``shown``."""
        if shown == self._shown:
            return
        self._shown = shown
        pairs = [
            shown.told(row, column)
            for row in range(len(shown.ids))
            for column in range(len(shown.ids))
            if row != column and shown.stays[row][column]
        ]
        self.setAccessibleDescription("; ".join(pairs))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        cell, names = self._cell(), self._names()
        count = len(self._shown.ids)
        return QSize(names + cell * count + 4, cell * (count + 1) + 4 if count else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        roles = palette.ColorRole
        cell, names = self._cell(), self._names()
        colour = state_colour(Shape.READY, dark=is_dark())
        muted = palette.color(roles.PlaceholderText)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for at, id in enumerate(self._shown.ids):
            top = cell * (at + 1)
            if at % 2 == 0:
                painter.fillRect(
                    QRectF(0, top, names + cell * len(self._shown.ids), cell),
                    palette.color(roles.AlternateBase),
                )
            painter.setPen(palette.color(roles.WindowText))
            number = f"{at + 1}  "
            elided = self.fontMetrics().elidedText(
                number + id, Qt.TextElideMode.ElideMiddle, names - 8
            )
            painter.drawText(QRectF(4, top, names - 8, cell), flags, elided)
            painter.setPen(muted)
            painter.drawText(
                QRectF(names + cell * at, 0, cell, cell), Qt.AlignmentFlag.AlignCenter, str(at + 1)
            )
        for row, stays in enumerate(self._shown.stays):
            for column, stay in enumerate(stays):
                middle = QPointF(names + cell * (column + 0.5), cell * (row + 1.5))
                if row == column:
                    painter.setPen(muted)
                    painter.drawLine(middle - QPointF(3, 0), middle + QPointF(3, 0))
                elif stay:
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(colour)
                    painter.drawEllipse(middle, cell * 0.24, cell * 0.24)
                else:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(QPen(muted, 1))
                    painter.drawEllipse(middle, cell * 0.1, cell * 0.1)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            column = (event.pos().x() - self._names()) // self._cell()
            row = event.pos().y() // self._cell() - 1
            count = len(self._shown.ids)
            if 0 <= row < count and 0 <= column < count:
                QToolTip.showText(event.globalPos(), self._shown.told(row, column), self)
                return True
        return super().event(event)

    def _cell(self) -> int:
        return self.fontMetrics().height() + 8

    def _names(self) -> int:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(f"00  {id}") for id in self._shown.ids), default=0)
        return min(widest, metrics.averageCharWidth() * 28) + 12


def matrix_section() -> Section:
    fields = (
        top_field("matrix.sets", tr("Sets: who may run together")),
        top_field("matrix.vars", tr("Short names")),
        top_field("matrix.evict_costs", tr("Prices of evicting")),
    )
    assert all(each.kind is Kind.PAIRS for each in fields)
    return Section(tr("Matrix"), fields)
