"""What is to be done for one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from aiohttp import web

from qmdesk.config import Model
from qmdesk.gateway.fields import request_headers
from qmdesk.gateway.offer import Meaning, Offer
from qmdesk.gateway.passage import Outgoing
from qmdesk.gateway.peer_request import for_peer
from qmdesk.gateway.target import Draft, join
from qmdesk.gateway.who import client_of, readable
from qmdesk.router import Turn


@lru_cache(maxsize=64)
def _route(path: str) -> str:
    return readable(path.partition("?")[0])


@dataclass(frozen=True, slots=True)
class Job:
    """A request, what it means, and what is sent for it."""

    request: web.BaseRequest
    meaning: Meaning
    offer: Offer
    draft: Draft
    tools: bool
    _drafts: Callable[[Offer], Draft] | None = field(repr=False)
    """Only where there are other offers."""

    @classmethod
    def of(
        cls,
        request: web.BaseRequest,
        meaning: Meaning,
        draft: Callable[[Offer], Draft],
        tools: bool,
    ) -> Job:
        """With the first of the offers."""
        first, *others = meaning.offers
        return cls(request, meaning, first, draft(first), tools, draft if others else None)

    def by(self, offer: Offer) -> Job:
        """The same for another offer."""
        if offer is self.offer or self._drafts is None:
            return self
        return replace(self, offer=offer, draft=self._drafts(offer))

    @property
    def model(self) -> Model:
        """The one that answers."""
        return self.offer.model

    @property
    def route(self) -> str:
        """The path as the upstream is asked, without its query."""
        return _route(self.draft.path)

    @property
    def client(self) -> str:
        """Who asks, for people."""
        return client_of(self.request)

    def outgoing(self, turn: Turn) -> Outgoing:
        """The request as it goes to the server of ``turn``."""
        url = join(turn.base_url, self.draft.path)
        headers = request_headers(self.request, self.draft.body.length)
        if self.draft.reencoded:
            headers = [each for each in headers if each[0].lower() != b"content-encoding"]
        if self.offer.peer is not None:
            headers = for_peer(headers, self.offer.peer)
        return Outgoing(self.request.method, url, headers, self.draft.body)
