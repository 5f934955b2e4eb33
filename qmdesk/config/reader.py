"""From the file to a ``Config``: everything that is wrong is said at once, with its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from qmdesk.config import keys as key_names
from qmdesk.config.access import LAST_PORT
from qmdesk.config.config import Config, Model
from qmdesk.config.document import MAX_TEXT, Document, KeyPath, load
from qmdesk.config.entry import (
    LEAST_HEALTH_CHECK,
    LOOPBACK,
    PORT,
    Entry,
    Surroundings,
    comments_stripped,
)
from qmdesk.config.findings import Findings, told
from qmdesk.config.macros import (
    Budget,
    Environment,
    ExpansionError,
    Scope,
    declared,
    placeholders,
    unknown,
)
from qmdesk.config.problem import ConfigError, Problem
from qmdesk.config.schema import TopKeys
from qmdesk.config.top_level import CURRENT, TopLevel, current_entry
from qmdesk.config.validation import validate
from qmdesk.said import said


def read(path: Path, *, tolerant: bool = False, strict: bool = False) -> Config:
    """The configuration in the file at ``path``; see ``parse``.

    A file that is missing or cannot be read is a ConfigError too.
    """
    return parse(content(path), path, tolerant=tolerant, strict=strict)


def content(path: Path) -> bytes:
    """What the file at ``path`` holds; ConfigError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4 * MAX_TEXT + 1)  # enough to see that it is too large
    except FileNotFoundError:
        message = said("there is no such file")
    except IsADirectoryError:
        message = said("this is a folder, not a file")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        message = said(
            "the file cannot be read: {why}", why=getattr(error, "strerror", None) or error
        )
    raise ConfigError((Problem(message, file=str(path)),))


def parse(
    text: str | bytes,
    path: Path | None = None,
    *,
    windows: bool | None = None,
    environ: Mapping[str, str] | None = None,
    tolerant: bool = False,
    strict: bool = False,
) -> Config:
    """The configuration that ``text`` says; ``path`` is only for the messages.

    ``windows`` says whose quoting the commands follow and ``environ`` what ``${env.X}``
    means; this system's where None.  ``tolerant`` puts a model that cannot be used into
    ``Config.broken`` and keeps the others; ``strict`` makes errors of unknown keys.
    Raises ConfigError, and nothing else, with every error in the file; warnings are in
    ``Config.warnings``.
    """
    document = load(text, str(path) if path else "")
    settings = Reading(windows, environ, tolerant, strict)
    return replace(interpret(document, settings), path=path, sources=(path,) if path else ())


@dataclass(frozen=True, slots=True)
class Reading:
    """How a configuration is read; see ``parse``."""

    windows: bool | None = None
    environ: Mapping[str, str] | None = None
    tolerant: bool = False
    strict: bool = False


def interpret(document: Document, settings: Reading) -> Config:
    """What ``document`` means; raises ConfigError, and nothing else."""
    file = document.file(())
    findings = Findings(document, file)
    for where, problem in document.problems:
        findings.note(where, problem)
    reading = _Reading(
        findings,
        os.name == "nt" if settings.windows is None else settings.windows,
        os.environ if settings.environ is None else settings.environ,
        settings.tolerant,
        settings.strict,
    )
    try:
        return reading.config()
    except ExpansionError:
        message = said("the macros of this file expand to more text than any command could have")
        raise ConfigError((Problem(message, file=file),)) from None


