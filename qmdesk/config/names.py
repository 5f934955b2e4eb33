"""Which name somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from qmdesk.said import said

_LONGEST = 64
"""Longer names are not compared: the cost is quadratic."""

_MOST = 1000
"""Names that are compared at most."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, upper and lower case alike; None if none is."""
    if len(name) > _LONGEST:
        return None
    short = (each for each in known if len(each) <= _LONGEST)
    by_folded = {each.casefold(): each for each in islice(short, _MOST)}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.72)
    return by_folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str], form: str = "`{}`") -> str:
    """``; did you mean `x`?`` for the nearest name, or nothing."""
    near = nearest(name, known)
    return said("; did you mean {near}?", near=form.format(near)) if near is not None else ""
