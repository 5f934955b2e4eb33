"""What a fact says to people who did not ask, as plain values without Qt."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from time import time

from qmdesk.config.settings import Notifications as Wanted
from qmdesk.desktop.reasons import told
from qmdesk.desktop.words import first_line, last_line, listed, plural, size, tr
from qmdesk.events import (
    ConfigApplied,
    ConfigRejected,
    Evicted,
    Fact,
    GaveWay,
    LoadFailed,
    PeerChanged,
)


class Kind(StrEnum):
    """What a message is about; each kind can be shown or not."""

    EVICTED = "evicted"
    MEMORY = "memory"
    LOAD_FAILED = "load-failed"
    CONFIG = "config"
    APPLIED = "applied"
    EXPOSED = "exposed"
    DONE = "done"
    PEER_DOWN = "peer-down"
    PEER_BACK = "peer-back"
    FAILURE = "failure"
    WARNING = "warning"


class Deed(StrEnum):
    """What a message offers to do."""

    SHOW = "show"
    LOG = "log"
    LOAD = "load"


_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that happened: what, why, and where a click leads."""

    kind: Kind
    title: str
    text: str
    model: str | None = None
    """The model whose log says more."""
    at: float = field(default_factory=time)
    """Unix time."""
    models: tuple[str, ...] = ()
    """The models that were unloaded, for folding."""
    why: str = ""
    """Who needs their memory, for folding."""
    file: Path | None = None
    """A file that says more."""
    id: int = field(default_factory=lambda: next(_ids), compare=False)

    @property
    def urgent(self) -> bool:
        """Whether something is wrong."""
        return self.kind not in (
            Kind.EVICTED,
            Kind.MEMORY,
            Kind.APPLIED,
            Kind.DONE,
            Kind.PEER_BACK,
        )

    @property
    def failed(self) -> bool:
        """Whether it is told even where somebody must not be disturbed."""
        return self.kind in (Kind.LOAD_FAILED, Kind.CONFIG, Kind.FAILURE)

    @property
    def deeds(self) -> tuple[tuple[Deed, str], ...]:
        """What can be done about it, each with its words; the first is what a click does."""
        found: list[tuple[Deed, str]] = []
        if self.kind in (Kind.LOAD_FAILED, Kind.FAILURE) and (self.model or self.file):
            found.append((Deed.LOG, tr("Open log")))
        else:
            found.append((Deed.SHOW, tr("Show")))
        if self.kind in (Kind.EVICTED, Kind.MEMORY) and len(self.models) == 1:
            found.append((Deed.LOAD, tr("Load again")))
        return tuple(found)


def message(fact: Fact) -> Message | None:
    """What to tell of ``fact``; None where it is nobody's interruption."""
    if isinstance(fact, Evicted) and fact.models:
        return Message(
            Kind.EVICTED,
            _unloaded(fact.models),
            _eviction(fact),
            fact.for_model,
            models=fact.models,
        )
    if isinstance(fact, GaveWay):
        why = told(fact.why).strip().rstrip(".") or tr("other programs need the memory")
        title = tr("{model} was unloaded: {why}", model=fact.model, why=why)
        text = tr("It is loaded again when it is asked for.")
        return Message(Kind.MEMORY, title, text, models=(fact.model,), why=why)
    if isinstance(fact, LoadFailed):
        return Message(
            Kind.LOAD_FAILED,
            tr("{model} did not start", model=fact.model),
            last_line(told(fact.error)) or tr("The server ended without a word."),
            fact.model,
        )
    if isinstance(fact, ConfigRejected):
        text = _with_rest(
            fact.problems, lambda n: plural(n, "and 1 more problem", "and {n} more problems")
        )
        return Message(Kind.CONFIG, tr("The configuration was not applied"), text)
    if isinstance(fact, ConfigApplied) and fact.changes and not fact.saved:
        text = _with_rest(
            fact.changes, lambda n: plural(n, "and 1 more change", "and {n} more changes")
        )
        return Message(Kind.APPLIED, tr("The changed configuration is in force"), text)
    return None


