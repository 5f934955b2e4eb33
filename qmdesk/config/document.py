"""A YAML text as plain values, with the place of each of them.

PyYAML supplies the events; the tree is built here, so that nesting, aliases and sizes
have limits, duplicate keys are found, and scalars mean what YAML 1.2 says (``off`` is
text, ``1e-3`` a number, ``010`` ten), as in the files written for llama-swap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from qmdesk.config.problem import ConfigError, Problem
from qmdesk.config.scalars import TAG, resolve, tagged
from qmdesk.said import said

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's parser, in C where it was built so; both give the same events."""

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands: keys of mappings and indexes of lists, from the root."""

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 100_000
"""Values in a file, aliases expanded."""
MAX_TEXT: Final = 2 * 1024 * 1024
"""Characters in a file; and in its values, aliases expanded."""

FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # as YAML has it
)
SURROGATE = re.compile("[\ud800-\udfff]")
_INNER_MARK = re.compile("(?:\\A|[\n\r\x85\u2028\u2029])\ufeff")
"""PyYAML's two parsers differ about it."""
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def dotted(path: KeyPath) -> str:
    """``path`` as people write it: ``models.qwen.aliases[0]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The file that values come from; ``name`` is empty for a text without one."""

    name: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in the text; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    key_line: int
    key_column: int
    style: str
    """``'``, ``"``, ``|``, ``>``; empty for an unquoted scalar; ``{`` for a mapping,
    ``[`` for a list."""
    source: Source


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML text says, or several together."""

    root: dict[str, Any]
    places: dict[KeyPath, Place]
    problems: list[tuple[KeyPath, Problem]] = field(default_factory=list)
    """Duplicate keys (errors) and what was left unread (warnings)."""

    def key(self, path: KeyPath) -> tuple[int, int]:
        """Line and column of the key at ``path``, or of the nearest thing around it."""
        place = self._nearest(path)
        return (place.key_line, place.key_column) if place else (0, 0)

    def value(self, path: KeyPath) -> tuple[int, int]:
        """Line and column of the scalar at ``path``; of the key of anything larger.

        A single value that stands for a list of one counts as its item.
        """
        place = self.places.get(path)
        if place is None and path and isinstance(path[-1], int):
            place = self.places.get(path[:-1])
        if place is None or place.style in ("{", "["):
            return self.key(path)
        return place.line, place.column

    def find(self, path: KeyPath, needle: str) -> tuple[int, int]:
        """Line and column of ``needle`` within the scalar at ``path``, as ``value`` else."""
        place = self.places.get(path)
        if place is not None and place.style not in ("{", "["):
            lines = place.source.lines
            last = min(place.end_line, len(lines))
            for line in range(place.line, last + 1):
                start = place.column - 1 if line == place.line else 0
                if (column := lines[line - 1].find(needle, start)) >= 0:
                    return line, column + 1
        return self.value(path)

    def style(self, path: KeyPath) -> str | None:
        """The style of the value at ``path``; None where nothing is written."""
        place = self.places.get(path)
        return place.style if place else None

    def file(self, path: KeyPath) -> str:
        """The file in which ``path``, or the nearest thing around it, is written."""
        place = self._nearest(path) or self.places.get(())
        return place.source.name if place else ""

    def _nearest(self, path: KeyPath) -> Place | None:
        while path:
            if (place := self.places.get(path)) is not None:
                return place
            path = path[:-1]
        return None


def load(data: str | bytes, file: str = "") -> Document:
    """Reads a YAML text whose root is a mapping; an empty one is an empty mapping.

    Bytes are UTF-8, with or without a byte order mark.  Raises ConfigError where the
    text cannot be read to its end; duplicate keys are in ``Document.problems``.
    """
    text = decoded(data, file) if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff")
    lines = _LINE_END.split(text)
    try:
        if len(text) > MAX_TEXT:
            raise _Stop(
                said("the file is larger than {size} MiB", size=MAX_TEXT // 1024 // 1024),
                1,
                1,
            )
        if bad := FORBIDDEN.search(text):
            line, column = _position(text, bad.start())
            raise _Stop(
                said("the character U+{code} may not stand here", code=format(ord(bad[0]), "04X")),
                line,
                column,
            )
        if mark := _INNER_MARK.search(text):
            line, column = _position(text, mark.end() - 1)
            message = said("a byte order mark begins this line, as after joining files; remove it")
            raise _Stop(message, line, column)
        composer = _Composer(file)
        root = composer.compose(events(text))
        values = _Values(composer.problems, Source(file, lines))
        return Document(values.root(root), values.places, composer.problems)
    except _Stop as stop:
        problem = Problem(stop.message, stop.line, stop.column, file=file)
    except yaml.YAMLError as error:
        problem = _explain(error, lines, file)
    except (ValueError, OverflowError) as error:  # PyYAML's own slips, such as "\UFFFFFFFF"
        problem = Problem(said("this is not valid YAML: {error}", error=error), file=file)
    raise ConfigError((problem,))


class _Stop(Exception):
    """Reading cannot go on."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def decoded(data: bytes, file: str = "", *, keep_mark: bool = False) -> str:
    """The text of a file's bytes, with or without its byte order mark.

    Raises ConfigError, with the place, for what is not UTF-8.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = said("the file is encoded as UTF-16; save it as UTF-8")
        raise ConfigError((Problem(message, 1, 1, file=file),))
    try:
        return data.decode("utf-8" if keep_mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        byte = error.object[error.start]
        message = said(
            "the byte 0x{byte} is not valid UTF-8; save the file as UTF-8", byte=format(byte, "02X")
        )
        raise ConfigError((Problem(message, line, column, file=file),)) from None


def _start(event: yaml.Event) -> tuple[int, int]:
    return _line_column(event.start_mark)


def _line_column(mark: Any) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)


def _position(text: str, index: int) -> tuple[int, int]:
    ends = [end.end() for end in _LINE_END.finditer(text, 0, index)]
    return len(ends) + 1, index - (ends[-1] if ends else 0) + 1


def events(text: str) -> Iterator[yaml.Event]:
    """PyYAML's events for ``text``, with their marks; YAMLError where it is no YAML."""
    loader = Loader(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _explain(error: yaml.YAMLError, lines: list[str], file: str) -> Problem:
    """PyYAML's complaint, and what to do about the mistakes that people really make."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    words = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    line, column = _line_column(mark)
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if re.match(r" *\t", text):
        column = text.index("\t") + 1
        message = said("a tab indents this line; YAML takes only spaces")
    elif "unknown escape" in words or "hex" in words:
        message = said(
            "this text has a backslash that means nothing inside double quotes; write it "
            "in single quotes or as a block (|), where backslashes stay as they are"
        )
    elif "${" in text and "','" in words:
        message = said(
            "this is not valid YAML: braces inside {...} or [...] end it early; put the "
            "command in quotes"
        )
    elif "mapping values are not allowed" in words:
        message = said(
            "this is not valid YAML: a colon followed by a space stands in unquoted "
            "text, or the line is indented wrongly; put the text in quotes"
        )
    else:
        message = said("this is not valid YAML: {words}", words=words)
        if context := getattr(error, "context", None):
            began = getattr(error, "context_mark", None)
            where = _line_column(began)[0] if began is not None else line
            # What was never closed is found at the end of the file: the beginning helps more.
            message += (
                said(" ({context})", context=context)
                if where == line
                else said(" ({context} from line {where} on)", context=context, where=where)
            )
    return Problem(message, line, column, file=file)


@dataclass(slots=True)
class _Node:
    line: int
    column: int
    end_line: int
    style: str
    value: Any = None
    """Of a scalar: its value."""
    text: str = ""
    """Of a scalar: as written; the key that it makes."""
    children: list[_Node] = field(default_factory=list)
    """Of a list: its items; of a mapping: key, value, key, value."""

    @property
    def merge(self) -> bool:
        return self.text == "<<" and self.style == ""


class _Composer:
    """Builds the tree of the first document; anchors are shared, not copied."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[tuple[KeyPath, Problem]] = []

    def compose(self, events: Iterator[yaml.Event]) -> _Node | None:
        root: _Node | None = None
        open_nodes: list[tuple[_Node, str | None]] = []
        anchors: dict[str, _Node | None] = {}
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                line, column = _start(event)
                message = said("a second document begins here; only the first one is read")
                problem = Problem(message, line, column, "", "warning", self.file)
                self.problems.append(((), problem))
                break
            if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                node, anchor = open_nodes.pop()
                node.end_line = _line_column(event.end_mark)[0]
            elif isinstance(event, yaml.AliasEvent):
                node, anchor = self._alias(event, anchors), None
            elif isinstance(event, yaml.ScalarEvent):
                node, anchor = self._scalar(event), event.anchor
            elif isinstance(event, yaml.CollectionStartEvent):
                node, anchor = self._collection(event), event.anchor
                if anchor:
                    anchors[anchor] = None
                open_nodes.append((node, anchor))
                if len(open_nodes) > MAX_DEPTH:
                    raise self._too_deep(node)
                continue
            else:
                continue
            if anchor:
                anchors[anchor] = node
            if open_nodes:
                open_nodes[-1][0].children.append(node)
            else:
                root = node
        return root

    @staticmethod
    def _too_deep(node: _Node) -> _Stop:
        return _Stop(
            said("nested more than {most} levels deep", most=MAX_DEPTH),
            node.line,
            node.column,
        )

    @staticmethod
    def _alias(event: yaml.AliasEvent, anchors: dict[str, _Node | None]) -> _Node:
        line, column = _start(event)
        if event.anchor not in anchors:
            raise _Stop(
                said("*{anchor} refers to no anchor above it", anchor=event.anchor), line, column
            )
        node = anchors[event.anchor]
        if node is None:
            raise _Stop(said("&{anchor} contains itself", anchor=event.anchor), line, column)
        return node

    @staticmethod
    def _collection(event: yaml.CollectionStartEvent) -> _Node:
        mapping = isinstance(event, yaml.MappingStartEvent)
        line, column = _start(event)
        if event.tag not in (None, "!", TAG + ("map" if mapping else "seq")):
            raise _Stop(
                said("the tag {name} is not known here", name=_short(event.tag)), line, column
            )
        return _Node(line, column, line, "{" if mapping else "[")

    @staticmethod
    def _scalar(event: yaml.ScalarEvent) -> _Node:
        line, column = _start(event)
        text, tag = event.value, event.tag
        try:
            if SURROGATE.search(text):
                raise _Stop(said("half of a surrogate pair stands in this text"), line, column)
            if tag in ("!", TAG + "str") or (tag is None and not event.implicit[0]):
                value: Any = text
            elif tag is None:
                value = resolve(text)
            else:
                value = tagged(text, tag)
        except ValueError:
            raise _Stop(
                said("this cannot be read as {name}", name=_short(tag)), line, column
            ) from None
        style = event.style or ""
        return _Node(line, column, _line_column(event.end_mark)[0], style, value, text)


def _short(tag: str | None) -> str:
    return said("a number: it has too many digits") if tag is None else tag.replace(TAG, "!!")


class _Values:
    """Turns the tree into plain values, with aliases and merges expanded."""

    def __init__(self, problems: list[tuple[KeyPath, Problem]], source: Source) -> None:
        self.places: dict[KeyPath, Place] = {}
        self._problems = problems
        self._source = source
        self._count = 0
        self._size = 0

    def root(self, node: _Node | None) -> dict[str, Any]:
        if node is None or (node.style == "" and node.value is None):
            return {}
        if node.style != "{":
            message = said("the file must hold keys and values, such as `models:`")
            raise _Stop(message, node.line, node.column)
        value: dict[str, Any] = self._value(node, (), node)
        return value

    def _value(self, node: _Node, path: KeyPath, key: _Node) -> Any:
        self._spend(node)
        if len(path) > MAX_DEPTH:
            raise _Stop(
                said("nested more than {most} levels deep", most=MAX_DEPTH),
                node.line,
                node.column,
            )
        self.places[path] = Place(
            node.line,
            node.column,
            node.end_line,
            key.line,
            key.column,
            node.style,
            self._source,
        )
        if node.style == "[":
            return [self._value(each, (*path, i), each) for i, each in enumerate(node.children)]
        if node.style == "{":
            entries = self._entries(node, path, own=True)
            return {
                name: self._value(value, (*path, name), key)
                for name, (key, value) in entries.items()
            }
        return node.value

    def _spend(self, node: _Node) -> None:
        self._count += 1
        self._size += len(node.text)
        if self._count > MAX_VALUES or self._size > MAX_TEXT:
            raise _Stop(
                said("the file holds too much, its anchors expanded"), node.line, node.column
            )

    def _entries(
        self, node: _Node, path: KeyPath, *, own: bool, depth: int = 0
    ) -> dict[str, tuple[_Node, _Node]]:
        """Keys and values by key; what ``<<`` brings yields to what is written here."""
        if depth > MAX_DEPTH:
            raise _Stop(said("merges nested too deep"), node.line, node.column)
        entries: dict[str, tuple[_Node, _Node]] = {}
        written: set[str] = set()
        for key, value in zip(node.children[::2], node.children[1::2], strict=True):
            if key.merge:
                for source in self._sources(key, value):
                    self._spend(source)
                    merged = self._entries(source, path, own=False, depth=depth + 1)
                    for name, entry in merged.items():
                        self._spend(key)
                        entries.setdefault(name, entry)
                continue
            if key.style in ("{", "["):
                raise _Stop(
                    said("a key must be a text, not a mapping or a list"), key.line, key.column
                )
            if key.text in written:
                if own:
                    self._duplicate(entries[key.text][0], key, (*path, key.text))
                continue
            written.add(key.text)
            entries[key.text] = (key, value)
        return entries

    @staticmethod
    def _sources(key: _Node, value: _Node) -> list[_Node]:
        sources = value.children if value.style == "[" else [value]
        if any(source.style != "{" for source in sources):
            message = said("`<<` takes a mapping (such as *anchor) or a list of them")
            raise _Stop(message, key.line, key.column)
        return sources

    def _duplicate(self, first: _Node, second: _Node, path: KeyPath) -> None:
        message = said(
            "the key `{text}` stands here again; it is also on line {line}",
            text=second.text,
            line=first.line,
        )
        problem = Problem(message, second.line, second.column, dotted(path), file=self._source.name)
        self._problems.append((path, problem))
