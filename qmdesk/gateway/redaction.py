"""What is left out of logs and captures: keys, tokens, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterable

REDACTED = "[REDACTED]"

_IN_QUERY = re.compile(r"(?i)([?&][^=&]*(?:key|token|secret|passw|auth|sig)[^=&]*=)[^&]*")
_IN_NAME = re.compile(r"(?i)key|token|secret|passw|auth|cookie|session|signature")


def path_shown(raw: str) -> str:
    """A path with its query, without the values of what looks like a secret."""
    return _IN_QUERY.sub(r"\1***", raw)


def headers_shown(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by name, several of one name in one line, without secrets."""
    shown: dict[str, str] = {}
    for name, value in headers:
        said = REDACTED if _IN_NAME.search(name) else value
        shown[name] = f"{shown[name]}, {said}" if name in shown else said
    return shown
