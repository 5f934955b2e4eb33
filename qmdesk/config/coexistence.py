"""Whether some models may all run at the same time, by the groups or the matrix."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from qmdesk.config.config import Matrix
from qmdesk.config.routing import Routing

_TOKEN = re.compile(r"\+?[A-Za-z0-9_.-]+|[&|()]")
_MOST: Final = 12
"""Models beyond which the question is not asked: the answer takes exponential work."""

_Sets = frozenset[frozenset[str]]
_NOTHING: Final[_Sets] = frozenset((frozenset(),))


def together(ids: Sequence[str], plan: Routing) -> bool:
    """True where one group without ``swap``, or one set of the matrix, has all of ``ids``."""
    wanted = frozenset(ids)
    if plan.matrix is not None:
        if len(wanted) > _MOST:
            return True
        expansion = _Expansion(plan.matrix, wanted)
        return any(wanted in expansion.of(name) for name in plan.matrix.sets)
    return any(wanted <= {*each.members} and not each.swap for each in plan.groups.values())


class _Expansion:
    """The parts of some wanted models that the sets of a matrix allow together."""

    def __init__(self, matrix: Matrix, wanted: frozenset[str]) -> None:
        self._matrix = matrix
        self._wanted = wanted
        self._known: dict[str, _Sets] = {}
        self._open: set[str] = set()

    def of(self, name: str) -> _Sets:
        """What the set of this name allows; nothing where it refers to itself."""
        if name in self._known:
            return self._known[name]
        if name in self._open or name not in self._matrix.sets:
            return _NOTHING
        self._open.add(name)
        tokens = _TOKEN.findall(self._matrix.sets[name])
        found = self._alternatives(tokens)
        self._open.discard(name)
        self._known[name] = found
        return found

    def _alternatives(self, tokens: list[str]) -> _Sets:
        found = self._products(tokens)
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            found |= self._products(tokens)
        return found

    def _products(self, tokens: list[str]) -> _Sets:
        found = self._atom(tokens)
        while tokens and tokens[0] == "&":
            tokens.pop(0)
            more = self._atom(tokens)
            found = frozenset(one | other for one in found for other in more)
        return found

    def _atom(self, tokens: list[str]) -> _Sets:
        token = tokens.pop(0) if tokens else ""
        if token == "(":
            found = self._alternatives(tokens)
            if tokens and tokens[0] == ")":
                tokens.pop(0)
            return found
        if token.startswith("+"):
            return self.of(token[1:])
        vars: Mapping[str, str] = self._matrix.vars
        id = vars.get(token, token)
        return frozenset((frozenset((id,)) & self._wanted,))
