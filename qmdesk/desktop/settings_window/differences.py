"""The differences of two texts, line by line, for people.

Free of Qt; large texts take a while, so only in a thread.
"""

from __future__ import annotations

from difflib import unified_diff

AROUND = 2
"""Lines shown around each difference."""


def differences(old: str, new: str) -> str:
    """A unified diff without file names; empty where nothing differs."""
    lines = unified_diff(old.splitlines(), new.splitlines(), n=AROUND, lineterm="")
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))
