"""What is wrong with something, in the colour that says how much."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from qmdesk.config import Problem
from qmdesk.desktop.icon import is_dark, state_colour
from qmdesk.desktop.reasons import told
from qmdesk.desktop.shape import Shape


class ProblemLabel(QLabel):
    """Is there only while there is a problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setMinimumWidth(1)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hide()

    def show_problem(self, problem: Problem | None) -> None:
        """Say what ``problem`` says; None: there is none."""
        text = told(problem.message) if problem else ""
        if self.text() != text:
            self.setText(text)
        self.setVisible(bool(text))
        if problem:
            shape = Shape.PROBLEM if problem.severity == "error" else Shape.OUTDATED
            palette = self.palette()
            palette.setColor(palette.ColorRole.WindowText, state_colour(shape, dark=is_dark()))
            self.setPalette(palette)
