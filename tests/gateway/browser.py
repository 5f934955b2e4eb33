"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage"
    " --disable-background-networking --disable-component-update --disable-sync"
    " --remote-debugging-port=0"
).split()
PATIENCE = 30.0
"""Seconds that anything in the browser may take."""


def missing() -> str | None:
    """What is not installed, in words; in continuous integration nothing may be missing."""
    if os.environ.get("CI") or _program():
        return None
    return f"not installed: {NAMES[0]}"


def _program() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page.  ``start`` once, ``close`` once."""

    def __init__(self, folder: Path, names: dict[str, str] | None = None) -> None:
        """``folder`` is for its profile; ``names`` says which address each host name has."""
        rules = ", ".join(f"MAP {name} {address}" for name, address in (names or {}).items())
        self._arguments = (
            *FLAGS,
            f"--user-data-dir={folder}",
            *([f"--host-resolver-rules={rules}"] if rules else []),
            "about:blank",
        )
        self._ids = itertools.count(1)
        self._loads = 0
        self.complaints: list[str] = []
        """What the console and the content security policy have had to say."""

    async def start(self) -> None:
        program = _program()
        assert program is not None, f"not installed: {NAMES[0]}"
        self._process = await asyncio.create_subprocess_exec(
            program,
            *self._arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        assert self._process.stderr is not None
        self._session = aiohttp.ClientSession()
        async with asyncio.timeout(PATIENCE):
            found = None
            while found is None:
                line = await self._process.stderr.readline()
                assert line, "the browser has ended"
                found = re.search(rb"DevTools listening on ws://([^/]+)/", line)
            # It goes on to write, and must not wait for a reader.
            self._drain = asyncio.ensure_future(self._process.stderr.read())
            async with self._session.get(f"http://{found[1].decode()}/json/list") as response:
                pages = await response.json(content_type=None)
        address = next(page for page in pages if page["type"] == "page")["webSocketDebuggerUrl"]
        self._socket = await self._session.ws_connect(address, max_msg_size=0)
        for domain in ("Page", "Runtime", "Log"):
            await self.send(f"{domain}.enable")

    async def close(self) -> None:
        await self.send("Browser.close")
        async with asyncio.timeout(PATIENCE):
            await self._process.wait()
            await self._drain
        await self._socket.close()
        await self._session.close()

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command, and its result."""
        number = next(self._ids)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        async with asyncio.timeout(PATIENCE):
            while True:
                message = json.loads(await self._socket.receive_str())
                if message.get("id") == number:
                    assert "error" not in message, message
                    result: dict[str, Any] = message["result"]
                    return result
                self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["method"] in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.complaints.append(json.dumps(message["params"]))
        elif message["method"] == "Page.loadEventFired":
            self._loads += 1

    async def open(self, address: str) -> None:
        self._loads = 0
        await self.send("Page.navigate", url=address)
        await self.loaded()

    async def loaded(self, times: int = 1) -> None:
        """Wait until the page has been loaded so many times since it was opened."""
        async with asyncio.timeout(PATIENCE):
            while self._loads < times:
                self._hear(json.loads(await self._socket.receive_str()))

    async def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        result = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")
