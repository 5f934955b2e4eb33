"""Mutates real-looking configurations and tells what the room does wrong with them.

``python -m tests.config.fuzz --minutes 10``: reading must end in a configuration or a
ConfigError, quickly; an edit must do what was meant and leave other lines alone, or
refuse.  Exit status 1, with the inputs, where it does not.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from qmdesk.config import ConfigError, document, parse
from qmdesk.config.comparison import same
from qmdesk.config.diff import diff
from qmdesk.config.document import KeyPath, load
from qmdesk.config.editor import EditError, Editor
from qmdesk.config.merge import merged
from qmdesk.config.reader import Reading, interpret
from qmdesk.config.scalars import plain
from qmdesk.config.three_way import Conflict, merge
from tests.config import yaml_texts

WILD = Path(__file__).parent / "wild"
SEEDS = [each.read_bytes() for each in sorted(WILD.glob("*.yaml")) if ".expected" not in each.name]
ENVIRON = {"HOME": "/home/x", "MODELS": "/m", "HF_TOKEN": "t", "NOTHING": "", "ATTIC_KEY": "k"}
TOKENS = [
    *(" ", "\n", "\r\n", "\n  ", "\n    ", "\t", ":", ": ", "- ", "? ", "#", " #", ",", "{", "}"),
    *("[", "]", "&a ", "*a", "<<: ", "<<: *a", "!!str ", "!!int ", "!x ", "|", ">", "|-", ">+"),
    *("|2", "'", '"', "\\", "%", "@", "`", "---", "...", "~", "null", "true", "on", "1e999"),
    *("0x", "-1", "${PORT}", "${PID}", "${MODEL_ID}", "${x}", "${env.HOME}", "${env.X}", "${"),
    *("models:", "macros:", "groups:", "matrix:", "peers:", "profiles:", "selectors:", "cmd:"),
    *("proxy:", "aliases:", "filters:", "setParamsByID:", "listen:", "env:", "ttl:", "members:"),
    *("\x00", "\x85", "\u2028", "\ufeff", "é", "🦙", "\ud7ff", "http://h", "127.0.0.1:80"),
]
SLOW = 5.0
"""Seconds; a mutant of a small file may not take longer."""


class Wrong(Exception):
    """Something that must not happen has happened."""


def mutate(rng: random.Random) -> bytes:
    """A file with some damage, in its bytes or in its lines and words."""
    data = rng.choice(SEEDS)
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 9])):
        data = rng.choice([_bytes, _token, _token, _lines, _lines])(rng, data)
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


def _bytes(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    length = rng.choice([0, 1, 1, 2, 5, 30])
    other = rng.choice(SEEDS)
    start = rng.randrange(len(other))
    new = rng.choice([b"", bytes([rng.randrange(256)]), other[start : start + length]])
    return data[:at] + new + data[at + rng.choice([0, length]) :]


def _token(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    at = rng.randrange(len(text) + 1)
    if rng.random() < 0.7:  # rather where a word begins
        at = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    cut = rng.choice([0, 0, 1, 2, 8])
    new = rng.choice(TOKENS) * rng.choice([1, 1, 1, 2, 200])
    return (text[:at] + new + text[at + cut :]).encode("utf-8", "replace")


def _lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    first = rng.randrange(len(lines))
    last = min(len(lines), first + rng.choice([1, 1, 2, 5]))
    taken = lines[first:last]
    kind = rng.randrange(5)
    if kind == 0:
        return b"\n".join(lines[:first] + lines[last:])
    if kind == 1:
        return b"\n".join(lines[:last] + taken + lines[last:])
    if kind == 2:
        return b"\n".join(lines[:first] + [b"  " + each for each in taken] + lines[last:])
    if kind == 3:
        return b"\n".join(lines[:first] + [each[2:] for each in taken] + lines[last:])
    other = rng.choice(SEEDS).split(b"\n")
    at = rng.randrange(len(other))
    return b"\n".join(lines[:first] + other[at : at + 6] + lines[first:])


def check_reading(rng: random.Random, data: bytes) -> str:
    """Reads ``data`` in some way; what came of it, in a word."""
    options: dict[str, Any] = {
        "windows": rng.random() < 0.5,
        "environ": ENVIRON,
        "tolerant": rng.random() < 0.5,
        "strict": rng.random() < 0.2,
    }
    try:
        config = parse(data, Path("c.yaml"), **options)
    except ConfigError as error:
        if not error.problems or any(each.line < 0 for each in error.problems):
            raise Wrong("an error without problems") from error
        return "refused"
    if diff(config, config) or parse(data, Path("c.yaml"), **options) != config:
        raise Wrong("two readings differ")
    return "read"


def check_parsers(data: bytes) -> None:
    """PyYAML's two parsers must agree on what both of them accept."""
    found = []
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        usual, document.Loader = document.Loader, loader
        try:
            found.append(plain(load(data).root))
        except ConfigError:
            return
        finally:
            document.Loader = usual
    if not same(found[0], found[1]):
        raise Wrong("the two parsers read different values")


