"""Somebody else's service for tests: lists models, answers chats, remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from qmdesk.instance import Instance


@dataclass
class Asked:
    """One request that is no question for the list of models."""

    path: str
    """As it came, with its query."""
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class PeerServer:
    """Answers until it is closed; may be started again at the same port."""

    models: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Further rows of its list, as they are."""
    list_status: int = 200
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    looks: list[dict[str, str]] = field(default_factory=list)
    """The headers of each question for the list of models."""
    hold: asyncio.Event | None = None
    """Chats are answered once it is set."""
    break_off: bool = False
    """Chats get no answer: the connection is cut."""
    refusal: tuple[int, str] | None = None
    """Chats get this status, and an error with this message."""
    _runner: web.AppRunner | None = None

    async def start(self, tls: ssl.SSLContext | None = None) -> str:
        """Listen; returns the base URL, without ``/v1``."""
        app = web.Application(client_max_size=0)
        app.router.add_get("/v1/models", self._list)
        app.router.add_route("*", "/{rest:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=tls)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _list(self, request: web.Request) -> web.Response:
        self.looks.append(dict(request.headers))
        rows = [{"id": id, "object": "model"} for id in self.models]
        body = {"object": "list", "data": [*rows, *self.rows]}
        return web.json_response(body, status=self.list_status)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.asked.append(Asked(request.raw_path, dict(request.headers), body))
        if self.break_off:
            assert request.transport is not None
            request.transport.abort()
        if self.hold is not None:
            await self.hold.wait()
        if self.refusal is not None:
            status, message = self.refusal
            return web.json_response({"error": {"message": message}}, status=status)
        return web.json_response({"port": self.port, "choices": []})


async def rows(http: aiohttp.ClientSession, instance: Instance) -> dict[str, dict[str, Any]]:
    """What an instance lists, by id."""
    async with http.get(f"{instance.addresses[0]}/v1/models") as response:
        return {row["id"]: row for row in (await response.json())["data"]}


async def becomes(
    http: aiohttp.ClientSession, instance: Instance, name: str, status: str | None
) -> None:
    """Wait until ``name`` is listed with ``status``; None: until it is not listed."""
    async with asyncio.timeout(20):
        while True:
            row = (await rows(http, instance)).get(name)
            if (row["status"]["value"] if row else None) == status:
                return
            await asyncio.sleep(0.01)


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
