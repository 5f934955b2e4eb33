"""When two values are the same, and what an edit means for the order of keys."""

from __future__ import annotations

import math
from typing import Any


def same(left: Any, right: Any) -> bool:
    """True for equal values of equal types, with their keys in the same order."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return type(left) is type(right) and bool(left == right)


def settled(old: Any, new: Any) -> Any:
    """``new`` with the keys that ``old`` has too in the order of ``old``, new ones last."""
    if isinstance(new, list) and isinstance(old, list):
        head, pairs = aligned(old, new)
        changed = zip(old[head : head + pairs], new[head : head + pairs], strict=True)
        return [*new[:head], *(settled(*each) for each in changed), *new[head + pairs :]]
    if not isinstance(new, dict) or not isinstance(old, dict):
        return new
    kept = {key: settled(old[key], new[key]) for key in old if key in new}
    return kept | {key: each for key, each in new.items() if key not in old}


def aligned(old: list[Any], new: list[Any]) -> tuple[int, int]:
    """How many items are the same at the head, and how many after them changed in place."""
    head = 0
    while head < min(len(old), len(new)) and same(old[head], new[head]):
        head += 1
    tail = 0
    shorter = min(len(old), len(new)) - head
    while tail < shorter and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    return head, shorter - tail