@dataclass
class _Reading:
    """One file on its way to a ``Config``."""

    findings: Findings
    windows: bool
    environ: Mapping[str, str]
    tolerant: bool
    strict: bool

    def config(self) -> Config:
        findings = self.findings
        budget = Budget()
        key_names.report(findings.document.root, findings, strict=self.strict)
        root = comments_stripped(findings.document.root)
        root = Environment(self.environ, findings, budget).fill(root)
        macros = declared(root.get("macros"), ("macros",), findings)
        keys = validate(TopKeys, self._expand_top(root, macros, budget), (), findings)
        entries = self._entries(root)
        around = Surroundings(
            macros=macros,
            environ=self.environ,
            windows=self.windows,
            budget=budget,
            global_ttl=keys.global_ttl,
            unload_timeout=keys.unload_timeout or 10.0,
            health_check_timeout=max(keys.health_check_timeout, LEAST_HEALTH_CHECK),
            send_loading_state=keys.send_loading_state,
        )
        models: dict[str, Model] = {}
        for id, raw in entries.items():
            if (model := Entry(id, raw, around, findings).model()) is not None:
                models[id] = model
        names = self._names(models, entries)
        models = self._ports(models, keys.start_port)
        self._shared_ports(models)
        models = {id: each for id, each in models.items() if not findings.failed(("models", id))}
        config = TopLevel(keys, findings).config(models, entries, names)
        return self._verdict(config, models)

    def _verdict(self, config: Config, models: Mapping[str, Model]) -> Config:
        findings = self.findings
        broken: dict[str, list[tuple[Any, Problem]]] = {}
        fatal = []
        for path, problem in findings.errors:
            if self.tolerant and len(path) > 1 and path[0] == "models":
                broken.setdefault(str(path[1]), []).append((path, problem))
            else:
                fatal.append((path, problem))
        warnings = told(findings.warnings)
        if fatal:
            raise ConfigError(told(findings.errors), warnings)
        return replace(
            config,
            models=models,
            broken={id: told(problems) for id, problems in broken.items()},
            warnings=warnings,
        )

    def _expand_top(
        self, root: dict[str, Any], macros: Mapping[str, Any], budget: Budget
    ) -> dict[str, Any]:
        """All but the models, with the global macros; ``${PORT}`` means nothing here."""
        scope = Scope(macros, budget)
        known = {each.alias or name for name, each in TopKeys.model_fields.items()}
        tree = {}
        for key, value in root.items():
            if key not in known or key == "macros":
                continue
            tree[key] = scope.expand(value)
            for path, name in placeholders(tree[key], (key,)):
                if name in ("PORT", "PID", "MODEL_ID"):
                    message = said(
                        "{key} uses {macro}, which is known only in models",
                        key=key,
                        macro=f"${{{name}}}",
                    )
                else:
                    message = unknown(name, scope, self.environ, key, self.findings)
                self.findings.error(path, message, needle=f"${{{name}}}")
        return tree

    def _entries(self, root: dict[str, Any]) -> dict[str, Any]:
        models = root.get("models")
        if models is None:
            return {}
        if not isinstance(models, dict):
            message = said("models must be a mapping: each model's name, and below it its keys")
            self.findings.error(("models",), message, key=True)
            return {}
        if current_entry(models) is not None:
            models = {id: each for id, each in models.items() if id != CURRENT}
        return models

    def _names(self, models: Mapping[str, Model], entries: Mapping[str, Any]) -> dict[str, str]:
        """Which id each id and alias means; ids win, then the earlier model."""
        names = {id: id for id in entries}
        for id, entry in entries.items():
            if (model := models.get(id)) is not None:
                aliases, automatic = model.aliases, frozenset(model.set_params_by_id)
            else:  # a name is known even where its model is broken
                aliases, automatic = _written_aliases(entry)
            for alias in aliases:
                path = _alias_path(id, alias, entries)
                if alias in entries:
                    if alias == id:
                        continue
                    if alias in automatic:
                        message = said(
                            'model "{id}": setParamsByID has "{alias}", which is another model; '
                            "write an id that is not taken",
                            id=id,
                            alias=alias,
                        )
                        self.findings.error(path, message, key=True)
                    else:
                        message = said(
                            'model "{id}": the alias "{alias}" is also the name of a model, '
                            "which gets the requests",
                            id=id,
                            alias=alias,
                        )
                        self.findings.warn(path, message)
                elif names.setdefault(alias, id) != id:
                    message = said(
                        'model "{id}": the alias "{alias}" belongs to model "{names}" already',
                        id=id,
                        alias=alias,
                        names=names[alias],
                    )
                    self.findings.error(path, message)
        return names

    def _ports(self, models: Mapping[str, Model], first: int) -> dict[str, Model]:
        """Numbers for ``${PORT}``, in the order of the sorted ids as llama-swap gives them."""
        wanting = sorted(id for id, each in models.items() if _wants_port(each))
        if first + len(wanting) - 1 > LAST_PORT:
            message = said(
                "startPort {first} leaves too few ports for {n} models", first=first, n=len(wanting)
            )
            self.findings.error(("startPort",), message)
            return dict(models)
        ports = {id: first + index for index, id in enumerate(wanting)}
        return {id: replace(each, port=ports.get(id)) for id, each in models.items()}

    def _shared_ports(self, models: Mapping[str, Model]) -> None:
        """Two processes on one port can only run in turns, and only if nothing lingers."""
        owners: dict[int, str] = {}
        for model in models.values():
            if model.external or PORT in model.proxy:
                continue
            parts = urlsplit(model.proxy)
            if parts.hostname not in LOOPBACK or parts.port is None:
                continue
            owner = owners.setdefault(parts.port, model.id)
            if owner != model.id:
                message = said(
                    'model "{id}": its port {port} is also that of model "{owner}", so they can '
                    "never run together; write {macro} in both commands",
                    id=model.id,
                    port=parts.port,
                    owner=owner,
                    macro=PORT,
                )
                self.findings.warn(("models", model.id, "proxy"), message)


def _alias_path(id: str, alias: str, entries: Mapping[str, Any]) -> KeyPath:
    """Where a model says this alias, as far as macros do not hide it."""
    written = entries[id].get("aliases")
    if isinstance(written, list) and alias in written:
        return ("models", id, "aliases", written.index(alias))
    if written == alias:
        return ("models", id, "aliases")
    return ("models", id, "filters", "setParamsByID", alias)


def _written_aliases(entry: Any) -> tuple[tuple[str, ...], frozenset[str]]:
    """The aliases of a broken model, and those of them that ``setParamsByID`` makes."""
    if not isinstance(entry, dict):
        return (), frozenset()
    written = entry.get("aliases")
    filters = entry.get("filters")
    by_id = filters.get("setParamsByID") if isinstance(filters, dict) else None
    automatic = _plain_names(by_id if isinstance(by_id, dict) else ())
    listed = _plain_names(written if isinstance(written, list) else [written])
    return tuple(dict.fromkeys((*listed, *automatic))), frozenset(automatic)


def _plain_names(written: Iterable[Any]) -> list[str]:
    """The texts that no macro is part of."""
    return [each for each in written if isinstance(each, str) and "${" not in each]


def _wants_port(model: Model) -> bool:
    parts = (model.cmd,) if isinstance(model.cmd, str) else model.cmd
    return any(PORT in part for part in parts)
