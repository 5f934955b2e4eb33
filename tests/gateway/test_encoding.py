"""Content encodings are read from a copy, however it is cut, and never without bound."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from qmdesk.gateway.encoding import Unreadable, decoded, decoder

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda text: brotli.compress(text, quality=2),
    "zstd": zstandard.compress,
}
TEXT = random.Random(5).randbytes(3000) + b'{"model": "a"}' * 5000
each_encoding = pytest.mark.parametrize("encoding", PACK)


@each_encoding
@pytest.mark.parametrize("step", [1, 7, 1000, 1_000_000])
def test_in_pieces_of_any_size(encoding: str, step: int) -> None:
    packed = PACK[encoding](TEXT)
    reader = decoder(encoding, len(TEXT))
    found = b"".join(reader.feed(packed[at : at + step]) for at in range(0, len(packed), step))
    assert found == TEXT
    assert reader.ended


@each_encoding
def test_one_that_ends_too_early(encoding: str) -> None:
    with pytest.raises(Unreadable, match="too early"):
        decoded(encoding, PACK[encoding](TEXT)[:-20], 1 << 20)


@each_encoding
def test_bytes_that_are_something_else(encoding: str) -> None:
    with pytest.raises(Unreadable):
        decoded(encoding, b"\xff" * 100, 1 << 20)


@each_encoding
def test_a_few_bytes_do_not_become_many(encoding: str) -> None:
    packed = PACK[encoding](bytes(50 << 20))
    assert len(packed) < 1 << 18
    reader = decoder(encoding, 1 << 20)
    size = 0

    def read() -> None:
        nonlocal size
        for at in range(0, len(packed), 64):
            size += len(reader.feed(packed[at : at + 64]))

    with pytest.raises(Unreadable, match="too large"):
        read()
    assert size <= 1 << 20


def test_an_encoding_that_nobody_knows() -> None:
    with pytest.raises(Unreadable, match="'rot13' cannot be read here"):
        decoder("rot13", 10)
