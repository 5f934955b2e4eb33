"""Talking to the running qmdesk from the command line, over its own HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

from qmdesk.config import Config
from qmdesk.own_address import opener
from qmdesk.user_error import UserError


class RemoteError(UserError):
    """It does not run, or it refused; one clear message."""


class Remote:
    """The running instance at ``base``, such as ``http://127.0.0.1:8080``."""

    def __init__(self, base: str, key: str = "", certificate: str = "") -> None:
        """``certificate`` is the file with the one that it must show, where it speaks TLS."""
        self._base = base.rstrip("/")
        self._key = key
        self._certificate = certificate

    @classmethod
    def of(cls, config: Config, address: str | None = None) -> Remote:
        """Where the configuration says that it listens, unless ``address`` says otherwise."""
        listen = address or config.addresses()[0].address
        scheme = "https" if config.tls_cert_file else "http"
        base = listen if "://" in listen else f"{scheme}://{_reachable(listen)}"
        # From another machine it takes one that may operate.
        keys = sorted(config.api_keys, key=lambda each: not each.admin)
        certificate = config.certificate if base.startswith("https:") else ""
        return cls(base, keys[0].key if keys else "", certificate)

    def status(self) -> dict[str, Any]:
        return self._json("GET", "/api/status")

    def memory(self) -> dict[str, Any]:
        return self._json("GET", "/api/memory")

    def activity(self, limit: int) -> list[dict[str, Any]]:
        """The last requests, newest first."""
        rows: list[dict[str, Any]] = self._json("GET", f"/api/activity?limit={limit}")["data"]
        return rows

    def load(self, model: str) -> dict[str, Any]:
        return self._json("POST", f"/api/models/{urllib.parse.quote(model)}/load")

    def unload(self, model: str | None) -> dict[str, Any]:
        path = f"/api/models/{urllib.parse.quote(model)}/unload" if model else "/api/models/unload"
        return self._json("POST", path)

    def pause(self, *, minutes: float | None = None, program: str | None = None) -> dict[str, Any]:
        """Free the card; without an end where neither is given."""
        body: dict[str, Any] = {}
        if minutes is not None:
            body["minutes"] = minutes
        if program is not None:
            body["until_program"] = program
        return self._json("POST", "/api/pause", body)

    def resume(self) -> dict[str, Any]:
        return self._json("POST", "/api/resume")

    def logs(self, name: str, *, follow: bool) -> Iterator[str]:
        """Log lines of a model, or of qmdesk itself where ``name`` is empty.

        Without ``follow`` it ends with the lines that are there now.
        """
        path = f"/logs/stream/{urllib.parse.quote(name or 'qmdesk')}"
        if not follow:
            path += "?end"
        with self._open("GET", path) as answer:
            for line in answer:
                yield line.decode("utf-8", "replace").rstrip("\n")

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        with self._open(method, path, body) as answer:
            content: dict[str, Any] = json.load(answer)
        return content

    def _open(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"User-Agent": "qmdesk-cli", "Accept": "application/json, */*"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        try:
            return opener(self._certificate).open(request)
        except urllib.error.HTTPError as error:
            raise RemoteError(_message(error)) from None
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise RemoteError(
                f"no qmdesk answers at {self._base} ({reason}). Start it, or say where it listens"
                " with --address"
            ) from None


def _reachable(listen: str) -> str:
    host, _, port = listen.rpartition(":")
    return f"127.0.0.1:{port}" if host in ("", "0.0.0.0", "[::]") else listen


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"
