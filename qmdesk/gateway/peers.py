"""Other gateways and services: which of them are up, and which models they offer.

Each is looked at when the configuration names it, and again now and then; a request that
it does not answer counts at once, and so does one that it answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from yarl import URL

from qmdesk.config import Model
from qmdesk.config.target import Peer
from qmdesk.events import Bus, ConfigApplied, PeerChanged
from qmdesk.gateway.offer import Offer
from qmdesk.router import Router
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds between two looks at a peer that is up."""
SOON = 2.0
"""Seconds until the second look at one that is down; they double."""
LATEST = 120.0
FRESH = 1.0
"""Seconds for which a look is as good as another."""
LOOK_TIMEOUT = 10.0
WAIT = 3.0
"""Seconds that a request waits for looks at peers that might know its name."""
LIST_LIMIT = 16 << 20
"""Bytes of a peer's list of models."""
MODELS_LIMIT = 2000
"""Models of one peer; what comes after them is left out."""


class _NoList(Exception):
    """The peer is up but has not told its models; the message says why."""


@dataclass(frozen=True, slots=True)
class PeerState:
    """What is known of one peer."""

    id: str
    proxy: str
    up: bool | None
    """None: nobody has looked yet."""
    models: tuple[str, ...]
    """The names that it gives them."""
    error: str
    """Why it is down, or why nothing is known of its models."""


@dataclass(eq=False, slots=True)
class _Known:
    peer: Peer
    models: dict[str, None]
    """The names that it gives them, in its order."""
    up: bool | None = None
    """None: nobody has looked yet."""
    error: str = ""
    looked_at: float = -math.inf
    look: asyncio.Task[None] | None = None
    watch: asyncio.Task[None] | None = None
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _offers: dict[str, Offer] = field(default_factory=dict)

    def offer(self, model: str) -> Offer:
        """The offer of one of the peer's models, by its name there."""
        if model not in self._offers:
            self._offers[model] = _offer(self.peer, model)
        return self._offers[model]


