"""A model's command, one argument on each line, with the help of its program at hand."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.settings_window.command_lines import flags, word_at
from qmdesk.desktop.settings_window.program_help import Help
from qmdesk.desktop.settings_window.yaml_pane import fixed_font
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import tr

_ACCEPT = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class ArgumentsEdit(QPlainTextEdit):
    """Completes flags, explains them in tool tips, and underlines those that are unknown."""

    doubted = Signal(str)
    """What is doubtful about the flags, in words; empty where nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(fixed_font())
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._help = Help({})
        self._names = QStringListModel(self)
        self._completer = QCompleter(self._names, self)
        self._completer.setWidget(self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated.connect(self._complete)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self.textChanged.connect(self._look)

    def set_help(self, help: Help) -> None:
        """Know the flags of ``help`` from now on."""
        if help is self._help:
            return
        self._help = help
        self._names.setStringList(sorted(help.flags, key=lambda each: each.lstrip("-")))
        self._look()

    def put(self, text: str) -> None:
        """Show ``text``; a cursor that is in the same text stays where it is."""
        if text != self.toPlainText():
            with QSignalBlocker(self):
                self.setPlainText(text)
        self._look()

    def doubts(self) -> list[str]:
        """One sentence for each unknown flag."""
        said = []
        for _, _, name in flags(self.toPlainText()):
            if self._help.unknown(name):
                near = self._help.meant(name)
                if near:
                    said.append(
                        tr("There is no flag {flag}; did you mean {near}?", flag=name, near=near)
                    )
                else:
                    said.append(tr("There is no flag {flag}.", flag=name))
        return list(dict.fromkeys(said))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if popup.isVisible() and event.key() in (*_ACCEPT, Qt.Key.Key_Escape):
            event.ignore()  # the popup's own
            return
        asked = (
            event.key() == Qt.Key.Key_Space
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        )
        if not asked:
            super().keyPressEvent(event)
        if asked or event.text().strip():
            self._offer(asked=asked)
        elif popup.isVisible():
            popup.hide()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.viewport().mapFromGlobal(event.globalPos())
            name = self._name_at(self.cursorForPosition(place))
            text = self._help.about(name)
            if not text and name.startswith("-") and self._help.unknown(name):
                text = next((each for each in self.doubts() if name in each), "")
            if text:
                QToolTip.showText(event.globalPos(), text, self)
                return True
        return super().event(event)

    def _offer(self, *, asked: bool) -> None:
        name = self._name_at(self.textCursor())
        popup = self._popup
        if not name.startswith("-") or (len(name) < 2 and not asked) or name in self._help.flags:
            popup.hide()
            return
        self._completer.setCompletionPrefix(name)
        if not self._completer.completionCount():
            popup.hide()
            return
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        rect = self.cursorRect()
        bar = popup.verticalScrollBar().sizeHint().width()
        rect.setWidth(popup.sizeHintForColumn(0) + bar + 8)
        self._completer.complete(rect)

    def _complete(self, name: str) -> None:
        cursor = self.textCursor()
        word, start = word_at(cursor.block().text(), cursor.positionInBlock())
        cursor.setPosition(cursor.block().position() + start)
        cursor.setPosition(cursor.position() + len(word), QTextCursor.MoveMode.KeepAnchor)
        flag = self._help.flags.get(name)
        cursor.insertText(f"{name} " if flag is not None and flag.value else name)
        self.setTextCursor(cursor)

    @staticmethod
    def _name_at(cursor: QTextCursor) -> str:
        word, _ = word_at(cursor.block().text(), cursor.positionInBlock())
        return word.partition("=")[0]

    def _look(self) -> None:
        marks = []
        for line, column, name in flags(self.toPlainText()):
            if not self._help.unknown(name):
                continue
            block = self.document().findBlockByNumber(line)
            one = QTextEdit.ExtraSelection()
            one.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            one.format.setUnderlineColor(state_colour(Shape.PROBLEM, dark=is_dark()))
            one.cursor = QTextCursor(block)
            one.cursor.setPosition(block.position() + column)
            one.cursor.setPosition(
                block.position() + column + len(name), QTextCursor.MoveMode.KeepAnchor
            )
            marks.append(one)
        self.setExtraSelections(marks)
        self.doubted.emit("\n".join(self.doubts()))
