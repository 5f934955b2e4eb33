"""Brings the files of ``resources/translations`` up to date: ``python3 dev.py translate``.

Every text that is shown is found in the source: what ``tr``, ``plural`` and ``later`` are
given, what is ``said`` outside the desktop, and what the keys of the settings window mean.
What is translated already is kept, new texts are entered as unfinished, and those that nobody
shows any more are dropped.  The .ts files are edited, by hand or with Qt's Linguist; the .qm
files are made of them.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from qmdesk.desktop.words import CONTEXT

ROOT: Final = Path(__file__).resolve().parents[2]
DESKTOP: Final = ROOT / "qmdesk" / "desktop"
FOLDER: Final = ROOT / "resources" / "translations"
FORMS: Final = {"de": 2}
"""How many plural forms a language has; Qt's Linguist knows."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A text that the desktop shows."""

    text: str
    one: str = ""
    """How one of them is called, where the text is a plural."""
    places: tuple[str, ...] = ()
    """The files that show it, from the root."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A text with its translation: one form, or as many as the language has plurals."""

    shown: Shown
    forms: tuple[str, ...] = ()
    """Empty where it is not translated yet."""
    unfinished: bool = field(default=False)
    """Whether somebody has to look at it."""


def shown() -> list[Shown]:
    """Every text that is shown, in the order of the files."""
    found: dict[str, Shown] = {}
    for path in sorted(DESKTOP.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for each in _in_source(path):
            _add(found, replace(each, places=(place,)))
    for path in sorted((ROOT / "qmdesk").rglob("*.py")):
        if not path.is_relative_to(DESKTOP):
            place = path.relative_to(ROOT).as_posix()
            for each in _in_source(path, "said"):
                _add(found, replace(each, places=(place,)))
    for text in _meanings():
        _add(found, Shown(text, places=("qmdesk/config/schema.py",)))
    return list(found.values())


def _add(found: dict[str, Shown], each: Shown) -> None:
    before = found.get(each.text)
    if before is None:
        found[each.text] = each
    elif before.one != each.one:
        raise ValueError(f'"{each.text}" is a plural in one place, and another or none elsewhere')
    elif each.places[0] not in before.places:
        found[each.text] = replace(before, places=before.places + each.places)


def _in_source(path: Path, *names: str) -> Iterator[Shown]:
    """The texts in the calls of ``names``; of all that translate, where none is given."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if names and node.func.id not in names:
            continue
        match node.func.id, node.args:
            case "tr" | "later" | "said", [ast.Constant(value=str(text))]:
                yield Shown(text)
            case "plural", [_, ast.Constant(value=str(one)), ast.Constant(value=str(many))]:
                yield Shown(many, one)
            case "tr", [ast.Name() | ast.Attribute() | ast.BoolOp()]:
                pass  # what ``later`` was given, or the meaning of a key
            case "tr" | "plural" | "later" | "said", _:
                raise ValueError(f"{path}, line {node.lineno}: the text must be written there")


def _meanings() -> list[str]:
    """What the settings window says of its keys."""
    from qmdesk.desktop.settings_window import entries, groups_page, pages

    sections = [section for page in pages.FORMS for section in pages.sections(page)]
    sections += [*pages.model_sections(), groups_page.matrix_section()]
    for each in (entries.peers(), entries.selectors(), entries.profiles()):
        sections += each.sections
    texts = [each.help for section in sections for each in section.fields]
    return list(dict.fromkeys(filter(None, texts)))


def read(language: str) -> dict[str, Entry]:
    """What the .ts file of ``language`` has, by the text in English; empty without a file."""
    path = FOLDER / f"qmdesk_{language}.ts"
    if not path.exists():
        return {}
    entries = {}
    for message in ET.parse(path).getroot().iter("message"):
        text = message.findtext("source") or ""
        translation = message.find("translation")
        assert translation is not None, text
        forms = [each.text or "" for each in translation.findall("numerusform")]
        forms = forms or [translation.text or ""]
        entries[text] = Entry(
            Shown(text, message.findtext("extracomment") or ""),
            tuple(forms) if all(forms) else (),
            translation.get("type") is not None,
        )
    return entries


def merged(language: str) -> list[Entry]:
    """What the .ts file of ``language`` has to be: each text that is shown, and no other."""
    before = read(language)
    entries = []
    for each in shown():
        old = before.get(each.text)
        count = FORMS[language] if each.one else 1
        if old is not None and len(old.forms) == count:
            # A singular that has changed may need another translation.
            entries.append(Entry(each, old.forms, old.unfinished or old.shown.one != each.one))
        else:
            entries.append(Entry(each, unfinished=True))
    return entries


def written(language: str, entries: list[Entry]) -> str:
    """The .ts file in Qt's format."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
        "<context>",
        f"    <name>{CONTEXT}</name>",
    ]
    for entry in entries:
        each, kind = entry.shown, ' type="unfinished"' if entry.unfinished else ""
        lines.append('    <message numerus="yes">' if each.one else "    <message>")
        lines += [f'        <location filename="../../{place}"/>' for place in each.places]
        lines.append(f"        <source>{_quoted(each.text)}</source>")
        if each.one:
            lines.append(f"        <extracomment>{_quoted(each.one)}</extracomment>")
            forms = entry.forms or ("",) * FORMS[language]
            lines.append(f"        <translation{kind}>")
            lines += [f"            <numerusform>{_quoted(form)}</numerusform>" for form in forms]
            lines.append("        </translation>")
        else:
            text = _quoted("".join(entry.forms))
            lines.append(f"        <translation{kind}>{text}</translation>")
        lines.append("    </message>")
    return "\n".join([*lines, "</context>", "</TS>", ""])


def compiled(source: Path, target: Path) -> None:
    """Make the .qm file ``target`` of a .ts file, with the lrelease that comes with PySide6."""
    program = Path(sys.executable).with_name("pyside6-lrelease")
    command = [str(program), "-silent", str(source), "-qm", str(target)]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit(f"{program} is missing: install PySide6-Essentials") from None


def main() -> int:
    """Write all files anew; tell what is to be translated, and return 1 where there is such."""
    missing = 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in FORMS:
        entries = merged(language)
        path = FOLDER / f"qmdesk_{language}.ts"
        path.write_text(written(language, entries), encoding="utf-8", newline="\n")
        compiled(path, path.with_suffix(".qm"))
        open_ones = [entry.shown.text for entry in entries if entry.unfinished]
        missing += len(open_ones)
        print(f"{path.name}: {len(entries)} texts, {len(open_ones)} to be translated")
        for text in open_ones:
            print(f"    {text}")
    return 1 if missing else 0


def _quoted(text: str) -> str:
    return escape(text, {'"': "&quot;", "'": "&apos;"})


if __name__ == "__main__":
    sys.exit(main())
