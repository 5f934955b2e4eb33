"""Random YAML texts in the many ways that people write, for tests of the editor."""

from __future__ import annotations

import random
from typing import Any

from qmdesk.config import writing

NAMES = ["a", "b-c", "3.5", "on", "org/x:Q4", "ключ", "x y", "it's", '"', "🦙", "null", "-", "#"]
TEXTS = [
    *("", "x", "two words", "off", "1e3", "007", "it's", 'say "no"', "a: b", "a #b", "C:\\new"),
    *("${PORT}", "{", "[a", "é🦙", "tab\there", " lead", "trail ", "line\n", "one\ntwo", "~"),
    *("one\n\nthree\n", "# no comment", "- item", "--port 1\n  deeper\n", "&a", "*a", "|", "\\"),
    *("a\n# b\nc\n", "%x", "?", "x:", "---", "...", "\x85", "\u2028", "12:30", "2024-01-02"),
]
COMMENTS = ["# note", "#", "# it's {odd}: [", "# 中文 🦙 ║"]


def value(rng: random.Random, depth: int = 0) -> Any:
    """A value tree."""
    kind = rng.random()
    if depth < 3 and kind < 0.25:
        names = rng.sample(NAMES, rng.randrange(4))
        return {name: value(rng, depth + 1) for name in names}
    if depth < 3 and kind < 0.45:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 0.8:
        return rng.choice(TEXTS)
    return rng.choice([None, True, False, 0, -1, 5800, 1.5, 1e-3, 1e300, float("inf"), 2**70])


def mapping(rng: random.Random) -> dict[str, Any]:
    """A value tree whose root is a mapping with something in it."""
    return {name: value(rng, 1) for name in rng.sample(NAMES, rng.randrange(1, 6))}


class Writer:
    """Writes a tree with comments, blank lines, styles and indentation of its own choice."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.step = rng.choice([1, 2, 2, 2, 4])
        self.newline = rng.choice(["\n", "\n", "\r\n"])
        self.mark = rng.choice(["", "", "\ufeff"])
        self.lines: list[str] = []
        self.block_last = False
        """A block without a line end would lose the one in its value."""

    def write(self, root: dict[str, Any]) -> str:
        if self.rng.random() < 0.1:
            self.lines.append("---")
        self._block(root, 0, "")
        ends = self.block_last or self.rng.random() < 0.8
        self._noise(0)
        return self.mark + self.newline.join(self.lines) + (self.newline if ends else "")

    def _noise(self, indent: int) -> None:
        if self.rng.random() < 0.2:
            self.lines.append(" " * indent + self.rng.choice(COMMENTS))
        if self.rng.random() < 0.15:
            self.lines.append("")

    def _comment(self) -> str:
        return " " + self.rng.choice(COMMENTS) if self.rng.random() < 0.2 else ""

    def _block(self, tree: Any, indent: int, lead: str) -> None:
        """``lead`` is what stands before the first part, on its line."""
        parts = tree.items() if isinstance(tree, dict) else ((None, each) for each in tree)
        for key, each in parts:
            if not lead:
                self._noise(indent)
            start = lead or " " * indent
            lead = ""
            if key is None:
                head = f"{start}-"
            else:
                style = self.rng.choice(["", "", "'", '"'])
                head = f"{start}{writing.key(key, style)}:"
            self._after(head, each, indent, item=key is None)

    def _after(self, head: str, each: Any, indent: int, *, item: bool) -> None:
        inner = indent + self.step
        self.block_last = False
        if isinstance(each, dict | list) and each and self.rng.random() < 0.8:
            if item and self.rng.random() < 0.7:
                self._block(each, indent + 2, f"{head} ")
                return
            self.lines.append(head + self._comment())
            at = indent if isinstance(each, list) and not item and inner % 3 else inner
            self._block(each, at, "")
        elif isinstance(each, str) and (found := writing.literal(each)) and self.rng.random() < 0.8:
            sign, lines = found
            self.lines.append(f"{head} {sign}{self._comment()}")
            self.lines += writing.indented(lines, inner)
            self.block_last = True
        elif isinstance(each, str) and _foldable(each) and self.rng.random() < 0.5:
            self.lines.append(f"{head} >-")
            self.lines += writing.indented(each.split(" "), inner)
        elif each is None and self.rng.random() < 0.5:
            self.lines.append(head + self._comment())
        else:
            style = self.rng.choice(["", "", "'", '"'])
            flow = isinstance(each, dict | list)
            self.lines.append(f"{head} {writing.inline(each, style, flow=flow)}{self._comment()}")


def _foldable(text: str) -> bool:
    return all(word and word.isprintable() for word in text.split(" ")) and " " in text
