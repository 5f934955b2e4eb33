"""A request's body on its way to the upstream: held where it must be, streamed otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from qmdesk.gateway.error import ApiError
from qmdesk.gateway.spool import PIECE, Spool

HELD = 1 << 20
"""Bytes of a body that nobody reads which are held, so that it can be sent twice."""


class Body(Protocol):
    """What is sent to the upstream."""

    @property
    def length(self) -> int | None:
        """Bytes; None where that is not known before its end."""

    @property
    def replayable(self) -> bool:
        """It can be sent (once more)."""

    @property
    def failure(self) -> Exception | None:
        """What was found wrong with it while it was sent."""

    def pieces(self) -> AsyncIterator[bytes]:
        """The bytes, from the first on."""

    def close(self) -> None:
        """Let go of what is held; harmless when repeated."""


@dataclass(frozen=True, slots=True)
class WholeBody:
    """A body in memory."""

    data: bytes = b""

    @property
    def length(self) -> int:
        return len(self.data)

    @property
    def replayable(self) -> bool:
        return True

    @property
    def failure(self) -> None:
        return None

    async def pieces(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.data), PIECE):
            yield self.data[at : at + PIECE]

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Edit:
    """New bytes in the place of those from ``start`` to before ``end``."""

    start: int
    end: int
    new: bytes

    @property
    def growth(self) -> int:
        return len(self.new) - (self.end - self.start)


class Incoming:
    """A client's body as it comes; what has been read is kept and is sent on first.

    It is a ``Body`` itself.  ``watch`` sees the rest as it passes, and is called with
    nothing at the end; what it raises ends the request.
    """

    def __init__(self, request: web.BaseRequest, limit: int | None = None) -> None:
        """``limit`` is in bytes; a body that has more ends the request with ``ApiError``."""
        self._limit = limit
        self._read_bytes = 0
        self._content = request.content
        self._announced = request.content_length
        self._kept = Spool()
        self._ended = not request.body_exists
        self._taken = False
        self._failure: Exception | None = None
        self.edit: Edit | None = None
        """A change to what has been read; to be set before the body is sent."""
        self.watch: Callable[[bytes], None] | None = None

    @property
    def length(self) -> int | None:
        length = self._kept.size if self._ended else self._announced
        if length is None or self.edit is None:
            return length
        return length + self.edit.growth

    @property
    def replayable(self) -> bool:
        """Until some of it has been sent that is not kept."""
        return not self._taken

    @property
    def failure(self) -> Exception | None:
        return self._failure

    @property
    def on_disk(self) -> bool:
        return self._kept.on_disk

    async def more(self) -> bytes:
        """Read and keep some more of the body; empty at its end."""
        if self._ended:
            return b""
        data = await self._read()
        if data:
            await self._kept.write(data)
        else:
            self._ended = True
        return data

    async def begin(self) -> bytes:
        """Read until something other than white space has come; that byte, or nothing."""
        while not self._ended:
            start = (await self.more()).lstrip()
            if start:
                return start[:1]
        return b""

    async def whole(self) -> bytes:
        """All of the body, in memory; it is not kept here any longer."""
        body = bytearray(await self._kept.read())
        self._kept.close()
        while not self._ended:
            data = await self._read()
            self._ended = not data
            body += data
        return bytes(body)

    async def small(self) -> Body:
        """All of the body in memory where it is small, else this."""
        while self._kept.size <= HELD:
            if not await self.more():
                return WholeBody(await self._kept.read())
        return self

    async def pieces(self) -> AsyncIterator[bytes]:
        edit = self.edit or Edit(0, 0, b"")
        async for piece in self._kept.pieces(0, edit.start):
            yield piece
        if edit.new:
            yield edit.new
        async for piece in self._kept.pieces(edit.end, self._kept.size):
            yield piece
        if self._ended:
            return
        while piece := await self._read():
            self._look(piece)
            if not self._taken and self._kept.size + len(piece) <= HELD:
                # So little of it that it can be kept, to be sent again.
                await self._kept.write(piece)
            else:
                self._taken = True
            yield piece
        self._ended = not self._taken
        self._look(b"")

    async def _read(self) -> bytes:
        data = await self._content.readany()
        self._read_bytes += len(data)
        if self._limit is not None and self._read_bytes > self._limit:
            self._failure = too_large(self._limit)
            raise self._failure
        return data

    def _look(self, piece: bytes) -> None:
        if self.watch is None:
            return
        try:
            self.watch(piece)
        except Exception as error:
            self._failure = error
            raise

    def close(self) -> None:
        self._kept.close()


def too_large(limit: int) -> ApiError:
    """``limit`` is in bytes."""
    return ApiError(
        413,
        f"the body is larger than the {limit / (1 << 20):g} MB that maxBodyMB of qmdesk's"
        " configuration allows",
        code="request_too_large",
    )
