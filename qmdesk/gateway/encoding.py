"""Content encodings read from a copy: what passes through keeps the one that it came in."""

from __future__ import annotations

import importlib
import zlib
from typing import Any, Protocol

_AT_ONCE = 1 << 20
"""Bytes that are made at once."""
_SLICE = 256
"""Bytes that cannot mean more than 8 MiB: a block of zstd takes four and means 128 KiB."""
_TOO_LARGE = "it is too large when it is decoded"


class Unreadable(Exception):
    """The encoding is unknown here, or the bytes are not what it says, or they are too many."""


class Decoder(Protocol):
    """Reads one encoding piece by piece."""

    def feed(self, data: bytes) -> bytes:
        """What ``data`` adds; raises ``Unreadable``."""

    @property
    def ended(self) -> bool:
        """Nothing is missing, as far as can be told."""


class _Zlib:
    """gzip, and deflate with or without the zlib header that the standard wants."""

    def __init__(self, limit: int, *, deflate: bool) -> None:
        self._left = limit
        self._deflate = deflate
        self._inner = zlib.decompressobj(zlib.MAX_WBITS if deflate else zlib.MAX_WBITS | 16)
        self._begin = b""
        """Of a deflate body, until it is known whether it has a header."""

    @property
    def ended(self) -> bool:
        return self._inner.eof

    def feed(self, data: bytes) -> bytes:
        try:
            text = self._inner.decompress(data, self._left + 1)
        except zlib.error as error:
            if not self._deflate:
                raise Unreadable(str(error)) from None
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
            self._deflate = False
            return self.feed(self._begin + data)
        if self._deflate:
            self._begin += data
            self._deflate = len(self._begin) < 2
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable(_TOO_LARGE)
        return text


class _Brotli:
    """By a library that may be there or not."""

    def __init__(self, limit: int, module: Any) -> None:
        self._left = limit
        self._inner = module.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._inner.is_finished())

    def feed(self, data: bytes) -> bytes:
        pieces = []
        more = data
        try:
            while True:
                # A few bytes can mean gigabytes: no more of them are made than are wanted.
                piece = self._inner.process(more, output_buffer_limit=min(self._left + 1, _AT_ONCE))
                pieces.append(piece)
                self._left -= len(piece)
                if self._left < 0:
                    raise Unreadable(_TOO_LARGE)
                if self._inner.is_finished() or self._inner.can_accept_more_data():
                    return b"".join(pieces)
                more = b""
        except Unreadable:
            raise
        except Exception as error:  # noqa: BLE001 - it has errors of its own
            raise Unreadable(str(error)) from None


class _Zstd:
    """By a library that may be there or not."""

    def __init__(self, limit: int, inner: Any) -> None:
        self._left = limit
        self._inner = inner

    @property
    def ended(self) -> bool:
        return bool(self._inner.eof)

    def feed(self, data: bytes) -> bytes:
        pieces = []
        for at in range(0, len(data), _SLICE):
            if self._inner.eof:
                break
            try:
                pieces.append(self._inner.decompress(data[at : at + _SLICE]))
            except Exception as error:  # noqa: BLE001 - each library has its own
                raise Unreadable(str(error)) from None
            self._left -= len(pieces[-1])
            if self._left < 0:
                raise Unreadable(_TOO_LARGE)
        return b"".join(pieces)


class _Identity:
    ended = True

    def feed(self, data: bytes) -> bytes:
        return data


IDENTITY: Decoder = _Identity()
"""For what has no encoding."""


def decoder(encoding: str, limit: int) -> Decoder:
    """A decoder for a ``Content-Encoding`` that gives ``limit`` bytes at most.

    Raises ``Unreadable`` for encodings that cannot be read here.
    """
    if not encoding:
        return IDENTITY
    match encoding.strip().lower():
        case "" | "identity":
            return IDENTITY
        case "gzip" | "x-gzip":
            return _Zlib(limit, deflate=False)
        case "deflate":
            return _Zlib(limit, deflate=True)
        case "br":
            for name in ("brotli", "brotlicffi"):
                if (module := _module(name)) is not None:
                    return _Brotli(limit, module)
        case "zstd":
            if (module := _module("compression.zstd")) is not None:
                return _Zstd(limit, module.ZstdDecompressor())
            if (module := _module("zstandard")) is not None:
                return _Zstd(limit, module.ZstdDecompressor().decompressobj())
    raise Unreadable(f"the content encoding {encoding!r} cannot be read here")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def decoded(encoding: str, body: bytes, limit: int) -> bytes:
    """The whole of ``body`` decoded, ``limit`` bytes at most; raises ``Unreadable``."""
    reader = decoder(encoding, limit)
    text = reader.feed(body)
    if not reader.ended:
        raise Unreadable("it ends too early")
    return text
