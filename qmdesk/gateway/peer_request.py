"""What is different in a request to a peer: its own key, and nothing that concerns only us."""

from __future__ import annotations

from qmdesk.config.target import Peer
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.head import RawHeaders
from qmdesk.gateway.peers import key_headers

HOPS = "X-QM-Hops"
MOST_HOPS = 4
"""Peers that pass a request on to each other; more of them are a circle."""

# Cookies of a page on localhost are no business of another machine's.
_OURS = frozenset((b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"cookie"))


def for_peer(headers: RawHeaders, peer: Peer) -> RawHeaders:
    """``headers`` as they are to go to ``peer``.  Raises ``ApiError`` for a circle."""
    hop_name = HOPS.lower().encode()
    said = next((value for name, value in headers if name.lower() == hop_name), b"0")
    hops = int(said) if said.isdigit() and len(said) < 4 else 0
    if hops >= MOST_HOPS:
        raise ApiError(
            508,
            f"the request has come through {hops} peers already, and {peer.id} is the next: they"
            " pass it on to each other; name the model by its full name, or take it out of one"
            " peer's models",
            code="peer_loop",
        )
    kept = [each for each in headers if each[0].lower() not in (*_OURS, hop_name)]
    ours = {HOPS: str(hops + 1), **key_headers(peer)}
    return [*kept, *((name.encode(), value.encode()) for name, value in ours.items())]
