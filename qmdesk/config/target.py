"""What a requested name may mean besides a model of this machine, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that steps of talking to a server may take; 0 is no limit."""

    connect: float = 30.0
    keepalive: float = 30.0
    response_header: float = 0.0
    """Until an answer begins."""
    tls_handshake: float = 10.0
    expect_continue: float = 1.0
    idle_connection: float = 90.0
    """How long a connection is kept for the next request."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another gateway or service whose models are offered too."""

    id: str
    proxy: str
    """Its base URL, without a slash at its end."""
    models: tuple[str, ...] = ()
    """The names that it gives them; here ``PEER/NAME``, or ``NAME`` where that is unique."""
    auto: bool = False
    """Its models are those that it lists itself."""
    api_key: str = field(default="", repr=False)
    strip_params: tuple[str, ...] = ()
    set_params: Mapping[str, Any] = field(default_factory=dict)
    set_params_by_id: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timeouts: Timeouts = Timeouts(response_header=60.0)


class Strategy(StrEnum):
    """How a selector chooses."""

    WARM = "warm"
    """The first target that is loaded, else the first that starts, else the first."""
    PIN = "pin"
    """The first target."""
    SPILLOVER = "spillover"
    """The least busy target; the next one is started when all that run are busy."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A name that stands for one of several targets."""

    id: str
    strategy: Strategy
    targets: tuple[str, ...]
    """Ids of models and names of peers' models, best first."""
    spillover: int = 1
    """Requests that one target gets before the next one is started."""
    name: str = ""
    description: str = ""
    unlisted: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of pins; none is on at the start."""

    id: str
    pins: Mapping[str, str] = field(default_factory=dict)
    """What a requested name means: a model, selector or peer's model; empty: nothing."""
    description: str = ""
