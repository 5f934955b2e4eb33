"""What the tray and the model list show of a snapshot, as plain values without Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from qmdesk.desktop.memory_picture import MemoryPicture, all_cards_line, card_pictures, real_cards
from qmdesk.desktop.model_memory import held_line, memory_story, short_line
from qmdesk.desktop.reasons import told
from qmdesk.desktop.shape import Shape
from qmdesk.desktop.words import (
    clock,
    duration,
    first_line,
    generation,
    last_line,
    plural,
    share,
    tr,
)
from qmdesk.events import ModelState
from qmdesk.memory import MemorySnapshot, ModelMemory
from qmdesk.router.pause import Pause
from qmdesk.router.snapshot import ModelSnapshot, Snapshot

FIRST = 12
"""Models that stand in the menu itself; the others are under "More models"."""


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model as it is shown."""

    id: str
    title: str
    shape: Shape
    text: str
    """Its state in words."""
    progress: float | None
    """0 to 1 while it loads and something is known."""
    in_flight: int
    waiting: int
    can_start: bool
    can_unload: bool
    can_restart: bool
    error: str | None
    """What went wrong, in full."""
    detail: str = ""
    """What it does and since when, in one line."""
    pinned: bool = False
    can_pin: bool = False
    can_open: bool = False
    """Whether it may have a page of its own to be opened."""
    memory: str = ""
    """What it holds, or would take; empty where nothing is known."""
    memory_story: str = ""
    """The same as a sentence, with how it is known."""

    @property
    def label(self) -> str:
        """Name and state in one line, for a menu."""
        quiet = self.shape in (Shape.STOPPED, Shape.READY)
        return self.title if quiet else f"{self.title}   {first_line(self.text, 48)}"


@dataclass(frozen=True, slots=True)
class TrayState:
    """Everything that the tray shows."""

    shape: Shape
    progress: float | None
    line: str
    """The first line of the menu; says the reason where there is a problem."""
    tooltip: str
    models: tuple[ModelView, ...]
    can_unload_all: bool
    first: tuple[str, ...] = ()
    """The models that stand in the menu itself, in the order of ``models``."""
    paused: bool = False


def tray_state(
    snapshot: Snapshot, *, problem: str | None = None, memory: MemorySnapshot | None = None
) -> TrayState:
    """What to show of ``snapshot``; ``problem`` is one that belongs to no model."""
    models = model_views(snapshot, memory)
    pictures = card_pictures(memory.cards, memory.problem) if memory else ()
    shape, progress, line = _summary(snapshot, models, problem, all_cards_line(pictures))
    told = ["qmdesk", line, *_memory_lines(pictures, line)]
    counts = []
    if snapshot.in_flight:
        counts.append(plural(snapshot.in_flight, "1 request running", "{n} requests running"))
    if snapshot.waiting:
        counts.append(plural(snapshot.waiting, "1 waiting", "{n} waiting"))
    return TrayState(
        shape=shape,
        progress=progress,
        line=line,
        tooltip="\n".join([*told, *([", ".join(counts)] if counts else [])]),
        models=models,
        can_unload_all=any(each.can_unload for each in models) and not snapshot.shutting_down,
        first=first_models(snapshot.models),
        paused=snapshot.pause is not None,
    )


def model_views(snapshot: Snapshot, memory: MemorySnapshot | None) -> tuple[ModelView, ...]:
    """Every model of ``snapshot`` as it is shown."""
    paused = snapshot.pause is not None
    known = {each.model: each for each in memory.models} if memory and memory_counts(memory) else {}
    return tuple(
        model_view(each, paused=paused, memory=known.get(each.id)) for each in snapshot.models
    )


def memory_counts(memory: MemorySnapshot) -> bool:
    """Whether anything is limited by memory here: without a card or a budget nothing is."""
    return bool(real_cards(memory.cards)) or memory.policy == "budget"


def _memory_lines(pictures: tuple[MemoryPicture, ...], line: str) -> list[str]:
    """The cards in the tooltip, as far as ``line`` has not told of them."""
    if len(pictures) == 1 and pictures[0].line in line:
        return []
    return [f"{each.name}: {each.line}" for each in pictures]


def first_models(models: tuple[ModelSnapshot, ...], limit: int = FIRST) -> tuple[str, ...]:
    """Those that are likeliest to be wanted: pinned, at work, used last; in their own order."""
    ranked = sorted(
        models,
        key=lambda each: (
            not each.pinned,
            each.external or each.state is ModelState.STOPPED,
            -(each.last_used_at or 0.0),
        ),
    )
    # One more fits than a submenu with a single entry would save.
    chosen = {each.id for each in (ranked if len(ranked) <= limit else ranked[:limit])}
    return tuple(each.id for each in models if each.id in chosen)


def pause_line(pause: Pause) -> str:
    """Until when the card is kept free, in words."""
    if pause.until is not None:
        return tr("Paused until {time}", time=clock(pause.until, pause.since))
    if pause.program:
        return tr("Paused until {program} ends", program=pause.program)
    return tr("Paused until you resume")


