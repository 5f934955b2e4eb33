"""The peers below the table of models: which answer, and what they offer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from qmdesk.desktop.icon import coloured_icon
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import first_line, plural, tr
from qmdesk.gateway.peers import PeerState

ROWS = 4
"""Peers that are seen without scrolling."""


class PeerList(QListWidget):
    """Hidden where there are none; filled anew only where something differs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[PeerState, ...] = ()
        self.setAccessibleName(tr("Peers"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.hide()

    def show_peers(self, peers: tuple[PeerState, ...]) -> None:
        """Bring the list up to ``peers``."""
        if peers == self._shown:
            return
        self._shown = peers
        row = self.currentRow()
        self.clear()
        for each in peers:
            item = QListWidgetItem(coloured_icon(_shape(each)), peer_line(each))
            item.setToolTip("\n".join(filter(None, (each.proxy, each.error, *each.models[:20]))))
            self.addItem(item)
        self.setCurrentRow(row)
        self.setVisible(bool(peers))
        line = max(self.sizeHintForRow(0), self.fontMetrics().height())
        self.setFixedHeight(line * min(len(peers), ROWS) + 2 * self.frameWidth() + 4)

    def recolour(self) -> None:
        """Draw in the colours of the present scheme."""
        for at, each in enumerate(self._shown):
            self.item(at).setIcon(coloured_icon(_shape(each)))


def peer_line(peer: PeerState) -> str:
    """One peer in a line: its name, and how it is."""
    if peer.up is None:
        return tr("Peer {peer}: not looked at yet", peer=peer.id)
    if not peer.up:
        reason = first_line(peer.error)
        return tr("Peer {peer}: does not answer: {reason}", peer=peer.id, reason=reason)
    return plural(len(peer.models), "Peer {peer}: 1 model", "Peer {peer}: {n} models", peer=peer.id)


def _shape(peer: PeerState) -> Shape:
    if peer.up is None:
        return Shape.STOPPED
    return Shape.READY if peer.up else Shape.PROBLEM
