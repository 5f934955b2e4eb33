"""Writes small models that a real llama-server loads and that say one given sentence.

The file is a complete llama model with random layers, written with the standard
library alone.  How it comes to say its sentence: every row of a Hadamard matrix is
orthogonal to every other, so the rows serve as states without any interference.
Each piece of the sentence has a row of its own as its embedding, everything else
shares row 0, and a piece's output row is the row of what comes before it.  What the
layers add to that is zero, though computing it is real work.  So the answer is the
same at every temperature, and each model proves by its text that it was the one.

    python -m qmdesk.demo.tiny_gguf --out alpha.gguf --say "alpha speaking"
"""

from __future__ import annotations

import argparse
import os
import random
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

SENTENCE = "I am a very small model and this is all that I can say."
POOLING = {"none": 0, "mean": 1, "cls": 2, "last": 3, "rank": 4}

_ALIGNMENT = 32
_HEAD = 32  # the width of an attention head
_WIDTH = 64  # the least width of the model
_LAYERS = 2
_MOST_LAYERS = 24  # a larger model becomes wider instead
_SURE = 64.0  # how far the next piece's logit stands above the rest
_SPACE = "\u2581"  # SentencePiece's sign for a space
_TEMPLATE = (
    "{%- for turn in messages -%}"
    "<|im_start|>{{ turn['role'] }}\n{{ turn['content'] }}<|im_end|>\n"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|im_start|>assistant\n{% endif %}"
)

# The value types of GGUF.
_U32, _I32, _F32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
# The kinds of tokens.
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
# The types of tensors.
_TENSOR_F32, _TENSOR_F16 = 0, 1


def write(
    path: Path,
    *,
    say: str = SENTENCE,
    loop: bool = False,
    context: int = 4096,
    pooling: str | None = None,
    size_mb: float = 0,
    name: str = "",
) -> None:
    """Write a model that answers everything with ``say`` to ``path``.

    Args:
        path: The file to write; one that is there is replaced once all is written.
        say: The sentence, in any script.
        loop: Say it again and again, until the token limit or the context's end.
        context: The context length that the file names, in tokens.
        pooling: The pooling of an embedding model, a key of ``POOLING``.
        size_mb: About how large the file shall be, in millions of bytes; the
            smallest possible (0.4) where that is less.
        name: The model's name in the file; by default the file's own.

    Raises:
        ValueError: ``say`` is blank, ``context`` is not positive, or ``pooling``
            is unknown.
        OSError: The file cannot be written.
    """
    if context < 1:
        raise ValueError("context must be at least 1")
    if pooling is not None and pooling not in POOLING:
        raise ValueError(f"pooling must be one of {', '.join(POOLING)}, not {pooling!r}")
    vocabulary = _vocabulary(say, loop)
    width, layers = _shape(len(vocabulary.pieces), size_mb)
    name = name or path.stem
    fields = _fields(vocabulary, width, layers, context=context, pooling=pooling, name=name)
    tensors = list(_tensors(vocabulary, width, layers, loop))
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as file:
            _write_file(file, fields, tensors)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Vocabulary:
    tokens: list[str]
    scores: list[float]
    kinds: list[int]
    pieces: range
    """The ids of the sentence's pieces, in their order."""
    end: int
    """The id of the token that ends a turn."""


def _pieces(text: str) -> list[str]:
    """Split ``text`` into words, each with the spaces after it and no two alike."""
    pieces: list[str] = []
    pending = ""
    for word in re.findall(r"\s*\S+\s*", text.replace(_SPACE, " ")):
        pending += word.replace(" ", _SPACE)
        if pending not in pieces:
            pieces.append(pending)
            pending = ""
    while pending:
        # What is left at the end is a repetition: make the last piece longer.
        pending = pieces.pop() + pending
        if pending not in pieces:
            pieces.append(pending)
            pending = ""
    return pieces


def _vocabulary(say: str, loop: bool) -> _Vocabulary:
    pieces = _pieces(say.strip() + (" " if loop else ""))
    if not say.strip():
        raise ValueError("there must be something to say")
    table = [("<unk>", 0.0, _UNKNOWN), ("<s>", 0.0, _CONTROL), ("</s>", 0.0, _CONTROL)]
    # With a token for each byte, every text can be tokenized.
    table += [(f"<0x{value:02X}>", 0.0, _BYTE) for value in range(256)]
    table += [("<|im_start|>", 0.0, _CONTROL), ("<|im_end|>", 0.0, _CONTROL)]
    end = len(table) - 1
    characters = [_SPACE, *(chr(code) for code in range(0x21, 0x7F))]
    table += [(each, -1.0 - i, _NORMAL) for i, each in enumerate(characters) if each not in pieces]
    first = len(table)
    table += [(each, -1000.0 - i, _NORMAL) for i, each in enumerate(pieces)]
    return _Vocabulary(
        tokens=[text for text, _, _ in table],
        scores=[score for _, score, _ in table],
        kinds=[kind for _, _, kind in table],
        pieces=range(first, len(table)),
        end=end,
    )


