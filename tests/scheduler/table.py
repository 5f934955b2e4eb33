"""The table of docs/scheduling.md, worked out by asking the scheduler itself.

``python -m tests.scheduler.table`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qmdesk.events import StopReason
from qmdesk.scheduler import (
    AbortSwap,
    Action,
    Grant,
    ModelPlan,
    Plan,
    QueuePosition,
    Reject,
    Shutdown,
    Stop,
    Stopped,
    Swap,
)
from tests.scheduler.world import World

DOCUMENT = Path(__file__).parents[2] / "docs" / "scheduling.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->"

PLAN = Plan(models={"a": ModelPlan(ttl=60.0), "b": ModelPlan()})

# The states of model a, from the one in which most happens.


def stopped() -> World:
    return World(PLAN)


def loading() -> World:
    world = stopped()
    world.ask("a")
    return world


def unwanted() -> World:
    """Loading, and whoever asked has gone."""
    world = stopped()
    world.cancel(world.ask("a"))
    return world


def idle() -> World:
    world = stopped()
    world.load("a")
    return world


def busy() -> World:
    world = idle()
    world.ask("a")
    return world


def held() -> World:
    world = idle()
    world.done(world.ask("a"), loop=True)
    return world


def leased() -> World:
    world = idle()
    world.lease("a")
    return world


def stopping() -> World:
    world = idle()
    world.unload("a")
    return world


def evicted() -> World:
    """Stopping, because b is being loaded."""
    world = idle()
    world.ask("b")
    return world


STATES: dict[str, Callable[[], World]] = {
    "stopped": stopped,
    "loading": loading,
    "loading, unwanted": unwanted,
    "ready, idle": idle,
    "ready, busy": busy,
    "ready, held": held,
    "ready, leased": leased,
    "stopping": stopping,
    "stopping for b": evicted,
}

# Events; each returns None where it cannot come in this state.


def request_a(world: World) -> list[Action] | None:
    world.ask("a")
    return world.last


def request_b(world: World) -> list[Action] | None:
    world.ask("b")
    return world.last


def impatient_b(world: World) -> list[Action] | None:
    world.ask("b", patience=0.0)
    return world.last


def waiter_leaves(world: World) -> list[Action] | None:
    waiting = [ticket for ticket, model in world.waiting.items() if model == "a"]
    return world.cancel(waiting[0]) if waiting else None


def turn_given_back(world: World) -> list[Action] | None:
    granted = [ticket for ticket, model in world.granted.items() if model == "a"]
    return world.done(granted[0]) if granted else None


def lease_released(world: World) -> list[Action] | None:
    return world.release(next(iter(world.leases))) if world.leases else None


def load_succeeds(world: World) -> list[Action] | None:
    return world.swapped() if world.swaps else None


def load_fails(world: World) -> list[Action] | None:
    return world.swapped(ok=False) if world.swaps else None


def process_stopped(world: World) -> list[Action] | None:
    if "a" not in world.stops:
        return None
    del world.stops["a"]
    del world.processes["a"]
    return world.feed(Stopped("a", world.now))


def process_dies(world: World) -> list[Action] | None:
    return world.die("a") if world.processes.get("a") == "ready" else None


def unload(world: World) -> list[Action] | None:
    return world.unload("a", reason=StopReason.MANUAL)


def ttl_passes(world: World) -> list[Action] | None:
    world.log.clear()
    world.advance(60.0)
    return list(world.log)


def removed(world: World) -> list[Action] | None:
    return world.configure(Plan(models={"b": ModelPlan()}))


def kept(world: World) -> list[Action] | None:
    return world.configure(PLAN, relaunched=["a"])


def pause(world: World) -> list[Action] | None:
    return world.pause()


def shutdown(world: World) -> list[Action] | None:
    return world.feed(Shutdown(world.now))


EVENTS: dict[str, Callable[[World], list[Action] | None]] = {
    "request for a": request_a,
    "request for b, which evicts a": request_b,
    "the same without patience": impatient_b,
    "a waiter of a leaves": waiter_leaves,
    "a turn at a is given back": turn_given_back,
    "the lease on a is released": lease_released,
    "the load under way succeeds": load_succeeds,
    "the load under way fails": load_fails,
    "a has stopped": process_stopped,
    "a dies by itself": process_dies,
    "unload a": unload,
    "60 s pass (the ttl of a)": ttl_passes,
    "a leaves the configuration": removed,
    "a is configured anew": kept,
    "the card is freed": pause,
    "shutdown": shutdown,
}


def table() -> str:
    """The table as Markdown: a row an event, a column a state of model a."""
    lines = [f"| event | {' | '.join(STATES)} |", f"|---{'|---' * len(STATES)}|"]
    for name, event in EVENTS.items():
        cells = []
        for make in STATES.values():
            world = make()
            actions = event(world)
            cells.append("·" if actions is None else _words(actions))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _words(actions: list[Action]) -> str:
    said: list[str] = []
    for action in actions:
        match action:
            case Grant():
                said.append("grant")
            case Reject(refusal=refusal):
                said.append(f"refuse: {refusal.replace('_', ' ')}")
            case Swap(target=target, evict=evict):
                said.append(f"load {target}" + (f", evicting {', '.join(evict)}" if evict else ""))
            case AbortSwap():
                said.append("give the load up")
            case Stop(model, reason):
                said.append(f"stop {model} ({reason})")
            case QueuePosition(position=position) if position:
                said.append(f"queue at {position}")
    return "; ".join(said) or "nothing"


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    DOCUMENT.write_text(head + BEGIN + table() + END + tail, encoding="utf-8")


if __name__ == "__main__":
    main()
