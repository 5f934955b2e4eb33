"""A real question to a real model through our own address, and how long the answer took.

Blocks until the answer is there: call it in a thread.  Free of Qt.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from qmdesk.desktop.words import exact, rate, tr
from qmdesk.own_address import opener

QUESTION = "Say hello in one short sentence."
LONGEST = 64
"""Tokens of an answer."""
PATIENCE = 600.0
"""Seconds of silence: a large model may take minutes to load."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    answer: str
    first: float
    """Seconds until the first word."""
    seconds: float
    """Seconds until the end."""
    pieces: int
    """Pieces of text that came, most likely tokens."""
    loaded: bool
    """Whether the model had to be loaded for it."""

    @property
    def timing(self) -> str:
        said = [
            tr("first word after {time}", time=exact(self.first)),
            tr("all of it after {time}", time=exact(self.seconds)),
        ]
        if self.pieces > 1 and self.seconds > self.first:
            said.append(rate((self.pieces - 1) / (self.seconds - self.first)))
        if self.loaded:
            said.append(tr("the model was loaded for it"))
        return ", ".join(said)


class TrialFailed(Exception):
    """It did not work; says what the gateway, or the system, has said."""


def ask(base: str, key: str, model: str, certificate: str = "") -> Trial:
    """Ask ``model`` at ``base``, such as ``http://127.0.0.1:8080``.  Raises ``TrialFailed``.

    ``certificate`` is the file with ours, where TLS is spoken.
    """
    body = {
        "model": model,
        "messages": [{"role": "user", "content": QUESTION}],
        "max_tokens": LONGEST,
        "stream": True,
    }
    headers = {"Content-Type": "application/json", "User-Agent": "qmdesk-test"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(
        f"{base}/v1/chat/completions", json.dumps(body).encode(), headers
    )
    began = time.monotonic()
    first, words, pieces = 0.0, "", 0
    try:
        with opener(certificate).open(request, timeout=PATIENCE) as answer:
            loaded = answer.headers.get("X-QM-Model-Loaded") == "1"
            for event in _events(answer):
                if "error" in event:
                    raise TrialFailed(_message(event))
                text = _said(event)
                if text:
                    first = first or time.monotonic() - began
                    words, pieces = words + text, pieces + 1
    except urllib.error.HTTPError as error:
        raise TrialFailed(_refusal(error)) from None
    except (OSError, http.client.HTTPException) as error:
        raise TrialFailed(str(getattr(error, "reason", error)) or type(error).__name__) from None
    seconds = time.monotonic() - began
    if not words:
        raise TrialFailed(tr("{model} answered without a word.", model=model))
    return Trial(words.strip(), first, seconds, pieces, loaded)


def _events(answer: Any) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events."""
    for line in answer:
        text = line.decode("utf-8", "replace").strip()
        if text.startswith("data:") and (data := text[5:].strip()) != "[DONE]":
            try:
                event = json.loads(data)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def _said(event: dict[str, Any]) -> str:
    """The text of one piece; what a model thinks aloud counts as well."""
    try:
        delta = event["choices"][0]["delta"]
        text = delta.get("content") or delta.get("reasoning_content") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""
    return str(text)


def _message(event: dict[str, Any]) -> str:
    error = event["error"]
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def _refusal(error: urllib.error.HTTPError) -> str:
    try:
        content = json.loads(error.read())
        return _message(content)
    except (ValueError, KeyError, TypeError, OSError):
        return f"{error.code} {error.reason}"
