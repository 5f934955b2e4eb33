"""``/api/events``: the facts of the bus as server-sent events, with ids to resume at."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from dataclasses import asdict

from aiohttp import web

from qmdesk.events import Bus, Fact, MemorySampled

KEPT = 1000
"""Events that a client which was away can still get by ``Last-Event-ID``."""
WAITING = 1000
"""Events that wait for one slow client; older ones are left out."""
HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent."""

_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class EventStream:
    """Keeps the last events, and sends them to whoever asks."""

    def __init__(self, bus: Bus, *types: type[Fact]) -> None:
        """Of facts of ``types``; of all where none is given."""
        self._kept: deque[tuple[int, Fact]] = deque(maxlen=KEPT)
        self._last = 0
        self._clients: set[_Client] = set()
        self._unsubscribe = bus.subscribe(self._hear, *types)

    def close(self) -> None:
        self._unsubscribe()
        for client in self._clients:
            client.leave()

    def _hear(self, fact: Fact) -> None:
        self._last += 1
        if type(fact) is not MemorySampled:
            # The next sample says it all; kept, they would soon be all that is.
            self._kept.append((self._last, fact))
        if self._clients:
            # Put into words only where somebody listens: there are several a request.
            frame = self._frame(self._last, fact)
            for client in self._clients:
                client.offer(frame)

    def _frame(self, number: int, fact: Fact) -> bytes:
        name = _WORD.sub("_", type(fact).__name__).lower()
        data = json.dumps(asdict(fact))
        return f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode()

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Send events until the client goes."""
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-cache",
                "X-Accel-Buffering": "no",
            }
        )
        if request.method == "HEAD":
            return response
        client = _Client()
        seen = request.headers.get("Last-Event-ID", "")
        if seen.isascii() and seen.isdigit():
            for number, fact in self._kept:
                if number > int(seen):
                    client.offer(self._frame(number, fact))
        self._clients.add(client)
        try:
            await response.prepare(request)
            await response.write(b": qmdesk events\n\n")
            while not client.left:
                await response.write(await client.take())
            await response.write_eof()
        finally:
            self._clients.discard(client)
        return response


class _Client:
    def __init__(self) -> None:
        self._frames: deque[bytes] = deque(maxlen=WAITING)
        self._some = asyncio.Event()
        self.left = False

    def offer(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._some.set()

    def leave(self) -> None:
        self.left = True
        self._some.set()

    async def take(self) -> bytes:
        """What waits, or a comment after a time of silence."""
        try:
            async with asyncio.timeout(HEARTBEAT):
                await self._some.wait()
        except TimeoutError:
            return b": still here\n\n"
        self._some.clear()
        frames = b"".join(self._frames)
        self._frames.clear()
        return frames
