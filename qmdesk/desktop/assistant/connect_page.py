"""The assistant's third step: where front ends are pointed at, and the start at login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from qmdesk.desktop.assistant.setup import Setup
from qmdesk.desktop.button import button
from qmdesk.desktop.commands import Commands
from qmdesk.desktop.connect_text import Place
from qmdesk.desktop.guides_view import GuidesView
from qmdesk.desktop.label import sentence
from qmdesk.desktop.words import tr

if TYPE_CHECKING:
    from qmdesk.instance import Instance


class ConnectPage(QWidget):
    """The address, what to enter where, and a tick that is off unless it is set."""

    def __init__(
        self,
        instance: Instance,
        commands: Commands,
        setup: Setup,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._instance = instance
        self._commands = commands
        self._setup = setup
        self.address = QLabel()
        flags = Qt.TextInteractionFlag
        self.address.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.TextSelectableByKeyboard
        )
        self.address.setAccessibleName(tr("API address"))
        self.copy = button(tr("Copy &address"), commands.copy_address)
        self.guides = GuidesView(commands)
        self.login = QCheckBox(tr("Start qmdesk at &login"))
        self.login.toggled.connect(commands.start_at_login)
        commands.login_known.connect(self._on_login)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.address)
        top.addWidget(self.copy)
        top.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(
            sentence(
                tr(
                    "Any program that speaks the OpenAI or Anthropic API uses the models at this"
                    " address; a model is loaded when it is asked for."
                )
            )
        )
        layout.addLayout(top)
        layout.addWidget(self.guides, 1)
        layout.addWidget(self.login)
        commands.look_for_login()

    def refresh(self) -> None:
        """Show what is known now."""
        address = self._commands.address()
        self.address.setText(address or tr("nothing listens"))
        self.copy.setEnabled(bool(address))
        keys = self._instance.config.api_keys
        model = next(iter(self._setup.models), "")
        key = keys[0].key if keys else ""
        self.guides.show_place(Place(address.removesuffix("/v1"), key, model))

    def _on_login(self, on: bool) -> None:
        with QSignalBlocker(self.login):
            self.login.setChecked(on)
