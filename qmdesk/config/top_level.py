"""All of the file but its models: the gateway's own settings, checked against the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from qmdesk.config.access import Access
from qmdesk.config.config import Config, Model
from qmdesk.config.fields import LANGUAGES, LOG_LEVELS, LOG_TIME_FORMATS
from qmdesk.config.findings import Findings
from qmdesk.config.naming import Naming
from qmdesk.config.routing import Known, routing
from qmdesk.config.scalars import as_text
from qmdesk.config.schema import TopKeys
from qmdesk.config.settings import IGNORED_PATHS, Performance
from qmdesk.said import said

CURRENT: Final = "current"
"""The id under `models` of no model, but of whichever one is loaded."""


@dataclass
class TopLevel:
    """Turns the keys of the root into a ``Config``; what is wrong with them is noted."""

    keys: TopKeys
    findings: Findings

    def config(
        self,
        models: Mapping[str, Model],
        entries: Mapping[str, Any],
        names: Mapping[str, str],
    ) -> Config:
        """All but the models; ``names`` says which id each id and alias means."""
        keys = self.keys
        fifo = keys.routing.scheduler.settings.fifo
        usual = Config()
        plan = routing(keys, Known(entries, models, names), self.findings)
        naming = Naming(keys, names, plan, self.findings)
        named = naming.read()
        access = Access(keys, self.findings)
        tls_cert_file, tls_key_file = access.tls()
        return Config(
            listen=access.listen(),
            log_level=self._log_level(),
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
            preload=self._preload(models, names),
            api_keys=access.api_keys(),
            allow_origins=keys.allow_origins,
            allow_hosts=keys.allow_hosts,
            default_model=self._default("defaultModel", keys.default_model, names),
            fallback_model=self._default("fallbackModel", keys.fallback_model, names),
            idle_model=self._default("idleModel", keys.idle_model, names),
            current_names=self._current(names, naming),
            peers=named.peers,
            selectors=named.selectors,
            profiles=named.profiles,
            listeners=access.listeners(plan),
            ignore_paths=keys.upstream.ignore_paths or IGNORED_PATHS,
            api_key_models=access.api_key_models(names, naming.known),
            admin_allow=keys.admin_allow,
            trusted_proxies=keys.trusted_proxies,
            tls_cert_file=tls_cert_file,
            tls_key_file=tls_key_file,
            max_body_mb=keys.max_body_mb,
            models_dirs=tuple(each.strip() for each in keys.models_dirs if each.strip()),
            vram_budget_gb=keys.vram_budget_gb,
            memory=keys.memory.value(),
            slot_cache=keys.slot_cache.value(),
            store_path=self._store(),
            metrics_max_in_memory=(
                keys.metrics_max_in_memory if keys.metrics_max_in_memory > 0 else 1000
            ),
            capture_buffer_mb=keys.capture_buffer,
            performance=self._performance(),
            session_headers=_unlike(keys.ui.activity.session_id),
            language=self._language(),
            log_time_format=self._log_time_format(),
            log_to_stdout=keys.log_to_stdout,
            notifications=keys.notifications.value(),
        )

    def _log_level(self) -> str:
        level = self.keys.log_level.strip().lower()
        level = "warn" if level == "warning" else level
        if level in LOG_LEVELS:
            return level
        message = said(
            'logLevel must be one of {names}, not "{level}"; info is used',
            names=", ".join(LOG_LEVELS),
            level=level[:40],
        )
        self.findings.warn(("logLevel",), message)
        return "info"

    def _language(self) -> str:
        written = self.keys.ui.language.strip().lower()
        if written in ("", *LANGUAGES):
            return written
        message = said(
            'ui.language must be one of {names}, not "{written}"; the system\'s is used',
            names=", ".join(LANGUAGES),
            written=written[:40],
        )
        self.findings.warn(("ui", "language"), message)
        return ""

    def _log_time_format(self) -> str:
        written = self.keys.log_time_format.strip().lower()
        if written in ("", "none", *LOG_TIME_FORMATS):
            return written
        near = self.findings.meant(written, LOG_TIME_FORMATS)
        message = (
            said(
                'logTimeFormat: "{written}" is not known, so there are no time stamps',
                written=written[:40],
            )
            + near
        )
        self.findings.warn(("logTimeFormat",), message)
        return "none"

    def _performance(self) -> Performance:
        every = self.keys.performance.every or Performance().every
        if every < Performance().every:
            path = ("performance", "every")
            self.findings.error(
                path,
                said(
                    "performance.every must be at least 5s, not {every}s", every=format(every, "g")
                ),
            )
        return Performance(self.keys.performance.disabled, every)

    def _store(self) -> str:
        if self.keys.store is None:
            return ""
        if not self.keys.store.path.strip():
            message = said("store.path must not be empty; leave `store` out for the data folder")
            self.findings.error(("store", "path"), message)
        return self.keys.store.path.strip()

    def _current(self, names: Mapping[str, str], naming: Naming) -> tuple[str, ...]:
        """The names of whatever is loaded: an entry `current` that has no server."""
        entry = current_entry(self.findings.document.root.get("models"))
        if entry is None:
            return ()
        found = {CURRENT: None}
        aliases = entry.get("aliases") or []
        for index, each in enumerate(aliases if isinstance(aliases, list) else [aliases]):
            path = ("models", CURRENT, "aliases", index)
            alias = as_text(each).strip() if not isinstance(each, dict | list) else ""
            if not alias:
                self.findings.error(path, said("models.current: an alias must be a text"))
            elif naming.known(alias):
                message = said(
                    'models.current: the alias "{alias}" means something else already',
                    alias=alias[:80],
                )
                self.findings.error(path, message)
            else:
                found[alias] = None
        for key in entry:
            if key != "aliases":
                message = said(
                    "models.current.{key} has no effect: it is no model of its own", key=key
                )
                self.findings.warn(("models", CURRENT, key), message, key=True)
        return tuple(found)

    def _preload(self, models: Mapping[str, Model], names: Mapping[str, str]) -> tuple[str, ...]:
        loaded: dict[str, None] = {}
        groups = {*(self.keys.groups or ())}
        if self.keys.routing.router is not None:
            groups.update(self.keys.routing.router.settings.groups or ())
        for index, written in enumerate(self.keys.hooks.on_startup.preload):
            name = written.strip()
            if (id := names.get(name)) is not None:
                if id in models:
                    loaded[id] = None
            elif name:
                message = said('preload: there is no model "{name}"', name=name[:80])
                if name in groups:
                    message += said("; that is a group, write the names of models")
                else:
                    message += self.findings.meant(name, names)
                self.findings.warn(("hooks", "on_startup", "preload", index), message)
        return tuple(loaded)

    def _default(self, key: str, written: str, names: Mapping[str, str]) -> str:
        name = written.strip()
        if not name or name in names:
            return names.get(name, "")
        message = said(
            '{key}: there is no model "{name}"', key=key, name=name[:80]
        ) + self.findings.meant(name, names)
        self.findings.error((key,), message)
        return ""


def current_entry(models: Any) -> dict[str, Any] | None:
    """The entry that stands for whatever is loaded; None where `current` is a model."""
    if not isinstance(models, dict) or CURRENT not in models:
        return None
    entry = models[CURRENT]
    if not isinstance(entry, dict) or not {"cmd", "proxy"}.isdisjoint(entry):
        return None
    return entry


def _unlike(names: tuple[str, ...]) -> tuple[str, ...]:
    """Header names, each once, whatever its case."""
    found: dict[str, str] = {}
    for name in names:
        if name.strip():
            found.setdefault(name.strip().lower(), name.strip())
    return tuple(found.values())


def _seconds(milliseconds: int | None, default: float) -> float:
    return default if milliseconds is None else milliseconds / 1000
