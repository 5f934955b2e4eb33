"""The parts of a collection, each a text that has been redacted."""

from __future__ import annotations

import importlib.metadata
import json
import locale
import os
import platform
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from qmdesk import __version__
from qmdesk.config import Config
from qmdesk.diagnostics.configuration_text import expanded_secrets, secrets_of, shown
from qmdesk.diagnostics.redactor import Redactor
from qmdesk.logs import plain
from qmdesk.process.log_file import file_name

LINES = 1000
"""The last lines of each log."""
REQUESTS = 200
"""The last requests."""
PACKAGES = (
    *("PySide6-Essentials", "qasync", "aiohttp", "PyYAML", "pydantic", "psutil", "watchdog"),
    *("dbus-fast", "xllamacpp"),
)
_OF_A_REQUEST = (
    *("id", "timestamp", "model", "route", "status", "error", "queue_ms", "load_ms"),
    *("first_token_ms", "duration_ms", "prompt_tokens", "cached_tokens", "generated_tokens"),
    *("prompt_per_second", "tokens_per_second"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the collection."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known, before anything is hidden."""

    config: Config | None = None
    """What is in force, or what the files say; None where they cannot be used."""
    files: tuple[Path, ...] = ()
    """The files of the configuration."""
    crashes: Path | None = None
    """The folder of records of crashes."""
    status: Mapping[str, Any] | None = None
    """As ``/api/status`` tells it; None where qmdesk does not run."""
    activity: Iterable[Mapping[str, Any]] = ()
    """As ``/api/activity`` tells it."""
    logs: Mapping[str, Iterable[str]] = field(default_factory=dict)
    """The lines by the log's name."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Other texts, by the names of their files."""


def parts(facts: Facts) -> tuple[Part, ...]:
    """All that is known, redacted.  Reads files: only in a thread."""
    texts = {file: _read(file) for file in facts.files}
    secrets = {value for text in texts.values() for value in secrets_of(text)}
    if facts.config is not None:
        secrets |= set(expanded_secrets(facts.config))
    redactor = Redactor(secrets)
    found = [Part("about.txt", redactor.text(_about()))]
    for number, (file, text) in enumerate(texts.items(), 1):
        name = f"configuration/{number:02}-{file_name(redactor.text(file.name))}"
        found.append(Part(name, f"# {redactor.text(str(file))}\n{shown(text, redactor)}"))
    if facts.config is not None and facts.config.warnings:
        lines = "\n".join(str(each) for each in facts.config.warnings)
        found.append(Part("configuration/doubts.txt", redactor.text(lines) + "\n"))
    if facts.status is not None:
        found.append(_json("status.json", facts.status, redactor))
    # Chosen by name: what is added to a request some day may be a prompt.
    rows = [{key: row.get(key) for key in _OF_A_REQUEST} for row in facts.activity]
    if rows:
        found.append(_json("activity.json", rows[:REQUESTS], redactor))
    for name, text in facts.more.items():
        found.append(Part(name, redactor.text(text)))
    for name, all_lines in facts.logs.items():
        text = "\n".join(plain(each) for each in list(all_lines)[-LINES:])
        found.append(Part(f"logs/{file_name(redactor.text(name))}.log", redactor.text(text) + "\n"))
    records = sorted(facts.crashes.glob("run-*.log")) if facts.crashes else []
    found += [Part(f"crashes/{each.name}", redactor.text(_read(each))) for each in records]
    return tuple(found)


def _json(name: str, value: object, redactor: Redactor) -> Part:
    text = json.dumps(redactor.value(value), indent=1, ensure_ascii=False, default=str)
    return Part(name, text + "\n")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        return f"# cannot be read: {error.strerror}\n"


def _about() -> str:
    lines = [
        f"qmdesk {__version__}" + (" (bundle)" if getattr(sys, "frozen", False) else ""),
        f"collected {time.strftime('%Y-%m-%d %H:%M:%S %z')}",
        f"Python {platform.python_version()}, {platform.platform()}, {platform.machine()}",
        f"{os.cpu_count()} processors, {psutil.virtual_memory().total >> 20} MiB of memory",
        f"locale {locale.getlocale()[0]}",
        f"desktop {os.environ.get('XDG_CURRENT_DESKTOP', '-')}",
        f"session {os.environ.get('XDG_SESSION_TYPE', '-')}",
    ]
    lines += [f"{name} {_version(name)}" for name in PACKAGES]
    return "\n".join(lines) + "\n"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "is not installed"
