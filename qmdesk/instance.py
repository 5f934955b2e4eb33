"""One running qmdesk: configuration, router and gateway put together.

The desktop and the headless server both run exactly this.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any

import platformdirs

from qmdesk.config import Config, ConfigError, Problem
from qmdesk.config.settings import Listener
from qmdesk.config_watch import ConfigWatch
from qmdesk.configuration import Configuration
from qmdesk.events import Bus, Exposed
from qmdesk.folders import state_folder
from qmdesk.gateway import AddressTaken, BadCertificate, Gateway
from qmdesk.gateway.peers import PeerState
from qmdesk.gpu import Sampler, machine
from qmdesk.log_format import LogFormat
from qmdesk.logs import LogHandler, Logs
from qmdesk.memory import Memory, MemorySnapshot, ModelMemory, Pace
from qmdesk.router import IdleModel, Router
from qmdesk.router.router import SHUTDOWN_BUDGET
from qmdesk.sources import Sources
from qmdesk.tasks import spawn
from qmdesk.user_error import UserError

log = logging.getLogger(__name__)


class InstanceError(UserError):
    """It cannot run; one clear message."""


class Instance:
    """``start`` it on a running event loop, ``stop`` it once."""

    def __init__(
        self,
        config: Config,
        *,
        listen: str | None = None,
        sources: Sources | None = None,
        sampler: Callable[[], Sampler] = machine,
        pace: Pace | None = None,
    ) -> None:
        """``listen``, as ``HOST:PORT``, takes the place of the configuration's.

        ``sources`` is where ``config`` was read from; its own file where None.  ``sampler``
        reads the cards, as often as ``pace`` says.

        Raises ``ConfigError`` where the configuration cannot be run.
        """
        self.bus = Bus()
        self.logs = Logs()
        self.router = Router(config, self.bus, self.logs, state_folder() / "servers")
        self.configuration = Configuration(
            config, sources or Sources(config.path), state_folder() / "history", self.bus
        )
        self.configuration.use(self._apply)
        data = platformdirs.user_data_path("qmdesk", appauthor=False)
        self._memory = Memory(self.router, self.bus, data, sampler=sampler, pace=pace)
        self._gateway = Gateway(
            self.router, self.bus, self.logs, self.configuration, data, memory=self._memory
        )
        self._listen = listen
        self._handler = LogHandler(self.logs.own)
        self._started = False
        self._watch: ConfigWatch | None = None
        self._idle_model: IdleModel | None = None

    @property
    def config(self) -> Config:
        return self.router.config

    @property
    def addresses(self) -> tuple[str, ...]:
        """``http://HOST:PORT`` of each listener, once it has started."""
        return self._gateway.addresses

    def memory(self, *, foresight: bool = True) -> MemorySnapshot:
        """The cards, and per model what it holds, how that is known, and whom it would evict.

        Told anew with every ``MemorySampled``.  ``foresight`` asks the policy for every model:
        whoever only wants the figures, and often, does without.
        """
        return self._memory.snapshot(foresight=foresight)

    def model_memory(self, model: str) -> ModelMemory | None:
        """The same of one model, with a look ahead; None where ``model`` is none of ours."""
        return self._memory.model(model)

    async def look(self) -> MemorySnapshot:
        """The same of an instance that has not been started: one look, and nothing is left."""
        try:
            await self._memory.look()
            return self.memory()
        finally:
            await self._memory.close()

    @property
    def exposed(self) -> tuple[str, ...]:
        """The addresses at which other machines get in without a key."""
        return () if self.config.api_keys else self._gateway.exposed

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful in the configuration, and which models it cannot use."""
        broken = (problem for problems in self.config.broken.values() for problem in problems)
        return tuple(str(problem) for problem in (*broken, *self.config.warnings))

    def peers(self) -> tuple[PeerState, ...]:
        """Every peer and how it is."""
        return self._gateway.peers()

    @property
    def profile(self) -> str | None:
        """The profile that is on; None: none."""
        return self._gateway.profile

    def switch_profile(self, name: str | None) -> None:
        """Turn a profile on, or with None the one that is on off, as the API does.

        Raises ``qmdesk.gateway.error.ApiError`` where there is none of that name.
        """
        self._gateway.switch_profile(name)

    def status(self) -> dict[str, Any]:
        """What runs, as ``/api/status`` tells it."""
        return self._gateway.status()

    def requests(self) -> list[dict[str, Any]]:
        """The requests under way, as ``/api/requests`` tells them."""
        return self._gateway.requests()

    def cancel_request(self, id: int, *, by: str) -> bool:
        """End a request; False where it is over already."""
        return self._gateway.cancel_request(id, by=by)

    async def activity(self, *, after: int = 0, limit: int = 300) -> list[dict[str, Any]]:
        """The requests that are over, newest first, as ``/api/activity`` tells them.

        Only those with numbers above ``after``, ``limit`` at most.
        """
        return await self._gateway.activity(after=after, limit=limit)

    async def start(self) -> None:
        """Listen, and load what is to be there from the start.  Raises ``InstanceError``."""
        logging.getLogger("qmdesk").addHandler(self._handler)
        set_level(self.config.log_level)
        self._handler.setFormatter(LogFormat(self.config.log_time_format))
        self._started = True
        await self.router.sweep()
        try:
            await self._gateway.start(self._listeners(self.config))
        except (AddressTaken, BadCertificate) as error:
            logging.getLogger("qmdesk").removeHandler(self._handler)
            self._started = False
            raise InstanceError(str(error)) from None
        self._memory.start()
        log.info("listening on %s", ", ".join(self.addresses))
        for problem in self.config.unread:
            log.error("%s", problem)
        for warning in self.warnings:
            log.warning("%s", warning)
        for address in self.exposed:
            self._tell_open(address)
        if self.configuration.sources.files():
            self._watch = ConfigWatch(self.configuration.sources.files, self._file_changed)
            await self._watch.start()
        self._idle_model = IdleModel(self.router, self.bus)
        if self.config.preload:
            spawn(self._preload(), "preload")

    async def _preload(self) -> None:
        # Before, nobody knows what fits beside what.
        await self._memory.ready.wait()
        for name in self.config.preload:
            if (model := self.config.resolve(name)) is None:
                continue
            try:
                await self.router.load(model.id, by="preload")
            except Exception as error:  # noqa: BLE001 - the next ones are loaded all the same
                log.warning("%s was not preloaded: %s", name, error)

    async def stop(self, budget: float = SHUTDOWN_BUDGET) -> None:
        """End everything within ``budget`` seconds; no server is left running."""
        if not self._started:
            return
        if self._watch is not None:
            self._watch.close()
        if self._idle_model is not None:
            self._idle_model.close()
        try:
            await self.router.shutdown(budget)
            await self._gateway.close()
            await self._memory.close()
        finally:
            logging.getLogger("qmdesk").removeHandler(self._handler)
            self._started = False

    def hurry(self) -> None:
        """A second wish to stop: wait for nothing any more."""
        self.router.hurry()

    async def _apply(self, config: Config, saved: bool = False) -> tuple[str, ...]:
        """All of it or nothing: what can be refused comes first."""
        before = self.exposed
        file = str(config.path or "")
        try:
            await self._gateway.listen(self._listeners(config), config)
        except AddressTaken as error:
            raise ConfigError((Problem(str(error), key="listen", file=file),)) from None
        except BadCertificate as error:
            raise ConfigError((Problem(str(error), key=error.key, file=file),)) from None
        set_level(config.log_level)
        self._handler.setFormatter(LogFormat(config.log_time_format))
        changes = self.router.apply_config(config, saved=saved)
        await self._gateway.follow(config)
        for address in self.exposed:
            if address not in before:
                self._tell_open(address)
        return changes

    def _tell_open(self, address: str) -> None:
        log.warning(
            "other machines can use the models at %s without a key: set apiKeys, or listen on"
            " 127.0.0.1 only",
            address,
        )
        self.bus.publish(Exposed(address))

    def _listeners(self, config: Config) -> tuple[Listener, ...]:
        return (Listener(self._listen),) if self._listen else config.addresses()

    def _file_changed(self) -> None:
        spawn(self._reload_changed(), "reload")

    async def _reload_changed(self) -> None:
        # A rejected one is told on the bus; everything goes on as before.
        with contextlib.suppress(ConfigError):
            await self.reload()

    async def reload(self) -> tuple[str, ...]:
        """Read the configuration again and apply it; what changed, in words.

        Raises ``ConfigError``; then everything goes on as before.
        """
        return await self.configuration.reload()


def set_level(level: str) -> None:
    """``debug``, ``info``, ``warn`` or ``error``; anything else is ``info``."""
    names = {"debug": "DEBUG", "warn": "WARNING", "warning": "WARNING", "error": "ERROR"}
    logging.getLogger("qmdesk").setLevel(names.get(level.lower(), "INFO"))
