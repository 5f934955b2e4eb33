"""What a requested name may mean: peers' models, selectors and pins beside the models.

Names are unique: ids and aliases win nothing over a peer's full name (``PEER/MODEL``), a
selector or a pin, they are not to be the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from qmdesk.config.coexistence import together
from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.entry import strip_params, timeouts
from qmdesk.config.findings import Findings
from qmdesk.config.routing import Routing
from qmdesk.config.scalars import plain
from qmdesk.config.schema import TopKeys
from qmdesk.config.target import Peer, Profile, Selector, Strategy
from qmdesk.config.target_schema import PeerKeys, SelectorKeys
from qmdesk.said import said


@dataclass(frozen=True, slots=True)
class Named:
    """All that names may mean besides models and their aliases."""

    peers: Mapping[str, Peer]
    selectors: Mapping[str, Selector]
    profiles: Mapping[str, Profile]


class Naming:
    """Reads peers, selectors and profiles against the names of the models."""

    def __init__(
        self, keys: TopKeys, names: Mapping[str, str], plan: Routing, findings: Findings
    ) -> None:
        """``names`` says which id each id and alias of this file means."""
        self._keys = keys
        self._names = names
        self._plan = plan
        self._findings = findings
        self._peers = {id: self._peer(id, each) for id, each in keys.peers.items() if each}
        self._full = {
            f"{peer.id}/{model}": peer.id for peer in self._peers.values() for model in peer.models
        }
        bare: dict[str, list[str]] = {}
        for full, peer in self._full.items():
            bare.setdefault(full[len(peer) + 1 :], []).append(full)
        self._bare = {name: fulls[0] for name, fulls in bare.items() if len(fulls) == 1}

    def read(self) -> Named:
        """Peers, selectors and profiles; what is wrong with them is noted."""
        for id, keys in self._keys.peers.items():
            if keys is None:
                self._findings.error(
                    ("peers", id), said("peers.{id} needs proxy and models", id=id), key=True
                )
        self._full_names()
        selectors = {}
        for id, chosen in self._keys.selectors.items():
            path = ("selectors", id)
            if chosen is None:
                message = said("selectors.{id} needs a strategy and targets", id=id)
                self._findings.error(path, message, key=True)
            elif not id.strip():
                self._findings.error(path, said("a selector needs a name"), key=True)
            else:
                self._taken(id, path, said('selector "{id}"', id=id))
                selectors[id] = self._selector(id, chosen)
        return Named(self._peers, selectors, self._profiles())

    def target(self, name: str) -> str | None:
        """The id or a peer's full name that ``name`` means; None if it is neither."""
        if name in self._names:
            return self._names[name]
        if name in self._full:
            return name
        peer, slash, model = name.partition("/")
        if slash and model and peer in self._peers and self._peers[peer].auto:
            return name
        return self._bare.get(name)

    def known(self, name: str) -> bool:
        """True where a request for ``name`` could be served."""
        return self.target(name) is not None or name in self._keys.selectors

    # peers

    def _peer(self, id: str, keys: PeerKeys) -> Peer:
        path = ("peers", id)
        if not id.strip():
            self._findings.error(path, said("a peer needs a name"), key=True)
        auto = keys.models == "auto"
        models = () if auto else tuple(dict.fromkeys(each.strip() for each in keys.models))
        by_id = {
            name: self._params(params, (*path, "filters", "setParamsByID", name))
            for name, params in keys.filters.set_params_by_id.items()
        }
        return Peer(
            id=id,
            proxy=self._url(keys.proxy.strip(), (*path, "proxy")),
            models=tuple(each for each in models if each),
            auto=auto,
            api_key=keys.api_key,
            strip_params=strip_params(keys.filters),
            set_params=self._params(keys.filters.set_params, (*path, "filters", "setParams")),
            set_params_by_id=by_id,
            timeouts=timeouts(keys.timeouts),
        )

    def _url(self, text: str, path: KeyPath) -> str:
        try:
            parts = urlsplit(text)
            fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            fine = False
        if not fine or " " in text:
            message = said(
                '{key} must be a URL such as https://host/v1, not "{text}"',
                key=dotted(path),
                text=text[:80],
            )
            self._findings.error(path, message)
        return text.rstrip("/")

    def _params(self, params: Mapping[str, Any], path: KeyPath) -> dict[str, Any]:
        if "model" in params:
            self._findings.warn(
                (*path, "model"), said("the parameter model is never set"), key=True
            )
        return {key: plain(value) for key, value in params.items() if key != "model"}

    def _full_names(self) -> None:
        """A peer's full name may mean nothing else, and only one peer's model."""
        seen: dict[str, str] = {}
        for peer in self._peers.values():
            for model in peer.models:
                full = f"{peer.id}/{model}"
                path = ("peers", peer.id, "models")
                if full in seen:
                    message = said(
                        '"{full}" would mean a model of {seen} and of {id}',
                        full=full,
                        seen=seen[full],
                        id=peer.id,
                    )
                    self._findings.error(path, message)
                elif full in self._names:
                    message = said(
                        '"{full}" is a model of the peer {id} and of this machine (model '
                        '"{own}"); rename one of them',
                        full=full,
                        id=peer.id,
                        own=self._names[full],
                    )
                    self._findings.error(path, message)
                seen[full] = peer.id

    # selectors

    def _taken(self, name: str, path: KeyPath, who: str) -> None:
        message = ""
        if name in self._names:
            what = said("a model") if self._names[name] == name else said("an alias")
            message = said(
                "{who}: that is also the name of {what}; choose another", who=who, what=what
            )
        elif name in self._full:
            message = said("{who}: that is also a model of a peer; choose another", who=who)
        if message:
            self._findings.error(path, message, key=True)

    def _selector(self, id: str, keys: SelectorKeys) -> Selector:
        path = ("selectors", id, "targets")
        targets: list[str] = []
        for index, written in enumerate(keys.targets):
            target = self._chosen(id, written.strip(), (*path, index), keys)
            if target is not None:
                targets.append(target)
        if not keys.targets and not self._findings.failed(path):
            self._findings.error(
                path, said("selectors.{id} needs at least one target", id=id), key=True
            )
        if keys.strategy == Strategy.SPILLOVER:
            self._spillover(id, targets)
        return Selector(
            id=id,
            strategy=Strategy(keys.strategy),
            targets=tuple(targets),
            spillover=keys.settings.spillover,
            name=keys.name,
            description=keys.description,
            unlisted=keys.unlisted,
            metadata=plain(keys.metadata),
        )

    def _chosen(self, id: str, name: str, path: KeyPath, keys: SelectorKeys) -> str | None:
        target = self.target(name)
        message = ""
        if target is None and name in self._keys.selectors:
            message = said('"{name}" is a selector; a target must be a model', name=name[:80])
        elif target is None and self._findings.failed(("peers",)):
            return None  # what it means may stand there
        elif target is None:
            near = self._findings.meant(name, (*self._names, *self._full))
            message = said('there is no model "{name}"', name=name[:80]) + near
        elif keys.strategy == Strategy.WARM and target not in self._names.values():
            message = said(
                '"{name}" is a model of a peer; warm can only choose among our own', name=name[:80]
            )
        if message:
            self._findings.error(path, said("selectors.{id}: {message}", id=id, message=message))
            return None
        return target

    def _spillover(self, id: str, targets: list[str]) -> None:
        path = ("selectors", id, "targets")
        for index, target in enumerate(targets):
            if target in targets[:index]:
                message = said('selectors.{id}: "{target}" is a target twice', id=id, target=target)
                self._findings.error((*path, index), message)
        local = list(dict.fromkeys(each for each in targets if each in self._names))
        unclear = any(self._findings.failed((key,)) for key in ("groups", "matrix", "routing"))
        if len(local) > 1 and not unclear and not together(local, self._plan):
            message = said(
                "selectors.{id}: spillover needs targets that can run together; put {names} "
                "into one group with `swap: false` or one set of the matrix",
                id=id,
                names=", ".join(local),
            )
            self._findings.error(path, message, key=True)

    # profiles

    def _profiles(self) -> dict[str, Profile]:
        profiles = {}
        for id, keys in self._keys.profiles.items():
            path = ("profiles", id)
            if not id.strip():
                self._findings.error(path, said("a profile needs a name"), key=True)
            if self._findings.failed((*path, "pins")):
                continue
            if keys is None or not keys.pins:
                message = said(
                    "profiles.{id} needs at least one pin: `pins: {{NAME: MODEL}}`", id=id
                )
                self._findings.error(path, message, key=True)
                continue
            pins = {name: self._pin(id, name, keys.pins[name] or "") for name in keys.pins}
            profiles[id] = Profile(id, pins, keys.description)
        return profiles

    def _pin(self, id: str, name: str, written: str) -> str:
        path = ("profiles", id, "pins", name)
        if not name.strip():
            self._findings.error(
                path, said("profiles.{id}: a pin needs the name it is for", id=id), key=True
            )
        elif name in self._full:
            message = said(
                'profiles.{id}: "{name}" is a model of a peer and cannot be pinned',
                id=id,
                name=name,
            )
            self._findings.error(path, message, key=True)
        target = written.strip()
        if not target:
            return ""
        if target in self._keys.selectors or target in self._names:
            # As it is written: an alias may have parameters of its own (``setParamsByID``).
            return target
        if (meant := self.target(target)) is not None:
            return meant
        if self._findings.failed(("peers",)) or self._findings.failed(("selectors",)):
            return ""  # what it means may stand there
        known = (*self._names, *self._full, *self._keys.selectors)
        near = self._findings.meant(target, known)
        message = (
            said(
                'profiles.{id}: there is no model or selector "{target}"', id=id, target=target[:80]
            )
            + near
        )
        self._findings.error(path, message)
        return ""