def _shape(pieces: int, size_mb: float) -> tuple[int, int]:
    """Return the width and the number of layers for a sentence and a file size."""
    width = _WIDTH
    # Half of the rows are states: one for each piece, and one for all else.
    while width // 2 < pieces + 1:
        width *= 2
    while (layers := round(size_mb * 1e6 / _layer_bytes(width))) > _MOST_LAYERS:
        width *= 2
    return width, max(layers, _LAYERS)


def _layer_bytes(width: int) -> int:
    # Four square matrices and three of the feed-forward net, four times as large.
    return 2 * (4 * width * width + 3 * 4 * width * width)


def _hadamard(row: int, width: int) -> list[int]:
    return [-1 if (row & column).bit_count() % 2 else 1 for column in range(width)]


# --- what the file says about the model -------------------------------------------


def _fields(
    vocabulary: _Vocabulary,
    width: int,
    layers: int,
    *,
    context: int,
    pooling: str | None,
    name: str,
) -> list[bytes]:
    heads = width // _HEAD
    fields = [
        _text("general.architecture", "llama"),
        _text("general.name", name),
        _text("general.description", "random layers and one sentence"),
        _number("general.file_type", 1),
        _number("general.alignment", _ALIGNMENT),
        _number("llama.context_length", context),
        _number("llama.embedding_length", width),
        _number("llama.block_count", layers),
        _number("llama.feed_forward_length", 4 * width),
        _number("llama.attention.head_count", heads),
        _number("llama.attention.head_count_kv", heads),
        _number("llama.rope.dimension_count", _HEAD),
        _number("llama.vocab_size", len(vocabulary.tokens)),
        _field("llama.rope.freq_base", _F32, struct.pack("<f", 10000.0)),
        _field("llama.attention.layer_norm_rms_epsilon", _F32, struct.pack("<f", 1e-5)),
        _text("tokenizer.ggml.model", "llama"),
        _text("tokenizer.ggml.pre", "default"),
        _array("tokenizer.ggml.tokens", _STRING, map(_string, vocabulary.tokens)),
        _array("tokenizer.ggml.scores", _F32, (struct.pack("<f", s) for s in vocabulary.scores)),
        _array("tokenizer.ggml.token_type", _I32, (struct.pack("<i", k) for k in vocabulary.kinds)),
        _number("tokenizer.ggml.unknown_token_id", 0),
        _number("tokenizer.ggml.bos_token_id", 1),
        _number("tokenizer.ggml.eos_token_id", vocabulary.end),
        _field("tokenizer.ggml.add_bos_token", _BOOL, b"\1"),
        _field("tokenizer.ggml.add_eos_token", _BOOL, b"\0"),
        _field("tokenizer.ggml.add_space_prefix", _BOOL, b"\0"),
        _text("tokenizer.chat_template", _TEMPLATE),
    ]
    if pooling is not None:
        fields.append(_number("llama.pooling_type", POOLING[pooling]))
    return fields


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _field(key: str, kind: int, value: bytes) -> bytes:
    return _string(key) + struct.pack("<I", kind) + value


def _text(key: str, value: str) -> bytes:
    return _field(key, _STRING, _string(value))


def _number(key: str, value: int) -> bytes:
    return _field(key, _U32, struct.pack("<I", value))


def _array(key: str, kind: int, items: Iterable[bytes]) -> bytes:
    each = list(items)
    return _field(key, _ARRAY, struct.pack("<IQ", kind, len(each)) + b"".join(each))


# --- the weights ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    """The length of a row first, then the number of rows."""
    kind: int
    size: int
    """In bytes."""
    fill: Callable[[BinaryIO], object]


def _tensors(vocabulary: _Vocabulary, width: int, layers: int, loop: bool) -> Iterator[_Tensor]:
    count = len(vocabulary.tokens)
    yield _stated("token_embd.weight", (width, count), _embedding(vocabulary, width))
    yield _ones("output_norm.weight", width)
    yield _stated("output.weight", (width, count), _output(vocabulary, width, loop))
    noise, zeros = _noise(), bytes(1 << 20)
    wide = 4 * width
    for layer in range(layers):
        block = f"blk.{layer}."
        yield _ones(block + "attn_norm.weight", width)
        yield _repeated(block + "attn_q.weight", (width, width), noise)
        yield _repeated(block + "attn_k.weight", (width, width), noise)
        yield _repeated(block + "attn_v.weight", (width, width), noise)
        yield _repeated(block + "attn_output.weight", (width, width), zeros)
        yield _ones(block + "ffn_norm.weight", width)
        yield _repeated(block + "ffn_gate.weight", (width, wide), noise)
        yield _repeated(block + "ffn_up.weight", (width, wide), noise)
        yield _repeated(block + "ffn_down.weight", (wide, width), zeros)


