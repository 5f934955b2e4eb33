"""The configuration as frozen values; how it is read stands in ``reader``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from qmdesk.config.problem import Problem

DEFAULT_GROUP = "(default)"
"""The group of every model that no group names; it swaps and is exclusive."""

DEFAULT_CONCURRENCY = 10


class HoldPolicy(StrEnum):
    """After which requests a model is held against eviction for a moment."""

    TOOL_CALLS = "toolCalls"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Model:
    """One model and how its server is started, reached and stopped.

    Macros and ``${env.X}`` are replaced already; ``${PORT}`` (in every field) and
    ``${PID}`` (in ``cmd_stop``) stand until the process starts.
    """

    id: str
    cmd: str | tuple[str, ...] = ""
    """The command line, or its arguments where the file has a list; empty: no process."""
    cmd_stop: str | tuple[str, ...] = ""
    proxy: str = "http://127.0.0.1:${PORT}"
    """The upstream's base URL, without a slash at its end."""
    check_endpoint: str = "/health"
    """The path that answers 200 when the server is ready; ``none``: ready at once."""
    env: tuple[str, ...] = ()
    """``NAME=value`` each."""
    cwd: str = ""
    ttl: float = 0.0
    """Seconds of idleness until it is unloaded, ``globalTTL`` applied; 0 is never."""
    unload_timeout: float = 10.0
    """Seconds that a graceful stop may take, the global value applied."""
    health_check_timeout: float = 120.0
    """Seconds that a start may take, the global value applied."""
    concurrency_limit: int = DEFAULT_CONCURRENCY
    aliases: tuple[str, ...] = ()
    """Every other name, those from ``setParamsByID`` included."""
    name: str = ""
    description: str = ""
    unlisted: bool = False
    use_model_name: str = ""
    send_loading_state: bool | str = False
    """False, True (SSE comments) or ``"reasoning"``; the global value applied."""
    strip_params: tuple[str, ...] = ()
    set_params: Mapping[str, Any] = field(default_factory=dict)
    set_params_by_id: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    capabilities_in: tuple[str, ...] = ()
    capabilities_out: tuple[str, ...] = ()
    capabilities_tools: bool = False
    capabilities_reranker: bool = False
    context_length: int = 0
    pinned: bool = False
    port: int | None = None
    """The port to try first, for a model whose ``cmd`` has ``${PORT}``."""
    line: int = 0
    """The line of the file on which the model begins, from 1."""

    @property
    def external(self) -> bool:
        """True for a server that is not ours to start or stop (only ``proxy``)."""
        return not self.cmd

    @property
    def renders(self) -> bool:
        """True where it makes images or video: their memory peaks while they work."""
        return bool({"image", "video"} & set(self.capabilities_out))

    def launch(self) -> tuple[Any, ...]:
        """All that a running process depends on; equal launches need no restart.

        ``port`` is only a preference: a model that moves in the file keeps running.
        """
        return (self.cmd, self.proxy, self.check_endpoint, self.env, self.cwd)


@dataclass(frozen=True, slots=True)
class Group:
    """Which models may run together (llama-swap's ``groups``)."""

    id: str
    members: tuple[str, ...]
    swap: bool = True
    exclusive: bool = True
    persistent: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """llama-swap's ``matrix``, in the file's order."""

    vars: Mapping[str, str] = field(default_factory=dict)
    evict_costs: Mapping[str, int] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """A whole configuration that may be run."""

    path: Path | None = None
    listen: tuple[str, ...] = ("127.0.0.1:8080",)
    """``HOST:PORT`` each; an IPv6 host in brackets; ``:PORT`` means every interface."""
    log_level: str = "info"
    send_loading_state: bool | str = False
    include_aliases_in_list: bool = False
    start_port: int = 5800
    queue_timeout: float = 0.0
    """Seconds that a request may wait for its turn; 0 is for ever."""
    hold: float = 10.0
    """Seconds; ``routing.scheduler.settings.fifo.holdMs``."""
    patience: float = 300.0
    """Seconds; ``routing.scheduler.settings.fifo.patienceMs``."""
    hold_policy: HoldPolicy = HoldPolicy.TOOL_CALLS
    models: Mapping[str, Model] = field(default_factory=dict)
    """By id, in the file's order."""
    broken: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """Models that the file has but that cannot be used, and why."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    """As written; ``DEFAULT_GROUP`` is implied, never listed."""
    matrix: Matrix | None = None
    """Set where ``matrix`` is the policy in use; then ``groups`` is not."""
    priorities: Mapping[str, int] = field(default_factory=dict)
    """By model id; 0 where absent."""
    preload: tuple[str, ...] = ()
    api_keys: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    default_model: str = ""
    fallback_model: str = ""
    warnings: tuple[Problem, ...] = ()

    def resolve(self, name: str) -> Model | None:
        """The model that ``name`` means: an id first, then an alias; None if no model."""
        if (model := self.models.get(name)) is not None:
            return model
        return next((each for each in self.models.values() if name in each.aliases), None)