def check_edits(rng: random.Random, data: bytes) -> str:
    """Edits a readable text a few times."""
    try:
        editor = Editor(document.decoded(data, keep_mark=True))
    except ConfigError:
        return "not editable"
    done = 0
    for _ in range(3):
        paths = list(_paths(editor.get(())))
        if not paths:
            break
        try:
            _edit(rng, editor, rng.choice(paths))
        except EditError:
            continue
        done += 1
        if not same(plain(load(editor.text).root), editor.get(())):
            raise Wrong("the editor says what the text does not")
    return f"{done} edits made"


def _edit(rng: random.Random, editor: Editor, path: KeyPath) -> None:
    before = editor.text
    meant = editor.get(())
    kind = rng.choice(["set", "set", "set", "remove", "rename", "move", "model"])
    if kind == "set":
        value = yaml_texts.value(rng)
        editor.set(path, value)
        if editor.get(path) != value:
            raise Wrong("another value than the one that was set")
    elif kind == "remove":
        editor.remove(path)
    elif kind == "rename":
        editor.rename(path, rng.choice(["new", "3", "it's"]))
    elif kind == "move":
        editor.move(path, rng.choice([None, path[-1], 0]))
        if Counter(_kept(before)) != Counter(_kept(editor.text)):
            raise Wrong("a move has changed lines")
    else:
        models = meant.get("models")
        id = rng.choice(["new", *(models if isinstance(models, dict) else ())])
        rng.choice([_add, _rename, _remove])(editor, id)
    if kind in ("set", "remove") and len(path) > 1 and path[0] in meant:
        _check_others(before, editor.text, path[0])


def _add(editor: Editor, id: str) -> None:
    editor.add_model(f"{id}+", {"cmd": "run\n--port ${PORT}\n", "ttl": 5}, comment="made")


def _rename(editor: Editor, id: str) -> None:
    editor.rename_model(id, f"{id}+")


def _remove(editor: Editor, id: str) -> None:
    editor.remove_model(id)


def _kept(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").split("\n")
    return [each.strip() for each in lines if each.strip()]


def _check_others(before: str, after: str, key: str | int) -> None:
    """An edit below one top-level key leaves the lines above that key alone."""
    above = load(before).places[(key,)].key_line - 1
    ends = "\r\n|[\n\r\x85\u2028\u2029]"  # as YAML counts lines
    if re.split(ends, after)[:above] != re.split(ends, before)[:above]:
        raise Wrong("an edit has changed lines above it")


def _paths(value: Any, path: KeyPath = ()) -> Any:
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _paths(each, (*path, index))


def check_merging(rng: random.Random, data: bytes) -> None:
    """Two files together, and two edits of one file."""
    other = mutate(rng)
    with contextlib.suppress(ConfigError):
        both = merged([load(data, "a.yaml"), load(other, "b.yaml")])
        interpret(both, Reading(False, ENVIRON, True))
    base, mine, theirs = (
        each.decode("utf-8", "replace") for each in (rng.choice(SEEDS), data, other)
    )
    if merge(base, mine, base) != mine or merge(base, base, theirs) != theirs:
        raise Wrong("a merge with an unchanged side has changed something")
    if isinstance(found := merge(base, mine, theirs), Conflict) and not found.clashes:
        raise Wrong("a conflict about nothing")


def attempt(seed: int, counts: Counter[str]) -> tuple[str, bytes] | None:
    """One mutant; where it shows a mistake, the traceback and the mutant."""
    rng = random.Random(seed)
    data = mutate(rng)
    checks: list[Callable[[], object]] = [
        lambda: counts.update([check_reading(rng, data)]),
        lambda: check_parsers(data),
        lambda: counts.update([check_edits(rng, data)]),
        lambda: check_merging(rng, data),
    ]
    for check in checks:
        start = time.perf_counter()
        try:
            check()
            if (took := time.perf_counter() - start) > SLOW:
                raise Wrong(f"it took {took:.1f} s")
        except Exception:
            return traceback.format_exc(), data
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first mutant")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    counts: Counter[str] = Counter()
    found: dict[str, tuple[int, str, bytes]] = {}
    seed = options.seed
    while time.monotonic() < end:
        counts["mutants"] += 1
        if (wrong := attempt(seed, counts)) is not None:
            counts["mistakes"] += 1
            said, data = wrong
            found.setdefault("\n".join(said.strip().split("\n")[-4:]), (seed, said, data))
        seed += 1
    for number, said, data in found.values():
        sys.stdout.write(f"--- seed {number}\n{said}{data!r}\n")
    sys.stdout.write(f"{dict(sorted(counts.items()))}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
