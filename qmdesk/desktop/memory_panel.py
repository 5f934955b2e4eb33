"""One memory on the page: its name, its figures, a bar, and in words who holds what."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from qmdesk.desktop.label import heading, say, sentence
from qmdesk.desktop.memory_bar import MemoryBar
from qmdesk.desktop.memory_picture import MemoryPicture
from qmdesk.desktop.model_colour import model_colour
from qmdesk.desktop.words import size, tr


class MemoryPanel(QWidget):
    """Shows a ``MemoryPicture``; a ``quiet`` one stands behind the others."""

    def __init__(self, *, quiet: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = sentence() if quiet else heading()
        self.bar = MemoryBar(0.8 if quiet else 1.6)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.note = sentence()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for widget in (self.title, self.bar, self.legend, self.note):
            layout.addWidget(widget)

    def show_picture(self, picture: MemoryPicture, colours: Mapping[str, str]) -> None:
        """Bring the bar and its words up to ``picture``; ``colours`` are those of the models."""
        told = [picture.line, *([picture.facts] if picture.facts else [])]
        say(self.title, f"{picture.name}:   {',   '.join(told)}")
        self.bar.show_picture(picture, colours)
        say(self.legend, _legend(picture, colours))
        say(self.note, picture.note)


def _legend(picture: MemoryPicture, colours: Mapping[str, str]) -> str:
    marks = []
    for part in picture.parts:
        mark = "▨"
        if part.ours:
            colour = colours.get(part.name) or model_colour(part.name)
            mark = f'<span style="color:{colour}">■</span>'
        marks.append(_whole(mark, part.name, size(part.bytes)))
    if picture.free is not None:
        marks.append(_whole("□", tr("free"), size(picture.free)))
    marks += [_whole("│" if mark.now else "┊", mark.story) for mark in picture.marks]
    return " &nbsp; &nbsp; ".join(marks)


def _whole(*words: str) -> str:
    """The words, never broken apart at the end of a line."""
    plain = [words[0], *(_plain(word).replace(" ", "&nbsp;") for word in words[1:])]
    return "&nbsp;".join(plain)


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
