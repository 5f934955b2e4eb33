"""A request's turn at a model, or its refusal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from qmdesk.config import Model
from qmdesk.scheduler import Refusal


class Rejected(Exception):
    """The request gets no turn; the message says why, in words for people."""

    def __init__(self, refusal: Refusal, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.retry_after = retry_after
        """Seconds after which trying again makes sense; None: no idea."""


@dataclass(eq=False, slots=True)
class Turn:
    """The right to use one ready model, until the ``serve`` block ends."""

    model: Model
    base_url: str
    """Where its server answers, without a slash at the end."""
    waited: float
    """Seconds from arrival until the turn came."""
    loaded: bool
    """True where the request waited for a load."""
    ticket: int = 0
    """The router's number for it; 0 where nobody schedules it."""
    loop: bool = False
    """To be set where the client is likely to come back at once (a tool call)."""
    ended: str | None = None
    """Why the model was taken away under the request, where it was."""
    died: bool = False
    """True where it was not taken away but ended by itself: trying again may help."""
    given_back: bool = False
    """True once nobody has it any more."""
    _on_end: list[Callable[[], None]] = field(default_factory=list)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once if the model is taken away before the turn is given back."""
        if self.ended is None:
            self._on_end.append(callback)
        else:
            callback()

    def over(self) -> None:
        """It is given back: nobody wants to be called any more."""
        self.given_back = True
        self._on_end.clear()

    async def ended_within(self, seconds: float) -> bool:
        """Wait, but not longer than ``seconds``, for the model to go; whether it has."""
        gone = asyncio.Event()
        self.on_end(gone.set)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await gone.wait()
        return self.ended is not None

    def end(self, why: str, *, died: bool = False) -> None:
        """The model goes: whoever has the turn is to finish at once."""
        if self.ended is None:
            self.ended = why
            self.died = died
            callbacks, self._on_end = self._on_end, []
            for callback in callbacks:
                callback()
