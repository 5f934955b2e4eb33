"""Requests and answers kept for a look: in memory, never more of them than the budget.

Off unless ``captureBuffer`` is set, because prompts are private.
"""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from qmdesk.events import Bus, ConfigApplied
from qmdesk.gateway.body import Body, WholeBody
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.redaction import headers_shown, path_shown
from qmdesk.gateway.usage import Fields, Tap
from qmdesk.gateway.who import readable
from qmdesk.tasks import spawn

PACKED = 16 << 10
"""Bytes from which on a body is compressed."""
OVERHEAD = 1024
"""Bytes that a capture is taken to have besides its headers and bodies."""
PIECE = 64
"""Bytes that a piece takes besides what is in it."""

# Recordings, pictures and films: large, and nothing to read.
_NO_REQUEST_BODY = frozenset(
    "/v1/audio/transcriptions /v1/audio/translations /v1/audio/voices /v1/images/edits"
    " /v1/images/variations /sdapi/v1/img2img".split()
)
_NO_ANSWER_BODY = frozenset(
    "/v1/audio/speech /v1/images/generations /v1/images/edits /v1/images/variations"
    " /sdapi/v1/txt2img /sdapi/v1/img2img /sdcpp/v1/vid_gen".split()
)
_MEDIA = ("audio/", "image/", "video/", "multipart/", "application/octet-stream")


@dataclass(slots=True)
class _Bytes:
    """A body: as it came, packed, or left out (None)."""

    data: bytes | None = b""
    packed: bool = False

    async def shown(self) -> str | None:
        """Base64; None where it was left out."""
        if self.data is None:
            return None
        data = self.data
        if self.packed:
            data = await asyncio.to_thread(zlib.decompress, data)
        return base64.b64encode(data).decode()

    async def pack(self) -> int:
        """Compress it where that helps; how many bytes fewer it has now."""
        if self.data is None or self.packed or len(self.data) < PACKED:
            return 0
        packed = await asyncio.to_thread(zlib.compress, self.data, 1)
        saved = len(self.data) - len(packed)
        if saved > 0:
            self.data, self.packed = packed, True
        return max(saved, 0)


@dataclass(eq=False)
class Recording:
    """One request while it is under way, and its capture afterwards."""

    _captures: Captures
    method: str
    path: str
    size: int = 0
    """Bytes that it counts for."""
    status: int = 0
    request_headers: Mapping[str, str] = field(default_factory=dict)
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    request_body: _Bytes = field(default_factory=_Bytes)
    answer_body: _Bytes = field(default_factory=_Bytes)
    sent: bool = False
    """It has gone to a model's server."""
    dropped: bool = False
    _pieces: list[bytes] = field(default_factory=list)

    @property
    def route(self) -> str:
        return self.path.partition("?")[0]

    def request(self, headers: Iterable[tuple[str, str]], body: Body) -> None:
        """What goes to the upstream; once more where it is sent once more."""
        shown = headers_shown(headers)
        data: bytes | None = None
        if isinstance(body, WholeBody) and not self._is_media(_NO_REQUEST_BODY, shown):
            data = body.data
        self._give_back()
        self.sent = True
        if self._take(_length(shown) + len(data or b"")):
            self.request_headers, self.request_body = shown, _Bytes(data)

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """An answer begins."""
        shown = headers_shown(headers)
        if self._take(_length(shown)):
            self.status, self.answer_headers = status, shown
            if self._is_media(_NO_ANSWER_BODY, shown):
                self.answer_body = _Bytes(None)

    def feed(self, piece: bytes) -> None:
        """Some of the answer's body."""
        if self.answer_body.data is not None and self._take(len(piece) + PIECE):
            self._pieces.append(bytes(piece))

    def end(self) -> None:
        """No more is coming."""
        if self.answer_body.data is not None:
            self.answer_body = _Bytes(b"".join(self._pieces))
            self._captures.release(self, PIECE * len(self._pieces))
        self._pieces = []

    def drop(self) -> None:
        """It is not kept."""
        self.dropped = True
        self._give_back()

    def _take(self, size: int) -> bool:
        if self.dropped:
            return False
        if not self._captures.claim(self, size):
            self.drop()
            return False
        return True

    def _give_back(self) -> None:
        self._captures.release(self, self.size)
        self.status = 0
        self.request_headers, self.answer_headers = {}, {}
        self.request_body, self.answer_body, self._pieces = _Bytes(), _Bytes(), []

    def _is_media(self, routes: frozenset[str], headers: Mapping[str, str]) -> bool:
        kinds = [value.lower() for name, value in headers.items() if name.lower() == "content-type"]
        return self.route in routes or any(kind.startswith(_MEDIA) for kind in kinds)

    async def pack(self) -> None:
        for body in (self.request_body, self.answer_body):
            saved = await body.pack()
            if not self.dropped:
                self._captures.release(self, saved)


