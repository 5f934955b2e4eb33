"""A peer over HTTPS: its certificate has to be good."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from tests.conftest import environment
from tests.gateway.peer_server import PeerServer


@asynccontextmanager
async def qmdesk(config: Path, **more: str) -> AsyncIterator[str]:
    """A process of its own, for the certificates that are trusted are read once; its address."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "qmdesk", "serve", "--config", str(config)),
        *("--listen", "127.0.0.1:0"),
        env=environment(**more),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        while not (line := (await process.stderr.readline()).decode()).startswith("qmdesk "):
            assert line, "it ended before it listened"
        yield line.split(" at ")[1].strip().removesuffix("/v1")
    finally:
        process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("trusted", [True, False])
async def test_it_is_asked_only_if_its_certificate_is_trusted(
    http, tmp_path: Path, trusted: bool
) -> None:
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    peer = PeerServer(["m"])
    address = await peer.start(context)
    file = tmp_path / "authority.pem"
    (authority if trusted else trustme.CA()).cert_pem.write_to_path(str(file))
    config = tmp_path / "config.yaml"
    config.write_text(f"peers: {{p: {{proxy: '{address}/v1', models: auto, apiKey: k}}}}\n")
    async with (
        qmdesk(config, SSL_CERT_FILE=str(file)) as gateway,
        http.post(f"{gateway}/v1/chat/completions", json={"model": "p/m"}) as response,
    ):
        body = await response.json()
        assert response.status == (200 if trusted else 502)
    await peer.close()
    if trusted:
        assert peer.asked[0].headers["x-api-key"] == "k"
        assert peer.asked[0].json() == {"model": "m"}
    else:
        assert not peer.looks
        assert "certificate" in body["error"]["message"]