def _summary(
    snapshot: Snapshot, models: tuple[ModelView, ...], problem: str | None, memory: str
) -> tuple[Shape, float | None, str]:
    by_shape = {shape: [each for each in models if each.shape is shape] for shape in Shape}
    if snapshot.shutting_down:
        return Shape.UNLOADING, None, tr("Stopping models…")
    if loading := by_shape[Shape.LOADING]:
        first = loading[0]
        if len(loading) > 1:
            return Shape.LOADING, None, tr("Loading {n} models", n=len(loading))
        line = tr("Loading {model}, {state}", model=first.title, state=first.text)
        if first.progress is None:
            line = tr("Loading {model}", model=first.title)
        return Shape.LOADING, first.progress, line
    if problem:
        return Shape.PROBLEM, None, first_line(problem, 120)
    if snapshot.pause is not None:
        return Shape.PAUSED, None, pause_line(snapshot.pause)
    if failed := by_shape[Shape.PROBLEM]:
        reason = last_line(failed[0].error or "", 120)
        return Shape.PROBLEM, None, tr("{model}: {reason}", model=failed[0].title, reason=reason)
    # Models without a process of ours are always there: they say nothing about the card.
    external = {each.id for each in snapshot.models if each.external}
    up = [
        each
        for each in models
        if each.shape in (Shape.READY, Shape.WORKING, Shape.OUTDATED) and each.id not in external
    ]
    if not models:
        return Shape.STOPPED, None, tr("No models yet")
    line = plural(len(up), "1 model loaded", "{n} models loaded") if up else tr("No model loaded")
    if memory:
        line = f"{line}, {memory}"
    if by_shape[Shape.WORKING]:
        return Shape.WORKING, None, line
    if outdated := by_shape[Shape.OUTDATED]:
        names = tr("{model} runs as before until its next start", model=outdated[0].title)
        if len(outdated) > 1:
            names = tr("{n} run as before until their next start", n=len(outdated))
        return Shape.OUTDATED, None, f"{line}, {names}"
    if up:
        return Shape.READY, None, line
    if leaving := by_shape[Shape.UNLOADING]:
        return Shape.UNLOADING, None, tr("Unloading {model}", model=leaving[0].title)
    return Shape.STOPPED, None, line


def model_view(
    model: ModelSnapshot, *, paused: bool = False, memory: ModelMemory | None = None
) -> ModelView:
    """One model of a snapshot as it is shown; ``paused``: nothing can be loaded now.

    Worked out once for each state: most of many models stay as they are.
    """
    return _view(model, paused, _words(memory, generation()), generation())


@lru_cache(maxsize=2048)
def _words(memory: ModelMemory | None, _: tuple[int, int]) -> tuple[str, str, str]:
    """What is said of ``memory``: rather than its bytes, it is the same again and again."""
    return held_line(memory), short_line(memory), memory_story(memory)


@lru_cache(maxsize=2048)
def _view(
    model: ModelSnapshot, paused: bool, memory: tuple[str, str, str], _: tuple[int, int]
) -> ModelView:
    held, short, story = memory
    shape = _shape(model)
    ours = not model.external
    up = model.state is ModelState.READY
    return ModelView(
        id=model.id,
        title=model.name or model.id,
        shape=shape,
        text=_text(model, shape),
        progress=model.progress if shape is Shape.LOADING else None,
        in_flight=model.in_flight,
        waiting=model.waiting,
        can_start=ours and model.state is ModelState.STOPPED and not paused,
        can_unload=ours and model.state in (ModelState.READY, ModelState.STARTING),
        can_restart=ours and up,
        error=told(model.error) if model.error else None,
        detail=_detail(model, shape, held),
        pinned=model.pinned,
        can_pin=ours,
        can_open=model.state is ModelState.READY or not paused,
        memory=short,
        memory_story=story,
    )


def _shape(model: ModelSnapshot) -> Shape:
    if model.state is ModelState.STARTING:
        return Shape.LOADING
    if model.state in (ModelState.STOPPING, ModelState.SHUTDOWN):
        return Shape.UNLOADING
    if model.state is ModelState.READY:
        if model.in_flight:
            return Shape.WORKING
        return Shape.OUTDATED if model.outdated else Shape.READY
    return Shape.PROBLEM if model.error else Shape.STOPPED


def _detail(model: ModelSnapshot, shape: Shape, held: str) -> str:
    text = _text(model, shape)
    if model.external:
        return tr("Served by {address}", address=model.proxy)
    if shape is Shape.PROBLEM:
        return tr("Did not start: {reason}", reason=first_line(text, 60))
    parts = [text[:1].upper() + text[1:]]
    if held and model.state is ModelState.READY:
        # That it is ready goes without saying.
        parts = [held] if shape is Shape.READY else [*parts, held]
        if model.ready_at is not None:
            parts.append(tr("since {time}", time=clock(model.ready_at)))
    elif model.state is ModelState.READY and model.ready_at is not None:
        parts.append(tr("loaded since {time}", time=clock(model.ready_at)))
    elif shape is Shape.STOPPED and model.last_used_at is not None:
        parts.append(tr("last used {time}", time=clock(model.last_used_at)))
    return ", ".join(parts)


def _text(model: ModelSnapshot, shape: Shape) -> str:
    if shape is Shape.LOADING:
        known = []
        if model.progress is not None:
            known.append(share(model.progress))
        if model.eta is not None:
            known.append(tr("{time} left", time=duration(model.eta)))
        return ", ".join(known) or tr("loading")
    if shape is Shape.WORKING:
        return plural(model.in_flight, "1 request", "{n} requests")
    if shape is Shape.PROBLEM:
        # What the server said last is the reason; before it stands how it ended.
        return last_line(told(model.error or ""))
    if shape is Shape.OUTDATED:
        return tr("runs as before until its next start")
    if shape is Shape.UNLOADING:
        return tr("unloading")
    if shape is Shape.READY:
        return tr("ready")
    return tr("not loaded")
