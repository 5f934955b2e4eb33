"""``idleModel``: the model that comes back when the others have been unloaded for idleness."""

from __future__ import annotations

import logging

from qmdesk.events import Bus, Fact, ModelState, ModelStateChanged, StopReason
from qmdesk.router.plan import plan_of
from qmdesk.router.router import Router
from qmdesk.router.turn import Rejected
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)


class IdleModel:
    """Loads it after the end of a ``ttl``, and after nothing else: whoever unloads by hand
    wants the memory."""

    def __init__(self, router: Router, bus: Bus) -> None:
        self._router = router
        self._unsubscribe = bus.subscribe(self._hear, ModelStateChanged)

    def close(self) -> None:
        self._unsubscribe()

    def _hear(self, fact: Fact) -> None:
        assert isinstance(fact, ModelStateChanged)
        idle = self._router.config.idle_model
        if (
            fact.state is ModelState.STOPPED
            and fact.reason is StopReason.TTL
            and idle not in ("", fact.model)
            and self._has_room(idle)
        ):
            spawn(self._load(idle), f"load of the idle model {idle}")

    def _has_room(self, idle: str) -> bool:
        """Nobody would be evicted for it, and nobody waits for another one."""
        router = self._router
        snapshot = router.snapshot()
        if router.shutting_down or snapshot.waiting or idle not in router.config.models:
            return False
        if router.state(idle) is not ModelState.STOPPED:
            return False
        there = [
            model.id
            for model in snapshot.models
            if model.state is not ModelState.STOPPED and not model.external
        ]
        return not plan_of(router.config).policy.evict(idle, there)

    async def _load(self, idle: str) -> None:
        try:
            await self._router.load(idle, by="idleModel")
        except Rejected as rejected:
            log.warning("the idle model %s was not loaded: %s", idle, rejected)
