"""Bytes kept for later: in memory while they are few, in a temporary file after that."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator
from typing import IO

IN_MEMORY = 1 << 20
"""Bytes that are kept in memory; also the size of one write to the file."""
PIECE = 1 << 16


class Spool:
    """Written at its end, read from anywhere; ``close`` removes its file.

    The file is without a name where the system can do that, so that nothing is left
    behind by a crash either.  The disk is used off the event loop.
    """

    def __init__(self) -> None:
        self._tail = bytearray()
        """What is not in the file (yet)."""
        self._file: IO[bytes] | None = None
        self._in_file = 0
        # A reader that was cancelled may still be at it in its thread.
        self._one_by_one = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._in_file + len(self._tail)

    @property
    def on_disk(self) -> bool:
        return self._file is not None

    async def write(self, data: bytes) -> None:
        self._tail += data
        if len(self._tail) > IN_MEMORY:
            tail, self._tail = bytes(self._tail), bytearray()
            self._in_file += len(tail)
            await asyncio.to_thread(self._append, tail)

    async def pieces(self, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from ``start`` to before ``end``, in pieces."""
        while start < min(end, self._in_file):
            size = min(IN_MEMORY, end - start, self._in_file - start)
            block = await asyncio.to_thread(self._read, start, size)
            if not block:
                return  # It has been closed.
            start += len(block)
            for at in range(0, len(block), PIECE):
                yield block[at : at + PIECE]
        while start < end:
            at = start - self._in_file
            piece = bytes(self._tail[at : at + min(PIECE, end - start)])
            start += len(piece)
            yield piece

    async def read(self) -> bytes:
        """All of it."""
        if not self._in_file:
            return bytes(self._tail)
        return b"".join([piece async for piece in self.pieces(0, self.size)])

    def close(self) -> None:
        """Forget everything; harmless when repeated."""
        self._tail.clear()
        with self._one_by_one:
            if self._file is not None:
                self._file.close()
                self._file = None
                self._in_file = 0

    def _append(self, data: bytes) -> None:
        with self._one_by_one:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="qmdesk-")  # noqa: SIM115 - see close()
            self._file.seek(0, 2)
            self._file.write(data)

    def _read(self, start: int, size: int) -> bytes:
        with self._one_by_one:
            if self._file is None:
                return b""
            self._file.seek(start)
            return self._file.read(size)
