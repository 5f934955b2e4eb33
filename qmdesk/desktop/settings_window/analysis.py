"""What a text of the configuration says, where, and what is wrong with it.

Free of Qt; ``analyse`` takes tenths of a second on a large file and runs in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qmdesk.config import Config, ConfigError, Problem
from qmdesk.config.diff import diff
from qmdesk.config.document import Document, KeyPath, dotted, load
from qmdesk.config.merge import files, loaded, merged
from qmdesk.config.reader import Reading, interpret
from qmdesk.desktop.settings_window.plan_words import concerned
from qmdesk.router.plan import plan_of
from qmdesk.sources import Sources


@dataclass(frozen=True, slots=True)
class Analysis:
    """One text, understood as far as it can be."""

    text: str = ""
    root: dict[str, Any] | None = None
    """What is written, macros not replaced; None where the text is no readable YAML."""
    config: Config | None = None
    """What it means; None where there are errors."""
    preview: Config | None = None
    """The same, but with what can be understood in spite of errors."""
    problems: tuple[Problem, ...] = ()
    """Errors and warnings in the order of their lines; ``file`` is set where another file is
    concerned."""
    changes: tuple[str, ...] = ()
    """What applying it would change, in words."""
    concerned: tuple[str, ...] = ()
    """The models that would have to stop or start anew if they ran."""
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """Of every key and list item that is written, from 1."""

    @property
    def errors(self) -> int:
        """How many of the problems are errors."""
        return sum(each.severity == "error" for each in self.problems)

    def line(self, path: KeyPath) -> int:
        """The line of the key at ``path``, from 1; 0 where it is not written."""
        return self.lines.get(path, 0)

    def problem(self, path: KeyPath) -> Problem | None:
        """What is wrong at ``path`` or below it; an error before a warning."""
        key = dotted(path)
        found = [each for each in self.problems if not each.file and _belongs(each.key, key)]
        return min(found, key=lambda each: each.severity != "error", default=None)


def analyse(
    text: str,
    path: Path | None = None,
    running: Config | None = None,
    sources: Sources | None = None,
) -> Analysis:
    """Understands ``text``, the content of the file at ``path``.

    ``running`` is the configuration in force, which the changes are told against.  With a
    folder in ``sources`` the text is one of several, which only mean something together.
    """
    try:
        own = load(text)
    except ConfigError as error:
        return Analysis(text, problems=error.problems)
    lines = {path: place.key_line for path, place in own.places.items()}
    made = Analysis(text, own.root, lines=lines)
    if _twice(own):
        made = replace(made, root=None)
    whole = own
    if sources is not None and sources.folder is not None and path is not None:
        try:
            whole, own = _joined(text, path, sources)
        except ConfigError as error:
            return replace(made, problems=error.problems)
    home = str(path) if whole is not own else ""

    def told(problems: Iterable[Problem]) -> tuple[Problem, ...]:
        return _sorted(_at_home(each, home, whole, own) for each in problems)

    try:
        config = replace(interpret(whole, Reading()), path=path)
    except ConfigError as error:
        problems = told((*error.problems, *error.warnings))
        return replace(made, problems=problems, preview=_understood(whole))
    try:
        plan_of(config)
    except ConfigError as error:
        placed = (_placed(each, whole) for each in error.problems)
        return replace(made, problems=told((*placed, *config.warnings)), preview=config)
    made = replace(made, config=config, preview=config, problems=told(config.warnings))
    if running is None:
        return made
    return replace(made, changes=diff(running, config), concerned=concerned(running, config))


def _joined(text: str, path: Path, sources: Sources) -> tuple[Document, Document]:
    """All files together, and ``text`` as part of them; ConfigError where one is unreadable."""
    paths = list(files(sources.file, sources.folder))
    if path not in paths:
        paths.append(path)  # it has vanished just now; saving writes it anew
    documents = loaded(paths, {path: text})
    own = documents[paths.index(path)]
    # What stands twice in one file is told of it alone, not of the others.
    return merged(documents), own


def _at_home(problem: Problem, home: str, whole: Document, own: Document) -> Problem:
    """``problem`` of all files as one of the text: without its file, and at its own key."""
    if not home or problem.file != home:
        return problem
    key = problem.key
    if "[" in key:
        # A list goes on from file to file: here its items count from the first of this one.
        places = {id(place): path for path, place in own.places.items()}
        for path, place in whole.places.items():
            if dotted(path) == key and id(place) in places:
                key = dotted(places[id(place)])
                break
    return replace(problem, file="", key=key)


def written(text: str) -> dict[str, Any] | None:
    """Only what is written, as ``Analysis.root``."""
    try:
        document = load(text)
    except ConfigError:
        return None
    return None if _twice(document) else document.root


def _twice(document: Document) -> bool:
    """True where a key stands twice: nobody can say which of the two an edit would mean."""
    return any(each.severity == "error" for _, each in document.problems)


def _understood(document: Document) -> Config | None:
    try:
        return interpret(document, Reading(tolerant=True))
    except ConfigError:
        return None


def value_at(root: Any, path: KeyPath, default: Any = None) -> Any:
    """What ``root`` has at ``path``; ``default`` where it has nothing."""
    for step in path:
        here = isinstance(root, dict) and step in root
        if isinstance(root, list) and isinstance(step, int):
            here = 0 <= step < len(root)
        if not here:
            return default
        root = root[step]
    return root


def _belongs(found: str, key: str) -> bool:
    return found == key or found.startswith((f"{key}.", f"{key}["))


def _sorted(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda each: (each.file, each.line, each.column)))


def _placed(problem: Problem, document: Document) -> Problem:
    if problem.line:
        return problem
    path = tuple(problem.key.split("."))
    line, column = document.key(path)
    return replace(problem, line=line, column=column, file=document.file(path))
