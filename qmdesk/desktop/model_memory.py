"""What one model holds, takes and would cost others, in words.  Free of Qt."""

from __future__ import annotations

from qmdesk.desktop.reasons import known_words, told
from qmdesk.desktop.words import listed, size, tr
from qmdesk.memory import ModelMemory


def held_line(memory: ModelMemory | None) -> str:
    """``17.1 GiB (learned)``: what a model that is loaded holds; empty where nothing is known."""
    if memory is None or _amount(memory) is None:
        return ""
    return tr("{size} ({known})", size=size(_amount(memory) or 0), known=_known(memory))


def short_line(memory: ModelMemory | None) -> str:
    """``17.1 GiB``, as far as it is known: held, or else what a load would take."""
    amount = _amount(memory) if memory is not None else None
    return "" if amount is None else size(amount)


def memory_story(memory: ModelMemory | None) -> str:
    """What it holds or takes, and how that is known, as a sentence."""
    if memory is None:
        return ""
    amount = _amount(memory)
    if amount is None:
        return tr("What it takes is not known before it has been loaded once.")
    if memory.holds is None:
        return tr("Takes {size}, {known}.", size=size(amount), known=_known(memory))
    return tr("Holds {size}, {known}.", size=size(amount), known=_known(memory))


def foresight_story(memory: ModelMemory | None) -> str:
    """What would happen if it were asked for now; empty where nobody would have to go."""
    if memory is None:
        return ""
    why = told(memory.why).strip().rstrip(".")
    if memory.refused:
        return tr("Asked for now, it would be refused: {why}.", why=why)
    if not memory.evicts:
        return ""
    text = tr("Asked for now, it would unload {models}", models=listed(memory.evicts, 6))
    return f"{text}: {why}." if why else f"{text}."


def _amount(memory: ModelMemory) -> int | None:
    return memory.needs if memory.holds is None else memory.holds


def _known(memory: ModelMemory) -> str:
    if memory.holds is not None and memory.known != "learned":
        return tr("measured")
    return known_words(memory.known)