def _embedding(vocabulary: _Vocabulary, width: int) -> bytes:
    """Every token's state.

    A token outside the sentence gets a second row besides, from the half that no
    state uses: it changes no answer and makes the embeddings of two texts differ.
    """
    half = width // 2
    begin = _hadamard(0, width)
    rows = []
    for token in range(len(vocabulary.tokens)):
        if token in vocabulary.pieces:
            row = _hadamard(1 + token - vocabulary.pieces.start, width)
        else:
            other = _hadamard(half + token % half, width)
            row = [a + b for a, b in zip(begin, other, strict=True)]
        rows.append(struct.pack(f"<{width}e", *row))
    return b"".join(rows)


def _output(vocabulary: _Vocabulary, width: int, loop: bool) -> bytes:
    """For every token the states after which it comes."""
    after: dict[int, list[int]] = {}
    for state, token in enumerate(vocabulary.pieces):
        after.setdefault(token, []).append(state)
    final = vocabulary.pieces.start if loop else vocabulary.end
    after.setdefault(final, []).append(len(vocabulary.pieces))
    rows = [bytes(2 * width)] * len(vocabulary.tokens)
    for token, states in after.items():
        columns = zip(*(_hadamard(state, width) for state in states), strict=True)
        rows[token] = struct.pack(f"<{width}e", *(sum(each) * _SURE / width for each in columns))
    return b"".join(rows)


def _noise() -> bytes:
    """A mebibyte of 16-bit floats of either sign, from 1/32 to 1/16."""
    data = bytearray(random.Random(0).randbytes(1 << 20))
    # The upper byte is the sign, five bits of exponent and two of the fraction.
    sane = bytes(value & 0b1000_0011 | 10 << 2 for value in range(256))
    data[1::2] = data[1::2].translate(sane)
    return bytes(data)


def _stated(name: str, shape: tuple[int, int], data: bytes) -> _Tensor:
    return _Tensor(name, shape, _TENSOR_F16, len(data), lambda file: file.write(data))


def _ones(name: str, width: int) -> _Tensor:
    data = struct.pack("<f", 1.0) * width
    return _Tensor(name, (width,), _TENSOR_F32, len(data), lambda file: file.write(data))


def _repeated(name: str, shape: tuple[int, int], block: bytes) -> _Tensor:
    size = 2 * shape[0] * shape[1]

    def fill(file: BinaryIO) -> None:
        whole, rest = divmod(size, len(block))
        for _ in range(whole):
            file.write(block)
        file.write(memoryview(block)[:rest])

    return _Tensor(name, shape, _TENSOR_F16, size, fill)


def _padding(size: int) -> bytes:
    return bytes(-size % _ALIGNMENT)


def _write_file(file: BinaryIO, fields: list[bytes], tensors: list[_Tensor]) -> None:
    file.write(struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields)))
    file.writelines(fields)
    offset = 0
    for tensor in tensors:
        shape = struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *tensor.shape)
        file.write(_string(tensor.name) + shape + struct.pack("<IQ", tensor.kind, offset))
        offset += tensor.size + len(_padding(tensor.size))
    file.write(_padding(file.tell()))
    for tensor in tensors:
        tensor.fill(file)
        file.write(_padding(tensor.size))


def main(argv: list[str] | None = None) -> int:
    """Write one model as the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m qmdesk.demo.tiny_gguf",
        description="Write a small model that always says the same sentence.",
    )
    parser.add_argument("--out", type=Path, required=True, help="the .gguf file to write")
    parser.add_argument("--say", default=SENTENCE, help="the sentence")
    parser.add_argument("--loop", action="store_true", help="say it again and again")
    parser.add_argument("--context", type=int, default=4096, help="context length, in tokens")
    parser.add_argument("--pooling", choices=POOLING, help="pooling, for an embedding model")
    parser.add_argument("--size-mb", type=float, default=0, help="about how large, in MB")
    parser.add_argument("--name", default="", help="the model's name (default: the file's)")
    wanted = parser.parse_args(argv)
    try:
        write(
            wanted.out,
            say=wanted.say,
            loop=wanted.loop,
            context=wanted.context,
            pooling=wanted.pooling,
            size_mb=wanted.size_mb,
            name=wanted.name,
        )
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{wanted.out}: {os.path.getsize(wanted.out) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
