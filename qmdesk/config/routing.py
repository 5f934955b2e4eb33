"""Groups, matrix and the queue: their two spellings, checked against the models."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from qmdesk.config.config import Group, Matrix
from qmdesk.config.document import KeyPath
from qmdesk.config.findings import Findings
from qmdesk.config.schema import GroupKeys, MatrixKeys, TopKeys
from qmdesk.said import said

_NEW: Final = ("routing", "router", "settings")
_FIFO: Final = ("routing", "scheduler", "settings", "fifo")
_VAR = re.compile(r"[A-Za-z0-9.-]{1,32}")
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z0-9_.-]+)|(?P<sign>[&|+()])|(?P<other>\S))")
_POLICIES: Final = ("group", "matrix")


@dataclass(frozen=True, slots=True)
class Routing:
    """What the file says of who may run together."""

    groups: Mapping[str, Group] = field(default_factory=dict)
    matrix: Matrix | None = None
    priorities: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """The models that routing may speak of."""

    ids: Collection[str]
    """All in the file."""
    usable: Collection[str]
    """Those that are not broken."""
    names: Mapping[str, str]
    """Which id an id or an alias means."""


def routing(keys: TopKeys, known: Known, findings: Findings) -> Routing:
    """The policy and the priorities; what does not fit the models is noted."""
    groups, matrix, path = _chosen(keys, findings)
    return Routing(
        groups=_groups(groups or {}, (*path, "groups"), known, findings),
        matrix=_matrix(matrix, (*path, "matrix"), known, findings) if matrix else None,
        priorities=_priorities(keys, known, findings),
    )


def _chosen(
    keys: TopKeys, findings: Findings
) -> tuple[Mapping[str, GroupKeys | None] | None, MatrixKeys | None, KeyPath]:
    if keys.routing.scheduler.use != "fifo":
        use = keys.routing.scheduler.use
        message = said('the scheduler "{use}" is not known; the only one is fifo', use=use)
        findings.error(("routing", "scheduler", "use"), message)
    router = keys.routing.router
    old: list[KeyPath] = [(key,) for key in ("groups", "matrix") if getattr(keys, key) is not None]
    if router is None:
        if len(old) == 2:
            message = said(
                "groups and matrix exclude each other; keep one, or move both under "
                "routing.router.settings and choose with routing.router.use"
            )
            findings.error(old[1], message, key=True)
        return keys.groups, keys.matrix, ()
    for path in old:
        line = findings.document.key(("routing", "router"))[0]
        message = said(
            "{path} stands here and routing.router on line {line}; keep one spelling: "
            "move {path} to routing.router.settings.{path}",
            path=path[0],
            line=line,
        )
        findings.error(path, message, key=True)
    if router.use not in _POLICIES:
        meant = findings.meant(router.use, _POLICIES)
        message = (
            said('routing.router.use must be group or matrix, not "{use}"', use=router.use[:40])
            + meant
        )
        findings.error(("routing", "router", "use"), message)
    if router.use == "matrix":
        if router.settings.matrix is None:
            message = said(
                "routing.router.use is matrix, but routing.router.settings.matrix is missing"
            )
            findings.error(("routing", "router", "use"), message)
        return None, router.settings.matrix, _NEW
    return router.settings.groups, None, _NEW


def _groups(
    groups: Mapping[str, GroupKeys | None],
    path: KeyPath,
    known: Known,
    findings: Findings,
) -> dict[str, Group]:
    owner: dict[str, str] = {}
    made: dict[str, Group] = {}
    for id, keys in groups.items():
        keys = keys or GroupKeys()
        members: dict[str, None] = {}
        for index, member in enumerate(keys.members):
            here = (*path, id, "members", index)
            if member not in known.ids:
                message = said(
                    'group "{id}": there is no model "{member}"', id=id, member=member[:80]
                )
                if member in known.names:
                    message += said("; that is an alias, write `{id}`", id=known.names[member])
                else:
                    message += findings.meant(member, known.ids)
                findings.error(here, message)
            elif member in owner:
                what = said("is listed twice")
                if owner[member] != id:
                    what = said(
                        'is already in group "{group}"; a model belongs to one group',
                        group=owner[member],
                    )
                findings.error(
                    here,
                    said('group "{id}": model "{member}" {what}', id=id, member=member, what=what),
                )
            else:
                owner[member] = id
                if member in known.usable:
                    members[member] = None
        made[id] = Group(id, tuple(members), keys.swap, keys.exclusive, keys.persistent)
    return made


def _priorities(keys: TopKeys, known: Known, findings: Findings) -> dict[str, int]:
    priorities: dict[str, int] = {}
    for name, priority in keys.routing.scheduler.settings.fifo.priority.items():
        id = known.names.get(name)
        if id is None:
            message = said('priority: there is no model "{name}"', name=name[:80]) + findings.meant(
                name, known.names
            )
            findings.error((*_FIFO, "priority", name), message, key=True)
        elif id in known.usable and (name == id or id not in priorities):
            priorities[id] = priority
    return priorities


def _matrix(
    keys: MatrixKeys,
    path: KeyPath,
    known: Known,
    findings: Findings,
) -> Matrix:
    for var, id in keys.vars.items():
        here = (*path, "vars", var)
        if not _VAR.fullmatch(var):
            message = said(
                'matrix: a name under vars has 1 to 32 letters, digits, `.` or `-`, not "{var}"',
                var=var[:80],
            )
            findings.error(here, message, key=True)
        if id not in known.ids:
            message = said(
                'matrix: {var} stands for "{id}", which is no model', var=var, id=id[:80]
            )
            if id in known.names:
                message += said(" but an alias; write `{id}`", id=known.names[id])
            else:
                message += findings.meant(id, known.ids)
            findings.error(here, message)
    atoms = {*keys.vars, *known.ids}
    for name in keys.evict_costs:
        if name not in atoms:
            message = said(
                'matrix: evict_costs names "{name}", which is neither a var nor a model',
                name=name[:80],
            )
            message += findings.meant(name, atoms)
            findings.error((*path, "evict_costs", name), message, key=True)
    if not keys.sets and not findings.failed((*path, "sets")[:3]):
        findings.error(path, said("matrix needs at least one set under `sets:`"), key=True)
    for name, text in keys.sets.items():
        for what, needle in _expression(text, atoms, keys.sets, findings):
            findings.error(
                (*path, "sets", name),
                said('matrix set "{name}": {what}', name=name, what=what),
                needle=needle,
            )
    return Matrix(dict(keys.vars), dict(keys.evict_costs), dict(keys.sets))


def _expression(
    text: str, known: Collection[str], sets: Collection[str], findings: Findings
) -> Iterator[tuple[str, str]]:
    """What is wrong with a set's expression, as far as its words and brackets tell."""
    if not text.strip():
        yield said("the expression is empty"), ""
        return
    depth = 0
    plus = False
    for token in _TOKEN.finditer(text):
        name, sign, other = token["name"], token["sign"], token["other"]
        if other:
            yield said("the character {sign} means nothing here", sign=other), other
            return
        if plus and not name:
            yield said("a set's name must follow `+`"), "+"
        elif plus and name not in sets:
            what = said("+{name} refers to no set", name=name[:80])
            yield what + findings.meant(name, sets), f"+{name}"
        elif name and not plus and name not in known:
            what = said("{name} is neither a var nor a model", name=name[:80])
            yield what + findings.meant(name, known), name
        plus = sign == "+"
        depth += {"(": 1, ")": -1}.get(sign or "", 0)
        if depth < 0:
            yield said("a `)` closes nothing"), ")"
            return
    if plus:
        yield said("a set's name must follow `+`"), "+"
    if depth:
        yield said("a `(` is never closed"), "("
