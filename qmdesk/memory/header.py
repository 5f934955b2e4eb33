"""The few figures of a GGUF file's head that the sizes here need."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_LONGEST = 1 << 16
_MOST_KEYS = 4096
_WANTED = (
    "block_count",
    "expert_count",
    "context_length",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
)


@dataclass(frozen=True, slots=True)
class Header:
    layers: int = 0
    """0: not known; so for all of them."""
    experts: int = 0
    context: int = 0
    """Tokens that it was trained for."""
    per_token: int = 0
    """Bytes of keys and values for a token, two bytes an element."""


def read(file: Path) -> Header:
    """What ``file`` says; nothing where it is no GGUF file, or a broken one."""
    try:
        with file.open("rb") as stream:
            figures = _figures(stream)
    except (OSError, ValueError, struct.error):
        return Header()
    heads = figures.get("attention.head_count", 0)
    shared = figures.get("attention.head_count_kv", heads)
    usual = figures.get("embedding_length", 0) // heads if heads else 0
    lengths = figures.get("attention.key_length", usual) + figures.get(
        "attention.value_length", usual
    )
    layers = figures.get("block_count", 0)
    return Header(
        layers=layers,
        experts=figures.get("expert_count", 0),
        context=figures.get("context_length", 0),
        per_token=layers * shared * lengths * 2,
    )


def _figures(stream: BinaryIO) -> Mapping[str, int]:
    magic, version = stream.read(4), _one(stream, "I")
    if magic != b"GGUF" or version not in (2, 3):
        raise ValueError("no GGUF file of a known version")
    _one(stream, "Q")
    found: dict[str, int] = {}
    for _ in range(min(_one(stream, "Q"), _MOST_KEYS)):
        key = stream.read(_length(stream)).decode("utf-8", "replace")
        kind = _one(stream, "I")
        name = key.partition(".")[2]
        value = _value(stream, kind)
        if name in _WANTED and value is not None:
            found[name] = value
        if key.startswith("tokenizer."):
            # What is wanted stands before the long lists of words.
            break
    return found


def _value(stream: BinaryIO, kind: int) -> int | None:
    """A whole number, the largest of a list of them, or None for anything else."""
    if kind in _SCALARS:
        value = _one(stream, _SCALARS[kind])
        return value if isinstance(value, int) and value >= 0 else None
    if kind == _TEXT:
        stream.seek(_one(stream, "Q"), 1)
        return None
    if kind != _LIST:
        raise ValueError(f"no such kind of value: {kind}")
    inner, count = _one(stream, "I"), _one(stream, "Q")
    if inner in _SCALARS:
        size = struct.calcsize(_SCALARS[inner])
        if count * size > _LONGEST:
            stream.seek(count * size, 1)
            return None
        values = struct.unpack(f"<{count}{_SCALARS[inner]}", stream.read(count * size))
        whole = [each for each in values if isinstance(each, int) and each >= 0]
        return max(whole, default=None)
    if count > _LONGEST:
        raise ValueError("a list that is too long")
    for _ in range(count):
        _value(stream, inner)
    return None


def _length(stream: BinaryIO) -> int:
    length = _one(stream, "Q")
    if length > _LONGEST:
        raise ValueError("a name that is too long")
    return length


def _one(stream: BinaryIO, form: str) -> int:
    value: int = struct.unpack(f"<{form}", stream.read(struct.calcsize(f"<{form}")))[0]
    return value
