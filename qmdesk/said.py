"""Sentences in English that remember what they were made of.

Whoever speaks another language translates the template and fills it anew; for everybody else
a ``Said`` is the text that it reads as.  Templates are found in the source by what calls
``said``, so they must be written there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Piece:
    """A template with names in braces, and what stands for them."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    """Texts, numbers, and what was ``said`` itself."""

    def __str__(self) -> str:
        return self.template.format(**self.values) if self.values else self.template


class Said(str):
    """A text that knows its pieces.  Put together with ``+`` it goes on knowing them.

    Other ways of making one text of several, as f-strings, give a plain one.
    """

    pieces: tuple[Piece | str, ...]

    def __new__(cls, text: str, pieces: tuple[Piece | str, ...] = ()) -> Said:
        made = super().__new__(cls, text)
        made.pieces = pieces or (text,)
        return made

    def __str__(self) -> str:
        # Itself, so that an exception which was given one hands it out again.
        return self

    def __add__(self, other: str) -> Said:
        return Said(str.__add__(self, other), (*self.pieces, *_pieces(other)))

    def __radd__(self, other: str) -> Said:
        return Said(str.__add__(other, self), (*_pieces(other), *self.pieces))


def said(template: str, /, **values: object) -> str:
    """``template`` with ``values`` in the place of the names in its braces, as a ``Said``."""
    piece = Piece(template, values)
    return Said(str(piece), (piece,))


def joined(separator: str, texts: Sequence[str]) -> str:
    """``texts`` with ``separator`` between them, each still knowing its pieces."""
    whole = ""
    for at, text in enumerate(texts):
        whole = whole + (separator if at else "") + text
    return whole


def _pieces(text: str) -> tuple[Piece | str, ...]:
    if isinstance(text, Said):
        return text.pieces
    return (text,) if text else ()
