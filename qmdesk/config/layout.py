"""Where everything stands in a YAML text, to the character: what the editor cuts by.

``document`` says what a text means and on which line; this says which characters to
replace.  Both build on the same parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from qmdesk.config import document
from qmdesk.said import said


class EditError(ValueError):
    """An edit that cannot be made safely; the message says why, and the text is as before."""


@dataclass(slots=True, eq=False)
class Node:
    """One value or key; ``start`` and ``end`` count characters from 0."""

    start: int
    """Its first character; that of its anchor or tag where it has one."""
    end: int
    """After its last character, without the blank lines and comments that follow."""
    line: int
    style: str
    """As ``Place.style``; ``*`` for an alias."""
    flow: bool
    """Written in ``{}`` or ``[]``, or inside of such."""
    text: str = ""
    """Of a scalar: what it says; of an alias: the anchor's name."""
    anchor: str = ""
    children: list[Node] = field(default_factory=list)
    """Of a list: its items; of a mapping: key, value, key, value."""

    @property
    def collection(self) -> bool:
        return self.style in ("{", "[")

    @property
    def block(self) -> bool:
        """A mapping or list with its parts on lines of their own."""
        return self.collection and not self.flow

    @property
    def empty(self) -> bool:
        """Nothing is written, which means null."""
        return self.start == self.end

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        return zip(self.children[::2], self.children[1::2], strict=True)

    def entry(self, key: str) -> tuple[Node, Node] | None:
        """The key and the value written here under ``key``; None where a merge brings it."""
        for name, value in self.pairs():
            if name.text == key and not name.collection and not is_merge(name):
                return name, value
        return None


def is_merge(key: Node) -> bool:
    """True for the key ``<<``, which brings another mapping's entries."""
    return key.text == "<<" and key.style == ""


class Layout:
    """The nodes of a text's first document."""

    def __init__(self, text: str) -> None:
        """``text`` has no byte order mark and is known to be readable."""
        self.text = text
        self.newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        self.used: dict[str, int] = {}
        """Anchors that an alias refers to, with the alias's line."""
        self.root = self._compose()

    def line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        """Where the line of ``index`` ends, before its line end characters."""
        end = self.text.find("\n", index)
        if end < 0:
            return len(self.text)
        return end - 1 if end and self.text[end - 1] == "\r" else end

    def next_line(self, index: int) -> int:
        """Where the line after that of ``index`` begins."""
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def column(self, index: int) -> int:
        return index - self.line_start(index)

    def alone(self, index: int) -> bool:
        """True where only spaces stand before ``index`` on its line."""
        return not self.text[self.line_start(index) : index].strip(" ")

    def dash(self, item: Node) -> int:
        """Where the ``-`` of a block list's item stands."""
        line = self.line_start(item.start)
        before = self.text[line : item.start].rstrip(" ")
        if not before.endswith("-"):
            lines = self.text[: item.start].split("\n")
            while lines:
                if found := re.match(r"[ ]*(?:- +)*-(?=\s*(?:#.*)?\r?$)", lines.pop()):
                    return len("\n".join(lines)) + (1 if lines else 0) + found.end() - 1
            raise EditError(said("the list has a form that cannot be changed; do it in the text"))
        return line + len(before) - 1

    def first(self, node: Node, at: int) -> int:
        """Where the part number ``at`` begins, its dash included."""
        if node.style == "{":
            return node.children[2 * at].start
        return node.children[at].start if node.flow else self.dash(node.children[at])

    def last(self, node: Node, at: int) -> int:
        """Where the part number ``at`` ends."""
        if node.style == "{":
            return max(node.children[2 * at].end, node.children[2 * at + 1].end)
        return max(node.children[at].end, self.first(node, at))

    def whole_line(self, part: Node, node: Node) -> int | None:
        """The start of the line that a block's part begins; None where it shares one."""
        begin = part.start if node.style == "{" else self.dash(part)
        return self.line_start(begin) if self.alone(begin) else None

    def with_comments(self, start: int) -> int:
        """The start of the comment lines right above the line at ``start``."""
        line = self.text[start : self.line_end(start)]
        indent = len(line) - len(line.lstrip(" "))
        while start:
            above = self.line_start(start - 1)
            line = self.text[above:start]
            if not line.startswith(" " * indent + "#"):
                break
            start = above
        return start

    def with_inner_comments(self, end: int, column: int) -> int:
        """Where the comments end that follow ``end`` and are indented more than ``column``.

        They stand within what begins at that column, and could become part of a block above.
        """
        at = self.next_line(end)
        while at < len(self.text):
            line = self.text[at : self.line_end(at)]
            said = line.strip(" \r")
            if said and not (said.startswith("#") and len(line) - len(line.lstrip(" ")) > column):
                break
            if said:
                end = self.line_end(at)
            at = self.next_line(at)
        return end

    def step(self, node: Node | None, usual: int = 2) -> int:
        """By how many spaces a block mapping indents the first mapping within it."""
        if node is not None and node.block and node.style == "{":
            for key, value in node.pairs():
                if value.block and value.style == "{":
                    inner = self.column(value.children[0].start)
                    return max(1, min(8, inner - self.column(key.start)))
        return usual

    def _compose(self) -> Node | None:
        root: Node | None = None
        above: list[Node] = []
        for event in document.events(self.text):
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                break
            if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                node = above.pop()
                node.end = _index(event.end_mark) if node.flow else _last(node)
                continue
            if isinstance(event, yaml.AliasEvent):
                node = self._node(event, "*", _index(event.end_mark), text=event.anchor or "")
                self.used.setdefault(node.text, node.line)
            elif isinstance(event, yaml.ScalarEvent):
                node = self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                style = "{" if isinstance(event, yaml.MappingStartEvent) else "["
                node = self._node(event, style, 0, flow=bool(event.flow_style))
            else:
                continue
            if above:
                node.flow = node.flow or above[-1].flow
                above[-1].children.append(node)
            else:
                root = node
            if node.collection:
                above.append(node)
        return root

    def _scalar(self, event: yaml.ScalarEvent) -> Node:
        style, end = event.style or "", _index(event.end_mark)
        if style in ("|", ">"):
            end = self._block_end(_index(event.start_mark), end)
        return self._node(event, style, end, text=event.value)

    def _block_end(self, start: int, end: int) -> int:
        """The end of a block's last line that counts."""
        header = self.text[start : self.line_end(start)].partition("#")[0]
        body = self.text[start:end]
        if "+" not in header:
            while "\n" in body and not body[body.rfind("\n") :].strip(" \n\r\t"):
                body = body[: body.rfind("\n")]
        elif body.endswith("\n"):
            body = body[:-1]
        return start + len(body.removesuffix("\r"))

    @staticmethod
    def _node(
        event: yaml.NodeEvent, style: str, end: int, *, text: str = "", flow: bool = False
    ) -> Node:
        anchor = event.anchor if style != "*" and event.anchor else ""
        mark: Any = event.start_mark
        return Node(_index(mark), end, mark.line + 1, style, flow, text, anchor)


def _index(mark: Any) -> int:
    index: int = mark.index
    return index


def _last(node: Node) -> int:
    return max([node.start, *(each.end for each in node.children)])
