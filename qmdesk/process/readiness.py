"""Finding out, soon, that a server is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from qmdesk.tasks import spawn

FIRST_TRY = 0.010
EVERY = ((3.0, 0.025), (30.0, 0.25))
"""Until so many seconds after the start, a try every so many seconds."""
LATER = 1.0
TRY_TIMEOUT = 2.0
"""Seconds for one try: a server that accepts and never answers costs no more."""
HINT_AFTER = 20
"""Tries with an unfitting answer, after which the log says so."""
_BODY = 1 << 14
"""Bytes of an answer that are read: a whole one leaves the connection open for the next."""


def addresses(base: str) -> tuple[str, ...]:
    """The base URLs to try for ``base``: ``localhost`` may be IPv4 or IPv6 or both."""
    parts = urlsplit(base)
    if parts.hostname not in ("localhost", "127.0.0.1"):
        return (base,)
    port = f":{parts.port}" if parts.port else ""
    return tuple(
        urlunsplit(parts._replace(netloc=f"{host}{port}")) for host in ("127.0.0.1", "[::1]")
    )


class Readiness:
    """Asks a server whether it is ready, and remembers what it said."""

    def __init__(
        self,
        bases: Sequence[str],
        endpoint: str,
        *,
        hint: Callable[[str], None] = lambda _: None,
        heard: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """``hint`` is told once what the server answers where it keeps answering
        something that will not become a 200; ``heard`` gets the body of each answer
        that says that it loads."""
        self.bases = bases
        self.endpoint = endpoint
        self.status: int | None = None
        """Of the last answer; None where nothing has answered yet."""
        self._hint = hint
        self._heard = heard
        self._unfit = 0

    async def wait(self) -> str:
        """Ask until one of the bases answers 200; that base.  The caller bounds it."""
        timeout = aiohttp.ClientTimeout(total=TRY_TIMEOUT)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            # Side by side: one address that hangs must not keep the other from being asked.
            asking = [spawn(self._ask(session, base), f"probe {base}") for base in self.bases]
            try:
                done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
                return done.pop().result()
            finally:
                for task in asking:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)

    async def _ask(self, session: aiohttp.ClientSession, base: str) -> str:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(FIRST_TRY)
        while True:
            tried = loop.time()
            answer = await _get(session, base + self.endpoint)
            if answer is not None:
                self.status, body = answer
                if self.status == 200:
                    return base
                self._note(self.status, body)
            await asyncio.sleep(max(0.0, tried + _pause(tried - began) - loop.time()))

    def _note(self, status: int, body: bytes) -> None:
        if not 300 <= status < 500:
            self._heard(body)
            return
        self._unfit += 1
        if self._unfit == HINT_AFTER:
            self._hint(
                f"GET {self.endpoint} answers {status}, not 200: set checkEndpoint to a"
                " path that answers 200 when the server is ready, or to none"
            )


async def answers(bases: Sequence[str]) -> bool:
    """Whether anything at all answers HTTP at one of ``bases`` now."""
    timeout = aiohttp.ClientTimeout(total=TRY_TIMEOUT)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        found = await asyncio.gather(*(_get(session, f"{base}/") for base in bases))
    return any(answer is not None for answer in found)


def _pause(age: float) -> float:
    return next((pause for until, pause in EVERY if age < until), LATER)


async def _get(session: aiohttp.ClientSession, url: str) -> tuple[int, bytes] | None:
    """The status and the beginning of the body, or None where nothing answered."""
    try:
        async with session.get(url, allow_redirects=False) as response:
            return response.status, await response.content.read(_BODY)
    except (aiohttp.ClientError, TimeoutError, OSError):
        return None