class RecordingTap(Tap):
    """Sees an answer pass, and records it."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def begin(self, status: int, headers: Fields) -> None:
        super().begin(status, headers)
        self._recording.begin(status, headers.items())

    def feed(self, data: bytes) -> None:
        super().feed(data)
        self._recording.feed(data)


class Captures:
    """The newest ones, by the number of their row in the activity."""

    def __init__(self, budget: Callable[[], int], bus: Bus) -> None:
        """``budget`` says how many bytes they may have now; 0: none are made."""
        self._unsubscribe = bus.subscribe(lambda _: self.trim(), ConfigApplied)
        self._budget = budget
        self._kept: dict[int, Recording] = {}
        self.held = 0
        """Bytes, of those under way too."""
        self._packing: set[asyncio.Task[None]] = set()

    def __contains__(self, number: object) -> bool:
        return number in self._kept

    def begin(self, method: str, path: str) -> Recording | None:
        """Record a request; None where nothing is to be recorded."""
        if not self._budget():
            return None
        return Recording(self, method, readable(path_shown(path)))

    def keep(self, number: int | None, recording: Recording) -> None:
        """A request has ended; ``number`` is that of its row, None where it has none."""
        recording.end()
        if number is None or recording.dropped or not recording.sent:
            recording.drop()
            return
        self._kept[number] = recording
        if recording.size > PACKED:
            task = spawn(recording.pack(), "capture")
            self._packing.add(task)
            task.add_done_callback(self._packing.discard)

    async def close(self) -> None:
        """Wait for what is being compressed."""
        self._unsubscribe()
        if self._packing:
            await asyncio.wait(self._packing)

    def claim(self, recording: Recording, size: int) -> bool:
        """Room for ``size`` bytes more, at the cost of the oldest; false where there is none.

        One request gets no more than half of the budget, or it would drive all others out.
        """
        budget = self._budget()
        size += OVERHEAD if not recording.size else 0
        if recording.size + size > budget / 2:
            return False
        self.trim(budget - size)
        if self.held + size > budget:
            return False
        self.held += size
        recording.size += size
        return True

    def release(self, recording: Recording, size: int) -> None:
        self.held -= size
        recording.size -= size

    def trim(self, budget: int | None = None) -> None:
        """Let go of the oldest until the others fit into the budget."""
        limit = self._budget() if budget is None else budget
        while self.held > limit and self._kept:
            self._kept.pop(next(iter(self._kept))).drop()

    async def serve(self, request: web.Request) -> web.Response:
        """``/api/captures/{id}``; raises ``ApiError``."""
        said = request.match_info["id"]
        if not (said.isascii() and said.isdecimal() and len(said) < 20):
            raise ApiError(400, "the id of a capture is a whole number", code="invalid_id")
        found = self._kept.get(int(said))
        if found is None:
            why = "" if self._budget() else "; captureBuffer is not set, so none are kept"
            raise ApiError(404, f"there is no capture {said}{why}", code="capture_not_found")
        return web.json_response(await _document(int(said), found))


async def _document(number: int, found: Recording) -> dict[str, Any]:
    return {
        "id": number,
        "method": found.method,
        "req_path": found.path,
        "req_headers": found.request_headers,
        "req_body": await found.request_body.shown(),
        "status": found.status,
        "resp_headers": found.answer_headers,
        "resp_body": await found.answer_body.shown(),
    }


def _length(headers: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) + 100 for name, value in headers.items())
