"""What is different in a request to a peer: its own key, and nothing that concerns only us."""

from __future__ import annotations

from multidict import CIMultiDict

from qmdesk.config.target import Peer
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.peers import key_headers

HOPS = "X-QM-Hops"
MOST_HOPS = 4
"""Peers that pass a request on to each other; more of them are a circle."""

# Cookies of a page on localhost are no business of another machine's.
_OURS = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Cookie")


def for_peer(headers: CIMultiDict[str], peer: Peer) -> None:
    """Change ``headers`` as they are to go to ``peer``.  Raises ``ApiError`` for a circle."""
    for name in _OURS:
        headers.popall(name, None)
    said = headers.get(HOPS, "0")
    hops = int(said) if said.isascii() and said.isdigit() and len(said) < 4 else 0
    if hops >= MOST_HOPS:
        raise ApiError(
            508,
            f"the request has come through {hops} peers already, and {peer.id} is the next: they"
            " pass it on to each other; name the model by its full name, or take it out of one"
            " peer's models",
            code="peer_loop",
        )
    headers[HOPS] = str(hops + 1)
    headers.update(key_headers(peer))
