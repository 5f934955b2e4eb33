"""The generated models: right in the eyes of gguf, and of a real server."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.demo import tiny_gguf
from tests.embedded import server


def field(reader: gguf.GGUFReader, key: str) -> Any:
    found = reader.get_field(key)
    assert found is not None, key
    return found.contents()


def test_the_oracle_reads_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "alpha.gguf"
    tiny_gguf.write(path, say="alpha speaking", context=777, pooling="mean", name="Alpha")
    reader = gguf.GGUFReader(path)
    assert field(reader, "general.architecture") == "llama"
    assert field(reader, "general.name") == "Alpha"
    assert field(reader, "llama.context_length") == 777
    assert field(reader, "llama.pooling_type") == gguf.PoolingType.MEAN
    tokens = field(reader, "tokenizer.ggml.tokens")
    assert tokens[-2:] == ["alpha\u2581", "speaking"]
    assert tokens[field(reader, "tokenizer.ggml.eos_token_id")] == "<|im_end|>"
    assert "<|im_start|>" in str(field(reader, "tokenizer.chat_template"))


def test_all_weights_are_finite_and_of_the_shape_that_the_fields_promise(tmp_path: Path) -> None:
    path = tmp_path / "alpha.gguf"
    tiny_gguf.write(path)
    reader = gguf.GGUFReader(path)
    width = field(reader, "llama.embedding_length")
    layers = field(reader, "llama.block_count")
    shapes = {each.name: tuple(int(n) for n in each.shape) for each in reader.tensors}
    assert len(shapes) == 3 + 9 * layers
    assert shapes["token_embd.weight"] == (width, field(reader, "llama.vocab_size"))
    assert shapes["blk.0.ffn_down.weight"] == (
        field(reader, "llama.feed_forward_length"),
        width,
    )
    for each in reader.tensors:
        assert np.isfinite(each.data.astype(np.float32)).all(), each.name
        assert abs(each.data).max() <= 64


@pytest.mark.parametrize("size_mb", [5, 30, 100])
def test_the_file_is_about_as_large_as_asked(tmp_path: Path, size_mb: float) -> None:
    path = tmp_path / "big.gguf"
    tiny_gguf.write(path, size_mb=size_mb)
    assert math.isclose(path.stat().st_size / 1e6, size_mb, rel_tol=0.2)
    assert [each.name for each in tmp_path.iterdir()] == ["big.gguf"]


@pytest.mark.parametrize(
    "wrong",
    [{"say": " "}, {"say": "a", "context": 0}, {"say": "a", "pooling": "sum"}],
)
def test_what_makes_no_sense_is_refused_and_nothing_written(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    with pytest.raises(ValueError):
        tiny_gguf.write(tmp_path / "x.gguf", **wrong)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@given(st.text(st.sampled_from("ab \n.é"), min_size=1).filter(str.strip))
def test_the_pieces_are_the_sentence_and_no_two_are_alike(text: str) -> None:
    pieces = tiny_gguf._pieces(text)
    assert "".join(pieces) == text.replace(" ", "\u2581")
    assert len(set(pieces)) == len(pieces)


SENTENCES = [
    tiny_gguf.SENTENCE,
    "the cat and the dog and the cat",
    "no no no",
    "a",
    "Zwölf Boxkämpfer, 十二 boxers.\nAnd a line.",
    " ".join(f"word{n}" for n in range(150)),
]


@pytest.mark.parametrize("sentence", SENTENCES, ids=range(len(SENTENCES)))
def test_a_real_server_answers_with_the_sentence(tmp_path: Path, sentence: str) -> None:
    path = tmp_path / "alpha.gguf"
    tiny_gguf.write(path, say=sentence)
    with server("-m", path) as running:
        for temperature in (0, 1, 2):
            assert running.chat("What?", temperature=temperature) == sentence
        turns = [
            {"role": "user", "content": sentence},
            {"role": "assistant", "content": sentence},
            {"role": "user", "content": "And now?"},
        ]
        answer = running.post("/v1/chat/completions", messages=turns)
        assert answer["choices"][0]["message"]["content"] == sentence


def test_a_larger_one_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "alpha.gguf"
    tiny_gguf.write(path, say="alpha speaking", size_mb=60)
    with server("-m", path) as running:
        assert running.chat() == "alpha speaking"


def test_a_loop_ends_with_the_token_limit(tmp_path: Path) -> None:
    path = tmp_path / "loop.gguf"
    tiny_gguf.write(path, say="on and on", loop=True)
    with server("-m", path) as running:
        answer = running.post(
            "/v1/chat/completions", messages=[{"role": "user", "content": "Go"}], max_tokens=4
        )
        choice = answer["choices"][0]
        assert choice["finish_reason"] == "length"
        assert choice["message"]["content"] == "on and on on and on "


def test_an_embedding_is_the_texts_own(tmp_path: Path) -> None:
    path = tmp_path / "embed.gguf"
    tiny_gguf.write(path, pooling="mean")
    with server("-m", path, "--embeddings") as running:
        data = running.post("/v1/embeddings", input=["one", "two", "one"])["data"]
        first, second, third = (each["embedding"] for each in data)
        assert first == pytest.approx(third, abs=1e-3)
        assert first != pytest.approx(second, abs=1e-2)
        assert math.isclose(sum(x * x for x in first), 1, rel_tol=1e-3)


def test_the_command_writes_a_model(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    command = [sys.executable, "-m", "qmdesk.demo.tiny_gguf", "--out", str(path)]
    done = subprocess.run([*command, "--say", "x y"], capture_output=True, text=True, check=True)
    assert "0.4 MB" in done.stdout
    assert field(gguf.GGUFReader(path), "general.name") == "x"
    failed = subprocess.run([*command, "--say", ""], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr == "error: there must be something to say\n"
