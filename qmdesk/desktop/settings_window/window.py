"""The settings window: pages, form and text beside each other; problems and the plan below."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QPalette,
    QShortcut,
)
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qmdesk.config import Config, ConfigError, Problem
from qmdesk.config.document import KeyPath
from qmdesk.config.store import ChangedOnDisk
from qmdesk.config.three_way import Clash
from qmdesk.configuration import NotEditable
from qmdesk.desktop.icon import coloured_icon
from qmdesk.desktop.rail import Rail
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings import settings
from qmdesk.desktop.settings_window import entries, pages
from qmdesk.desktop.settings_window.apply_dialog import ApplyDialog
from qmdesk.desktop.settings_window.edits import add_model
from qmdesk.desktop.settings_window.entries_view import EntriesView
from qmdesk.desktop.settings_window.field_editor import FieldEditor
from qmdesk.desktop.settings_window.form_page import Form, Scrolled
from qmdesk.desktop.settings_window.groups_page import GroupsPage
from qmdesk.desktop.settings_window.help_shelf import HelpShelf
from qmdesk.desktop.settings_window.history_dialog import HistoryDialog
from qmdesk.desktop.settings_window.keys_page import KeysPage
from qmdesk.desktop.settings_window.merge_dialog import MergeDialog
from qmdesk.desktop.settings_window.models_page import ModelsPage
from qmdesk.desktop.settings_window.plan_words import Consequence, consequences, summary
from qmdesk.desktop.settings_window.proposal import is_model_file, propose
from qmdesk.desktop.settings_window.proposal_dialog import ProposalDialog
from qmdesk.desktop.settings_window.session import Session
from qmdesk.desktop.settings_window.yaml_pane import YamlPane
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import at_home, clock, plural, tr
from qmdesk.events import ConfigApplied, ConfigRejected, Fact
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

_GEOMETRY = "settings_window/geometry"
_SPLIT = "settings_window/split"
_PAGE = "settings_window/page"
_FILE = "settings_window/file"
Page = Form | ModelsPage | GroupsPage | KeysPage | EntriesView
_ENTRIES = {
    pages.PEERS: entries.peers,
    pages.SELECTORS: entries.selectors,
    pages.PROFILES: entries.profiles,
}
"""What the pages of entries have."""
_SHOWN = 6
"""Lines of problems that are seen without scrolling."""


class SettingsWindow(QWidget):
    """Edits the configuration's file; nothing is in force before "Apply"."""

    closed = Signal()

    def __init__(self, instance: Instance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._instance = instance
        self._field: KeyPath = ()
        self._problems: tuple[Problem, ...] = ()
        self._busy = False
        self._refused = False
        """The notice says why an edit could not be made."""
        self.asking = False
        """Whether the user is being asked about edits that were not applied."""
        self.setWindowTitle(tr("Settings") + "[*]")
        self.setAcceptDrops(True)
        self.text = YamlPane()
        self.session = Session(instance, self.text.document(), self)
        self.shelf = HelpShelf(self)
        self._made: dict[str, Page] = {}
        self._places: dict[str, QVBoxLayout] = {}
        self.rail = Rail([pages.title(page) for page in pages.PAGES])
        self.files = QComboBox()
        self.stack = QStackedWidget()
        self.notice = QLabel()
        self.merge = QPushButton(tr("Me&rge…"))
        self.take_theirs = QPushButton(tr("&Take the file's"))
        self.restore = QPushButton(tr("&Restore them"))
        self.discard = QPushButton(tr("&Discard them"))
        self.hint = QLabel()
        self.problems = QListWidget()
        self.plan = QLabel()
        self.show_form = QPushButton(tr("Show f&orm"))
        self.show_text = QPushButton(tr("Show te&xt"))
        self.history = QPushButton(tr("&History…"))
        self.revert = QPushButton(tr("Re&vert"))
        self.apply = QPushButton(tr("A&pply…"))
        self._lay_out()
        self._connect()
        self._restore()
        self.rail.setFocus()
        self._unsubscribe = instance.bus.subscribe(self._on_config, ConfigApplied, ConfigRejected)
        self._spawn(self.session.load(), "read")

    # what others ask for

    def present(self, page: str = "") -> None:
        """Show the window before all others; at ``page`` where that is one of ``pages``.

        ``models/NAME`` is the page of models at one of them.
        """
        name, _, model = page.partition("/")
        if name in pages.PAGES:
            self.rail.setCurrentRow(pages.PAGES.index(name))
        if model:
            self.models.select(model)
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def remember(self) -> None:
        """Keep place, size, page and the splitter for the next time."""
        store = settings()
        store.setValue(_GEOMETRY, self.saveGeometry())
        store.setValue(_SPLIT, self.splitter.saveState())
        store.setValue(_PAGE, self.rail.currentRow())
        if len(self.session.files) > 1:
            store.setValue(_FILE, str(self.session.file))

    def stop(self) -> None:
        """Hear and do nothing any more: the window is about to go."""
        self._unsubscribe()
        # What is being typed is kept with the rest.
        self.session.hold()
        for page in self._made.values():
            page.flush()
        for dialog in self.findChildren(QDialog):
            dialog.reject()
        self.session.close()
        self.shelf.close()

    @property
    def page(self) -> str:
        """Which of ``pages`` is shown."""
        return pages.PAGES[max(0, self.rail.currentRow())]

    @property
    def models(self) -> ModelsPage:
        made = self.form(pages.MODELS)
        assert isinstance(made, ModelsPage)
        return made

    @property
    def groups(self) -> GroupsPage:
        made = self.form(pages.GROUPS)
        assert isinstance(made, GroupsPage)
        return made

    def form(self, page: str) -> Page:
        """The form of one of ``pages``, built when it is first wanted."""
        if page not in self._made:
            self._made[page] = self._build(page)
        return self._made[page]

    # Apply and its kin

    async def save(self) -> bool:
        """Save and put in force; false where that could not be done, which has been told."""
        self._busy = True
        self._show_buttons()
        try:
            await self.session.save()
        except ChangedOnDisk:
            self._on_outside()
            return False
        except ConfigError as error:
            problem = error.problems[0]
            why = told(problem.message)
            if problem.file and Path(problem.file) != self.session.file:
                why = tr("{file}: {what}", file=Path(problem.file).name, what=why)
            self._tell(tr("Not applied: {why}", why=why))
            return False
        except (NotEditable, OSError) as error:
            self._tell(tr("Not saved: {why}. Nothing has changed.", why=told(str(error))))
            return False
        finally:
            self._busy = False
            self._show_buttons()
        self._tell("")
        return True

    def _on_apply(self) -> None:
        self._flush()
        self._spawn(self._propose_apply(), "apply")

    async def _propose_apply(self) -> None:
        await self.session.settled()
        analysis = self.session.analysis
        if analysis.config is None or not self.session.dirty:
            return
        running = [each.text for each in self._consequences(analysis.config)]
        dialog = ApplyDialog(analysis.changes, running, self)
        self._open(dialog, lambda: self._spawn(self.save(), "save"))

    def _on_revert(self) -> None:
        for page in self._made.values():
            page.forget()
        self.session.revert()

    def _on_history(self) -> None:
        self._flush()
        self._spawn(self._show_history(), "history")

    async def _show_history(self) -> None:
        await self.session.settled()
        history = self._instance.configuration.history
        versions = await asyncio.to_thread(history, self.session.file)
        dialog = HistoryDialog(versions, self.session.text, self)
        dialog.chosen.connect(self.session.replace)
        self._open(dialog, lambda: None)

    # the file changes outside

    def _on_config(self, _: Fact) -> None:
        self._spawn(self.session.check_disk(), "look at the file")
        self.session.look()

    def _on_outside(self) -> None:
        self._tell(
            tr(
                "The file was changed by another program. Merge brings both together; nothing of "
                "yours is lost."
            ),
            outside=True,
        )

    def _on_merge(self) -> None:
        self._flush()
        self._spawn(self._merge(), "merge")

    async def _merge(self) -> None:
        await self.session.settled()
        conflict = await self.session.merged()
        if conflict is None:
            self._tell(tr("Merged. Look it over and apply."))
            return
        dialog = MergeDialog(conflict, self)
        self._open(dialog, lambda: self._spawn(self._settle(dialog.choices()), "merge"))

    async def _settle(self, choices: dict[Clash, str]) -> None:
        await self.session.settle_conflict(lambda clash: choices.get(clash, clash.mine))
        self._tell(tr("Merged. Look it over and apply."))

    def _on_take_theirs(self) -> None:
        self._spawn(self._take_theirs(), "take the file's text")

    async def _take_theirs(self) -> None:
        await self.session.take_theirs()
        self._tell("")

    # edits that were left

    def _offer_draft(self) -> None:
        when = clock(self.session.drafts[0].time)
        self._tell(tr("There are unsaved changes from {time}.", time=when), draft=True)

    async def _restore_draft(self) -> None:
        self._flush()
        self._enable_draft(False)
        try:
            conflict = await self.session.restored()
        finally:
            self._enable_draft(True)
        if conflict is None:
            self._tell_restored()
            return
        dialog = MergeDialog(conflict, self)
        self._open(dialog, lambda: self._spawn(self._settle_draft(dialog.choices()), "restore"))

    async def _settle_draft(self, choices: dict[Clash, str]) -> None:
        await self.session.settle_restored(lambda clash: choices.get(clash, clash.mine))
        self._tell_restored()

    def _tell_restored(self) -> None:
        if self.session.drafts:
            self._offer_draft()
        else:
            self._tell(tr("Restored. Look it over and apply."))

    async def _discard_draft(self) -> None:
        self._enable_draft(False)
        try:
            await self.session.discard_draft()
        finally:
            self._enable_draft(True)
        self._tell("")

    def _enable_draft(self, on: bool) -> None:
        # Each of them is for one draft, not for the next one that a double click would meet.
        for button in (self.restore, self.discard):
            button.setEnabled(on)

    # model files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self.session.locked and _model_files(event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.add_files(_model_files(event.mimeData().urls()))

    def add_files(self, files: Sequence[Path]) -> None:
        """Propose a model for each of ``files``, one after the other."""
        self.rail.setCurrentRow(pages.PAGES.index(pages.MODELS))
        self._spawn(self._propose(list(files)), "model files")

    def _choose_files(self) -> None:
        dialog = QFileDialog(self, tr("Choose model files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([tr("Models (*.gguf)"), tr("All files (*)")])
        dialog.filesSelected.connect(lambda names: self.add_files([Path(each) for each in names]))
        self._open(dialog, lambda: None)

    async def _propose(self, files: list[Path]) -> None:
        seen: set[Path] = set()
        for file in files:
            await self.session.settled()
            taken = self._taken()
            proposal = await asyncio.to_thread(propose, file, taken)
            if proposal.file in seen:
                continue  # another part of the same model
            seen.add(proposal.file)
            dialog = ProposalDialog(proposal, taken, self.shelf, self)
            ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            dialog.finished.connect(lambda _, ended=ended: ended.set_result(None))
            self._open(dialog, functools.partial(self._add_proposed, dialog))
            await ended

    def _add_proposed(self, dialog: ProposalDialog) -> None:
        name = dialog.name
        self.models.select(name)
        self.session.edit(("add", name), add_model(name, {"cmd": dialog.cmd}))

    def _taken(self) -> list[str]:
        root = self.session.analysis.root or {}
        models = root.get("models")
        return list(models) if isinstance(models, dict) else []

    # following

    def _build(self, page: str) -> Page:
        made: Page
        if page == pages.MODELS:
            made = ModelsPage(self.session, self.shelf)
            made.chosen.connect(self._on_chosen)
            made.files_wanted.connect(self._choose_files)
        elif page == pages.GROUPS:
            made = GroupsPage(self.session)
            made.chosen.connect(self._on_chosen)
        elif page == pages.KEYS:
            made = KeysPage(self.session)
            made.chosen.connect(self._on_chosen)
        elif page in _ENTRIES:
            made = EntriesView(self.session, _ENTRIES[page]())
            made.chosen.connect(self._on_chosen)
        else:
            sections = pages.sections(page)
            made = Form(self.session, sections, explained=page == pages.ADVANCED)
        made.focused.connect(self._on_focused)
        made.undo_wanted.connect(self._on_undo)
        self._places[page].addWidget(made if page == pages.MODELS else Scrolled(made))
        self._put_in_order(made)
        for form in (made, *made.findChildren(Form)):
            if isinstance(form, Form):
                form.grown.connect(lambda: self._put_in_order(made))
        return made

    def _put_in_order(self, page: QWidget) -> None:
        """Let Tab go from the rail into the page, though that was made after all the others."""
        inside: list[QWidget] = []
        at = self.rail.nextInFocusChain()
        while at is not None and at is not self.rail:
            if page.isAncestorOf(at) and at.focusPolicy() & Qt.FocusPolicy.TabFocus:
                inside.append(at)
            at = at.nextInFocusChain()
        for before, after in pairwise((self.rail, *inside)):
            QWidget.setTabOrder(before, after)

    def _on_changed(self) -> None:
        session = self.session
        self._show_files()
        self.text.setReadOnly(bool(session.locked))
        if session.locked:
            self._tell(session.locked)
        elif session.note and not self.notice.text():
            self._tell(session.note)
        self._show_page()
        self._show_problems()
        self._show_plan()
        self._show_buttons()
        self._light()

    def _show_files(self) -> None:
        session = self.session
        several = len(session.files) > 1
        self._which.setVisible(several)
        if several and [self.files.itemData(at) for at in range(self.files.count())] != [
            *session.files
        ]:
            self.files.clear()
            for file in session.files:
                self.files.addItem(file.name, file)
                self.files.setItemData(
                    self.files.count() - 1, at_home(file), Qt.ItemDataRole.ToolTipRole
                )
        if session.file in session.files:
            self.files.setCurrentIndex(session.files.index(session.file))

    def _on_file(self, at: int) -> None:
        file = self.files.itemData(at)
        if file != self.session.file:
            self.ask_then(lambda: self._edit_file(file), self._show_files)

    def _to_file(self, file: Path) -> None:
        """Edit another file, as if it had been chosen."""
        if file in self.session.files:
            self.files.setCurrentIndex(self.session.files.index(file))
            self._on_file(self.files.currentIndex())

    def _edit_file(self, file: Path) -> None:
        for page in self._made.values():
            page.forget()
        self._tell("")
        self._spawn(self._change_file(file), "read")

    async def _change_file(self, file: Path) -> None:
        await self.session.settled()
        await self.session.load(file)

    def _show_page(self) -> None:
        self.form(self.page).refresh()

    def _show_problems(self) -> None:
        problems = self.session.analysis.problems
        if problems == self._problems:
            return
        self._problems = problems
        self.problems.clear()
        for problem in problems:
            shape = Shape.PROBLEM if problem.severity == "error" else Shape.OUTDATED
            text = told(problem.message)
            if problem.line:
                text = tr("Line {n}: {message}", n=problem.line, message=text)
            if problem.file:
                text = tr("{file}: {what}", file=Path(problem.file).name, what=text)
            self.problems.addItem(QListWidgetItem(coloured_icon(shape), text))
        self.problems.setVisible(bool(problems))
        self._size_problems()
        marks: dict[int, bool] = {}
        for problem in problems:
            if problem.file:
                continue
            marks[problem.line] = marks.get(problem.line, False) or problem.severity == "error"
        self.text.mark(marks)

    def _show_plan(self) -> None:
        analysis = self.session.analysis
        if self.session.locked:
            text = ""
        elif not self.session.dirty:
            text = tr("Nothing to apply.")
        elif analysis.config is None:
            count = analysis.errors
            text = plural(count, "1 mistake to mend first.", "{n} mistakes to mend first.")
        else:
            text = summary(analysis.changes, self._consequences(analysis.config))
            text = text or tr("Only the text of the file changes.")
        self.plan.setText(text)
        self.plan.setToolTip("\n".join(map(told, analysis.changes)))

    def _consequences(self, new: Config) -> tuple[Consequence, ...]:
        old, router = self._instance.config, self._instance.router
        # Not of all models: of hundreds that would take longer than a repaint may.
        ids = [id for id in self.session.analysis.concerned if id in old.models]
        return consequences(old, new, [router.snapshot_of(old.models[id]) for id in ids])

    def _show_buttons(self) -> None:
        session = self.session
        dirty = session.dirty and not self._busy
        self.revert.setEnabled(dirty)
        self.apply.setEnabled(dirty and session.analysis.config is not None)
        self.history.setEnabled(not session.locked)
        self.setWindowModified(session.dirty)

    def _light(self) -> None:
        self.text.light(self.session.analysis.line(self._field) if self._field else 0)

    def _on_focused(self, field: FieldEditor) -> None:
        self._field = field.path
        self.hint.setText(field.editor.statusTip())
        self._light()

    def _on_chosen(self, path: KeyPath) -> None:
        self._field = path
        self._light()

    def _on_problem(self, item: QListWidgetItem) -> None:
        problem = self._problems[self.problems.row(item)]
        if problem.file:
            self._to_file(Path(problem.file))
        elif problem.line:
            self._show_pane(1, True)
            self.text.go_to(problem.line, problem.column)

    def _on_page(self, row: int) -> None:
        self.stack.setCurrentIndex(row)
        self._field = ()
        self.hint.setText("")
        self._show_page()

    def _on_undo(self, undo: bool) -> None:
        (self.text.undo if undo else self.text.redo)()
        self.session.look()

    def _flush(self) -> None:
        self.form(self.page).flush()

    # Qt's own events

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.ask_then(self._leave)

    def ask_then(self, leave: Callable[[], None], stay: Callable[[], None] = lambda: None) -> None:
        """Do ``leave`` once it is clear what becomes of edits that were not applied.

        Not at all, but ``stay``, where the user wants to go on with them.
        """
        if self.asking:
            return
        self._flush()
        if not self.session.dirty:
            leave()
            return
        self.asking = True
        box = QMessageBox(
            QMessageBox.Icon.Question,
            tr("Settings"),
            tr("There are changes that have not been applied."),
            parent=self,
        )
        box.setInformativeText(tr("Apply puts them in force; without it they are forgotten."))
        apply = box.addButton(tr("&Apply"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        apply.setEnabled(self.session.analysis.config is not None)
        box.setDefaultButton(apply if apply.isEnabled() else cancel)
        box.setEscapeButton(cancel)

        def on_finished() -> None:
            self.asking = False
            box.deleteLater()
            if box.clickedButton() is apply:
                self._spawn(self._save_and(leave, stay), "save")
            elif box.clickedButton() is discard:
                self._on_revert()
                leave()
            else:
                stay()

        box.finished.connect(on_finished)
        box.open()

    async def _save_and(self, leave: Callable[[], None], stay: Callable[[], None]) -> None:
        if await self.save():
            leave()
        else:
            stay()

    def _leave(self) -> None:
        self.remember()
        self.hide()
        self.closed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kind = event.type()
        if kind is QEvent.Type.ActivationChange and self.isActiveWindow():
            self._spawn(self.session.check_disk(), "look at the file")
        elif kind is QEvent.Type.FontChange:
            self._size_problems()
        elif kind is QEvent.Type.PaletteChange:
            self._problems = ()
            self._show_problems()

    # how it looks

    def _lay_out(self) -> None:
        roles = QPalette.ColorRole
        for page in pages.PAGES:
            widget = QWidget()
            self._places[page] = QVBoxLayout(widget)
            self._places[page].setContentsMargins(0, 0, 0, 0)
            self.stack.addWidget(widget)
        for label in (self.notice, self.hint, self.plan):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.setForegroundRole(roles.PlaceholderText)
        self.hint.setContentsMargins(12, 4, 8, 4)
        # Two lines are kept, so that nothing jumps when another field gets the focus.
        self.hint.setMinimumHeight(self.hint.fontMetrics().lineSpacing() * 2 + 8)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.notice.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.plan.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.problems.setAccessibleName(tr("Problems"))
        self.problems.setWordWrap(True)
        self.problems.setIconSize(QSize(14, 14))
        self.problems.hide()
        for button in (self.show_form, self.show_text):
            button.setCheckable(True)
            button.setChecked(True)
        for button in (self.merge, self.take_theirs, self.restore, self.discard):
            button.setAutoDefault(False)
            button.hide()
        self.notice.hide()

        form = QWidget()
        column = QVBoxLayout(form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack, 1)
        column.addWidget(_line())
        column.addWidget(self.hint)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(form)
        self.splitter.addWidget(self.text)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(_line(upright=True))
        middle.addWidget(self.splitter, 1)
        strip = QHBoxLayout()
        strip.setContentsMargins(12, 8, 8, 8)
        strip.addWidget(self.notice, 1)
        strip.addWidget(self.merge)
        strip.addWidget(self.take_theirs)
        strip.addWidget(self.restore)
        strip.addWidget(self.discard)
        self._strip = QWidget()
        self._strip.setLayout(strip)
        self._strip.hide()
        bottom = QHBoxLayout()
        bottom.setContentsMargins(12, 8, 8, 8)
        bottom.setSpacing(8)
        bottom.addWidget(self.plan, 1)
        for button in (self.show_form, self.show_text, self.history, self.revert, self.apply):
            button.setAutoDefault(False)
            bottom.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        which = QHBoxLayout()
        which.setContentsMargins(12, 8, 8, 8)
        label = QLabel(tr("File that is edited"))
        label.setBuddy(self.files)
        which.addWidget(label)
        which.addWidget(self.files)
        which.addStretch(1)
        self._which = QWidget()
        self._which.setLayout(which)
        self._which.hide()
        self.files.setAccessibleName(tr("File that is edited"))
        layout.addWidget(self._which)
        layout.addWidget(self._strip)
        layout.addLayout(middle, 1)
        layout.addWidget(self.problems)
        layout.addWidget(_line())
        layout.addLayout(bottom)

    def _connect(self) -> None:
        session = self.session
        session.changed.connect(self._on_changed)
        session.refused.connect(self._on_refused)
        session.outside.connect(self._on_outside)
        self.text.document().contentsChanged.connect(self._on_text)
        self.files.activated.connect(self._on_file)
        self.rail.currentRowChanged.connect(self._on_page)
        self.problems.itemActivated.connect(self._on_problem)
        self.problems.itemClicked.connect(self._on_problem)
        self.apply.clicked.connect(self._on_apply)
        self.revert.clicked.connect(self._on_revert)
        self.history.clicked.connect(self._on_history)
        self.merge.clicked.connect(self._on_merge)
        self.take_theirs.clicked.connect(self._on_take_theirs)
        session.found.connect(self._offer_draft)
        self.restore.clicked.connect(lambda: self._spawn(self._restore_draft(), "restore"))
        self.discard.clicked.connect(lambda: self._spawn(self._discard_draft(), "discard"))
        self.show_form.clicked.connect(lambda on: self._show_pane(0, on))
        self.show_text.clicked.connect(lambda on: self._show_pane(1, on))
        self.splitter.splitterMoved.connect(lambda *_: self._show_splitter())
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        QShortcut(QKeySequence.StandardKey.Save, self, self.apply.click)
        # In text and fields the keys are theirs; this is for lists and buttons.
        QShortcut(QKeySequence.StandardKey.Undo, self, lambda: self._on_undo(True))
        QShortcut(QKeySequence.StandardKey.Redo, self, lambda: self._on_undo(False))
        for at in range(min(9, self.rail.count())):
            QShortcut(f"Ctrl+{at + 1}", self, lambda at=at: self.rail.setCurrentRow(at))

    def _on_refused(self, why: str) -> None:
        self._on_changed()
        self._tell(why)
        self._refused = True

    def _on_text(self) -> None:
        # Whoever has gone on knows what could not be done.
        if self._refused:
            self._tell("")

    def _tell(self, text: str, *, outside: bool = False, draft: bool = False) -> None:
        if not text and self.session.drafts:
            self._offer_draft()
            return
        self._refused = False
        self.notice.setText(text)
        for each in (self.notice, self._strip):
            each.setVisible(bool(text))
        self.merge.setVisible(outside)
        self.take_theirs.setVisible(outside)
        self.restore.setVisible(draft)
        self.discard.setVisible(draft)

    def _show_pane(self, at: int, on: bool) -> None:
        sizes = self.splitter.sizes()
        whole = sum(sizes)
        shown = [size > 0 for size in sizes]
        shown[at] = on
        if not any(shown):
            shown[1 - at] = True  # one of them has to be seen
        if [size > 0 for size in sizes] != shown:
            part = whole // sum(shown)
            self.splitter.setSizes([part if each else 0 for each in shown])
        self._show_splitter()

    def _show_splitter(self) -> None:
        for button, size in zip(
            (self.show_form, self.show_text), self.splitter.sizes(), strict=True
        ):
            button.setChecked(size > 0)

    def _size_problems(self) -> None:
        rows = min(_SHOWN, self.problems.count())
        height = max(self.problems.fontMetrics().lineSpacing() + 4, self.problems.sizeHintForRow(0))
        self.problems.setFixedHeight(rows * height + 2 * self.problems.frameWidth() + 2)

    def _restore(self) -> None:
        store = settings()
        geometry, split = store.value(_GEOMETRY), store.value(_SPLIT)
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            metrics = self.fontMetrics()
            self.resize(metrics.averageCharWidth() * 170, metrics.height() * 44)
        if not (isinstance(split, QByteArray) and self.splitter.restoreState(split)):
            self.splitter.setSizes([self.width() // 2, self.width() // 2])
        self._show_splitter()
        page = str(store.value(_PAGE, "0"))  # the file keeps text only
        row = int(page) if page.isdigit() else 0
        self.rail.setCurrentRow(row if row < self.rail.count() else 0)
        if file := store.value(_FILE):
            self.session.prefer = Path(str(file))

    def _open(self, dialog: QDialog, accepted: Callable[[], None]) -> None:
        dialog.accepted.connect(accepted)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _spawn(self, coro: Coroutine[Any, Any, object], name: str) -> None:
        spawn(coro, f"settings: {name}")


def _model_files(urls: Sequence[QUrl]) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return [each for each in paths if is_model_file(each)]


def _line(*, upright: bool = False) -> QWidget:
    line = QWidget()
    line.setAutoFillBackground(True)
    line.setBackgroundRole(QPalette.ColorRole.Mid)
    if upright:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line
