"""Pieces of a text to cut out and to put in, gathered first and applied together."""

from __future__ import annotations

from qmdesk.config.layout import EditError, Layout


class Splices:
    """Gathers splices for one text."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._text = layout.text
        self._splices: list[tuple[int, int, str]] = []

    def apply(self) -> str:
        """The text with everything cut and pasted."""
        pieces: list[str] = []
        done = 0
        cut = False
        for start, end, new in sorted(self._splices, key=lambda each: each[:2]):
            if start < done:
                if cut and not new:
                    done = max(done, end)
                    continue
                if not cut or start != end:
                    raise EditError("the change touches one place twice; make it in two steps")
                if self._text[done - 1] == "\n" and new.startswith(self._layout.newline):
                    new = new[len(self._layout.newline) :] + self._layout.newline
                pieces.append(new)  # below lines that are taken away
                continue
            cut = not new
            pieces += (self._text[done:start], new)
            done = end
        return "".join((*pieces, self._text[done:]))

    def add(self, start: int, end: int, new: str) -> None:
        """Puts ``new`` in place of the characters from ``start`` to ``end``."""
        self._splices.append((start, end, new))

    def below(self, end: int, lines: list[str]) -> None:
        """Adds lines below the one that ``end`` is on."""
        place = self._layout.line_end(end)
        line_end = self._layout.newline
        if not self._text or (place == len(self._text) and self._text.endswith("\n")):
            self.add(place, place, "".join(line + line_end for line in lines))
            return
        if place == len(self._text):
            self._end_last_block()
        self.add(place, place, "".join(line_end + line for line in lines))

    def _end_last_block(self) -> None:
        """A block at the very end without a line end has none in its value: so it stays."""
        node = self._layout.root
        while node is not None and node.children and not node.flow:
            node = node.children[-1]
        if node is not None and node.style in ("|", ">") and "\n" not in self._text[node.end :]:
            header = self._text[node.start : self._layout.line_end(node.start)]
            sign = header.partition("#")[0]
            if not {"-", "+"} & set(sign):
                at = node.start + max(sign.rfind("|"), sign.rfind(">")) + 1
                self.add(at, at, "-")

    def remove_lines(self, start: int, end: int) -> None:
        stop = self._layout.next_line(end)
        if stop == len(self._text) and not self._text.endswith("\n") and start:
            start = self._layout.line_end(start - 1)  # the line above is now the last one
        self.add(start, stop, "")
