"""One entry of ``models``: from its keys to a ``Model``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from qmdesk.config import command
from qmdesk.config.config import DEFAULT_CONCURRENCY, Model
from qmdesk.config.document import KeyPath
from qmdesk.config.findings import Findings
from qmdesk.config.macros import PLACEHOLDER, Budget, Scope, declared, placeholders, unknown
from qmdesk.config.model_schema import FilterKeys, ModelKeys, TimeoutKeys
from qmdesk.config.scalars import as_text, plain
from qmdesk.config.target import Timeouts
from qmdesk.config.validation import subject, validate
from qmdesk.said import said

PORT: Final = "${PORT}"
PID: Final = "${PID}"
DEFAULT_PROXY: Final = "http://127.0.0.1:${PORT}"
LEAST_HEALTH_CHECK: Final = 15.0
"""Seconds; llama-swap raises anything less to it as well."""
COMFYUI: Final = "comfyui_auto"
"""This id alone gets room for the many connections of ComfyUI's page."""
COMFYUI_CONCURRENCY: Final = 50
LOOPBACK: Final = frozenset(("127.0.0.1", "localhost", "::1"))

_SCANNED: Final = frozenset(each.alias or name for name, each in ModelKeys.model_fields.items())
_LOST_BACKSLASH = re.compile(r"(?:^|[\s\"'=])[A-Za-z]:[\t\n\r\a\b\f\v\x1b\x85]")
_PORT_FLAG = re.compile(r"(?:--port|-p|--publish)(?:=(.*))?", re.DOTALL)
_PUBLISHED = re.compile(r"(?:.*:)?([0-9]+):[0-9]+(?:/tcp)?|([0-9]+)")
_NEW_LINE = "\n"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a model takes from the rest of the file."""

    macros: Mapping[str, Any]
    environ: Mapping[str, str]
    windows: bool
    budget: Budget
    global_ttl: float
    unload_timeout: float
    health_check_timeout: float
    send_loading_state: bool | str


class Entry:
    """Reads one model; what is wrong with it is noted under its path."""

    def __init__(self, id: str, raw: Any, around: Surroundings, findings: Findings) -> None:
        self.id = id
        self.path: KeyPath = ("models", id)
        self.raw = raw
        self.around = around
        self.findings = findings

    def model(self) -> Model | None:
        """The model, or None where something is wrong with it."""
        raw = {} if self.raw is None else self.raw
        if not isinstance(raw, dict):
            self._error((), said("must be a mapping with `cmd:` or `proxy:` in it"), key=True)
            return None
        if not self.id.strip():
            self._error((), said("a model needs a name"), key=True)
            return None
        tree = self._expand(raw)
        keys = validate(ModelKeys, tree, self.path, self.findings)
        self._check_command("cmd", keys.cmd, raw)
        self._check_command("cmdStop", keys.cmd_stop, raw)
        model = self._model(keys)
        return None if self.findings.failed(self.path) else model

    def _error(self, inner: KeyPath, message: str, *, needle: str = "", key: bool = False) -> None:
        path = (*self.path, *inner)
        self.findings.error(path, subject(path) + " " + message, needle=needle, key=key)

    def _warn(self, inner: KeyPath, message: str, *, key: bool = False) -> None:
        path = (*self.path, *inner)
        self.findings.warn(path, subject(path) + " " + message, key=key)

    # macros

    def _expand(self, raw: dict[str, Any]) -> dict[str, Any]:
        own = declared(raw.get("macros"), (*self.path, "macros"), self.findings)
        known: dict[str, Any] = {"MODEL_ID": self.id}
        known.update(self.around.macros)
        known.update(own)  # an own macro takes the place of the global one
        scope = Scope(known, self.around.budget)
        tree: dict[str, Any] = {}
        for key, value in raw.items():
            if key not in _SCANNED or key == "macros":
                continue
            tree[key] = scope.expand(value, command=key in ("cmd", "cmdStop"))
        filters = tree.get("filters")
        if isinstance(filters, dict) and isinstance(filters.get("setParamsByID"), dict):
            filters["setParamsByID"] = self._expand_ids(filters["setParamsByID"], scope)
        self._check_leftovers(tree, scope)
        return tree

    def _expand_ids(self, by_id: dict[str, Any], scope: Scope) -> dict[str, Any]:
        expanded: dict[str, Any] = {}
        path = ("filters", "setParamsByID")
        for key, value in by_id.items():
            id = as_text(scope.expand(key))
            if id in expanded:
                self._error((*path, key), said('has the name "{id}" twice', id=id), key=True)
            for left in dict.fromkeys(PLACEHOLDER.findall(id)):
                if left != "PORT":
                    self._unknown((*self.path, *path, key), left, scope)
            expanded[id] = value
        return expanded

    def _check_leftovers(self, tree: dict[str, Any], scope: Scope) -> None:
        has_port = PORT in _joined(tree.get("cmd"))
        for key, value in tree.items():
            for path, name in placeholders(value, (*self.path, key)):
                if name == "PORT":
                    if not has_port:
                        message = said(
                            "uses ${PORT}, but cmd does not; only cmd can ask for a port"
                        )
                        self._error(path[2:], message, needle=PORT)
                elif name == "PID":
                    if key != "cmdStop":
                        message = said("uses ${PID}, which is known only in cmdStop")
                        self._error(path[2:], message, needle=PID)
                else:
                    self._unknown(path, name, scope)

    def _unknown(self, path: KeyPath, name: str, scope: Scope) -> None:
        message = unknown(name, scope, self.around.environ, subject(path), self.findings)
        self.findings.error(path, message, needle=f"${{{name}}}")

    # commands

    def _check_command(self, key: str, value: str | tuple[str, ...], raw: dict[str, Any]) -> None:
        if any("\0" in part for part in _parts(value)):
            self._error((key,), said("holds a NUL character"))
            return
        style = self.findings.document.style((*self.path, key))
        if isinstance(value, tuple):
            lost = any(
                _LOST_BACKSLASH.search(part)
                for index, part in enumerate(value)
                if self.findings.document.style((*self.path, key, index)) == '"'
            )
        else:
            lost = style == '"' and _LOST_BACKSLASH.search(value) is not None
        if lost:
            self._warn(
                (key,),
                said(
                    "has a path whose backslashes YAML has read as line ends or tabs; write it "
                    "in single quotes or as a block (|)"
                ),
            )
        if isinstance(value, tuple):
            return
        found = command.words(value, self.around.windows)
        if found and not found[-1].closed:
            self._warn((key,), said("has a quote that is never closed; the rest is one argument"))
        if shell := command.shell_syntax(value, self.around.windows):
            self._warn((key,), said("looks like shell: {shell}", shell=shell))
        if self.around.windows and any(word.bare.startswith("'") for word in found):
            self._warn(
                (key,), said("has single quotes, which do not group on Windows; use double ones")
            )
        for word in found:
            if word.bare.startswith("#"):
                self._warn(
                    (key,),
                    said(
                        'passes "{text}" as an argument; `#` begins a comment only at the start '
                        "of a line, and a folded block (>) joins its lines: use |",
                        text=word.text[:40],
                    ),
                )
                break
        written = raw.get(key)
        if isinstance(written, str) and any(_NEW_LINE in word.text for word in found):
            before = command.words(written, self.around.windows)
            if not any(_NEW_LINE in word.text for word in before):
                self._warn(
                    (key,),
                    said(
                        "has a macro that brings a line end into a quoted argument; write the "
                        "macro on one line or with >-"
                    ),
                )

    # the model

    def _model(self, keys: ModelKeys) -> Model | None:
        around = self.around
        cmd = _stripped(keys.cmd)
        cmd_stop = _stripped(keys.cmd_stop)
        proxy = self._proxy(keys, cmd)
        filters = keys.filters
        by_id = {
            id: self._params(params, ("filters", "setParamsByID", id))
            for id, params in filters.set_params_by_id.items()
        }
        health = keys.health_check_timeout
        if keys.send_loading_state is None:
            loading = around.send_loading_state
        else:
            loading = keys.send_loading_state
        self._check_numbers(keys.metadata, ("metadata",))
        return Model(
            id=self.id,
            cmd=cmd,
            cmd_stop=cmd_stop,
            proxy=proxy,
            check_endpoint=self._check_endpoint(keys.check_endpoint),
            env=tuple(self._env(keys.env)),
            cwd=keys.cwd,
            ttl=around.global_ttl if keys.ttl < 0 else keys.ttl,
            unload_timeout=keys.unload_timeout or around.unload_timeout,
            health_check_timeout=(
                max(health, LEAST_HEALTH_CHECK) if health else around.health_check_timeout
            ),
            concurrency_limit=self._concurrency(keys.concurrency_limit),
            aliases=tuple(self._aliases(keys.aliases, by_id)),
            name=keys.name,
            description=keys.description,
            unlisted=keys.unlisted,
            use_model_name=keys.use_model_name,
            send_loading_state=loading,
            strip_params=strip_params(filters),
            set_params=self._params(filters.set_params, ("filters", "setParams")),
            set_params_by_id=by_id,
            metadata=plain(keys.metadata),
            capabilities_in=keys.capabilities.in_,
            capabilities_out=keys.capabilities.out,
            capabilities_tools=keys.capabilities.tools,
            capabilities_reranker=keys.capabilities.reranker,
            capabilities_embedding=keys.capabilities.embedding,
            capabilities_segmentation=keys.capabilities.segmentation,
            capabilities_voice_clone=keys.capabilities.voice_clone,
            reasoning_effort=keys.capabilities.reasoning_effort,
            context_length=keys.capabilities.context,
            pinned=keys.pinned,
            timeouts=timeouts(keys.timeouts),
            ignore_websockets=keys.compat.ignore_websockets or self.id == COMFYUI,
            est_vram_gb=keys.est_vram_gb,
            est_ram_gb=keys.est_ram_gb,
            slot_cache=keys.slot_cache,
            slot_cache_preamble=keys.slot_cache_preamble,
            line=self.findings.document.key(self.path)[0],
        )

    def _proxy(self, keys: ModelKeys, cmd: str | tuple[str, ...]) -> str:
        if keys.proxy is not None:
            if not cmd and PORT in keys.proxy:
                return ""  # noted already: a leftover ${PORT}
            return self._url(keys.proxy.strip(), cmd)
        path = ("cmd",)
        if self.findings.failed((*self.path, *path)):
            return ""
        if not cmd:
            written = self._as_written()
            if "cmd" not in written:
                message = said("has no command; write `cmd:`, or `proxy:` for a server elsewhere")
            elif str(written["cmd"] or "").strip():
                message = said("is nothing but comments; write the command to run")
            else:
                message = said("is empty; write the command, or `proxy:` for a server elsewhere")
            self._error(path if "cmd" in written else (), message, key=True)
        elif PORT not in _joined(cmd):
            self._error(path, self._without_port(cmd))
        return DEFAULT_PROXY

    def _as_written(self) -> dict[str, Any]:
        """The entry with the comments of its commands, as far as its name finds it."""
        models = self.findings.document.root.get("models")
        entry = models.get(self.id) if isinstance(models, dict) else None
        return entry if isinstance(entry, dict) else {}

    def _without_port(self, cmd: str | tuple[str, ...]) -> str:
        flag, port = _fixed_port(self._argv(cmd))
        if flag:
            return said(
                "has the fixed port {port} ({flag}) but there is no proxy, so nobody would "
                "find the server; write `proxy: http://127.0.0.1:{port}`, or {macro} instead "
                "of {port}",
                port=port,
                flag=flag,
                macro=PORT,
            )
        return said(
            "does not say the port; add `--port ${PORT}` to it, or `proxy:` with the "
            "address that the server listens on"
        )

    def _url(self, text: str, cmd: str | tuple[str, ...]) -> str:
        path = ("proxy",)
        try:
            parts = urlsplit(text.replace(PORT, "1"))
            host, port = parts.hostname, parts.port
        except ValueError as error:
            self._error(path, said("is not a URL: {error}", error=error))
            return ""
        if parts.scheme not in ("http", "https") or not host or re.search(r"\s", text):
            hint = ""
            if "://" not in text and re.fullmatch(r"[\w.\[\]:-]+:\d+(/\S*)?", text):
                hint = said("; write http://{text}", text=text)
            self._error(
                path,
                said('must be a URL such as http://127.0.0.1:8080, not "{text}"', text=text[:80])
                + hint,
            )
            return ""
        if PORT not in text and port and host in LOOPBACK:
            words = self._argv(cmd)
            asks = any(
                word == f"--port={PORT}" or (word == "--port" and following == PORT)
                for word, following in pairwise([*words, ""])
            )
            if asks:
                self._warn(
                    path,
                    said(
                        "names port {port}, but cmd starts the server on {macro}; write "
                        "{proxy}, or leave proxy out",
                        port=port,
                        macro=PORT,
                        proxy=DEFAULT_PROXY,
                    ),
                )
        return text.rstrip("/")

    def _argv(self, cmd: str | tuple[str, ...]) -> list[str]:
        return list(cmd) if isinstance(cmd, tuple) else command.split(cmd, self.around.windows)

    @staticmethod
    def _check_endpoint(text: str) -> str:
        text = text.strip()
        if text == "none":
            return text
        return text if text.startswith("/") else f"/{text}"

    def _concurrency(self, limit: int) -> int:
        limit = limit if limit > 0 else DEFAULT_CONCURRENCY
        return max(limit, COMFYUI_CONCURRENCY) if self.id == COMFYUI else limit

    def _env(self, entries: tuple[str, ...]) -> Iterator[str]:
        for index, entry in enumerate(entries):
            name, equals, value = entry.partition("=")
            path = ("env", index)
            if "\0" in entry:
                self._error(path, said("holds a NUL character"))
            elif not equals or not name.strip():
                self._warn(path, said('is left out: "{entry}" is not NAME=value', entry=entry[:40]))
            else:
                if self.findings.document.style((*self.path, *path)) == '"' and (
                    _LOST_BACKSLASH.search(entry)
                ):
                    self._warn(
                        path,
                        said(
                            "has a path whose backslashes YAML has read as line ends or tabs; "
                            "write it in single quotes"
                        ),
                    )
                yield f"{name.strip()}={value}"

    def _aliases(self, aliases: tuple[str, ...], by_id: Mapping[str, Any]) -> Iterator[str]:
        seen: set[str] = set()
        for index, alias in enumerate(aliases):
            if not alias.strip():
                self._warn(("aliases", index), said("is empty and is left out"))
            elif alias in seen:
                self._warn(("aliases", index), said('says "{alias}" again', alias=alias))
            elif alias != self.id:
                seen.add(alias)
                yield alias
        for id in by_id:
            if id not in seen and id != self.id:
                yield id

    def _params(self, params: Mapping[str, Any], path: KeyPath) -> dict[str, Any]:
        if "model" in params:
            self._warn(
                (*path, "model"),
                said("has no effect: use `useModelName` for another name"),
                key=True,
            )
        self._check_numbers(params, path)
        return {key: plain(value) for key, value in params.items() if key != "model"}

    def _check_numbers(self, value: Any, path: KeyPath) -> None:
        """JSON, which these values end in, has neither infinities nor NaN."""
        for inner, number in _floats(value, ()):
            if not math.isfinite(number):
                self._error(
                    (*path, *inner), said("cannot be sent as JSON: it is not a finite number")
                )


def _floats(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, float]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _floats(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _floats(each, (*path, index))
    elif isinstance(value, float):
        yield path, value


def strip_params(filters: FilterKeys) -> tuple[str, ...]:
    """The names of parameters to remove, in either spelling."""
    names = filters.strip_params or filters.old_strip_params or ()
    return tuple(sorted({name.strip() for name in names} - {"", "model"}))


def timeouts(keys: TimeoutKeys) -> Timeouts:
    """The seconds of a model's or a peer's ``timeouts``."""
    return Timeouts(
        connect=keys.connect,
        keepalive=keys.keepalive,
        response_header=keys.response_header,
        tls_handshake=keys.tls_handshake,
        expect_continue=keys.expect_continue,
        idle_connection=keys.idle_conn,
    )


def _stripped(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    text = command.strip_comments(value)
    return text if text.strip() else ""


def _parts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [as_text(each) for each in value] if isinstance(value, list | tuple) else []


def _joined(value: object) -> str:
    return "\0".join(_parts(value))


def _fixed_port(argv: list[str]) -> tuple[str, str]:
    """The flag and the number of a port that a command fixes; empty where it does not."""
    for word, following in pairwise([*argv, ""]):
        if not (flag := _PORT_FLAG.fullmatch(word)):
            continue
        value = following if flag[1] is None else flag[1]
        if found := _PUBLISHED.fullmatch(value):
            written = word if flag[1] is not None else f"{word} {value}"
            return f"`{written}`", found[1] or found[2]
    return "", ""


def comments_stripped(root: dict[str, Any]) -> dict[str, Any]:
    """``root`` with the comment lines of all commands gone, so nothing in them counts."""
    models = root.get("models")
    if not isinstance(models, dict):
        return root
    bare = {id: _bare_commands(entry) for id, entry in models.items()}
    return {**root, "models": bare}


def _bare_commands(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {
        key: command.strip_comments(value)
        if key in ("cmd", "cmdStop") and isinstance(value, str)
        else value
        for key, value in entry.items()
    }
