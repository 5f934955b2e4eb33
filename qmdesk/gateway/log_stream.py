"""``/logs`` and ``/logs/stream``: log lines as plain text."""

from __future__ import annotations

import asyncio

from aiohttp import web

from qmdesk.gateway.error import ApiError
from qmdesk.logs import OWN, Log, Logs, plain


class LogStream:
    """Serves the logs; a slow reader loses lines and is told so."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._wakes: set[asyncio.Event] = set()
        self._closed = False

    def close(self) -> None:
        self._closed = True
        for wake in self._wakes:
            wake.set()

    def log_of(self, name: str) -> Log:
        """``name`` is a model's id, or empty or ``qmdesk`` for our own; raises ``ApiError``."""
        log = self._logs.get(name if name not in ("", "proxy") else OWN)
        if log is None:
            raise ApiError(404, f"there is no log {name!r}", code="log_not_found")
        return log

    def history(self, name: str) -> web.Response:
        lines = self.log_of(name).lines()
        return web.Response(text="".join(f"{plain(line)}\n" for line in lines))

    async def serve(self, request: web.BaseRequest, name: str) -> web.StreamResponse:
        """The lines kept, unless ``?no-history``, and then each new one as it comes, unless
        ``?end``."""
        log = self.log_of(name)
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/plain; charset=utf-8",
                "Cache-Control": "no-cache",
                "X-Accel-Buffering": "no",
                "X-Content-Type-Options": "nosniff",
            }
        )
        if request.method == "HEAD":
            return response
        wake = asyncio.Event()
        loop = asyncio.get_running_loop()

        def awake() -> None:
            # Our own log is written by threads too.
            loop.call_soon_threadsafe(wake.set)

        follower = log.follow(awake, history="no-history" not in request.query)
        self._wakes.add(wake)
        wake.set()
        try:
            await response.prepare(request)
            while not self._closed:
                await wake.wait()
                wake.clear()
                if lines := follower.take():
                    await response.write("".join(f"{plain(line)}\n" for line in lines).encode())
                if "end" in request.query:
                    break
            await response.write_eof()
        finally:
            follower.close()
            self._wakes.discard(wake)
        return response
