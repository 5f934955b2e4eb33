"""What the name in a request means."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from qmdesk.config import Config, Model
from qmdesk.config.target import Selector, Strategy
from qmdesk.config.variant import split_name
from qmdesk.events import ModelState
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.offer import Meaning, Offer
from qmdesk.gateway.peers import Peers
from qmdesk.gateway.profile import Profiles
from qmdesk.gateway.scope import EVERYTHING, Scope
from qmdesk.gateway.selection import Standing, choose
from qmdesk.gateway.variant import with_context
from qmdesk.router import ModelSnapshot, Router

_MOST = 200
"""Models of peers that may be the nearest; to compare more would hold up everybody's tokens."""


class Meanings:
    """Looks names up: the profile's pin, a selector, a model of ours, a peer's model, the
    names of whatever is loaded; what is none of these may still have a fallback."""

    def __init__(self, router: Router, peers: Peers, profiles: Profiles) -> None:
        self._router = router
        self.peers = peers
        self._profiles = profiles
        self._reserved: Counter[tuple[str, str]] = Counter()
        """Requests under way, by selector and target."""
        self._plain: dict[str, Offer] = {}
        """The models by their plain names, as far as they have been asked for."""
        self._plain_of: Config | None = None
        """The configuration that they are of."""
        self._last: dict[str, int] = {}
        """By selector the target that was chosen last."""

    async def find(
        self, name: str | None, scope: Scope = EVERYTHING, context: str | None = None
    ) -> Meaning:
        """Who answers a request for ``name``; raises ``ApiError`` with the nearest names.

        ``scope`` is what its sender may use; nothing else is named.  ``context`` are the
        tokens that it asks for where the name does not say (``NAME?ctx=N``).
        """
        base, said = split_name(name or "")
        meaning = await self._meant(base or None, scope)
        context = context if said is None else said
        if context is not None:
            try:
                self._give_context(meaning, context)
            except ApiError:
                meaning.release()
                raise
        return meaning

    def at_once(self, name: str, scope: Scope) -> Offer | None:
        """The model of ours that ``name`` says; None where ``find`` has to look further."""
        config = self._router.config
        if config is not self._plain_of:
            self._plain_of = config
            self._plain.clear()
        offer = self._plain.get(name)
        if offer is None:
            model = config.resolve(name)
            if model is None or name in config.selectors or split_name(name)[1] is not None:
                return None
            offer = self._plain[name] = Offer(model, name)
        if name in self._profiles.pins or not scope.sees(offer.model.id, name):
            return None
        return offer

    def _give_context(self, meaning: Meaning, context: str) -> None:
        """Put variants in the place of the models; a peer makes its own."""
        given = [self._with_context(offer, context) for offer in meaning.offers]
        before = dict(zip(map(id, given), meaning.offers, strict=True))
        meaning.offers = tuple(given)
        if (reserve := meaning.reserve) is not None:
            meaning.reserve = lambda offer: reserve(before[id(offer)])

    def _with_context(self, offer: Offer, context: str) -> Offer:
        model = offer.model
        if offer.peer is None:
            return replace(offer, model=with_context(self._router, model, context))
        name = f"{model.use_model_name}?ctx={context}"
        return replace(offer, model=replace(model, use_model_name=name))

    async def _meant(self, name: str | None, scope: Scope) -> Meaning:
        config = self._router.config
        if not name:
            return Meaning((_as_asked(local_model(config, name, scope=scope)),))
        pin = self._profiles.pins.get(name)
        if pin == "":
            active = self._profiles.active
            raise ApiError(
                404,
                f"{name!r} is switched off by the profile {active.id if active else ''!r}",
                code="model_disabled",
                param="model",
            )
        wanted = pin or name
        selector = config.selectors.get(wanted)
        names = selector.targets if selector else (wanted,)
        if unclear := [each for each in names if not self._is_known(config, each)]:
            await self.peers.look_again(unclear)
            config = self._router.config
        if selector is not None:
            return self._selected(config, selector, name, scope)
        found = self._found(config, wanted, pin or "", scope)
        if found is not None:
            for offer in found.offers:
                scope.check(offer.model.id, name)
            return found
        unknown = {} if scope.offered is not None else self.peers.unknown()
        peer = self.peers.prefix(wanted)
        if peer in unknown and wanted not in config.broken:
            raise ApiError(
                502,
                f"whether there is a model {wanted!r} is not known: the peer {peer} is not"
                f" available: {unknown[peer]}",
                code="peer_unavailable",
                param="model",
            )
        return Meaning((Offer(self._in_its_place(config, wanted, unknown, scope), wanted),))

    def _in_its_place(
        self, config: Config, name: str, unknown: Collection[str], scope: Scope
    ) -> Model:
        try:
            return local_model(config, name, self._others(config), scope)
        except ApiError as error:
            if error.status == 404 and unknown:
                error.message += f" (what {' and '.join(unknown)} offer is not known just now)"
            raise

    def found(self, name: str) -> Offer | None:
        """The model of ours, or of a peer, whose id, alias or full name this is."""
        model = self._router.config.resolve(name)
        return Offer(model, name) if model is not None else self.peers.full(name)

    def _found(self, config: Config, name: str, instead: str, scope: Scope) -> Meaning | None:
        model = config.resolve(name)
        if model is not None:
            return Meaning((Offer(model, name, instead),))
        if (full := self.peers.full(name)) is not None:
            return Meaning((full,))
        if bare := self.peers.bare(name):
            return Meaning(bare)
        if name in config.current_names:
            model = self._current(config, name, scope)
            return Meaning((Offer(model, model.id, model.id),))
        return None

    def _is_known(self, config: Config, name: str) -> bool:
        return (
            config.resolve(name) is not None
            or self.peers.full(name) is not None
            or bool(self.peers.bare(name))
            or name in config.current_names
            or name in config.broken
        )

    def _others(self, config: Config) -> Iterable[str]:
        """Every name that could have been meant, but those of our own models."""
        yield from config.selectors
        yield from (name for name, target in self._profiles.pins.items() if target)
        for peer, model in self.peers.models()[:_MOST]:
            yield f"{peer}/{model}"
            yield model
        yield from config.current_names

    # Whatever is loaded

    def _current(self, config: Config, name: str, scope: Scope) -> Model:
        own = [
            model
            for model in config.models.values()
            if not model.external and scope.sees(model.id, name)
        ]
        for state in (ModelState.READY, ModelState.STARTING):
            there = [model for model in own if self._router.state(model.id) is state]
            if there:
                return max(there, key=lambda each: _last_use(self._router.snapshot_of(each)))
        if config.default_model and (model := config.resolve(config.default_model)):
            return model
        raise ApiError(
            503,
            f"{name!r} means the model that is loaded, and none is: load one, or set"
            " defaultModel in the configuration",
            code="no_model_loaded",
            param="model",
        )

    # Selectors

    def _selected(self, config: Config, selector: Selector, name: str, scope: Scope) -> Meaning:
        called = name if scope.allowed is not None and name in scope.allowed else selector.id
        seen = [id for id in selector.targets if scope.sees(id, called)]
        if not seen:
            # It refuses, and says why.
            scope.check(selector.targets[0], name)
        offers: list[Offer | None] = []
        standings, reasons = [], []
        for target in seen:
            offer, reason = self._target(config, target)
            offers.append(offer)
            state = ModelState.STOPPED
            if offer is not None and offer.peer is None:
                state = self._router.state(offer.model.id)
            standings.append(
                Standing(state, self._reserved[selector.id, target], able=offer is not None)
            )
            if reason:
                reasons.append(f"{target}: {reason}")
        last = self._last.get(selector.id, -1)
        chosen = choose(selector.strategy, standings, selector.spillover, last)
        if chosen is None:
            raise ApiError(
                503,
                f"no target of the selector {selector.id!r} can serve: {'; '.join(reasons)}",
                code="selector_unavailable",
                param="model",
                retry_after=5,
            )
        self._last[selector.id] = chosen
        order = [chosen]
        if selector.strategy is not Strategy.PIN:
            order += [index for index in range(len(offers)) if index != chosen]
        able = {index: offer for index in order if (offer := offers[index]) is not None}
        targets = {offer.model.id: seen[index] for index, offer in able.items()}

        def reserve(offer: Offer) -> Callable[[], None]:
            return self._reserve((selector.id, targets[offer.model.id]))

        meaning = Meaning(tuple(able.values()), reserve)
        meaning.use(meaning.offers[0])
        return meaning

    def _target(self, config: Config, target: str) -> tuple[Offer | None, str]:
        """One target of a selector, or why it cannot serve."""
        if (model := config.resolve(target)) is not None:
            return Offer(model, target, target), ""
        if target in config.broken:
            return None, "it cannot be used as configured"
        offer = self.peers.full(target)
        peer = offer.peer.id if offer and offer.peer else self.peers.prefix(target)
        if peer is not None and self.peers.is_down(peer):
            return None, f"the peer {peer} is down: {self.peers.trouble(peer)}"
        if offer is None:
            return None, f"the peer {peer} does not offer it" if peer else "there is none"
        return offer, ""

    def _reserve(self, key: tuple[str, str]) -> Callable[[], None]:
        self._reserved[key] += 1

        def release() -> None:
            self._reserved[key] -= 1
            if not self._reserved[key]:
                del self._reserved[key]

        return release


