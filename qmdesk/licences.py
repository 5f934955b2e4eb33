"""Whose work this is made of: names, versions and licences of all that comes with it.

A bundle has the list as a file, which is made when it is built; elsewhere it is read from
what is installed.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from qmdesk import resources

_FILE = "licences.txt"
_LICENCE_FILE = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)
# Qt's packages name the licence and leave its text out.
_TEXTS_OF = {"pyside6-essentials": ("LGPL-3.0", "GPL-3.0")}


@dataclass(frozen=True, slots=True)
class Part:
    """One thing of somebody's."""

    name: str
    version: str
    licence: str
    """In its own words, in one line."""
    text: str
    """The licence itself; empty where it comes without."""


def report() -> str:
    """The list, for people."""
    path = resources.path(_FILE)
    if path.exists():
        return path.read_text(encoding="utf-8")
    return _written([_python(), *_parts(_required("qmdesk"))])


def shipped(modules: Iterable[str], libraries: Iterable[str], *tools: str) -> str:
    """The list for a bundle of the top-level ``modules`` and the shared ``libraries``.

    ``tools`` are the packages that put something of their own into it.

    Raises ``LookupError`` where a module is nobody's: then its licence is not known.
    """
    homes = metadata.packages_distributions()
    known = {*sys.stdlib_module_names, "qmdesk", "_pyi_rth_utils", "base_library"}
    names = {"qmdesk", *tools}
    for module in modules:
        if module in homes:
            names.update(homes[module])
        elif module not in known and not module.startswith(("_sysconfigdata", "lib", "python")):
            raise LookupError(f"the bundle holds {module}, whose licence is not known")
    return _written([_python(), *_parts(names), *_of_debian(libraries)])


def _written(parts: Iterable[Part]) -> str:
    parts = sorted(parts, key=lambda part: part.name.lower())
    lines = ["Quartermaster Desk is made of these, each under its own licence.", ""]
    width = max(len(part.name) for part in parts)
    lines += [f"{part.name:{width}}  {part.version:16}  {part.licence}" for part in parts]
    told: dict[str, list[str]] = {}
    for part in parts:
        # Libraries of one source share their text.
        told.setdefault(part.text.rstrip(), []).append(f"{part.name} {part.version}")
    for text, names in told.items():
        if text:
            lines += ["", "=" * 78, *names, "=" * 78, "", text]
    return "\n".join(lines) + "\n"


def _python() -> Part:
    text = ""
    for folder in (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix)):
        for name in ("LICENSE.txt", "LICENSE"):
            if not text and (folder / name).is_file():
                text = (folder / name).read_text(encoding="utf-8", errors="replace")
    return Part("Python", platform.python_version(), "PSF-2.0", text)


# What pip installed


def _required(name: str) -> set[str]:
    """``name`` and all that it needs and that is installed, by their normal names."""
    found: set[str] = set()
    open_ = [name]
    while open_:
        each = _normal(open_.pop())
        if each in found:
            continue
        try:
            requirements = metadata.requires(each) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(each)
        for requirement in requirements:
            bare, _, marker = requirement.partition(";")
            # Of extras, only our own embedded server.
            if "extra" not in marker or (each == "qmdesk" and "llama" in marker):
                open_.append(re.split(r"[^\w.-]", bare.strip(), maxsplit=1)[0])
    return found


def _parts(names: Iterable[str]) -> list[Part]:
    return [_part(name) for name in sorted({_normal(name) for name in names})]


def _part(name: str) -> Part:
    found = metadata.distribution(name)
    about = found.metadata
    names = [each for each in ("License-Expression", "License") if each in about]
    licence = about[names[0]] if names else ""
    if not licence or "\n" in licence:
        marks = [each for each in about.get_all("Classifier") or () if each.startswith("License")]
        licence = ", ".join(mark.rpartition(" :: ")[2] for mark in marks)
    files = [file for file in found.files or () if _LICENCE_FILE.search(str(file))]
    paths = [Path(str(found.locate_file(file))) for file in files]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    texts += [_own_text(each) for each in _TEXTS_OF.get(_normal(name), ())]
    return Part(about["Name"], found.version, licence, "\n\n".join(filter(None, texts)))


def _own_text(name: str) -> str:
    path = Path(__file__).parents[1] / "packaging" / "licences" / f"{name}.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# What came with the system that a bundle was built on


def _of_debian(libraries: Iterable[str]) -> list[Part]:
    """The Debian packages that ``libraries`` are from; none where there are no such."""
    if shutil.which("dpkg-query") is None:
        return []
    paths = {str(Path(library).resolve()) for library in libraries}
    paths = {path for path in paths if path.startswith(("/lib/", "/usr/lib/"))}
    # Some packages have noted a path as it was before /lib moved into /usr.
    paths |= {path.removeprefix("/usr") for path in paths}
    found = _said("dpkg-query", "-S", *sorted(paths))
    packages = {name.strip() for line in found for name in line.rpartition(": ")[0].split(",")}
    parts = []
    for package in sorted(filter(None, packages)):
        version = " ".join(_said("dpkg-query", "-W", "-f=${Version}", package))
        path = Path("/usr/share/doc") / package.partition(":")[0] / "copyright"
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        # Most say it of all their files at once; a few tell it in prose.
        said = re.search(r"^Files: \*\n(?:.*\n)*?License:[ \t]*(\S.*)$", text, re.MULTILINE)
        licence = said[1] if said else "see its text"
        parts.append(Part(package.partition(":")[0], version, licence, text))
    return parts


def _said(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()
