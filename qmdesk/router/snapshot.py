"""What the router knows at one moment, as plain values for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from qmdesk.config.command import shown
from qmdesk.events import ModelState
from qmdesk.router.pause import Pause


@dataclass(frozen=True, slots=True)
class ModelSnapshot:
    """One configured model."""

    id: str
    name: str
    description: str
    state: ModelState
    in_flight: int
    waiting: int
    """Requests that wait for this model, in the queue or for its load."""
    aliases: tuple[str, ...] = ()
    unlisted: bool = False
    external: bool = False
    """True for a model without a process of ours (only ``proxy``)."""
    outdated: bool = False
    """It runs with other arguments than the configuration now says."""
    pinned: bool = False
    """Others do not evict it."""
    pid: int | None = None
    port: int | None = None
    proxy: str = ""
    """The upstream's base URL; empty while a ``${PORT}`` model has no port."""
    launch: str | tuple[str, ...] = field(default="", repr=False)
    """The launched command (or the configured one), secrets included: show ``command``."""
    ttl: float = 0.0
    """Seconds of idleness after which it is unloaded; 0 is never."""
    ready_at: float | None = None
    """Unix time at which it became ready."""
    last_used_at: float | None = None
    """Unix time of the end of the last request."""
    load_seconds: float | None = None
    """How long the last successful load took."""
    progress: float | None = None
    """0 to 1 while it loads and something is known."""
    eta: float | None = None
    """Seconds until it is ready, while it loads and something is known."""
    error: str | None = None
    """Why the last start or run failed, until it starts again."""

    @property
    def command(self) -> str:
        """The launched command line (or the configured one), secrets redacted."""
        # Made when somebody looks: of five hundred models one is looked at.
        return shown(self.launch)


@dataclass(frozen=True, slots=True)
class Running:
    """One process that is not stopped."""

    state: ModelState
    pid: int | None
    load_seconds: float | None
    """How long its last successful load took."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Every model, in the configuration's order, and the queue."""

    models: tuple[ModelSnapshot, ...]
    waiting: int
    in_flight: int
    shutting_down: bool = False
    pause: Pause | None = None
    """Set while the card is kept free."""

    def model(self, id: str) -> ModelSnapshot | None:
        return next((each for each in self.models if each.id == id), None)
