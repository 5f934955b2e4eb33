"""A configuration in several files: one named file, then those of a folder by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from qmdesk.config.config import Config
from qmdesk.config.document import Document, KeyPath, Place, dotted, load
from qmdesk.config.problem import ConfigError, Problem
from qmdesk.config.reader import Reading, content, interpret
from qmdesk.config.scalars import as_text
from qmdesk.said import said

_SUFFIXES: Final = (".yaml", ".yml")
_NEW: Final[KeyPath] = ("routing", "router", "settings")
_BY_NAME: Final[frozenset[KeyPath]] = frozenset(
    (
        *((key,) for key in ("models", "groups", "profiles", "selectors", "peers", "matrix")),
        (*_NEW, "groups"),
        (*_NEW, "matrix"),
    )
)
"""Mappings of things that each stand in one file only."""


def read_all(
    config: Path | None,
    folder: Path | None,
    *,
    windows: bool | None = None,
    environ: Mapping[str, str] | None = None,
    tolerant: bool = False,
    strict: bool = False,
    instead: Mapping[Path, str | bytes] | None = None,
) -> Config:
    """The configuration in ``config`` and in the YAML files of ``folder`` together.

    ``instead`` is what some of the files are taken to hold, whatever they do.

    Mappings are joined and lists appended.  A model, group, profile, selector or peer may
    stand in one file only, and a value that two files set must be the same in both.
    Options and ConfigError are those of ``parse``; each problem names its file.
    """
    paths = files(config, folder)
    documents = loaded(paths, instead or {})
    found = interpret(merged(documents), Reading(windows, environ, tolerant, strict))
    return replace(found, path=config or folder, sources=paths)


def loaded(paths: Iterable[Path], instead: Mapping[Path, str | bytes]) -> list[Document]:
    """What the files say, one by one; ConfigError, with all of them, where some say nothing."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            data = instead[path] if path in instead else content(path)
            documents.append(load(data, str(path)))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(tuple(problems))
    return documents


def files(config: Path | None, folder: Path | None) -> tuple[Path, ...]:
    """The files to read, in their order; ConfigError where there are none.

    Folders within the folder and hidden files do not count.
    """
    found = [] if config is None else [config]
    if folder is None:
        inside: list[Path] = []
    else:
        try:
            inside = sorted(each for each in folder.iterdir() if _counts(each))
        except (OSError, ValueError) as error:
            words = getattr(error, "strerror", None) or str(error)
            message = said("the folder cannot be read: {words}", words=words)
            raise ConfigError((Problem(message, file=str(folder)),)) from None
    for path in inside:
        if config is not None and _same(path, config):
            message = said(
                "this file is also in the folder {folder}; name only one of the two", folder=folder
            )
            raise ConfigError((Problem(message, file=str(config)),))
    found += inside
    if not found:
        message = said("there is no .yaml or .yml file in this folder")
        raise ConfigError((Problem(message, file=str(folder or "")),))
    return tuple(found)


def merged(documents: Iterable[Document]) -> Document:
    """One document that says what all of them say; contradictions are in its problems."""
    whole = Document({}, {}, [])
    for document in documents:
        whole.problems.extend(document.problems)
        if () in document.places:
            whole.places.setdefault((), document.places[()])
        _Join(whole, document).mapping(whole.root, document.root, (), ())
    return whole


def _counts(path: Path) -> bool:
    named = path.suffix.lower() in _SUFFIXES and not path.name.startswith(".")
    return named and not path.is_dir()


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


class _Join:
    """Adds one document to what others said before it."""

    def __init__(self, whole: Document, other: Document) -> None:
        self._whole = whole
        self._other = other

    def mapping(
        self, old: dict[str, Any], new: dict[str, Any], path: KeyPath, theirs: KeyPath
    ) -> None:
        """``path`` is where ``old`` stands in the whole, ``theirs`` where ``new`` does."""
        for key, value in new.items():
            here, there = (*path, key), (*theirs, key)
            if key in old and path in _BY_NAME:
                kind = str(path[-1])
                message = said(
                    '{kind} "{key}" stands in {here} already; keep one',
                    kind=kind,
                    key=key,
                    here=self._where(here),
                )
                self._error(message, here, there)
            elif key not in old or old[key] is None:
                old[key] = value
                self._places(value, here, there)
            elif value is not None:
                self._both(old, key, value, here, there)

    def _both(
        self, around: dict[str, Any], key: str, new: Any, here: KeyPath, there: KeyPath
    ) -> None:
        old = around[key]
        if isinstance(old, dict) and isinstance(new, dict):
            self.mapping(old, new, here, there)
        elif isinstance(old, list) and isinstance(new, list):
            for index, value in enumerate(new):
                self._places(value, (*here, len(old) + index), (*there, index))
            around[key] = [*old, *new]  # an anchor may share the old one
        elif isinstance(old, dict | list) or isinstance(new, dict | list):
            message = said(
                "{key} is {new} here but {old} in {here}",
                key=dotted(here),
                new=_kind(new),
                old=_kind(old),
                here=self._where(here),
            )
            self._error(message, here, there)
        elif type(old) is not type(new) or as_text(old) != as_text(new):
            message = said(
                "{key} has another value in {here}; keep one",
                key=dotted(here),
                here=self._where(here),
            )
            self._error(message, here, there)

    def _places(self, value: Any, here: KeyPath, there: KeyPath) -> None:
        self._whole.places[here] = self._place(there)
        if isinstance(value, dict):
            for key, each in value.items():
                self._places(each, (*here, key), (*there, key))
        elif isinstance(value, list):
            for index, each in enumerate(value):
                self._places(each, (*here, index), (*there, index))

    def _place(self, path: KeyPath) -> Place:
        return self._other.places[path]

    def _where(self, path: KeyPath) -> str:
        return f"{self._whole.file(path)}:{self._whole.key(path)[0]}"

    def _error(self, message: str, here: KeyPath, there: KeyPath) -> None:
        place = self._place(there)
        problem = Problem(
            message, place.key_line, place.key_column, dotted(here), file=place.source.name
        )
        self._whole.problems.append((here, problem))


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return said("a mapping")
    return said("a list") if isinstance(value, list) else said("a single value")
