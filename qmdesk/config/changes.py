"""What to cut and paste in a text so that it says something else, and no more than that."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from qmdesk.config import block_text, writing
from qmdesk.config.comparison import aligned, same
from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.layout import EditError, Layout, Node, is_merge
from qmdesk.config.splices import Splices
from qmdesk.said import said

_MARKER: Final = re.compile(r"^(?:---|\.\.\.)", re.MULTILINE)
"""The end of a document, or something that looks so."""


class Changes:
    """Collects splices for one text."""

    def __init__(self, layout: Layout, *, literals: bool = True) -> None:
        """``literals``: texts with line ends may become blocks (``|``)."""
        self._layout = layout
        self._form = writing.Style(layout.step(layout.root), literals)
        self._text = layout.text
        self._splices = Splices(layout)

    def apply(self) -> str:
        """The text with all changes made."""
        return self._splices.apply()

    def comment(self, key: Node, lines: list[str]) -> None:
        """Writes comment lines above the line of ``key``."""
        margin = " " * self._layout.column(key.start)
        written = [f"{margin}# {line}".rstrip() + self._layout.newline for line in lines]
        start = self._layout.line_start(key.start)
        self._splices.add(start, start, "".join(written))

    def root(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Makes the whole text say ``new``."""
        node = self._layout.root
        if node is not None and node.collection and node.children:
            self._mapping(node, old, new, ())
        elif node is None or node.empty:
            self._splices.below(len(self._text), self._block(new, 0))
        elif new:
            end = self._layout.line_end(node.end)
            lines = self._block(new, 0)
            self._splices.add(node.start, end, self._layout.newline.join(lines))

    def rename(self, key: Node, path: KeyPath, new: str) -> None:
        """Another name for the key at ``path``."""
        if key.anchor or key.style == "*":
            raise EditError(
                said("the key {key} has an anchor; change it in the text", key=dotted(path))
            )
        style = key.style if key.style in ("'", '"') else ""
        self._splices.add(key.start, key.end, writing.key(new, style, flow=key.flow))

    def move(self, node: Node, index: int, target: int, path: KeyPath) -> None:
        """Moves the part number ``index`` of a block before the one now at ``target``.

        The comment lines right above it go along.
        """
        firsts = [key for key, _ in node.pairs()] if node.style == "{" else node.children
        if node.flow:
            raise EditError(
                said("{key} is written in one line; move the text by hand", key=dotted(path))
            )
        starts = [self._layout.whole_line(each, node) for each in firsts]
        if None in starts:
            raise EditError(said("{key} does not stand on lines of its own", key=dotted(path)))
        begins = [self._layout.with_comments(start) for start in starts if start is not None]
        last = self._layout.last(node, index)
        begin, end = begins[index], self._layout.next_line(last)
        moved = self._text[begin:end].removesuffix("\n").removesuffix("\r")
        line_end = self._layout.newline
        if target >= len(begins):
            if end == len(self._text):
                return
            place = self._layout.line_end(self._layout.last(node, len(begins) - 1))
            self._splices.add(place, place, line_end + moved)
        else:
            self._splices.add(begins[target], begins[target], moved + line_end)
        if end == len(self._text) and begin and not self._text.endswith("\n"):
            begin = self._layout.line_end(begin - 1)
        self._splices.add(begin, end, "")

    def value(self, parent: Node, at: int, old: Any, new: Any, path: KeyPath) -> None:
        """Makes the child number ``at`` of ``parent`` say ``new`` instead of ``old``."""
        node = parent.children[at]
        if same(old, new):
            return
        self._refuse_shared(node, path)
        if node.style == "{" and isinstance(new, dict) and isinstance(old, dict):
            if self._remains(node, new):
                self._mapping(node, old, new, path)
                return
        elif node.style == "[" and isinstance(new, list) and node.children and new:
            self._list(node, old, new, path)
            return
        self._replace(parent, at, new)

    # what may not be touched

    def _refuse_shared(self, node: Node, path: KeyPath) -> None:
        if node.anchor and (line := self._layout.used.get(node.anchor)):
            raise EditError(
                said(
                    "{key} is the anchor &{anchor}, which line {line} uses too; change it in the "
                    "text",
                    key=dotted(path),
                    anchor=node.anchor,
                    line=line,
                )
            )

    def refuse_alias(self, node: Node, path: KeyPath) -> None:
        """EditError where what is below ``path`` is written elsewhere."""
        if node.style == "*":
            raise EditError(
                said(
                    "{key} is *{text} (line {line}), whose keys are shared; change them at the "
                    "anchor, in the text",
                    key=dotted(path),
                    text=node.text,
                    line=node.line,
                )
            )
        self._refuse_shared(node, path)

    @staticmethod
    def _remains(node: Node, new: dict[str, Any]) -> bool:
        """True where something that is written in ``node`` stays."""
        return any(is_merge(key) or key.text in new for key, _ in node.pairs())

    # mappings

    def _mapping(
        self,
        node: Node,
        old: dict[str, Any],
        new: dict[str, Any],
        path: KeyPath,
    ) -> None:
        own = {key.text: at for at, (key, _) in enumerate(node.pairs()) if not is_merge(key)}
        gone = [own[key] for key in old if key not in new and key in own]
        for key in old:
            if key not in new and key not in own:
                where = dotted((*path, key))
                raise EditError(
                    said("{where} comes from a merge (<<); it can only be replaced", where=where)
                )
        fresh: dict[str, Any] = {}
        for key, value in new.items():
            if key not in old:
                fresh[key] = value
            elif not same(old[key], value):
                if key in own:
                    self.value(node, 2 * own[key] + 1, old[key], value, (*path, key))
                else:
                    fresh[key] = value
        self._remove(node, gone)
        if fresh:
            kept = [at for at in range(len(node.children) // 2) if at not in gone]
            self._append(node, kept[-1] if kept else -1, fresh)

    def _append(self, node: Node, last: int, fresh: dict[str, Any]) -> None:
        """New entries after the one number ``last``, the last one that stays."""
        if node.flow:
            written = ", ".join(
                f"{writing.key(key, flow=True)}: {writing.inline(value, flow=True)}"
                for key, value in fresh.items()
            )
            self._into_brackets(node, last + 1, written)
            return
        if last < 0:  # the whole file is replaced
            last = len(node.children) // 2 - 1
        column = self._layout.column(node.children[0].start)
        form = replace(self._form, step=self._layout.step(node, self._form.step))
        spaced = self._blank_between(node)
        lines: list[str] = []
        for key, value in fresh.items():
            lines += [""] * spaced + writing.block({key: value}, column, form)
        end = self._layout.last(node, last)
        if node is self._layout.root and not _MARKER.search(self._text, end):
            # A comment at the end of the file is more likely about what stands above it.
            if self._text[self._layout.next_line(end) :].strip() and lines[0]:
                lines = ["", *lines]
            end = len(self._text)
        self._splices.below(end, lines)

    def _blank_between(self, node: Node) -> bool:
        """True where the last two entries have an empty line between them."""
        if len(node.children) < 4:
            return False
        start = self._layout.with_comments(self._layout.line_start(node.children[-2].start))
        return not self._text[self._layout.line_start(start - 1) : start].strip()

    # lists

    def _list(self, node: Node, old: list[Any], new: list[Any], path: KeyPath) -> None:
        head, pairs = aligned(old, new)
        tail = min(len(old), len(new)) - head - pairs
        for index in range(head, head + pairs):
            self.value(node, index, old[index], new[index], (*path, index))
        spare = list(range(head + pairs, len(old) - tail))
        for index in spare:
            self._refuse_shared(node.children[index], (*path, index))
        self._remove(node, spare)
        self._insert(node, head + pairs, new[head + pairs : len(new) - tail])

    def _insert(self, node: Node, at: int, items: list[Any]) -> None:
        if not items:
            return
        if node.flow:
            written = ", ".join(writing.inline(each, flow=True) for each in items)
            self._into_brackets(node, at, written)
            return
        dash = self._layout.dash(node.children[0])
        column = self._layout.column(dash)
        lines = self._block(items, column)
        if at:
            self._splices.below(self._layout.last(node, at - 1), lines)
        else:
            line_end = self._layout.newline
            text = line_end.join(lines)[column:] + line_end + " " * column
            self._splices.add(dash, dash, text)

    # parts of both

    def _into_brackets(self, node: Node, at: int, written: str) -> None:
        width = 2 if node.style == "{" else 1
        if self._text[node.start : node.start + 1] not in ("{", "[") and not node.anchor:
            raise EditError(
                said("a single pair in a list cannot grow; write it in {...} in the text")
            )
        if at:
            last = node.children[at * width - 1]
            end = max(last.end, node.children[at * width - width].end)
            self._splices.add(end, end, f", {written}")
        elif node.children:
            first = node.children[0].start
            self._splices.add(first, first, f"{written}, ")
        else:
            end = self._text.rindex("{" if node.style == "{" else "[", 0, node.end) + 1
            self._splices.add(end, end, written)

    def _remove(self, node: Node, gone: list[int]) -> None:
        """Takes parts away; at least one part, or what is appended, remains."""
        count = len(node.children) // (2 if node.style == "{" else 1)
        kept = [at for at in range(count) if at not in gone]
        tail = kept[-1] + 1 if kept else 0
        if node.flow and tail < count:
            begin = self._layout.last(node, tail - 1) if tail else self._layout.first(node, 0)
            self._splices.add(begin, self._layout.last(node, count - 1), "")
            gone = [at for at in gone if at < tail]
        for at in gone:
            begin, end = self._layout.first(node, at), self._layout.last(node, at)
            if node.flow or not self._layout.alone(begin):
                following = next((each for each in kept if each > at), None)
                if following is None:
                    raise EditError(said("the last part of a line cannot be taken away alone"))
                if at == 0 or at - 1 in kept:
                    self._splices.add(begin, self._layout.first(node, following), "")
            elif self._layout.alone(self._layout.first(node, 0)) or kept[0] < at:
                end = self._layout.with_inner_comments(end, self._layout.column(begin))
                self._splices.remove_lines(self._layout.line_start(begin), end)

    def _block(self, value: Any, indent: int) -> list[str]:
        return writing.block(value, indent, self._form)

    # values

    def _replace(self, parent: Node, at: int, new: Any) -> None:
        node = parent.children[at]
        if parent.flow:
            self._replace_inline(parent, at, writing.inline(new, _quote(node), flow=True))
        elif (
            isinstance(new, str)
            and node.style in ("|", ">")
            and ((splices := block_text.changed(self._layout, node, new)) is not None)
        ):
            for each in splices:
                self._splices.add(*each)
        elif writing.one_line(new, self._form) and not node.block:
            self._replace_inline(parent, at, writing.inline(new, _quote(node)))
        else:
            self._replace_block(parent, at, new)

    def _replace_inline(self, parent: Node, at: int, written: str) -> None:
        node = parent.children[at]
        if not node.empty:
            self._splices.add(node.start, node.end, written)
        elif parent.style == "{" and ":" not in self._text[parent.children[at - 1].end : node.end]:
            self._splices.add(node.end, node.end, f": {written}")
        else:
            self._splices.add(node.end, node.end, f" {written}")

    def _replace_block(self, parent: Node, at: int, new: Any) -> None:
        """Anything, in a block, by something that is or was on lines of its own."""
        node = parent.children[at]
        if parent.style == "{":
            key = parent.children[at - 1]
            colon = self._text.find(":", key.end) + 1
            if not colon:
                raise EditError(said("a key without a colon (`? key`) can only be changed by hand"))
            indent = self._layout.column(key.start) + self._form.step
            if node.block and node.children and isinstance(new, dict | list):
                column = self._layout.column(self._layout.first(node, 0))
                if isinstance(new, list) or column > self._layout.column(key.start):
                    indent = column
        else:
            colon = self._layout.dash(node) + 1
            indent = self._layout.column(colon - 1) + writing.ITEM
        first, rest = writing.after(new, indent, self._form)
        line_end = self._layout.newline
        end = self._layout.line_end(max(node.end, colon))
        if parent.style == "[" and not first:
            first, rest = f" {rest[0].lstrip(' ')}", rest[1:]
        comment = self._comment(node, colon)
        self._splices.add(colon, end, line_end.join([first + comment, *rest]))

    def _comment(self, node: Node, colon: int) -> str:
        """The comment on the line of a key, with the space before it."""
        line_end = self._layout.line_end(colon)
        after = colon
        if node.end <= line_end and not node.block:
            after = max(node.end, colon)
        elif node.start < line_end:
            return ""
        rest = self._text[after:line_end]
        return rest.rstrip() if rest.lstrip().startswith("#") else ""


def _quote(node: Node) -> str:
    return node.style if node.style in ("'", '"') else ""
