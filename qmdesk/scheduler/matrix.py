"""The ``matrix`` policy: sets of models that may run together, as expressions.

The grammar is llama-swap's::

    or   := and ('|' and)*
    and  := atom ('&' atom)*
    atom := name | '+' set | '(' or ')'

An expression stands for alternatives; a model may run with any part of an
alternative that holds it.  Nothing is multiplied out: an expression is evaluated
to bit masks of the few models that a question is about, and masks that are part
of another are dropped on the way.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from qmdesk.said import said
from qmdesk.scheduler.policy import NOBODY_IDLE, NOTHING_KNOWN
from qmdesk.scheduler.room import Room

_TOKEN = re.compile(r"\s*(?:([A-Za-z0-9_.-]+)|([&|+()]))")


class MatrixError(ValueError):
    """A set that cannot be used; ``key`` is its dotted path in the configuration."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class _Model:
    id: str


@dataclass(frozen=True, slots=True)
class _Ref:
    name: str


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[_Node, ...]


_Node = _Model | _Ref | _All | _Any


class _Parser:
    """Recursive descent over one expression."""

    def __init__(self, key: str, text: str, names: Mapping[str, str]) -> None:
        self._key = key
        self._text = text
        self._names = names
        self._tokens = self._split(text)
        self._at = 0

    def parse(self) -> _Node:
        if not self._tokens:
            raise self._error("the expression is empty")
        node = self._either()
        if self._at < len(self._tokens):
            raise self._error(f"unexpected {self._tokens[self._at]!r}")
        return node

    def _split(self, text: str) -> list[str]:
        tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(
                    f"unexpected character {text[at:].lstrip()[0]!r}; a model id with such"
                    " characters needs a name under matrix.vars"
                )
            tokens.append(match[1] or match[2])
            at = match.end()
        return tokens

    def _either(self) -> _Node:
        parts = [self._both()]
        while self._take("|"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else _Any(tuple(parts))

    def _both(self) -> _Node:
        parts = [self._atom()]
        while self._take("&"):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else _All(tuple(parts))

    def _atom(self) -> _Node:
        if self._take("("):
            node = self._either()
            if not self._take(")"):
                raise self._error("a closing parenthesis is missing")
            return node
        reference = self._take("+")
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if not token or token in "&|+()":
            what = "the name of a set after '+'" if reference else "a model"
            raise self._error(f"expected {what}, found {token or 'the end'}")
        self._at += 1
        if reference:
            return _Ref(token)
        model = self._names.get(token)
        if model is None:
            raise self._error(f"{token!r} is no model and no var{_nearest(token, self._names)}")
        return _Model(model)

    def _take(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _error(self, message: str) -> MatrixError:
        return MatrixError(self._key, f"{message} in {self._text.strip()!r}")


def _nearest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


class MatrixPolicy:
    """Keeps what may run beside the target, at the least cost of what goes.

    Raises ``MatrixError`` where the sets make no sense.
    """

    def __init__(
        self,
        sets: Mapping[str, str],
        models: Collection[str],
        variables: Mapping[str, str] | None = None,
        costs: Mapping[str, int] | None = None,
        pinned: Collection[str] = (),
    ) -> None:
        variables = dict(variables or {})
        for name, model in variables.items():
            if model not in models:
                raise MatrixError(
                    f"matrix.vars.{name}", f"there is no model {model!r}{_nearest(model, models)}"
                )
        if not sets:
            raise MatrixError("matrix.sets", "the matrix needs at least one set")
        # A var wins over a model of the same name.
        names = {**{model: model for model in models}, **variables}
        self._pinned = frozenset(pinned)
        self._costs: dict[str, int] = {}
        for name, cost in (costs or {}).items():
            if name not in names:
                raise MatrixError(
                    f"matrix.evict_costs.{name}",
                    f"{name!r} is no model and no var{_nearest(name, names)}",
                )
            self._costs[names[name]] = cost
        # Rather everything else goes; and where no set has room beside a pinned model, it
        # stays all the same.
        dear = 1 + sum(self._costs.get(model, 1) for model in models)
        self._costs.update(dict.fromkeys(self._pinned, dear))
        self._sets = {
            name: _Parser(f"matrix.sets.{name}", text, names).parse() for name, text in sets.items()
        }
        self._check_references()

    def evict(
        self,
        target: str,
        resident: Sequence[str],
        room: Room = NOTHING_KNOWN,
        idle: Mapping[str, float] = NOBODY_IDLE,
    ) -> tuple[str, ...]:
        if target in resident:
            return ()
        bits = {model: 1 << at for at, model in enumerate(dict.fromkeys((target, *resident)))}
        keep, _ = self._best(target, bits)
        return tuple(
            model for model in resident if not keep & bits[model] and model not in self._pinned
        )

    def refuse(self, target: str, resident: Sequence[str], room: Room) -> str | None:
        return None if self.evict(target, resident) else room.refused.get(target)

    def why(self, target: str, victims: Sequence[str], room: Room = NOTHING_KNOWN) -> str:
        bits = {model: 1 << at for at, model in enumerate(dict.fromkeys((target, *victims)))}
        _, name = self._best(target, bits)
        if name is None:
            return said("{model} is in no set of the matrix and runs alone", model=target)
        return said(
            "set {set} of the matrix has room for {model} only without them",
            set=name,
            model=target,
        )

    def _best(self, target: str, bits: Mapping[str, int]) -> tuple[int, str | None]:
        """The cheapest alternative with the target, as a mask, and its set; first of equals."""
        wanted = bits[target]
        best, best_cost, best_set = wanted, None, None
        memo: dict[str, list[int]] = {}
        for name in self._sets:
            for mask in self._masks(_Ref(name), bits, memo):
                if not mask & wanted:
                    continue
                cost = sum(
                    self._costs.get(model, 1) for model, bit in bits.items() if not mask & bit
                )
                if best_cost is None or cost < best_cost:
                    best, best_cost, best_set = mask, cost, name
        return best, best_set

    def _masks(self, node: _Node, bits: Mapping[str, int], memo: dict[str, list[int]]) -> list[int]:
        match node:
            case _Model(id):
                return [bits.get(id, 0)]
            case _Ref(name):
                if name not in memo:
                    memo[name] = self._masks(self._sets[name], bits, memo)
                return memo[name]
            case _Any(parts):
                return _largest([mask for part in parts for mask in self._masks(part, bits, memo)])
            case _All(parts):
                masks = [0]
                for part in parts:
                    more = self._masks(part, bits, memo)
                    masks = _largest([a | b for a in masks for b in more])
                return masks

    def _check_references(self) -> None:
        done: set[str] = set()

        def visit(name: str, trail: tuple[str, ...]) -> None:
            if name in trail:
                circle = " → ".join((*trail[trail.index(name) :], name))
                raise MatrixError(f"matrix.sets.{name}", f"the sets refer to each other: {circle}")
            if name in done:
                return
            for other in _references(self._sets[name]):
                if other not in self._sets:
                    raise MatrixError(
                        f"matrix.sets.{name}",
                        f"there is no set {other!r}{_nearest(other, self._sets)}",
                    )
                visit(other, (*trail, name))
            done.add(name)

        for name in self._sets:
            visit(name, ())


def _references(node: _Node) -> list[str]:
    match node:
        case _Ref(name):
            return [name]
        case _All(parts) | _Any(parts):
            return [name for part in parts for name in _references(part)]
        case _:
            return []


def _largest(masks: list[int]) -> list[int]:
    """``masks`` in order, without those that are part of another."""
    unique = list(dict.fromkeys(masks))
    if len(unique) < 2:
        return unique
    kept: list[int] = []
    for mask in sorted(unique, key=int.bit_count, reverse=True):
        if not any(mask & other == mask for other in kept):
            kept.append(mask)
    chosen = set(kept)
    return [mask for mask in unique if mask in chosen]
