"""What an answer has cost, read while it passes, however it is cut."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import brotli
import pytest
import zstandard

from qmdesk.gateway.usage import OBJECT_LIMIT, Tap, Usage

JSON = {"Content-Type": "application/json; charset=utf-8"}
EVENTS = {"Content-Type": "text/event-stream"}


def events(*contents: object, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return b"".join(f"{head}data: {json.dumps(each)}\n\n".encode() for each in contents)


def tapped(text: bytes, headers: dict[str, str], step: int = 0, status: int = 200) -> Tap:
    tap = Tap()
    tap.begin(status, headers)
    for at in range(0, len(text), step or len(text) or 1):
        tap.feed(text[at : at + (step or len(text))])
    return tap


def counts(usage: Usage) -> tuple[int | None, int | None, int | None]:
    return usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens


def delta(text: str | None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


TIMINGS = {
    "cache_n": 30,
    "prompt_n": 12,
    "prompt_ms": 10.5,
    "prompt_per_second": 1142.9,
    "predicted_n": 2,
    "predicted_ms": 40.0,
    "predicted_per_second": 50.0,
    "draft_n": 8,
    "draft_n_accepted": 5,
}
OPENAI = {
    "prompt_tokens": 42,
    "completion_tokens": 2,
    "total_tokens": 44,
    "prompt_tokens_details": {"cached_tokens": 30},
}


@pytest.mark.parametrize("step", [0, 1, 7, 100])
class TestHowever:
    def test_llama_cpps_stream(self, step: int) -> None:
        text = events(
            delta(None),
            delta("a"),
            delta("b"),
            {"choices": [], "usage": OPENAI, "timings": TIMINGS},
        )
        usage = tapped(text + b"data: [DONE]\n\n", EVENTS, step).usage()
        assert counts(usage) == (42, 30, 2)
        assert (usage.prompt_per_second, usage.tokens_per_second) == (1142.9, 50.0)
        assert (usage.drafted_tokens, usage.accepted_tokens) == (8, 5)
        assert not usage.counted

    def test_a_whole_chat(self, step: int) -> None:
        said = 'he said "usage": {"prompt_tokens": 9} and \\"timings\\": {}'
        answer = {"choices": [{"message": {"content": said}}], "usage": OPENAI}
        assert counts(tapped(json.dumps(answer).encode(), JSON, step).usage()) == (42, 30, 2)

    def test_responses(self, step: int) -> None:
        used = {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 3},
            "output_tokens": 4,
        }
        text = events({"type": "response.output_text.delta", "delta": "x"})
        text += events({"type": "response.completed", "response": {"usage": used}})
        assert counts(tapped(text, EVENTS, step).usage()) == (7, 3, 4)

    def test_messages(self, step: int) -> None:
        begun = {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 1}
        text = events({"type": "message_start", "message": {"usage": begun}})
        text += events({"type": "content_block_delta", "delta": {"text": "x"}})
        text += events({"type": "message_delta", "usage": {"output_tokens": 9}})
        assert counts(tapped(text, EVENTS, step).usage()) == (5, 2, 9)

    def test_embeddings_with_the_usage_before_much_data(self, step: int) -> None:
        answer = {"usage": {"prompt_tokens": 6, "total_tokens": 6}, "data": [0.123456] * 5000}
        text = json.dumps(answer).encode()
        tap = tapped(text, JSON, step)
        assert counts(tap.usage()) == (6, None, None)
        assert len(tap._rest) < 100

    def test_infill(self, step: int) -> None:
        text = json.dumps([{"content": "x"}, {"content": "y", "timings": TIMINGS}]).encode()
        assert counts(tapped(text, JSON, step).usage()) == (42, 30, 2)

    def test_vllms_metrics(self, step: int) -> None:
        metrics = {
            "time_to_first_token_ms": 100.0,
            "mean_itl_ms": 20.0,
            "speculative_decoding": {"num_draft_tokens": 4, "num_accepted_draft_tokens": 3},
        }
        text = json.dumps({"usage": OPENAI, "metrics": metrics}).encode()
        usage = tapped(text, JSON, step).usage()
        assert usage.prompt_per_second == pytest.approx(120)
        assert usage.tokens_per_second == pytest.approx(50)
        assert (usage.drafted_tokens, usage.accepted_tokens) == (4, 3)

    def test_where_nothing_is_said_the_chunks_are_counted(self, step: int) -> None:
        usage = tapped(events(delta(""), delta("a"), delta("b"), delta(None)), EVENTS, step).usage()
        assert counts(usage) == (None, None, 2)
        assert usage.counted

    @pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", "br", "zstd"])
    def test_encoded(self, encoding: str, step: int) -> None:
        text = json.dumps({"usage": OPENAI}).encode()
        raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = {
            "gzip": gzip.compress(text),
            "deflate": zlib.compress(text),
            "raw deflate": raw.compress(text) + raw.flush(),
            "br": brotli.compress(text),
            "zstd": zstandard.compress(text),
        }[encoding]
        headers = {**JSON, "Content-Encoding": encoding.removeprefix("raw ")}
        assert counts(tapped(packed, headers, step).usage()) == (42, 30, 2)

    def test_an_encoding_that_nobody_can_read(self, step: int) -> None:
        tap = tapped(b"abc", {**JSON, "Content-Encoding": "gzip"}, step)
        assert counts(tap.usage()) == (None, None, None)
        assert tap.bytes_seen == 3


def test_the_first_token_is_the_first_that_says_something() -> None:
    tap = Tap()
    tap.begin(200, EVENTS)
    tap.feed(events(delta(None), delta("")))
    assert tap.first_at is None
    tap.feed(events(delta("a")))
    first = tap.first_at
    assert first is not None
    tap.feed(events(delta("b")))
    assert tap.first_at == first
    rate = tap.usage().tokens_per_second
    assert rate is None or rate > 0


def test_nothing_large_is_held() -> None:
    tap = Tap()
    tap.begin(200, EVENTS)
    tap.feed(b'data: {"usage": {')
    for _ in range(100):
        tap.feed(b" " * 50_000)
        assert len(tap._rest) + len(tap._line) < 10 * OBJECT_LIMIT
    tap.feed(b'\n\ndata: {"usage": {"prompt_tokens": 1}}\n\n')
    assert tap.usage().prompt_tokens == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b'{"error": {"message": "too long"}}', "too long"),
        (b'{"error": "busy"}', "busy"),
        (b'{"detail": "no"}', "no"),
        (b'{"message": "what"}', "what"),
        (b"[1]", "[1]"),
        (b"", None),
    ],
)
def test_what_an_upstream_says_where_it_failed(text: bytes, error: str | None) -> None:
    assert tapped(text, JSON, status=500).error() == error
    assert tapped(text, JSON, status=200).error() is None


@pytest.mark.parametrize("value", [True, "5", None, 1e300, [], {}])
def test_numbers_that_are_none(value: object) -> None:
    text = json.dumps({"usage": {"prompt_tokens": value}, "timings": {"cache_n": value}}).encode()
    assert counts(tapped(text, JSON).usage()) == (None, None, None)
