"""From the file to a ``Config``: everything that is wrong is said at once, with its place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from qmdesk.config import keys as key_names
from qmdesk.config.config import Config, Model
from qmdesk.config.document import MAX_TEXT, KeyPath, load
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
from qmdesk.config.routing import Known, routing
from qmdesk.config.schema import LOG_LEVELS, TopKeys
from qmdesk.config.validation import validate

_LAST_PORT: Final = 65535
_LISTEN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]*):(?P<port>[0-9]{1,5})")


def read(path: Path, *, tolerant: bool = False) -> Config:
    """The configuration in the file at ``path``; see ``parse``.

    A file that is missing or cannot be read is a ConfigError too.
    """
    try:
        with path.open("rb") as file:
            data = file.read(4 * MAX_TEXT + 1)  # enough to see that it is too large
    except FileNotFoundError:
        message = "there is no such file"
    except IsADirectoryError:
        message = "this is a folder, not a file"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        message = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        return parse(data, path, tolerant=tolerant)
    raise ConfigError((Problem(message, file=str(path)),))


def parse(
    text: str | bytes,
    path: Path | None = None,
    *,
    windows: bool | None = None,
    environ: Mapping[str, str] | None = None,
    tolerant: bool = False,
) -> Config:
    """The configuration that ``text`` says; ``path`` is only for the messages.

    ``windows`` says whose quoting the commands follow and ``environ`` what ``${env.X}``
    means; this system's where None.  ``tolerant`` puts a model that cannot be used into
    ``Config.broken`` and keeps the others.  Raises ConfigError, and nothing else, with
    every error in the file; warnings are in ``Config.warnings``.
    """
    file = str(path) if path else ""
    document = load(text, file)
    findings = Findings(document, file)
    for where, problem in document.problems:
        findings.note(where, problem)
    reading = _Reading(
        findings,
        os.name == "nt" if windows is None else windows,
        os.environ if environ is None else environ,
        tolerant,
    )
    try:
        config = reading.config()
    except ExpansionError:
        message = "the macros of this file expand to more text than any command could have"
        raise ConfigError((Problem(message, file=file),)) from None
    return replace(config, path=path)


@dataclass
class _Reading:
    """One file on its way to a ``Config``."""

    findings: Findings
    windows: bool
    environ: Mapping[str, str]
    tolerant: bool

    def config(self) -> Config:
        findings = self.findings
        budget = Budget()
        key_names.report(findings.document.root, findings)
        root = comments_stripped(findings.document.root)
        root = Environment(self.environ, findings, budget).fill(root)
        macros = declared(root.get("macros"), ("macros",), findings)
        keys = validate(TopKeys, self._expand_top(root, macros, budget), (), findings)
        usual = keys or TopKeys()  # the models are checked all the same
        entries = self._entries(root)
        around = Surroundings(
            macros=macros,
            environ=self.environ,
            windows=self.windows,
            budget=budget,
            global_ttl=usual.global_ttl,
            unload_timeout=usual.unload_timeout or 10.0,
            health_check_timeout=max(usual.health_check_timeout, LEAST_HEALTH_CHECK),
            send_loading_state=usual.send_loading_state,
        )
        models: dict[str, Model] = {}
        for id, raw in entries.items():
            if (model := Entry(id, raw, around, findings).model()) is not None:
                models[id] = model
        names = self._names(models, entries)
        models = self._ports(models, usual.start_port)
        self._shared_ports(models)
        models = {id: each for id, each in models.items() if not findings.failed(("models", id))}
        config = self._top(usual, models, entries, names) if keys is not None else Config()
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
                    message = f"{key} uses ${{{name}}}, which is known only in models"
                else:
                    message = unknown(name, scope, self.environ, key, self.findings)
                self.findings.error(path, message, needle=f"${{{name}}}")
        return tree

    def _entries(self, root: dict[str, Any]) -> dict[str, Any]:
        models = root.get("models")
        if models is None:
            return {}
        if not isinstance(models, dict):
            message = "models must be a mapping: each model's name, and below it its keys"
            self.findings.error(("models",), message, key=True)
            return {}
        return models

    def _names(self, models: Mapping[str, Model], entries: Mapping[str, Any]) -> dict[str, str]:
        """Which id each id and alias means; ids win, then the earlier model."""
        names = {id: id for id in entries}
        for model in models.values():
            automatic = set(model.set_params_by_id)
            for alias in model.aliases:
                path = _alias_path(model.id, alias, entries)
                if alias in entries:
                    if alias in automatic:
                        message = (
                            f'model "{model.id}": setParamsByID has "{alias}", which is another '
                            "model; write an id that is not taken"
                        )
                        self.findings.error(path, message, key=True)
                    else:
                        message = (
                            f'model "{model.id}": the alias "{alias}" is also the name of a model, '
                            "which gets the requests"
                        )
                        self.findings.warn(path, message)
                elif alias in names:
                    message = (
                        f'model "{model.id}": the alias "{alias}" belongs to model '
                        f'"{names[alias]}" already'
                    )
                    self.findings.error(path, message)
                else:
                    names[alias] = model.id
        for id in entries.keys() - models.keys():
            for alias in _written_aliases(entries[id]):
                names.setdefault(alias, id)  # a name is known even where its model is broken
        return names

    def _ports(self, models: Mapping[str, Model], first: int) -> dict[str, Model]:
        """Numbers for ``${PORT}``, in the order of the sorted ids as llama-swap gives them."""
        wanting = sorted(id for id, each in models.items() if _wants_port(each))
        if first + len(wanting) - 1 > _LAST_PORT:
            message = f"startPort {first} leaves too few ports for {len(wanting)} models"
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
                message = (
                    f'model "{model.id}": its port {parts.port} is also that of model "{owner}", '
                    f"so they can never run together; write {PORT} in both commands"
                )
                self.findings.warn(("models", model.id, "proxy"), message)

    def _top(
        self,
        keys: TopKeys,
        models: Mapping[str, Model],
        entries: Mapping[str, Any],
        names: Mapping[str, str],
    ) -> Config:
        fifo = keys.routing.scheduler.settings.fifo
        usual = Config()
        plan = routing(keys, Known(entries, models, names), self.findings)
        return Config(
            listen=self._listen(keys),
            log_level=self._log_level(keys),
            send_loading_state=keys.send_loading_state,
            include_aliases_in_list=keys.include_aliases_in_list,
            start_port=keys.start_port,
            queue_timeout=keys.queue_timeout,
            hold=_seconds(fifo.hold_ms, usual.hold),
            patience=_seconds(fifo.patience_ms, usual.patience),
            hold_policy=keys.hold_policy,
            groups=plan.groups,
            matrix=plan.matrix,
            priorities=plan.priorities,
            preload=self._preload(keys, models, names),
            api_keys=self._api_keys(keys),
            allow_origins=keys.allow_origins,
            allow_hosts=keys.allow_hosts,
            default_model=self._default("defaultModel", keys.default_model, names),
            fallback_model=self._default("fallbackModel", keys.fallback_model, names),
        )

    def _listen(self, keys: TopKeys) -> tuple[str, ...]:
        addresses: dict[str, None] = {}
        for index, written in enumerate(keys.listen):
            text = written.strip()
            if text.isdecimal():
                text = f"127.0.0.1:{text}"
            text = text.removeprefix("*") if text.startswith("*:") else text
            found = _LISTEN.fullmatch(text)
            if found is None or int(found["port"]) > _LAST_PORT:
                message = (
                    f"listen must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not "
                    f'"{written[:80]}"'
                )
                self.findings.error(("listen", index), message)
                continue
            addresses[text] = None
        if not addresses and not self.findings.failed(("listen",)):
            self.findings.error(("listen",), "listen needs at least one address")
        return tuple(addresses)

    def _log_level(self, keys: TopKeys) -> str:
        level = keys.log_level.strip().lower()
        level = "warn" if level == "warning" else level
        if level in LOG_LEVELS:
            return level
        message = (
            f'logLevel must be one of {", ".join(LOG_LEVELS)}, not "{level[:40]}"; info is used'
        )
        self.findings.warn(("logLevel",), message)
        return "info"

    def _preload(
        self, keys: TopKeys, models: Mapping[str, Model], names: Mapping[str, str]
    ) -> tuple[str, ...]:
        loaded: dict[str, None] = {}
        groups = {*(keys.groups or ())}
        if keys.routing.router is not None:
            groups.update(keys.routing.router.settings.groups or ())
        for index, written in enumerate(keys.hooks.on_startup.preload):
            name = written.strip()
            if (id := names.get(name)) is not None:
                if id in models:
                    loaded[id] = None
            elif name:
                message = f'preload: there is no model "{name[:80]}"'
                if name in groups:
                    message += "; that is a group, write the names of models"
                else:
                    message += self.findings.meant(name, names)
                self.findings.warn(("hooks", "on_startup", "preload", index), message)
        return tuple(loaded)

    def _api_keys(self, keys: TopKeys) -> tuple[str, ...]:
        for index, key in enumerate(keys.api_keys):
            path = ("apiKeys", index)
            if not key:
                self.findings.error(path, f"apiKeys[{index}] is empty")
            elif not key.isprintable() or " " in key:
                message = f"apiKeys[{index}] has a space or an invisible character in it"
                self.findings.error(path, message)
        return tuple(dict.fromkeys(keys.api_keys))

    def _default(self, key: str, written: str, names: Mapping[str, str]) -> str:
        name = written.strip()
        if not name or name in names:
            return names.get(name, "")
        message = f'{key}: there is no model "{name[:80]}"{self.findings.meant(name, names)}'
        self.findings.error((key,), message)
        return ""


def _alias_path(id: str, alias: str, entries: Mapping[str, Any]) -> KeyPath:
    """Where a model says this alias, as far as macros do not hide it."""
    written = entries[id].get("aliases")
    if isinstance(written, list) and alias in written:
        return ("models", id, "aliases", written.index(alias))
    if written == alias:
        return ("models", id, "aliases")
    return ("models", id, "filters", "setParamsByID", alias)


def _written_aliases(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return []
    written = entry.get("aliases")
    filters = entry.get("filters")
    by_id = filters.get("setParamsByID") if isinstance(filters, dict) else None
    names = [*(written if isinstance(written, list) else [written])]
    names += by_id if isinstance(by_id, dict) else ()
    return [name for name in names if isinstance(name, str)]


def _seconds(milliseconds: int | None, default: float) -> float:
    return default if milliseconds is None else milliseconds / 1000


def _wants_port(model: Model) -> bool:
    parts = (model.cmd,) if isinstance(model.cmd, str) else model.cmd
    return any(PORT in part for part in parts)
