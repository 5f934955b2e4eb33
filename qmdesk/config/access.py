"""Where the gateway listens, who may use it and what for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from qmdesk.config.config import DEFAULT_GROUP
from qmdesk.config.document import KeyPath, dotted
from qmdesk.config.findings import Findings
from qmdesk.config.problem import Problem
from qmdesk.config.routing import Routing
from qmdesk.config.schema import TopKeys
from qmdesk.config.settings import ApiKey, Listener
from qmdesk.said import said

LAST_PORT: Final = 65535
_LISTEN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]*):(?P<port>[0-9]{1,5})")


class Access:
    """Reads the addresses and keys; what is wrong with them is noted."""

    def __init__(self, keys: TopKeys, findings: Findings) -> None:
        self._keys = keys
        self._findings = findings

    def listen(self) -> tuple[str, ...]:
        """The addresses of ``listen``, each once."""
        addresses: dict[str, None] = {}
        for index, written in enumerate(self._keys.listen):
            if (address := self._address(written, ("listen", index), "listen")) is not None:
                addresses[address] = None
        if not addresses and not self._findings.failed(("listen",)):
            self._findings.error(("listen",), said("listen needs at least one address"))
        return tuple(addresses)

    def listeners(self, plan: Routing) -> tuple[Listener, ...]:
        """The addresses that have a catalogue of their own."""
        found: dict[str, Listener] = {}
        for written, keys in self._keys.listeners.items():
            path = ("listeners", written)
            address = self._address(written, path, said("an address under listeners"), key=True)
            if address is None:
                continue
            if address in found:
                self._findings.error(
                    path, said("listeners has {address} twice", address=address), key=True
                )
            groups = keys.groups if keys else ()
            for index, group in enumerate(groups):
                self._group(group, plan, (*path, "groups", index))
            found[address] = Listener(address, tuple(dict.fromkeys(groups)))
        return tuple(found.values())

    def api_keys(self) -> tuple[ApiKey, ...]:
        """The keys, each once."""
        found: dict[str, ApiKey] = {}
        for index, entry in enumerate(self._keys.api_keys):
            path: KeyPath = ("apiKeys", index)
            key = entry.key
            if (*path, "key") in self._findings.document.places:
                path += ("key",)
            if key in found and found[key] != ApiKey(key, entry.admin, entry.name.strip()):
                message = said("apiKeys[{index}] is the key of another entry already", index=index)
                self._findings.error(path, message)
            found.setdefault(key, ApiKey(key, entry.admin, entry.name.strip()))
            if not key:
                self._findings.error(path, said("apiKeys[{index}] is empty", index=index))
            elif not key.isprintable() or " " in key:
                message = said(
                    "apiKeys[{index}] has a space or an invisible character in it", index=index
                )
                self._findings.error(path, message)
        return tuple(found.values())

    def api_key_models(
        self, names: Mapping[str, str], known: Callable[[str], bool]
    ) -> dict[str, tuple[str, ...]]:
        """The names that keys may use; no message shows a key."""
        scopes = {}
        keys = {each.key for each in self._keys.api_keys}
        for number, (key, written) in enumerate(self._keys.api_key_models.items(), 1):
            path = ("apiKeyModels", key)
            if key not in keys:
                self._doubt(
                    path,
                    said(
                        "apiKeyModels: entry {number} is for a key that is not in apiKeys",
                        number=number,
                    ),
                )
            for index, name in enumerate(written or ()):
                if not known(name):
                    near = self._findings.meant(name, names)
                    message = (
                        said('apiKeyModels: there is no model "{name}"', name=name[:80]) + near
                    )
                    self._doubt((*path, index), message)
            if written:
                scopes[key] = tuple(dict.fromkeys(names.get(name, name) for name in written))
        return scopes

    def tls(self) -> tuple[str, str]:
        """The certificate and its key: both or none."""
        pair = (self._keys.tls_cert_file.strip(), self._keys.tls_key_file.strip())
        for there, other, missing in (
            (pair[0], pair[1], ("tlsCertFile", "tlsKeyFile")),
            (pair[1], pair[0], ("tlsKeyFile", "tlsCertFile")),
        ):
            if there and not other:
                message = said("{key} needs {other} beside it", key=missing[0], other=missing[1])
                self._findings.error((missing[0],), message, key=True)
        return pair

    def _address(self, written: str, path: KeyPath, where: str, *, key: bool = False) -> str | None:
        text = written.strip()
        if text.isdecimal():
            text = f"127.0.0.1:{text}"
        text = text.removeprefix("*") if text.startswith("*:") else text
        found = _LISTEN.fullmatch(text)
        if found is not None and int(found["port"]) <= LAST_PORT:
            return text
        message = said(
            '{where} must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not "{written}"',
            where=where,
            written=written[:80],
        )
        self._findings.error(path, message, key=key)
        return None

    def _group(self, group: str, plan: Routing, path: KeyPath) -> None:
        if plan.matrix is not None:
            message = said("listeners offer groups, but the matrix is in use, which has none")
        elif any(self._findings.failed((each,)) for each in ("groups", "routing")):
            return  # it may stand there
        elif group not in plan.groups and group != DEFAULT_GROUP:
            near = self._findings.meant(group, plan.groups)
            message = (
                said('{key}: there is no group "{group}"', key=dotted(path[:2]), group=group[:80])
                + near
            )
        else:
            return
        self._findings.error(path, message)

    def _doubt(self, path: KeyPath, message: str) -> None:
        line, column = self._findings.document.value(path)
        file = self._findings.document.file(path)
        problem = Problem(message, line, column, "apiKeyModels", "warning", file)
        self._findings.note(path, problem)
