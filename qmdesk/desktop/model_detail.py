"""What there is to know of one model, beside the table."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QCheckBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from qmdesk.desktop.commands import Commands
from qmdesk.desktop.label import heading, say, sentence
from qmdesk.desktop.model_memory import foresight_story, memory_story
from qmdesk.desktop.sparkline import Sparkline
from qmdesk.desktop.tray_state import model_view
from qmdesk.desktop.words import exact, tr
from qmdesk.memory import ModelMemory
from qmdesk.router.snapshot import ModelSnapshot


class ModelDetail(QWidget):
    """Name, state and since when, memory, pin, loads, command."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._model = ""
        self.name = heading()
        self.description = sentence()
        self.state = sentence()
        self.memory = sentence()
        self.foresight = sentence()
        self.pin = QCheckBox(tr("&Pin: others do not evict it"))
        self.pin.clicked.connect(lambda on: commands.pin(self._model, on))
        self.loads = Sparkline()
        self.loads.setAccessibleName(tr("Last loads"))
        self.load_words = sentence()
        self.command = QPlainTextEdit()
        self.command.setReadOnly(True)
        self.command.setTabChangesFocus(True)
        self.command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.command.setAccessibleName(tr("Command"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 0, 0)
        layout.setSpacing(8)
        told = (self.name, self.description, self.state, self.memory, self.foresight)
        for widget in (*told, self.pin):
            layout.addWidget(widget)
        layout.addWidget(self.load_words)
        layout.addWidget(self.loads)
        layout.addWidget(QLabel(tr("Command")))
        layout.addWidget(self.command, 1)

    def show_model(
        self,
        model: ModelSnapshot,
        loads: tuple[float, ...],
        memory: ModelMemory | None = None,
    ) -> None:
        """Bring everything up to ``model``.

        ``loads`` are the seconds of its last loads; ``memory`` comes with a look ahead.
        """
        view = model_view(model)
        self._model = model.id
        say(self.name, view.title if view.title == model.id else f"{view.title}\n{model.id}")
        say(self.description, model.description)
        say(self.state, view.detail)
        say(self.memory, memory_story(memory))
        say(self.foresight, foresight_story(memory) if view.can_start else "")
        with QSignalBlocker(self.pin):
            self.pin.setChecked(model.pinned)
        self.pin.setEnabled(view.can_pin)
        self.loads.show_values(loads)
        self.loads.setVisible(bool(loads))
        words = tr("Not loaded since the start of qmdesk")
        if loads:
            words = tr("Last loads, the newest {time}", time=exact(loads[-1]))
        elif model.external:
            words = ""
        say(self.load_words, words)
        if self.command.toPlainText() != model.command:
            self.command.setPlainText(model.command)
