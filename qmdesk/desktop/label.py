"""Labels that hold sentences: wrapped, plain, and to be selected and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy


def sentence(text: str = "") -> QLabel:
    """A label for words that may come from outside: no markup, as high as it needs."""
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
    flags = Qt.TextInteractionFlag
    label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
    # Last: a policy that is set takes away what a text has said of its height.
    label.setText(text)
    return label


def heading(text: str = "") -> QLabel:
    """The title of a part of a page."""
    return _bold(sentence(text))


def title(text: str) -> QLabel:
    """The title of a part of a form: words of ours, on one line."""
    return _bold(QLabel(text))


def aside(text: str) -> QLabel:
    """What explains something of a form: words of ours, wrapped, in a quiet colour."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def empty_page(text: str) -> QLabel:
    """What stands where there is nothing yet: it says what to do."""
    label = sentence(text)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setMargin(24)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    return label


def say(label: QLabel, text: str) -> None:
    """Show ``text``, or nothing at all where it is empty; touched only where it differs."""
    if label.text() != text:
        label.setText(text)
    if label.isHidden() is bool(text):
        label.setVisible(bool(text))


def _bold(label: QLabel) -> QLabel:
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label
