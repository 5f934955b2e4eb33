"""Why a model had to go, in the user's language: the scheduler says it in English."""

from __future__ import annotations

import re
from typing import Final

from qmdesk.desktop.words import later, tr

_REASONS: Final = (
    later("group {group} runs one model at a time"),
    later("group {group} is exclusive"),
    later("{model} is in no set of the matrix and runs alone"),
    later("set {set} of the matrix has room for {model} only without them"),
    later("nobody knows how much memory {models} takes"),
    later(
        "{model} needs {size} ({known}) of the {ceiling} for models on {card}; {freed} come free"
    ),
)


def reason(text: str) -> str:
    """``text`` translated where it is one of the scheduler's reasons, else as it is."""
    for known, pattern in _PATTERNS:
        if found := pattern.fullmatch(text):
            return tr(known, **found.groupdict())
    return text


def _pattern(known: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(known)))


_PATTERNS: Final = [(known, _pattern(known)) for known in _REASONS]
