"""Content encodings read from a copy: what passes through keeps the one that it came in."""

from __future__ import annotations

import importlib
import zlib
from typing import Any, Protocol


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
            raise Unreadable("it is too large when it is decoded")
        return text


class _Foreign:
    """An encoding of a library that may be there or not."""

    def __init__(self, limit: int, inner: Any, method: str) -> None:
        self._left = limit
        self._inner = inner
        self._feed = getattr(inner, method)

    @property
    def ended(self) -> bool:
        finished = getattr(self._inner, "is_finished", None)
        return bool(finished()) if finished else bool(getattr(self._inner, "eof", True))

    def feed(self, data: bytes) -> bytes:
        try:
            text = bytes(self._feed(data))
        except Exception as error:  # noqa: BLE001 - each library has its own
            raise Unreadable(str(error)) from None
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable("it is too large when it is decoded")
        return text


class _Identity:
    ended = True

    def feed(self, data: bytes) -> bytes:
        return data


def decoder(encoding: str, limit: int) -> Decoder:
    """A decoder for a ``Content-Encoding`` that gives ``limit`` bytes at most.

    Raises ``Unreadable`` for encodings that cannot be read here.
    """
    match encoding.strip().lower():
        case "" | "identity":
            return _Identity()
        case "gzip" | "x-gzip":
            return _Zlib(limit, deflate=False)
        case "deflate":
            return _Zlib(limit, deflate=True)
        case "br":
            for name, method in (("brotli", "process"), ("brotlicffi", "process")):
                if (module := _module(name)) is not None:
                    return _Foreign(limit, module.Decompressor(), method)
        case "zstd":
            if (module := _module("compression.zstd")) is not None:
                return _Foreign(limit, module.ZstdDecompressor(), "decompress")
            if (module := _module("zstandard")) is not None:
                return _Foreign(limit, module.ZstdDecompressor().decompressobj(), "decompress")
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