class Peers:
    """Watches the configuration's peers; ``close`` it when the gateway closes."""

    def __init__(self, router: Router, bus: Bus) -> None:
        self._router = router
        self._bus = bus
        self._known: dict[str, _Known] = {}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        self._unsubscribe = bus.subscribe(self._config_applied, ConfigApplied)
        self._config_applied()

    async def close(self) -> None:
        """Look no more."""
        self._unsubscribe()
        tasks = [task for known in self._known.values() for task in self._dismiss(known)]
        self._known.clear()
        if tasks:
            await asyncio.wait(tasks)
        await self._session.close()

    def _config_applied(self, _: object = None) -> None:
        wanted = self._router.config.peers
        for id, known in list(self._known.items()):
            if wanted.get(id) != known.peer:
                del self._known[id]
                self._dismiss(known)
        for id, peer in wanted.items():
            if id not in self._known:
                known = self._known[id] = _Known(peer, dict.fromkeys(peer.models))
                known.watch = spawn(self._watch(known), f"watch of peer {id}")

    def _dismiss(self, known: _Known) -> list[asyncio.Task[None]]:
        tasks = [task for task in (known.watch, known.look) if task is not None]
        for task in tasks:
            task.cancel()
        return tasks

    # Knowing

    def models(self) -> list[tuple[str, str]]:
        """All models that are known: the peer, and its name for the model."""
        return [(id, name) for id, known in self._known.items() for name in known.models]

    def full(self, name: str) -> Offer | None:
        """The model whose full name, ``PEER/MODEL``, this is."""
        for id, known in self._known.items():
            model = name.removeprefix(f"{id}/")
            if model != name and model in known.models:
                return known.offer(model)
        return None

    def bare(self, name: str) -> tuple[Offer, ...]:
        """The offers of all peers that have ``name``; those last that are down."""
        having = [known for known in self._known.values() if name in known.models]
        having.sort(key=lambda known: known.up is False)
        return tuple(known.offer(name) for known in having)

    def prefix(self, name: str) -> str | None:
        """The peer of whose models ``name`` may be one, by its beginning."""
        return max((id for id in self._known if name.startswith(f"{id}/")), key=len, default=None)

    def states(self) -> tuple[PeerState, ...]:
        """Every peer, in the configuration's order."""
        found = ((id, self._known[id]) for id in self._router.config.peers if id in self._known)
        return tuple(
            PeerState(id, known.peer.proxy, known.up, tuple(known.models), known.error)
            for id, known in found
        )

    def is_down(self, peer: str) -> bool:
        known = self._known.get(peer)
        return known is not None and known.up is False

    def trouble(self, peer: str) -> str:
        """Why a peer is down, or why its models are not known; empty: all is well."""
        known = self._known.get(peer)
        return known.error if known else ""

    def unknown(self) -> dict[str, str]:
        """The peers of which nobody can say what they offer now, and why."""
        return {
            id: known.error
            for id, known in self._known.items()
            if known.peer.auto and known.error and not known.models
        }

    # Hearing

    def failed(self, peer: str, why: str) -> None:
        """A request was not answered; the peer is looked at in a moment."""
        if (known := self._known.get(peer)) is not None:
            self._note(known, up=False, error=why)
            known.wake.set()

    def doubted(self, peer: str) -> None:
        """A request was not answered in time: the peer is looked at in a moment."""
        if (known := self._known.get(peer)) is not None:
            known.wake.set()

    def answered(self, peer: str) -> None:
        """A request was answered, and not by whoever stands before a peer that is gone."""
        if (known := self._known.get(peer)) is not None and not known.up:
            self._note(known, up=True)

    def _note(
        self, known: _Known, *, up: bool, error: str = "", models: tuple[str, ...] | None = None
    ) -> None:
        changed = known.up is not up or models not in (None, tuple(known.models))
        known.up, known.error = up, error
        if models is not None:
            known.models = dict.fromkeys(models)
        if not changed:
            return
        if up:
            log.info("peer %s is up with %d models", known.peer.id, len(known.models))
        else:
            log.warning("peer %s is down: %s", known.peer.id, error)
        self._bus.publish(PeerChanged(known.peer.id, up, tuple(known.models), error))

    # Looking

    async def look_again(self, names: Iterable[str]) -> None:
        """Look at the peers that may know one of ``names`` although nothing says so."""
        now = asyncio.get_running_loop().time()
        asked = {id for name in names if (id := self.prefix(name)) is not None}
        looks = [
            self._look(known)
            for id, known in self._known.items()
            if known.peer.auto
            and (not known.up or id in asked)
            and (known.look is not None or now - known.looked_at > FRESH)
        ]
        if looks:
            await asyncio.wait(looks, timeout=WAIT)

    async def _watch(self, known: _Known) -> None:
        pause = SOON
        while True:
            await asyncio.wait((self._look(known),))
            pause = EVERY if known.up else min(pause, LATEST)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await known.wake.wait()
            if known.wake.is_set() or known.up:
                pause = SOON
            else:
                pause *= 2
            known.wake.clear()
            # A burst of failed requests is one reason to look, not many.
            since = asyncio.get_running_loop().time() - known.looked_at
            await asyncio.sleep(max(0.0, FRESH - since))

    def _look(self, known: _Known) -> asyncio.Task[None]:
        """The look that is under way, or a new one."""
        if known.look is None:
            known.look = spawn(self._looked(known), f"look at peer {known.peer.id}")
        return known.look

    async def _looked(self, known: _Known) -> None:
        try:
            models = await self._listed(known.peer)
            self._note(known, up=True, models=models if known.peer.auto else None)
        except _NoList as reason:
            if known.peer.auto and known.error != str(reason):
                log.warning("peer %s: %s", known.peer.id, reason)
            self._note(known, up=True, error=str(reason) if known.peer.auto else "")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            why = "it did not answer in time" if isinstance(error, TimeoutError) else str(error)
            self._note(known, up=False, error=why or type(error).__name__)
        finally:
            known.looked_at = asyncio.get_running_loop().time()
            known.look = None

    async def _listed(self, peer: Peer) -> tuple[str, ...]:
        """The names that the peer lists.  Raises ``_NoList``, or what its connection raises."""
        connect = peer.timeouts.connect or LOOK_TIMEOUT
        async with self._session.get(
            URL(f"{peer.proxy.removesuffix('/v1')}/v1/models", encoded=True),
            headers=key_headers(peer),
            timeout=aiohttp.ClientTimeout(LOOK_TIMEOUT, sock_connect=min(connect, LOOK_TIMEOUT)),
            allow_redirects=False,
        ) as response:
            if response.status >= 500:
                raise aiohttp.ClientError(f"it answers {response.status}")
            if response.status in (401, 403):
                raise _NoList(f"it refuses the key ({response.status}); see apiKey")
            if response.status != 200:
                raise _NoList(f"it answers {response.status} to /v1/models")
            text = bytearray()
            async for piece in response.content.iter_any():
                text += piece
                if len(text) > LIST_LIMIT:
                    raise _NoList("its list of models is too long")
        return await asyncio.to_thread(_names, bytes(text))


def key_headers(peer: Peer) -> dict[str, str]:
    """The peer's own key in both places where one is looked for."""
    if not peer.api_key:
        return {}
    return {"Authorization": f"Bearer {peer.api_key}", "x-api-key": peer.api_key}


def _names(text: bytes) -> tuple[str, ...]:
    try:
        rows = json.loads(text)["data"]
        return tuple(dict.fromkeys(row["id"] for row in rows if _own(row)))[:MODELS_LIMIT]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise _NoList("its answer to /v1/models is no list of models") from None


def _own(row: Any) -> bool:
    """Not a model of a peer's peer: two that are each other's would go round for ever."""
    meta = row.get("meta")
    inner = meta.get("llamaswap") if isinstance(meta, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    id = row["id"]
    # A name is shown, and goes into a header.
    return kind != "peer" and isinstance(id, str) and id != "" and id.isprintable()


def _offer(peer: Peer, name: str) -> Offer:
    full = f"{peer.id}/{name}"
    params = peer.set_params_by_id.get(full, peer.set_params_by_id.get(name, {}))
    model = Model(
        id=full,
        proxy=peer.proxy,
        check_endpoint="none",
        use_model_name=name,
        strip_params=peer.strip_params,
        set_params=peer.set_params,
        set_params_by_id={full: params},
        timeouts=peer.timeouts,
    )
    return Offer(model, full, peer=peer)
