"""Token counts and times, read from an answer while it passes.

Nothing is held but the end of what came last: the few objects that say something
(``usage``, ``timings``, ``metrics``) are found by their keys wherever they are.  A quote
inside a JSON text is always escaped, so no model can talk one of them into being.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from qmdesk.gateway.encoding import IDENTITY, Decoder, Unreadable, decoder

OBJECT_LIMIT = 1 << 13
"""Bytes of one object that is looked for."""
LINE_LIMIT = 1 << 14
"""Bytes of an event's line that are looked at for what it says."""
DECODED_LIMIT = 1 << 30
ERROR_LIMIT = 1 << 12
_OVERLAP = 64
"""Bytes of what came last that are looked at again: a word may be cut by its end."""

_WORDS = (b'"usage"', b'"timings"', b'"metrics"')
_COLON = re.compile(rb"\s*:\s*(?=\{)")
# A piece of an answer that is not empty, in any of the APIs.
_SAYS = re.compile(
    rb'(?<!\\)"(?:content|reasoning_content|reasoning|text|thinking|delta|arguments|partial_json)"'
    rb'\s*:\s*"(?!")'
)
_CONTENT = b'"content":"'
_BACKSLASH = ord("\\")
_TOOL_CALL = re.compile(
    rb'"finish_reason"\s*:\s*"tool_calls"|"stop_reason"\s*:\s*"tool_use"'
    rb'|"type"\s*:\s*"function_call"'
)
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class Usage:
    """What an answer has cost; None where nobody has said."""

    prompt_tokens: int | None = None
    """As the upstream counts them; most count cached ones too."""
    cached_tokens: int | None = None
    generated_tokens: int | None = None
    drafted_tokens: int | None = None
    accepted_tokens: int | None = None
    prompt_per_second: float | None = None
    tokens_per_second: float | None = None
    counted: bool = False
    """The upstream said nothing: ``generated_tokens`` is the number of its chunks."""


class Fields(Protocol):
    """The header fields of an answer."""

    def get(self, name: str, default: str, /) -> str:
        """The first value of ``name``, in any case."""

    def items(self) -> Iterable[tuple[str, str]]:
        """All of them, in their order."""


