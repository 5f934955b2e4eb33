"""Finding out, soon, that a server is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit, urlunsplit

import aiohttp

FIRST_TRY = 0.010
EVERY = ((3.0, 0.025), (30.0, 0.25))
"""Until so many seconds after the start, a try every so many seconds."""
LATER = 1.0
TRY_TIMEOUT = 2.0
"""Seconds for one try: a server that accepts and never answers costs no more."""
HINT_AFTER = 20
"""Tries with the same unfitting answer, after which the log says so."""


def addresses(base: str) -> tuple[str, ...]:
    """The base URLs to try for ``base``: ``localhost`` may be IPv4 or IPv6 or both."""
    parts = urlsplit(base)
    if parts.hostname not in ("localhost", "127.0.0.1"):
        return (base,)
    port = f":{parts.port}" if parts.port else ""
    return tuple(
        urlunsplit(parts._replace(netloc=f"{host}{port}")) for host in ("127.0.0.1", "[::1]")
    )


async def until_ready(
    bases: Sequence[str], endpoint: str, hint: Callable[[str], None] = lambda _: None
) -> str:
    """Ask for ``endpoint`` until one of ``bases`` answers 200; that base.

    Tries for ever: the caller bounds it.  ``hint`` is told once what the server
    answers where it keeps answering something that will not become a 200.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    unfit = 0
    connector = aiohttp.TCPConnector(limit=0, use_dns_cache=True)
    timeout = aiohttp.ClientTimeout(total=TRY_TIMEOUT)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        await asyncio.sleep(FIRST_TRY)
        while True:
            tried = loop.time()
            for base in bases:
                status = await _status(session, base + endpoint)
                if status == 200:
                    return base
                if status is not None and 300 <= status < 500:
                    unfit += 1
                    if unfit == HINT_AFTER:
                        hint(
                            f"GET {endpoint} answers {status}, not 200: set checkEndpoint to a"
                            " path that answers 200 when the server is ready, or to none"
                        )
            await asyncio.sleep(max(0.0, tried + _pause(tried - began) - loop.time()))


async def answers(bases: Sequence[str]) -> bool:
    """Whether anything at all answers HTTP at one of ``bases`` now."""
    timeout = aiohttp.ClientTimeout(total=TRY_TIMEOUT)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        for base in bases:
            if await _status(session, f"{base}/") is not None:
                return True
    return False


def _pause(age: float) -> float:
    return next((pause for until, pause in EVERY if age < until), LATER)


async def _status(session: aiohttp.ClientSession, url: str) -> int | None:
    """The status of one GET, or None where nothing answered."""
    try:
        async with session.get(url, allow_redirects=False) as response:
            return response.status
    except (aiohttp.ClientError, TimeoutError, OSError):
        return None