def local_model(
    config: Config, name: str | None, others: Iterable[str] = (), scope: Scope = EVERYTHING
) -> Model:
    """The model of ours that ``name`` means, or none means, or that serves in its place.

    Raises ``ApiError`` with the nearest names; ``others`` could have been meant too.
    ``scope`` is what whoever asks may use; nothing else is named.
    """
    if not name:
        if config.default_model and (model := config.resolve(config.default_model)):
            scope.check(model.id, "")
            return model
        raise ApiError(
            404,
            "the request names no model: set 'model' in the body, or defaultModel in the"
            " configuration",
            code="model_required",
            param="model",
        )
    if (model := config.resolve(name)) is not None:
        scope.check(model.id, name)
        return model
    if name in config.broken:
        scope.check(name, name)
        problems = "; ".join(problem.message for problem in config.broken[name])
        raise ApiError(503, f"{name} cannot be used as configured: {problems}", code="model_broken")
    if config.unread:
        problem = config.unread[0]
        raise ApiError(503, f"the configuration cannot be used: {problem}", code="config_unread")
    model = config.resolve(config.fallback_model) if config.fallback_model else None
    if model is not None and scope.sees(model.id):
        return model
    raise ApiError(
        404,
        f"there is no model {name!r}{_nearest(config, name, others, scope)}",
        code="model_not_found",
        param="model",
    )


def _nearest(config: Config, name: str, others: Iterable[str], scope: Scope) -> str:
    own = [
        each
        for model in config.models.values()
        for each in (model.id, *model.aliases)
        if scope.sees(model.id, each)
    ]
    known = list(dict.fromkeys((*own, *(each for each in others if scope.sees(each)))))
    if not known:
        return ": there are none" if config.models else ": the configuration has none"
    near = difflib.get_close_matches(name, known, 3, 0.5)
    if near:
        return f"; did you mean {' or '.join(repr(each) for each in near)}?"
    return f"; there are {', '.join(known[:8])}{', ...' if len(known) > 8 else ''}"


def _as_asked(model: Model) -> Offer:
    return Offer(model, model.id)


def _last_use(snapshot: ModelSnapshot) -> tuple[bool, float]:
    """Later ones are greater; a model in use is used now."""
    return snapshot.in_flight > 0, max(snapshot.last_used_at or 0.0, snapshot.ready_at or 0.0)
