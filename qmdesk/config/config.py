"""The configuration as frozen values; how it is read stands in ``reader``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from qmdesk.config.problem import Problem
from qmdesk.config.settings import (
    IGNORED_PATHS,
    SESSION_HEADERS,
    ApiKey,
    Listener,
    Memory,
    Notifications,
    Performance,
    SlotCache,
)
from qmdesk.config.target import Peer, Profile, Selector, Timeouts

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
    capabilities_embedding: bool = False
    capabilities_segmentation: bool = False
    capabilities_voice_clone: bool = False
    reasoning_effort: bool | tuple[str, ...] = False
    """Whether it takes a reasoning effort, or which ones."""
    context_length: int = 0
    pinned: bool = False
    timeouts: Timeouts = field(default_factory=Timeouts)
    ignore_websockets: bool = False
    """WebSockets neither load the model nor keep it loaded."""
    est_vram_gb: float = 0.0
    """GB (GiB) of video memory that it takes; 0: unknown, never free."""
    est_ram_gb: float = 0.0
    slot_cache: bool | None = None
    """Its conversations are kept on disk; None: not said."""
    slot_cache_preamble: bool | None = None
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
    """The file, or the folder where only that was named; None for a text without one."""
    sources: tuple[Path, ...] = ()
    """Every file that was read, in that order."""
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
    unread: tuple[Problem, ...] = ()
    """Why the files could not be used at all; set in what runs empty in their place."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    """As written; ``DEFAULT_GROUP`` is implied, never listed."""
    matrix: Matrix | None = None
    """Set where ``matrix`` is the policy in use; then ``groups`` is not."""
    priorities: Mapping[str, int] = field(default_factory=dict)
    """By model id; 0 where absent."""
    preload: tuple[str, ...] = ()
    api_keys: tuple[ApiKey, ...] = ()
    allow_origins: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    default_model: str = ""
    fallback_model: str = ""
    idle_model: str = ""
    """Loaded again when the others have been unloaded for idleness."""
    current_names: tuple[str, ...] = ()
    """Names that mean whichever model is loaded; ``current`` comes first."""
    peers: Mapping[str, Peer] = field(default_factory=dict)
    selectors: Mapping[str, Selector] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    listeners: tuple[Listener, ...] = ()
    """Where there are any, ``listen`` is not used."""
    ignore_paths: tuple[str, ...] = IGNORED_PATHS
    """Regular expressions of paths under ``/upstream`` that load no model."""
    api_key_models: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """The names that a key may use, ids in place of aliases; all where it has no entry."""
    admin_allow: tuple[str, ...] = ()
    """Networks (CIDR) that may operate the gateway, besides this machine."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks (CIDR) whose forwarding headers are believed."""
    tls_cert_file: str = ""
    tls_key_file: str = ""
    """Both are set, or none."""
    max_body_mb: float = 0.0
    """0 is no limit."""
    models_dirs: tuple[str, ...] = ()
    vram_budget_gb: float = 0.0
    """GB (GiB) for all models together; 0: measured."""
    memory: Memory = field(default_factory=Memory)
    slot_cache: SlotCache = field(default_factory=SlotCache)
    store_path: str = ""
    """The SQLite file of the activity; empty: the one in the data folder."""
    metrics_max_in_memory: int = 1000
    capture_buffer_mb: float = 0.0
    """Of requests and answers; 0: none are kept."""
    performance: Performance = field(default_factory=Performance)
    session_headers: tuple[str, ...] = SESSION_HEADERS
    """Request headers that tell sessions apart."""
    language: str = ""
    """In which the windows speak; empty: in the system's."""
    log_time_format: str = ""
    """The lower-case name of a Go layout; empty: the clock, ``none``: no time stamps."""
    log_to_stdout: str = "proxy"
    """``proxy``, ``upstream``, ``both`` or ``none``."""
    notifications: Notifications = field(default_factory=Notifications)
    warnings: tuple[Problem, ...] = ()

    def beside(self, written: str) -> Path:
        """The path that a value means: relative ones from the configuration's folder."""
        path = Path(written).expanduser()
        if path.is_absolute() or self.path is None:
            return path
        return (self.path if self.path.is_dir() else self.path.parent) / path

    @property
    def certificate(self) -> str:
        """The path of the certificate that every address shows; empty where none does."""
        return str(self.beside(self.tls_cert_file)) if self.tls_cert_file else ""

    def addresses(self) -> tuple[Listener, ...]:
        """Where it is to listen, and what each address offers."""
        return self.listeners or tuple(Listener(address) for address in self.listen)

    def resolve(self, name: str) -> Model | None:
        """The model that ``name`` means: an id first, then an alias; None if no model."""
        if (model := self.models.get(name)) is not None:
            return model
        return next((each for each in self.models.values() if name in each.aliases), None)
