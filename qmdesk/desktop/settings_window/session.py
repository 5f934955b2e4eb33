"""The text under edit: what forms and hands write into it, and its way to the file.

The document of the text pane is the one truth, and its undo stack the only one.  Edits of
the forms and the understanding of the text are worked out in threads; the event loop only
puts their results in place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor, QTextDocument

from qmdesk.config import Config, ConfigError
from qmdesk.config.editor import EditError
from qmdesk.config.store import ABSENT, ChangedOnDisk, Stamp
from qmdesk.config.three_way import Clash, Conflict, merge, resolved
from qmdesk.configuration import NotEditable
from qmdesk.desktop.reasons import told
from qmdesk.desktop.settings_window.analysis import Analysis, analyse, written
from qmdesk.desktop.settings_window.calm import in_thread
from qmdesk.desktop.settings_window.draft_keeper import DraftKeeper
from qmdesk.desktop.settings_window.drafts import Draft, Drafts
from qmdesk.desktop.settings_window.edits import Edit, edited, splice
from qmdesk.desktop.words import tr
from qmdesk.folders import state_folder
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from qmdesk.instance import Instance

REST = 200
"""Milliseconds of quiet after a key press until the text is looked at."""
LONGEST_REST = 1500
_MARK = "\ufeff"
_TRIES = 5


class Session(QObject):
    """Reads the configuration's file, keeps the text understood, and saves it."""

    changed = Signal()
    """``analysis`` is of another text, or is told against another configuration."""
    refused = Signal(str)
    """An edit of a form could not be made; why, in words."""
    outside = Signal()
    """The file says something else by now, and there are edits of ours: see ``theirs``."""
    found = Signal()
    """An earlier window has left edits that were not applied: see ``drafts``."""

    def __init__(
        self, instance: Instance, document: QTextDocument, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._document = document
        self.analysis = Analysis()
        self.files: tuple[Path, ...] = ()
        """All files of the configuration; there are several where it comes from a folder."""
        self.file: Path | None = None
        """The one that is edited; None before it is known."""
        self.prefer: Path | None = None
        """The one that is edited at first, if it is among them."""
        self.base = ""
        """The file's text as it was read or saved last, without a byte order mark."""
        self.base_root: dict[str, Any] | None = {}
        self.theirs: tuple[str, Stamp] | None = None
        """What the file says now and its stamp, after ``outside``."""
        self.drafts: tuple[Draft, ...] = ()
        """What earlier windows have left and nobody has decided on, the newest first."""
        self.locked = tr("The configuration is being read.")
        """Why nothing can be edited; empty where it can."""
        self.note = ""
        """Something to know about the file, besides."""
        self._text = ""
        self._read = -1
        """The revision of the document that ``_text`` is of."""
        self._stamp = ABSENT
        self._mark = ""
        self._newline = "\n"
        self._edits: dict[Hashable, Edit] = {}
        self._making: Edit | None = None
        self._kept_of: Path | None = None
        self._stale = False
        self._busy = False
        """The file is being read or written: what it says meanwhile is our own doing."""
        self._told_against: Config | None = None
        self._task: asyncio.Task[None] | None = None
        self._held = False
        self._closed = False
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self.look)
        self._keeper = DraftKeeper(self._to_keep, self)
        document.contentsChange.connect(self._on_contents)

    @property
    def text(self) -> str:
        """The text as it stands, lines ended by ``\\n``."""
        if self._read != self._document.revision():
            self._read = self._document.revision()
            # The plain text would have blanks in place of no-break spaces.
            self._text = self._document.toRawText().replace("\u2029", "\n")
        return self._text

    @property
    def dirty(self) -> bool:
        """Whether there is something that the file does not say yet."""
        return not self.locked and self.text != self.base

    # the file

    async def load(self, file: Path | None = None) -> None:
        """Read the file; what is in the document is forgotten.

        ``file`` says which of ``files`` is edited from now on; None: the same as before, at
        first one that an earlier window has left edits of, else the first.
        """
        if self._at_work():
            return
        self._busy = True
        try:
            if file is not None and file != self.file:
                # Nothing of what was edited belongs to this one.
                await self._keeper.keep()
                self.locked = tr("The configuration is being read.")
                self.theirs = None
                self.file = file
            await self._load()
        finally:
            self._busy = False

    async def _load(self) -> None:
        self.drafts = ()
        await self._find_file()
        try:
            text, stamp = await self._instance.configuration.text(self.file)
        except (NotEditable, ConfigError, OSError) as error:
            self.locked = self._why_locked(error)
            self.changed.emit()
            return
        self.locked = self.note = ""
        self._document.setPlainText(self._taken(text))
        if self.text != self._plain(text):
            self.locked = tr(
                "The file has line separators that the editor here cannot keep. Change it in "
                "another editor; what is saved there is applied."
            )
        self._document.setModified(False)
        await self._rebase(self.text, stamp)
        for draft in await self._keeper.waiting():
            if draft.text == self.base:
                await self._keeper.discard(draft)  # it has been applied after all
            else:
                self.drafts = (*self.drafts, draft)
        if self.drafts:
            self.found.emit()

    async def _find_file(self) -> None:
        sources = self._instance.configuration.sources
        self.files = await asyncio.to_thread(sources.files)
        folder = state_folder() / "drafts"
        if self.file is None or (self.file not in self.files and sources.folder is not None):
            left = await asyncio.to_thread(_left, folder, self.files)
            first = self.files[0] if self.files else sources.file
            self.file = left or (self.prefer if self.prefer in self.files else first)
        if self.file is not None and self.file != self._kept_of:
            self._kept_of = self.file
            self._keeper.use(Drafts(folder, self.file))

    async def check_disk(self) -> None:
        """See whether the file was changed by another program, and take that over.

        With edits of ours ``outside`` is told instead.
        """
        if self._at_work():
            return
        if self.locked:
            await self.load()  # it may be readable by now
            return
        try:
            text, stamp = await self._instance.configuration.text(self.file)
        except (NotEditable, ConfigError, OSError):
            return  # half-written just now; saving says what is wrong
        if self._at_work():  # meanwhile
            return
        if stamp == self._stamp or (self.theirs is not None and self.theirs[1] == stamp):
            return
        plain = self._plain(text)
        if self.dirty and plain not in (self.text, self.base):
            self.theirs = (text, stamp)
            self.outside.emit()
            return
        kept = self.dirty
        taken = self._taken(text)
        if not kept:
            self.replace(taken)
        self.theirs = None
        await self._rebase(taken, stamp)

    async def merged(self) -> Conflict | None:
        """Bring what the file says now into the text; where that cannot be, why."""
        if self.theirs is None:
            return None
        theirs = self._plain(self.theirs[0])
        mine = self.text
        result = await in_thread(merge, self.base, mine, theirs)
        if isinstance(result, Conflict):
            return result
        await self.settle_merge(result)
        return None

    async def settle_conflict(self, choose: Callable[[Clash], str]) -> None:
        """Bring both sides together, ``choose`` saying what stands where they clash."""
        if self.theirs is None:
            return
        theirs = self._plain(self.theirs[0])
        result = await in_thread(resolved, self.base, self.text, theirs, choose)
        await self.settle_merge(result)

    async def take_theirs(self) -> None:
        """Let the text be what the file says now; it can be undone."""
        if self.theirs is not None:
            await self.settle_merge(self._plain(self.theirs[0]))

    async def settle_merge(self, text: str) -> None:
        """``text`` has both sides: the file as it is now is what it is compared with."""
        if self.theirs is None:
            return
        (theirs, stamp), self.theirs = self.theirs, None
        base = self._taken(theirs)
        self.replace(text)
        await self._rebase(base, stamp)

    async def save(self) -> tuple[str, ...]:
        """Write the text and put it in force; what changed, in words.

        Raises ``ConfigError``, ``NotEditable``, ``ChangedOnDisk`` and ``OSError``; then
        nothing has been done.  After ``ChangedOnDisk`` ``theirs`` is what the file says.
        """
        await self.settled()
        text = self.text
        whole = self._mark + text.replace("\n", self._newline)
        self._busy = True
        try:
            changes = await self._instance.configuration.save(whole, self._stamp, self.file)
            written, stamp = await self._instance.configuration.text(self.file)
        except ChangedOnDisk as error:
            self.theirs = (error.text, error.stamp)
            raise
        finally:
            self._busy = False
        if self._plain(written) == text:
            self.theirs = None
            await self._rebase(text, stamp)
        else:
            await self.check_disk()
        return changes

    def revert(self) -> None:
        """Make the text say what the file says; it can be undone."""
        self._edits.clear()
        self.replace(self.base)
        self.look()
        self._keeper.touch()

    # what was left

    async def restored(self) -> Conflict | None:
        """Bring the newest of ``drafts`` into the text; where that cannot be, why."""
        draft = self.drafts[0]
        await self.settled()
        if self.text == draft.base:
            await self._take(draft, draft.text)
            return None
        result = await in_thread(merge, draft.base, draft.text, self.text)
        if isinstance(result, Conflict):
            return result
        await self._take(draft, result)
        return None

    async def settle_restored(self, choose: Callable[[Clash], str]) -> None:
        """Bring it in, ``choose`` saying what stands where it clashes with the text."""
        draft = self.drafts[0]
        text = await in_thread(resolved, draft.base, draft.text, self.text, choose)
        await self._take(draft, text)

    async def discard_draft(self) -> None:
        """Forget the newest of ``drafts``."""
        draft, *rest = self.drafts
        self.drafts = tuple(rest)
        await self._keeper.discard(draft)

    async def _take(self, draft: Draft, text: str) -> None:
        self.replace(text)
        self.look()
        # Kept as ours before it goes: there is no moment at which it could be lost.
        await self._keeper.keep()
        if draft in self.drafts:
            self.drafts = tuple(each for each in self.drafts if each != draft)
            await self._keeper.discard(draft)

    def _to_keep(self) -> tuple[str, str] | None:
        return None if self.locked else (self.base, self.text)

    # edits

    def edit(self, key: Hashable, edit: Edit) -> None:
        """Change the text; of edits with the same ``key`` that wait only the last is made."""
        if self.locked or self._closed:
            return
        self._edits.pop(key, None)
        self._edits[key] = edit
        if not self._held:
            self._work_on()

    def replace(self, text: str) -> None:
        """Make the document say ``text``, changing as little of it as can be: one undo step."""
        old = self.text
        if old == text:
            return
        start, end, new = splice(old, text)
        cursor = QTextCursor(self._document)
        cursor.setPosition(_units(old, start))
        cursor.setPosition(_units(old, end), QTextCursor.MoveMode.KeepAnchor)
        cursor.beginEditBlock()
        cursor.insertText(new)
        cursor.endEditBlock()

    def look(self) -> None:
        """Understand the text anew, soon."""
        self._rest.stop()
        if not self._closed:
            self._stale = True
            if len(self.files) > 1:
                self._told_against = None  # another of them may say something else by now
            self._work_on()

    async def settled(self) -> None:
        """Wait until every edit is made and the text is understood."""
        if self._rest.isActive():
            self.look()
        while self._task is not None and not self._task.done():
            await self._task
            if self._rest.isActive() and self.analysis.text != self.text:
                self.look()

    def hold(self) -> None:
        """Make no edits any more, only gather them for ``close``."""
        self._held = True

    def close(self) -> None:
        """Work on nothing any more; what is not applied is kept for the next window."""
        if self._closed:
            return
        making = [self._making] if self._making is not None else []
        self._keeper.close([*making, *self._edits.values()])
        self._closed = True
        self._rest.stop()
        self._edits.clear()
        self._stale = False

    # how

    def _at_work(self) -> bool:
        return self._busy

    def _on_contents(self, _at: int, _removed: int, _added: int) -> None:
        if not self._closed:
            self._rest.start()
            if not self.locked:
                self._keeper.touch()

    def _work_on(self) -> None:
        if self._task is None or self._task.done():
            self._task = spawn(self._work(), "settings")

    async def _work(self) -> None:
        while self._edits or self._stale:
            if self._edits:
                key = next(iter(self._edits))
                self._making = self._edits.pop(key)
                await self._make(self._making)
                self._making = None
                self._stale = True
                continue
            self._stale = False
            text = self.text
            running = self._instance.config
            if text == self.analysis.text and running is self._told_against:
                self.changed.emit()
                continue
            began = time.monotonic()
            sources = self._instance.configuration.sources
            analysis = await in_thread(analyse, text, self.file, running, sources)
            took = round((time.monotonic() - began) * 1000)
            # In a large file the next look waits for a longer pause, not for each word.
            self._rest.setInterval(min(max(REST, 2 * took), LONGEST_REST))
            if self._closed:
                return
            if self._edits or text != self.text:
                self._stale = True
                continue
            self._told_against = running
            self.analysis = analysis
            self.changed.emit()

    async def _make(self, edit: Edit) -> None:
        for _ in range(_TRIES):
            text = self.text
            try:
                new = await in_thread(edited, text, edit)
            except EditError as error:
                self.refused.emit(tr("This cannot be changed here: {why}.", why=told(str(error))))
                return
            except ConfigError as error:
                problem = error.problems[0]
                where = tr("line {n}", n=problem.line)
                self.refused.emit(
                    tr(
                        "The text cannot be read ({where}: {why}); mend it first.",
                        where=where,
                        why=told(problem.message),
                    )
                )
                return
            if self._closed:
                return
            if text == self.text:
                self.replace(new)
                return
        self.refused.emit(tr("The text was changed meanwhile; try again."))

    async def _rebase(self, text: str, stamp: Stamp) -> None:
        self.base, self._stamp = text, stamp
        self._keeper.touch()
        self.base_root = await in_thread(written, text)
        self._told_against = None
        self.look()
        await self.settled()

    def _taken(self, text: str) -> str:
        """``text`` as the document has it; its marks and line ends are remembered."""
        self._mark = _MARK if text.startswith(_MARK) else ""
        crlf = text.count("\r\n")
        self._newline = "\r\n" if crlf and crlf * 2 > text.count("\n") else "\n"
        mixed = text.replace(_MARK, "").replace("\r\n", "\n").replace("\n", self._newline)
        if mixed != text.replace(_MARK, ""):
            self.note = tr("The file mixes kinds of line ends; saving makes them all the same.")
        return self._plain(text)

    @staticmethod
    def _plain(text: str) -> str:
        return text.removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n")

    def _why_locked(self, error: Exception) -> str:
        sources = self._instance.configuration.sources
        if isinstance(error, NotEditable) and sources.folder is not None:
            return tr(
                "There is no configuration file in {folder} yet. Put one there to edit it here.",
                folder=sources.folder,
            )
        if isinstance(error, NotEditable):
            return tr(
                "There is no configuration file: qmdesk was started without one. Start it with "
                "--config FILE to edit it here."
            )
        return tr("The configuration cannot be read: {why}.", why=_why(error))


def _why(error: Exception) -> str:
    problems = error.problems if isinstance(error, ConfigError) else ()
    return (told(str(problems[0])) if problems else told(str(error))).rstrip(".")


def _left(folder: Path, files: Sequence[Path]) -> Path | None:
    """The file that an earlier window has left edits of, the latest ones."""
    newest: dict[Path, float] = {}
    for file in files if len(files) > 1 else ():
        for draft in Drafts(folder, file).waiting()[:1]:
            newest[file] = draft.time
    return max(newest, key=lambda file: newest[file], default=None)


def _units(text: str, index: int) -> int:
    """A place in a Python text as Qt counts it: characters beyond U+FFFF are two."""
    return len(text[:index].encode("utf-16-le", "surrogatepass")) // 2
