"""What the rest of qmdesk says in English, in the user's language."""

from __future__ import annotations

from qmdesk.desktop.words import tr
from qmdesk.said import Piece, Said


def told(text: str) -> str:
    """``text`` translated where it was ``said``, else as it is.

    Before it is cut or put together: then it is no longer known what it was made of.
    """
    if not isinstance(text, Said):
        return text
    return "".join(_told(each) for each in text.pieces)


def _told(piece: Piece | str) -> str:
    if isinstance(piece, str):
        return piece
    values = {name: _value(name, each) for name, each in piece.values.items()}
    return tr(piece.template, **values)


def _value(name: str, value: object) -> object:
    if name == "known":
        return known_words(str(value))
    return told(value) if isinstance(value, str) else value


def known_words(known: str) -> str:
    """How the size of a model is known."""
    words = {
        "learned": tr("learned"),
        "configured": tr("configured"),
        "computed": tr("computed"),
        "unknown": tr("not known"),
    }
    return words.get(known, known)
