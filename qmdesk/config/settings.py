"""The gateway's own settings, block by block, as frozen values.

Sizes are in GB as people write them, which are GiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

IGNORED_PATHS = (r"\.(?:js|json|css|png|gif|jpg|jpeg|ico|txt)$",)
"""Paths under ``/upstream`` that load no model, unless the file names others."""

SESSION_HEADERS = ("X-Session-ID", "X-Litellm-Session-Id")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One of the keys that requests must bring."""

    key: str = field(repr=False)
    admin: bool = False
    """Who has it may operate the gateway from anywhere."""
    name: str = ""
    """Whose it is, for people."""


@dataclass(frozen=True, slots=True)
class Listener:
    """An address with a catalogue of its own."""

    address: str
    groups: tuple[str, ...] = ()
    """The groups whose models it offers; none: all models."""


@dataclass(frozen=True, slots=True)
class Memory:
    """How memory is shared with other programs."""

    reserve_gb: float = 1.0
    """Left free where other programs use the card too."""
    pressure: bool = True
    """Idle models are unloaded when other programs need the memory."""
    grace: float = 30.0
    """Seconds that a shortage must last before that."""
    min_gpu_fraction: float = 0.5
    """A start with less of the model on the card is refused; 0 to 1."""
    cards: Mapping[str, float] = field(default_factory=dict)
    """GB for models by card: its index, UUID or name."""


@dataclass(frozen=True, slots=True)
class SlotCache:
    """Conversations that are kept on disk."""

    enable: bool = False
    path: str = ""
    """Empty: the user's cache folder."""
    min_save_tokens: int = 30_000
    max_disk_gb: float = 10.0
    max_sessions: int = 20
    preamble_caches: bool = True
    recurrent_seeds: bool = False


@dataclass(frozen=True, slots=True)
class Performance:
    """Measuring of the machine's load."""

    disabled: bool = False
    every: float = 5.0
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Notifications:
    """What is told by a notification."""

    eviction: bool = True
    memory: bool = True
    failure: bool = True
    rejected: bool = True
    applied: bool = True
    exposed: bool = True
    peer: bool = True
