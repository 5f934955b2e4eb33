"""A running instance without servers: it remembers what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

from qmdesk.config import Problem
from qmdesk.config.settings import ApiKey
from qmdesk.config.settings import Notifications as Wanted
from qmdesk.events import (
    Bus,
    CardMemory,
    MemorySampled,
    ModelState,
    ModelStateChanged,
    Paused,
    PinChanged,
    ProfileChanged,
    QueueChanged,
    Resumed,
    StopReason,
)
from qmdesk.gateway.peers import PeerState
from qmdesk.logs import Logs
from qmdesk.memory import MemorySnapshot, ModelMemory
from qmdesk.router.pause import Pause
from qmdesk.router.snapshot import ModelSnapshot, Snapshot


def model(id: str, state: ModelState = ModelState.STOPPED, **values: object) -> ModelSnapshot:
    """A model as a snapshot has it."""
    basic = ModelSnapshot(id=id, name=id, description="", state=state, in_flight=0, waiting=0)
    return replace(basic, **values)  # type: ignore[arg-type]


class FakeRouter:
    """Does at once what it is asked, and publishes the facts."""

    def __init__(self, bus: Bus, models: Collection[ModelSnapshot]) -> None:
        self.models = {each.id: each for each in models}
        self.calls: list[tuple[str, ...]] = []
        self.on_call: Callable[[tuple[str, ...]], None] = lambda call: None
        self.failure: Exception | None = None
        self.waiting = 0
        self.shutting_down = False
        self.paused: Pause | None = None
        self._bus = bus

    async def load(self, model: str, *, by: str) -> None:
        self._called("load", model)
        self.change(model, state=ModelState.READY, ready_at=time(), error=None)

    async def unload(
        self,
        models: Collection[str] | None = None,
        *,
        reason: StopReason = StopReason.MANUAL,
        by: str,
    ) -> tuple[str, ...]:
        chosen = tuple(self.models) if models is None else tuple(models)
        self._called("unload", *(["*"] if models is None else chosen))
        stopped = [
            each
            for each in chosen
            if each in self.models and self.models[each].state is ModelState.READY
        ]
        for each in stopped:
            self.change(each, state=ModelState.STOPPED, ready_at=None)
        return tuple(stopped)

    async def restart(self, model: str, *, by: str) -> None:
        self._called("restart", model)

    def pin(self, model: str, pinned: bool) -> None:
        self._called("pin" if pinned else "unpin", model)
        self.models[model] = replace(self.models[model], pinned=pinned)
        self._bus.publish(PinChanged(model, pinned))

    async def pause(
        self, *, seconds: float | None = None, program: str = "", by: str
    ) -> tuple[str, ...]:
        self._called("pause", program or str(seconds))
        now = time()
        self.paused = Pause(by, now, None if seconds is None else now + seconds, program)
        self._bus.publish(Paused(by, self.paused.until, program))
        return ()

    def resume(self, *, by: str) -> bool:
        self._called("resume")
        self.paused = None
        self._bus.publish(Resumed("resumed"))
        return True

    def snapshot(self) -> Snapshot:
        models = tuple(self.models.values())
        running = sum(each.in_flight for each in models)
        return Snapshot(models, self.waiting, running, self.shutting_down, self.paused)

    def change(self, model: str, **values: object) -> None:
        """Change a model and tell of it."""
        before = self.models[model]
        after = self.models[model] = replace(before, **values)  # type: ignore[arg-type]
        self._bus.publish(ModelStateChanged(model, after.state, before.state, error=after.error))

    def set_models(self, models: Collection[ModelSnapshot]) -> None:
        """Have other models, as after a change of the configuration."""
        self.models = {each.id: each for each in models}
        self._bus.publish(QueueChanged(0, 0))

    def _called(self, *call: str) -> None:
        self.calls.append(call)
        self.on_call(call)
        if self.failure is not None:
            raise self.failure


@dataclass(slots=True)
class FakeConfig:
    path: Path | None = None
    api_keys: tuple[ApiKey, ...] = ()
    notifications: Wanted = field(default_factory=Wanted)
    language: str = ""
    certificate: str = ""
    models: dict[str, object] = field(default_factory=dict)
    peers: dict[str, object] = field(default_factory=dict)
    profiles: dict[str, object] = field(default_factory=dict)
    broken: dict[str, object] = field(default_factory=dict)
    unread: tuple[Problem, ...] = ()


class FakeInstance:
    """What the desktop uses of ``qmdesk.instance.Instance``."""

    def __init__(self, models: Collection[ModelSnapshot] = ()) -> None:
        self.bus = Bus()
        self.logs = Logs()
        self.router = FakeRouter(self.bus, models)
        path = Path("/home/me/.config/qmdesk/config.yaml")
        self.config = FakeConfig(path, models={each.id: each for each in models})
        self.addresses: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.exposed: tuple[str, ...] = ()
        self.life: list[str] = []
        self.running: list[dict[str, Any]] = []
        self.over: list[dict[str, Any]] = []
        self.reads = 0
        self.profile: str | None = None
        self.known_peers: tuple[PeerState, ...] = ()
        self.refusal: Exception | None = None
        self.measured = MemorySnapshot()
        self.foreseen: list[str] = []
        """The models that somebody has looked ahead for; ``*`` is all of them."""

    def memory(self, *, foresight: bool = True) -> MemorySnapshot:
        if foresight:
            self.foreseen.append("*")
        return self.measured

    def model_memory(self, model: str) -> ModelMemory | None:
        self.foreseen.append(model)
        return self.measured.model(model)

    def measure(
        self, *cards: CardMemory, models: Collection[ModelMemory] = (), problem: str = ""
    ) -> None:
        """Have a memory picture, and tell of it."""
        policy = "budget" if cards else "groups"
        self.measured = MemorySnapshot(cards, problem, policy, tuple(models))
        self.bus.publish(MemorySampled(cards, problem))

    def peers(self) -> tuple[PeerState, ...]:
        return self.known_peers

    def switch_profile(self, name: str | None) -> None:
        if name is not None and name not in self.config.profiles:
            raise KeyError(name)
        self.profile = name
        self.bus.publish(ProfileChanged(name))

    def requests(self) -> list[dict[str, Any]]:
        return self.running

    def cancel_request(self, id: int, *, by: str) -> bool:
        self.life.append(f"cancelled {id}")
        return True

    async def activity(self, *, after: int = 0, limit: int = 300) -> list[dict[str, Any]]:
        self.reads += 1
        return [row for row in reversed(self.over) if row["id"] > after][:limit]

    async def start(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.life.append("started")
        self.addresses = ("http://127.0.0.1:8080",)

    async def stop(self, budget: float = 30.0) -> None:
        self.life.append("stopped")

    def hurry(self) -> None:
        self.life.append("hurried")

    async def reload(self) -> tuple[str, ...]:
        self.life.append("reloaded")
        return ()


def a_running(id: int, model: str, age: float, **values: Any) -> dict[str, Any]:
    """A request under way, as an instance tells it."""
    row = {
        "id": id,
        "model": model,
        "route": "/v1/chat/completions",
        "client": "OpenWebUI/0.6",
        "state": "running",
        "arrived_at": time() - age,
        "age_seconds": age,
        "waited_seconds": 0.0,
        "load_seconds": 0.0,
        "first_token_seconds": None,
    }
    return {**row, **values}


def one_that_is_over(id: int, model: str, ago: float, **values: Any) -> dict[str, Any]:
    """A request that is over, as an instance tells it."""
    row = {
        "id": id,
        "timestamp": datetime.fromtimestamp(time() - ago, UTC).isoformat(),
        "model": model,
        "route": "/v1/chat/completions",
        "client": "OpenWebUI/0.6",
        "status": 200,
        "error": None,
        "queue_ms": 4.0,
        "load_ms": 0.0,
        "first_token_ms": 420.0,
        "duration_ms": 5200.0,
        "prompt_tokens": 812,
        "cached_tokens": 640,
        "generated_tokens": 183,
        "tokens_per_second": 38.4,
    }
    return {**row, **values}


GIB = 1 << 30


def card(used: float | None, **values: Any) -> CardMemory:
    """A card of 24 GiB of which so many are used."""
    held = None if used is None else round(used * GIB)
    basic = CardMemory(
        id="GPU-1",
        index=0,
        name="NVIDIA GeForce RTX 3090",
        total=24 * GIB,
        used=held,
        budget=22 * GIB,
        ceiling=22 * GIB,
        trusted=True,
        kind="nvidia",
    )
    return replace(basic, **values)


def some_cards() -> list[CardMemory]:
    """Two cards, one of them shared with a game."""
    return [
        card(
            23.0,
            ours=(("gemma-3-12b-it", round(8.1 * GIB)), ("gpt-oss-20b", round(4.2 * GIB))),
            programs=(("game.exe", round(9.1 * GIB)), ("firefox", round(0.9 * GIB))),
            ceiling=round(12.6 * GIB),
            utilisation=0.87,
            temperature=64.0,
            power=212.0,
        ),
        card(
            18.1,
            id="GPU-2",
            index=1,
            ours=(("qwen3-30b-a3b", round(17.1 * GIB)),),
            programs=(("Xorg", round(0.4 * GIB)),),
            utilisation=0.42,
            temperature=51.0,
            power=148.0,
        ),
    ]


def some_memories() -> list[ModelMemory]:
    """What the models of ``some_models`` hold and take."""
    why = "it needs 14.3 GiB, and 1.0 GiB of the budget is free"
    return [
        ModelMemory("qwen3-30b-a3b", round(17.1 * GIB), round(17.1 * GIB), "learned"),
        ModelMemory("gpt-oss-20b", round(4.2 * GIB), round(12.1 * GIB), "computed"),
        ModelMemory("nomic-embed", None, round(0.6 * GIB), "learned"),
        ModelMemory("gemma-3-12b-it", round(8.1 * GIB), round(8.1 * GIB), "learned"),
        ModelMemory("whisper-large-v3", None, round(3.1 * GIB), "configured"),
        ModelMemory("mistral-small-24b", None, round(14.3 * GIB), "computed"),
        ModelMemory(
            "broken-one", None, round(14.3 * GIB), "computed", evicts=("gemma-3-12b-it",), why=why
        ),
    ]


def some_models() -> list[ModelSnapshot]:
    """A desk with a bit of everything, for tests and screenshots."""
    now = time()
    return [
        model(
            "qwen3-30b-a3b",
            ModelState.READY,
            in_flight=2,
            waiting=1,
            last_used_at=now - 1,
            ready_at=now - 1032,
            launch="llama-server --port 5802 -m /models/Qwen3-30B-A3B-Q4_K_M.gguf -c 32768",
            pinned=True,
        ),
        model("gpt-oss-20b", ModelState.STARTING, progress=0.64, eta=6.0, waiting=1),
        model("nomic-embed", last_used_at=now - 3 * 3600),
        model("gemma-3-12b-it", ModelState.READY, last_used_at=now - 190, ready_at=now - 2376),
        model("whisper-large-v3", ModelState.STOPPING, last_used_at=now - 900),
        model("mistral-small-24b", ModelState.READY, outdated=True, last_used_at=now - 1500),
        model(
            "broken-one",
            error="llama-server ended with code 1: error: invalid argument: --flash-atn. "
            "Did you mean --flash-attn?",
        ),
    ]
