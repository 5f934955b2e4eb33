"""A text written as a block (``|`` or ``>``), changed line by line."""

from __future__ import annotations

import re

from qmdesk.config.layout import Layout, Node
from qmdesk.config.writing import indented, literal

_HEADER = re.compile(r"[|>][-+]?")


def changed(layout: Layout, node: Node, new: str) -> list[tuple[int, int, str]] | None:
    """Splices that make ``node`` say ``new``, touching only lines that differ.

    None where it cannot go on as a block.  A folded block stays folded as long as the
    new text has no line ends within, and the lines that still fit keep their bytes.
    """
    text = layout.text
    header_end = layout.line_end(node.start)
    header = text[node.start : header_end]
    found = _HEADER.match(header)
    if found is None or header[found.end() : found.end() + 1] not in ("", " ", "\t"):
        return None  # it has an anchor, a tag or an indentation of its own choice
    sources = _body(layout, node)
    margin = min((_margin(line) for line in sources if line.strip(" ")), default=0)
    if not margin or not new.strip():
        return None
    old = [line[margin:] if line.strip(" ") else "" for line in sources]
    sign = found[0][0]
    wanted = _folded(old, new) if sign == ">" else None
    if wanted is None:
        if (written := literal(new if "\n" in new else f"{new}\n")) is None:
            return None
        wanted = written[1]
        sign = "|"
    heading = sign + ("" if new.endswith("\n") else "-")
    splices = []
    if heading != found[0]:
        splices.append((node.start, node.start + found.end(), heading))
    splices += _lines(layout, node, old, wanted, margin)
    return splices


def _body(layout: Layout, node: Node) -> list[str]:
    """The lines below a block's header."""
    start = layout.next_line(node.start)
    if start > node.end:
        return []
    return [line.removesuffix("\r") for line in layout.text[start : node.end].split("\n")]


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _folded(old: list[str], new: str) -> list[str] | None:
    """Lines that fold into ``new``: as many of the old ones as fit, one for the rest."""
    content = new.removesuffix("\n")
    if not content or "\n" in content or any(not _foldable(line) for line in old):
        return None
    head: list[str] = []
    rest = content
    for line in old:
        if not rest.startswith(line + " "):
            break
        head.append(line)
        rest = rest[len(line) + 1 :]
    tail: list[str] = []
    for line in reversed(old[len(head) :]):
        if not rest.endswith(" " + line):
            break
        tail.insert(0, line)
        rest = rest[: -len(line) - 1]
    lines = [*head, rest, *tail]
    return lines if all(_foldable(line) for line in lines) else None


def _foldable(line: str) -> bool:
    return bool(line) and line[0] not in " \t" and line.isprintable()


def _lines(
    layout: Layout, node: Node, old: list[str], new: list[str], margin: int
) -> list[tuple[int, int, str]]:
    """One splice for the lines between the first and the last that differ."""
    same_head = 0
    while same_head < min(len(old), len(new)) and old[same_head] == new[same_head]:
        same_head += 1
    same_tail = 0
    shorter = min(len(old), len(new)) - same_head
    while same_tail < shorter and old[-1 - same_tail] == new[-1 - same_tail]:
        same_tail += 1
    if same_head == len(old) == len(new):
        return []
    fresh = indented(new[same_head : len(new) - same_tail], margin)
    first = layout.next_line(node.start)
    for _ in range(same_head):
        first = layout.next_line(first)
    if same_head + same_tail == len(old):  # only new lines
        if same_tail:
            return [(first, first, "".join(line + layout.newline for line in fresh))]
        return [(node.end, node.end, "".join(layout.newline + line for line in fresh))]
    end = node.end
    for _ in range(same_tail):
        end = layout.line_end(layout.line_start(end) - 1)
    if fresh:
        return [(first, end, layout.newline.join(fresh))]
    if same_tail:
        return [(first, layout.next_line(end), "")]
    return [(layout.line_end(first - 1), end, "")]
