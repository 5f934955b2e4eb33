"""What a streaming client sees while its model loads: comments in its event stream.

Comments (lines that begin with a colon, HTML Standard section 9.2.6) keep
proxies and clients from giving up, and no client takes them for output.  Where the
configuration says ``reasoning``, the same is said as readable reasoning instead,
for front ends that show it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

from aiohttp import web

from qmdesk.events import ModelState
from qmdesk.router import Router
from qmdesk.tasks import spawn

LOOK = 0.25
"""Seconds between two looks at the progress."""
SILENCE = 5.0
"""Seconds after which the same is said again."""


class LoadingStream:
    """Begins the answer with status comments if, and only if, the request has to wait."""

    def __init__(self, request: web.BaseRequest, router: Router, model: str) -> None:
        self._request = request
        self._router = router
        self._model = model
        self._position = 0
        self._reasoning = False
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.response: web.StreamResponse | None = None
        """The begun answer, once there is one."""

    def position(self, position: int) -> None:
        """The request's place in the queue has changed; 0: it has left the queue."""
        self._position = position
        self._moved.set()

    def begin(self, *, reasoning: bool = False) -> None:
        """From now on the client is told; nothing is sent before the next wait."""
        self._reasoning = reasoning
        self._task = spawn(self._tell(), f"loading status of {self._model}")

    async def end(self) -> None:
        """Nothing more of ours is written; harmless where nothing was."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait((task,))

    async def _tell(self) -> None:
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-cache",
                "X-Accel-Buffering": "no",
                "X-QM-Model": self._model,
                # Whoever waits is told so: the model was not there when he came.
                "X-QM-Model-Loaded": str(
                    int(self._router.state(self._model) is not ModelState.READY)
                ),
            }
        )
        await response.prepare(self._request)
        self.response = response
        loop = asyncio.get_running_loop()
        last, said_at = "", 0.0
        try:
            while True:
                self._moved.clear()
                status = self._status()
                if status != last or loop.time() - said_at >= SILENCE:
                    await response.write(self._frame(status, again=status == last))
                    last, said_at = status, loop.time()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await self._moved.wait()
        except ConnectionError:
            pass  # The client has gone; its handler is cancelled on its own.

    def _frame(self, status: str, *, again: bool) -> bytes:
        if not self._reasoning or again:
            return f": qm-status: {status}\n\n".encode()
        chunk = {
            "id": f"chatcmpl-{self._model}-loading",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": self._model,
            "choices": [
                {
                    "index": 0,
                    "delta": {"role": "assistant", "reasoning_content": f"{status}\n"},
                    "finish_reason": None,
                }
            ],
        }
        return f"data: {json.dumps(chunk)}\n\n".encode()

    def _status(self) -> str:
        if self._position:
            return f"waiting {self._position}"
        fraction, eta = self._router.progress(self._model)
        if fraction is None or eta is None:
            return "loading"
        return f"loading {fraction:.0%} eta {eta:.0f}s"