class Tap:
    """Sees one answer pass: ``begin``, ``feed`` with each piece, then ``usage``."""

    def __init__(self) -> None:
        self.content_type = ""
        self.bytes_seen = 0
        self.first_at: float | None = None
        """When the first token came, on ``time.monotonic``."""
        self.last_at: float | None = None
        self.tool_call = False
        """The answer asks for a tool: its client is likely to come back at once."""
        self._usage: dict[str, int] = {}
        self._timings: dict[str, float] = {}
        self._metrics: dict[str, Any] = {}
        self._decoder: Decoder | None = None
        self._events = False
        self._failed = False
        self._chunks = 0
        self._rest = b""
        self._unread: bytes | None = None
        """A small answer that has come at once, most likely: looked at when somebody asks."""
        self._line = bytearray()
        self._error = bytearray()

    def begin(self, status: int, headers: Fields) -> None:
        """The answer's head has come; a second one takes the place of the first."""
        self.content_type = _essence(headers.get("Content-Type", ""))
        self._events = self.content_type == "text/event-stream"
        self._failed = status >= 400
        textual = self._events or "json" in self.content_type
        self._decoder = None
        if textual:
            encoding = headers.get("Content-Encoding", "")
            try:
                self._decoder = decoder(encoding, DECODED_LIMIT) if encoding else IDENTITY
            except Unreadable:
                self._decoder = None

    def feed(self, data: bytes) -> None:
        """A piece of the answer is on its way."""
        self.bytes_seen += len(data)
        self.last_at = time.monotonic()
        if self.first_at is None and not self._events:
            self.first_at = self.last_at
        if self._decoder is None:
            return
        if self._decoder is IDENTITY:
            text = data
        else:
            try:
                text = self._decoder.feed(data)
            except Unreadable:
                self._decoder = None
                return
        if self._failed and len(self._error) < ERROR_LIMIT:
            self._error += text[: ERROR_LIMIT - len(self._error)]
        if self._events:
            self._see_events(text)
        elif self._unread is None and not self._rest and len(text) <= OBJECT_LIMIT:
            self._unread = text
            self._see_tools(text)
            return
        if self._unread:
            self._read()
        self._see_objects(text)

    def _read(self) -> None:
        text, self._unread = self._unread or b"", b""
        self._see_objects(text)

    def _see_tools(self, text: bytes) -> None:
        # Written out: this is done for every token.
        if not self.tool_call and (b"tool_" in text or b"function_call" in text):
            self.tool_call = _TOOL_CALL.search(text) is not None

    def _see_events(self, text: bytes) -> None:
        if not self._line and text.count(b"\n") == 2 and text.endswith(b"\n\n"):
            # One whole event, as most come.
            self._see_line(text[:LINE_LIMIT])
            return
        lines = text.split(b"\n")
        for line in lines[:-1]:
            self._line += line[:LINE_LIMIT]
            self._see_line(bytes(self._line))
            self._line.clear()
        if len(self._line) < LINE_LIMIT:
            self._line += lines[-1][:LINE_LIMIT]

    def _see_line(self, line: bytes) -> None:
        if line.startswith(b"data:") and (_says_content(line) or _SAYS.search(line)):
            self._chunks += 1
            if self.first_at is None:
                self.first_at = self.last_at

    def _see_objects(self, text: bytes) -> None:
        text = self._rest + text
        self._see_tools(text)
        places = _places(text)
        if not places:
            self._rest = text[-_OVERLAP:]
            return
        done = 0
        for start, end, word in places:
            try:
                value, _ = _DECODER.raw_decode(text[end : end + OBJECT_LIMIT].decode("latin-1"))
            except ValueError:
                if len(text) - end < OBJECT_LIMIT:
                    # Its end is still to come.
                    self._rest = text[start:]
                    return
                continue
            except RecursionError:
                continue
            done = end
            self._take(word, value)
        self._rest = text[max(done, len(text) - _OVERLAP) :]

    def _take(self, key: bytes, value: dict[str, Any]) -> None:
        if key == b'"usage"':
            for name, number in _usage(value):
                # Later ones are more exact, but some servers end with zeros.
                if number or name not in self._usage:
                    self._usage[name] = number
        elif key == b'"timings"':
            numbers = {name: _number(each) for name, each in value.items()}
            self._timings = {name: each for name, each in numbers.items() if each is not None}
        else:
            self._metrics = value

    def usage(self) -> Usage:
        """All that is known."""
        if self._unread:
            self._read()
        usage = Usage(
            self._usage.get("prompt"), self._usage.get("cached"), self._usage.get("generated")
        )
        if self._timings:
            self._add_timings(usage)
        if self._metrics:
            self._add_metrics(usage)
        if usage.generated_tokens is None and self._chunks:
            usage.generated_tokens, usage.counted = self._chunks, True
        if usage.tokens_per_second is None and usage.generated_tokens and self._events:
            seconds = (self.last_at or 0.0) - (self.first_at or 0.0)
            if self.first_at is not None and usage.generated_tokens > 1 and seconds > 0:
                # The first one's time is that of the prompt.
                usage.tokens_per_second = (usage.generated_tokens - 1) / seconds
        return usage

    def _add_timings(self, usage: Usage) -> None:
        """llama.cpp's, which knows more than ``usage`` has room for."""
        timings = self._timings
        if "cache_n" in timings:
            usage.cached_tokens = int(timings["cache_n"])
        if usage.prompt_tokens is None and "prompt_n" in timings:
            usage.prompt_tokens = int(timings["prompt_n"] + timings.get("cache_n", 0))
        if "predicted_n" in timings:
            usage.generated_tokens = int(timings["predicted_n"])
        usage.prompt_per_second = timings.get("prompt_per_second")
        usage.tokens_per_second = timings.get("predicted_per_second")
        if "draft_n" in timings and "draft_n_accepted" in timings:
            usage.drafted_tokens = int(timings["draft_n"])
            usage.accepted_tokens = int(timings["draft_n_accepted"])

    def _add_metrics(self, usage: Usage) -> None:
        """vLLM's."""
        first = _number(self._metrics.get("time_to_first_token_ms"))
        between = _number(self._metrics.get("mean_itl_ms"))
        if first and usage.prompt_tokens:
            usage.prompt_per_second = (
                (usage.prompt_tokens - (usage.cached_tokens or 0)) / first * 1000
            )
        if between:
            usage.tokens_per_second = 1000 / between
        speculative = self._metrics.get("speculative_decoding")
        if isinstance(speculative, dict):
            drafted = _number(speculative.get("num_draft_tokens"))
            accepted = _number(speculative.get("num_accepted_draft_tokens"))
            if drafted is not None and accepted is not None:
                usage.drafted_tokens, usage.accepted_tokens = int(drafted), int(accepted)

    def error(self) -> str | None:
        """What the upstream said where it failed, in one line."""
        return error_text(bytes(self._error)) or None if self._failed else None


def error_text(body: bytes) -> str:
    """What the body of an error says, in whichever of the usual shapes, up to 500 characters."""
    text = body.decode("utf-8", "replace")
    try:
        content = json.loads(text)
    except ValueError:
        return text.strip()[:500]
    if isinstance(content, dict):
        inner = content.get("error", content)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail")
        if isinstance(inner, str) and inner:
            return inner[:500]
    return text.strip()[:500]


@lru_cache(maxsize=64)
def _essence(content_type: str) -> str:
    """In lower case, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def _places(text: bytes) -> list[tuple[int, int, bytes]]:
    """Where the objects that say something are called by name, where they begin, and the names."""
    # Plain words are found many times faster than an expression that has them all.
    found = []
    for word in _WORDS:
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not at or text[at - 1] != _BACKSLASH:
                colon = _COLON.match(text, end)
                if colon is not None:
                    found.append((at, colon.end(), word))
            at = text.find(word, end)
    if len(found) > 1:
        found.sort()
    return found


_COUNTS = {
    "prompt_tokens": "prompt",
    "input_tokens": "prompt",
    "completion_tokens": "generated",
    "output_tokens": "generated",
    "cache_read_input_tokens": "cached",
}


def _usage(value: dict[str, Any]) -> list[tuple[str, int]]:
    found = [
        (name, int(number))
        for key, name in _COUNTS.items()
        if key in value and (number := _number(value[key])) is not None
    ]
    for key in ("input_tokens_details", "prompt_tokens_details"):
        details = value.get(key)
        if isinstance(details, dict):
            number = _number(details.get("cached_tokens"))
            if number is not None:
                found.append(("cached", int(number)))
    return found


def _says_content(line: bytes) -> bool:
    """The same for what most pieces are, found many times faster; False may be wrong."""
    at = line.find(_CONTENT)
    if at < 1 or line[at - 1] == _BACKSLASH:
        return False
    return line[at + len(_CONTENT) : at + len(_CONTENT) + 1] not in (b'"', b"")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < 1e15 else None
