"""What the scheduler needs to know of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qmdesk.scheduler.groups import GroupsPolicy
from qmdesk.scheduler.policy import Policy


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """One model."""

    limit: int = 10
    """Requests that may wait for it and use it at the same time."""
    priority: int = 0
    """Higher goes first in the queue."""
    ttl: float = 0.0
    """Seconds of idleness until it is unloaded; 0 is never."""
    renders: bool = False
    """It makes images or video: no model is started while it works."""
    external: bool = False
    """A server that is not ours: always there, takes no room, is never evicted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All models, the policy and the defaults."""

    models: Mapping[str, ModelPlan] = field(default_factory=dict)
    policy: Policy = field(default_factory=GroupsPolicy)
    kept: frozenset[str] = frozenset()
    """Models that are not unloaded to make room, neither for others of ours nor for programs."""
    hold: float = 10.0
    """Seconds that a model is kept after a request, where none is asked for."""
    hold_always: bool = False
    """Hold after every request, not only after those that an agent will follow up."""
    patience: float = 300.0
    """Seconds that a waiter honours holds, where it does not say."""
    queue_timeout: float = 0.0
    """Seconds that a ticket may queue; 0 is for ever."""