def exposed(addresses: tuple[str, ...]) -> Message:
    """Other machines get in at ``addresses`` without a key."""
    text = tr(
        "{addresses} can be used without a key. Set apiKeys, or listen on 127.0.0.1 only.",
        addresses=listed(addresses),
    )
    return Message(Kind.EXPOSED, tr("Other machines get in without a key"), text)


def unloaded(models: tuple[str, ...], held: int) -> Message:
    """The user has unloaded ``models``, which held so many bytes of the cards."""
    text = tr("{size} came back.", size=size(held))
    return Message(Kind.DONE, _unloaded(models), text, models=models)


def peer(fact: PeerChanged, *, was_down: bool) -> Message | None:
    """A peer that went down or came back; None where it is as it was."""
    if not fact.up and not was_down:
        text = tr(
            "{reason}. Its models are asked of other peers that have them; it is looked at again"
            " now and then.",
            reason=first_line(told(fact.error)).rstrip("."),
        )
        return Message(Kind.PEER_DOWN, tr("Peer {peer} does not answer", peer=fact.peer), text)
    if fact.up and was_down:
        text = plural(len(fact.models), "It offers 1 model.", "It offers {n} models.")
        return Message(Kind.PEER_BACK, tr("Peer {peer} answers again", peer=fact.peer), text)
    return None


def muted(wanted: Wanted) -> frozenset[Kind]:
    """The kinds that the configuration has switched off; they are kept, but not shown."""
    switches = {
        Kind.EVICTED: wanted.eviction,
        Kind.MEMORY: wanted.memory,
        Kind.LOAD_FAILED: wanted.failure,
        Kind.CONFIG: wanted.rejected,
        Kind.APPLIED: wanted.applied,
        Kind.EXPOSED: wanted.exposed,
        Kind.PEER_DOWN: wanted.peer,
        Kind.PEER_BACK: wanted.peer,
    }
    return frozenset(kind for kind, on in switches.items() if not on)


def folded(messages: list[Message]) -> list[Message]:
    """``messages`` with the unloads among them told as one, and each failure once."""
    failed = {each.model for each in messages if each.kind is Kind.LOAD_FAILED}
    messages = [
        each for each in messages if each.kind is not Kind.FAILURE or each.model not in failed
    ]
    for kind in (Kind.EVICTED, Kind.MEMORY):
        alike = [each for each in messages if each.kind is kind]
        if len(alike) > 1:
            messages = [one(alike), *(each for each in messages if each.kind is not kind)]
    return messages


def one(alike: list[Message]) -> Message:
    """Several messages of unloaded models, all of one kind, as one."""
    last = alike[-1]
    names = tuple(dict.fromkeys(name for each in alike for name in each.models))
    title, text, named = _unloaded(names), last.text, listed(names, 6)
    if last.kind is Kind.EVICTED:
        targets = tuple(dict.fromkeys(each.model for each in alike if each.model))
        text = tr("{models}, for {targets}.", models=named, targets=listed(targets))
    elif len(names) > 1:
        title = tr("{unloaded}: {why}", unloaded=title, why=last.why)
        text = tr("{models}: they are loaded again when they are asked for.", models=named)
    else:
        title = last.title
    return Message(last.kind, title, text, last.model, last.at, names, why=last.why, id=last.id)


def failure(text: str, model: str | None = None) -> Message:
    """Something that the user asked for and that did not work."""
    return Message(Kind.FAILURE, tr("That did not work"), first_line(told(text)), model)


def _with_rest(lines: tuple[str, ...], counted: Callable[[int], str]) -> str:
    text = first_line(told(lines[0])) if lines else ""
    rest = len(lines) - 1
    return f"{text}\n{counted(rest)}" if rest > 0 else text


def _unloaded(models: tuple[str, ...]) -> str:
    if len(models) == 1:
        return tr("{model} was unloaded", model=models[0])
    return plural(len(models), "1 model was unloaded", "{n} models were unloaded")


def _eviction(fact: Evicted) -> str:
    text = plural(
        len(fact.models),
        "{models} was unloaded for {target}",
        "{models} were unloaded for {target}",
        models=listed(fact.models, 6),
        target=fact.for_model,
    )
    if fact.asked_by:
        text += " " + tr("(asked by {client})", client=fact.asked_by)
    why = told(fact.why).strip().rstrip(".")
    return f"{text}: {why}." if why else f"{text}."
