"""Entries of menus: made once, changed only where something differs.

Each change travels to a menu on D-Bus, even one to the same text.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QMenu

READABLE = 0.65
"""How much of the text's colour an entry keeps that cannot be chosen."""


def entry(menu: QMenu, text: str, slot: Callable[[], None] | None = None) -> QAction:
    """A new entry at the end of ``menu``; ``slot`` is called when it is chosen."""
    action = QAction(text, menu)
    if slot is not None:
        # `triggered` brings a flag that the slot does not take.
        action.triggered.connect(lambda _=False: slot())
    menu.addAction(action)
    return action


def switch(menu: QMenu, text: str, slot: Callable[[bool], None]) -> QAction:
    """A new entry with a tick; ``slot`` is told what the user wants it to be."""
    action = QAction(text, menu)
    action.setCheckable(True)
    action.triggered.connect(slot)
    menu.addAction(action)
    return action


def set_text(action: QAction, text: str) -> None:
    # An ampersand in a name is not a mnemonic.
    text = text.replace("&", "&&")
    if action.text() != text:
        action.setText(text)


def set_enabled(action: QAction, enabled: bool) -> None:
    if action.isEnabled() != enabled:
        action.setEnabled(enabled)


def set_checked(action: QAction, checked: bool) -> None:
    if action.isChecked() != checked:
        action.setChecked(checked)


def set_visible(action: QAction, visible: bool) -> None:
    if action.isVisible() != visible:
        action.setVisible(visible)


def make_readable(menu: QMenu) -> None:
    """Let what cannot be chosen be read: the first line and the details say something.

    Some styles draw it so pale that it is lost on a light ground.
    """
    app = QGuiApplication.palette()
    roles, group = QPalette.ColorRole, QPalette.ColorGroup.Active
    menu.setPalette(_readable(app.color(group, roles.Text), app.color(group, roles.Window)))


def _readable(text: QColor, ground: QColor) -> QPalette:
    roles, groups = QPalette.ColorRole, QPalette.ColorGroup
    mixed = QColor.fromRgbF(
        _mixed(text.redF(), ground.redF()),
        _mixed(text.greenF(), ground.greenF()),
        _mixed(text.blueF(), ground.blueF()),
    )
    palette = QPalette()
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        palette.setColor(groups.Disabled, role, mixed)
    return palette


def _mixed(text: float, ground: float) -> float:
    return READABLE * text + (1 - READABLE) * ground
