"""What a fact says to people who did not ask, as plain values without Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from time import time

from qmdesk.desktop.words import first_line, last_line, listed, plural, tr
from qmdesk.events import ConfigRejected, Evicted, Fact, LoadFailed


class Kind(StrEnum):
    """What a message is about; each kind can be shown or not."""

    EVICTED = "evicted"
    LOAD_FAILED = "load-failed"
    CONFIG = "config"
    FAILURE = "failure"
    WARNING = "warning"


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

    @property
    def urgent(self) -> bool:
        return self.kind is not Kind.EVICTED


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
    if isinstance(fact, LoadFailed):
        return Message(
            Kind.LOAD_FAILED,
            tr("{model} did not start", model=fact.model),
            last_line(fact.error) or tr("The server ended without a word."),
            fact.model,
        )
    if isinstance(fact, ConfigRejected):
        rest = len(fact.problems) - 1
        text = first_line(fact.problems[0]) if fact.problems else ""
        if rest > 0:
            text += "\n" + plural(rest, "and 1 more problem", "and {n} more problems")
        title = tr("The configuration was not applied")
        return Message(Kind.CONFIG, title, text)
    return None


def folded(messages: list[Message]) -> list[Message]:
    """``messages`` with the evictions among them told as one, and each failure once."""
    failed = {each.model for each in messages if each.kind is Kind.LOAD_FAILED}
    messages = [
        each for each in messages if each.kind is not Kind.FAILURE or each.model not in failed
    ]
    evictions = [each for each in messages if each.kind is Kind.EVICTED]
    if len(evictions) < 2:
        return messages
    names = tuple(dict.fromkeys(name for each in evictions for name in each.models))
    targets = tuple(dict.fromkeys(each.model for each in evictions if each.model))
    text = tr("{models}, for {targets}.", models=listed(names, 6), targets=listed(targets))
    one = Message(
        Kind.EVICTED, _unloaded(names), text, evictions[-1].model, evictions[-1].at, names
    )
    return [one, *(each for each in messages if each.kind is not Kind.EVICTED)]


def failure(text: str, model: str | None = None) -> Message:
    """Something that the user asked for and that did not work."""
    return Message(Kind.FAILURE, tr("That did not work"), first_line(text), model)


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
    why = fact.why.strip().rstrip(".")
    return f"{text}: {why}." if why else f"{text}."
