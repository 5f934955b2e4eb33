"""An hour of a bad day in a minute: six models, room for two, clients that leave,
servers that are killed.  Every request ends, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter

import aiohttp

from qmdesk import tasks
from qmdesk.config import parse
from qmdesk.events import ModelState
from tests.conftest import fake, pid_runs

MODELS = "abcdef"
REQUESTS = 2000
KILLED = 60
"""Requests to each server that is killed."""
CLIENTS = 24


def two_at_a_time() -> str:
    """Any two of the six may run together, by a matrix."""
    any_one = f"({' | '.join(MODELS)})"
    lines = [f"  {name}: {{cmd: {fake(name=name)}, unloadTimeout: 5}}" for name in MODELS]
    return "\n".join(["models:", *lines, f"matrix: {{sets: {{two: '{any_one} & {any_one}'}}}}", ""])


async def test_two_thousand_requests_with_disconnects_and_kills(start) -> None:
    instance = await start(parse(two_at_a_time()))
    router = instance.router
    address = f"{instance.addresses[0]}/v1/chat/completions"
    dice = random.Random(20)
    ends: Counter[object] = Counter()
    pids: set[int] = set()
    left = iter(range(REQUESTS))
    most = 0

    def look(_: object) -> None:
        nonlocal most
        running = [m for m in router.snapshot().models if m.state is not ModelState.STOPPED]
        pids.update(m.pid for m in running if m.pid)
        live = [m for m in running if m.state is not ModelState.STOPPING]
        most = max(most, len(live))

    instance.bus.subscribe(look)

    async def one(http: aiohttp.ClientSession, model: str) -> object:
        body = {
            "model": model,
            "stream": dice.random() < 0.6,
            "fake": {"tokens": dice.randint(1, 6), "delay": dice.choice((0, 0, 0.005))},
        }
        headers = {"X-QM-Patience-Ms": "0"} if dice.random() < 0.2 else {}
        try:
            async with http.post(address, json=body, headers=headers) as response:
                content = await response.read()
        except aiohttp.ClientPayloadError:
            return "cut, with an error event"
        if response.status == 200:
            assert b"error" not in content
            assert model.encode() in content
            return 200
        assert b'"message"' in content, content
        return response.status

    async def client(http: aiohttp.ClientSession) -> None:
        model = dice.choice(MODELS)
        for _ in left:
            if dice.random() < 0.25:
                model = dice.choice(MODELS)
            request = asyncio.ensure_future(one(http, model))
            if dice.random() < 0.1:
                await asyncio.wait((request,), timeout=dice.random() / 10)
                request.cancel()
                await asyncio.wait((request,))
                ends["left" if request.cancelled() else request.result()] += 1
            else:
                async with asyncio.timeout(60):
                    ends[await request] += 1
            # By requests, not by the clock: on a slow machine no load would ever succeed.
            if dice.random() < 1 / KILLED:
                kill()

    def kill() -> None:
        running = [model.pid for model in router.snapshot().models if model.pid]
        if running:
            os.kill(dice.choice(running), signal.SIGKILL)

    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector) as http:
        await asyncio.gather(*(client(http) for _ in range(CLIENTS)))

    assert sum(ends.values()) == REQUESTS
    assert ends[200] > REQUESTS // 2, ends
    assert set(ends) <= {200, 502, 503, 429, "left", "cut, with an error event"}, ends
    assert most <= 2
    async with asyncio.timeout(10):
        while router.snapshot().in_flight or router.snapshot().waiting:
            await asyncio.sleep(0.01)
    await instance.stop(10)
    assert not [pid for pid in pids if pid_runs(pid)]
    assert not tasks.running()
