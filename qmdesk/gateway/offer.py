"""Who can answer a request: what the name in it has turned out to mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qmdesk.config import Model
from qmdesk.config.target import Peer


@dataclass(frozen=True, slots=True)
class Offer:
    """One server that can answer: a model of ours, or a peer's."""

    model: Model
    """A peer's model looks like an external one: no process, the peer's filters."""
    named: str
    """The name by which ``setParamsByID`` is looked up."""
    instead: str = ""
    """What is written in place of the requested name; empty: it stays as it came."""
    peer: Peer | None = None

    @property
    def sent_as(self) -> str:
        """The name that the server gets to see; empty: the requested one."""
        return self.model.use_model_name or self.instead


@dataclass(eq=False, slots=True)
class Meaning:
    """The offers for one request; ``release`` it when the request is over."""

    offers: tuple[Offer, ...]
    """Best first, one at least; the next one is for where a peer cannot be reached."""
    reserve: Callable[[Offer], Callable[[], None]] | None = None
    """Notes that an offer is in use; what it returns ends that."""
    _end: Callable[[], None] | None = None

    def use(self, offer: Offer) -> None:
        """``offer`` is the one that answers now."""
        self.release()
        if self.reserve is not None:
            self._end = self.reserve(offer)

    def release(self) -> None:
        """No offer is in use any more; harmless when repeated."""
        end, self._end = self._end, None
        if end is not None:
            end()


def local(model: Model) -> Meaning:
    """A model of ours, asked for by its own id."""
    return Meaning((Offer(model, model.id),))
