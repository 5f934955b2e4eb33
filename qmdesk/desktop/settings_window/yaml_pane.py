"""The text of the configuration: line numbers, light colours, the line of the field in use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QFont,
    QFontDatabase,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import tr

_TOKEN = re.compile(
    r"(?P<key>^\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:'\"\[{][^:#]*?)\s*:(?=\s|$))"
    r"|(?P<comment>(?:^|(?<=\s))#.*$)"
    r"|(?P<macro>\$\{[\w.-]+\})"
    r"|(?P<quoted>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')"
)


class YamlPane(QPlainTextEdit):
    """An editor of plain text that shows where a problem or a field is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Configuration as text"))
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(4)
        self._margin = _Margin(self)
        self._lit = 0
        self._marks: dict[int, bool] = {}
        self._formats = _formats(self.palette())
        self._scheme = 0
        """Another number after each change of the palette."""
        self.blockCountChanged.connect(lambda _: self._place_margin())
        self.updateRequest.connect(self._on_update_request)
        self._place_margin()

    def light(self, line: int) -> None:
        """Light ``line`` (from 1) and bring it into view; 0 lights none."""
        self._lit = line
        block = self.document().findBlockByNumber(line - 1) if line else QTextBlock()
        if block.isValid() and not self._visible(block):
            cursor = QTextCursor(block)
            bar = self.verticalScrollBar()
            bar.setValue(max(0, cursor.blockNumber() - self._lines_shown() // 3))
        self._select_lines()

    def mark(self, lines: dict[int, bool]) -> None:
        """Mark lines (from 1) that have problems; true for errors."""
        if lines != self._marks:
            self._marks = lines
            self._margin.update()

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a place, from 1, and take the focus."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        if not block.isValid():
            return
        cursor = QTextCursor(block)
        cursor.movePosition(
            QTextCursor.MoveOperation.Right,
            QTextCursor.MoveMode.MoveAnchor,
            min(max(0, column - 1), block.length() - 1),
        )
        self.setTextCursor(cursor)
        self.centerCursor()
        self.light(line)
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if plain and enter and not self.isReadOnly():
            # YAML stands and falls with it: the next line begins where this one does.
            line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
            indent = line[: len(line) - len(line.lstrip(" "))]
            if line.rstrip().endswith(":") and not line.lstrip().startswith("#"):
                indent += "  "
            self.textCursor().insertText(f"\n{indent}")
            self.ensureCursorVisible()
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # A file is for the window, which makes a model of it; its address is no text here.
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._colour_visible()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_margin()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        kinds = type(event).Type  # type: ignore[attr-defined]
        kind = event.type()  # type: ignore[attr-defined]
        if kind == kinds.PaletteChange:
            self._formats = _formats(self.palette())
            self._scheme += 1
            self._select_lines()
        elif kind == kinds.ApplicationFontChange:
            self.setFont(fixed_font())
            self._place_margin()

    # line numbers

    def margin_width(self) -> int:
        """Pixels that the numbers take."""
        digits = max(3, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * (digits + 1) + 12

    def paint_margin(self, event: QPaintEvent) -> None:
        """Draw the numbers beside the lines that are seen; those with problems stand out."""
        painter = QPainter(self._margin)
        palette = self.palette()
        painter.fillRect(event.rect(), palette.color(QPalette.ColorRole.AlternateBase))
        muted = palette.color(QPalette.ColorRole.PlaceholderText)
        width = self._margin.width() - 6
        height = self.fontMetrics().height()
        for block, top in self._seen():
            number = block.blockNumber() + 1
            colour = muted
            if number in self._marks:
                shape = Shape.PROBLEM if self._marks[number] else Shape.OUTDATED
                colour = state_colour(shape, dark=is_dark())
                painter.fillRect(0, top, 4, height, colour)
            elif number == self._lit:
                colour = palette.color(QPalette.ColorRole.Text)
            painter.setPen(colour)
            painter.drawText(0, top, width, height, Qt.AlignmentFlag.AlignRight, str(number))

    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    def _place_margin(self) -> None:
        width = self.margin_width()
        self.setViewportMargins(width, 0, 0, 0)
        rect = self.contentsRect()
        self._margin.setGeometry(rect.left(), rect.top(), width, rect.height())

    # colours

    def _colour_visible(self) -> None:
        """Colour the lines that are seen and have changed.

        A highlighter of Qt's would colour thousands of lines at once, with the event loop
        waiting; nobody looks at more than a screenful.
        """
        for block, _ in self._seen():
            text = block.text()
            mark = hash((text, self._scheme)) & 0x7FFFFFFF
            if block.userState() != mark:
                block.setUserState(mark)
                block.layout().setFormats(list(self._coloured(text)))

    def _coloured(self, text: str) -> Iterator[QTextLayout.FormatRange]:
        for found in _TOKEN.finditer(text):
            one = QTextLayout.FormatRange()
            one.start, one.length = found.start(), len(found[0])
            one.format = self._formats[str(found.lastgroup)]
            yield one

    def _seen(self) -> Iterator[tuple[QTextBlock, int]]:
        """The lines in view, with the place of each in pixels from the top."""
        block = self.firstVisibleBlock()
        bottom = self.viewport().height()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            yield block, round(top)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def _visible(self, block: QTextBlock) -> bool:
        first = self.firstVisibleBlock().blockNumber()
        return first <= block.blockNumber() < first + self._lines_shown() - 1

    def _lines_shown(self) -> int:
        return max(1, self.viewport().height() // max(1, self.fontMetrics().lineSpacing()))

    def _select_lines(self) -> None:
        block = self.document().findBlockByNumber(self._lit - 1) if self._lit else QTextBlock()
        if not block.isValid():
            self.setExtraSelections([])
            return
        one = QTextEdit.ExtraSelection()
        colour = self.palette().color(QPalette.ColorRole.Highlight)
        colour.setAlpha(56)
        one.format.setBackground(colour)
        one.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        one.cursor = QTextCursor(block)
        self.setExtraSelections([one])
        self._margin.update()


class _Margin(QWidget):
    """The strip with the line numbers."""

    def __init__(self, pane: YamlPane) -> None:
        super().__init__(pane)
        self._pane = pane

    def sizeHint(self) -> QSize:
        return QSize(self._pane.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._pane.paint_margin(event)


def fixed_font() -> QFont:
    """The system's font with letters of one width, in the size of the others."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(max(QFont().pointSizeF(), 8.0))
    return font


def _formats(palette: QPalette) -> dict[str, QTextCharFormat]:
    text = palette.color(QPalette.ColorRole.Text)
    dark = is_dark()
    # The colours of the states, which can be read on light and on dark; the palette's own
    # for links are blue on black in some styles.
    made = {
        "key": _mixed(text, state_colour(Shape.LOADING, dark=dark), 0.8),
        "comment": palette.color(QPalette.ColorRole.PlaceholderText),
        "quoted": _mixed(text, state_colour(Shape.READY, dark=dark), 0.7),
        "macro": _mixed(text, state_colour(Shape.OUTDATED, dark=dark), 0.8),
    }
    formats = {}
    for name, colour in made.items():
        formats[name] = QTextCharFormat()
        formats[name].setForeground(colour)
    return formats


def _mixed(one: QColor, other: QColor, share: float) -> QColor:
    return QColor.fromRgbF(
        one.redF() * (1 - share) + other.redF() * share,
        one.greenF() * (1 - share) + other.greenF() * share,
        one.blueF() * (1 - share) + other.blueF() * share,
    )
