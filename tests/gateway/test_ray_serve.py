"""A Ray Serve cluster as a peer.  Runs where Ray is installed (``pip install ".[ray]"``)."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from qmdesk.config import parse
from tests.conftest import environment
from tests.gateway.peer_server import becomes, free_port

pytest.importorskip("ray")

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
async def cluster() -> AsyncIterator[str]:
    """The address of a cluster of one machine."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(Path(__file__).with_name("ray_app.py")), str(port)),
        env=environment(RAY_USAGE_STATS_ENABLED="0"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        while (line := await process.stdout.readline()) != b"ready\n":
            assert line, "it ended before it was ready"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.stdin.close()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]


async def test_its_models_are_found_and_answer(start, http, cluster: str) -> None:
    text = f"peers: {{cluster: {{proxy: '{cluster}/v1', models: auto, apiKey: k}}}}"
    instance = await start(parse(text))
    await becomes(http, instance, "cluster/echo", "loaded")
    address = f"{instance.addresses[0]}/v1/chat/completions"
    message = {"role": "user", "content": "one two three"}
    for name in ("cluster/echo", "echo"):
        body = {"model": name, "messages": [message]}
        async with http.post(address, json=body) as response:
            assert response.headers["X-QM-Model"] == "cluster/echo"
            answer = await response.json()
        assert answer["choices"][0]["message"]["content"] == "one two three"
        assert answer["key"] == "Bearer k"
        async with http.post(address, json={**body, "stream": True}) as response:
            assert response.content_type == "text/event-stream"
            lines = [line async for line in response.content if line.startswith(b"data: {")]
        deltas = [json.loads(line[6:])["choices"][0]["delta"] for line in lines]
        assert [delta["content"] for delta in deltas] == ["one ", "two ", "three "]
