"""Takes secrets, and who somebody is, out of texts.

Three nets, one behind the other: the values that the configuration and the environment
name as secrets, wherever they stand; what looks like a secret by what stands before it; and
what looks like one by itself.  Where in doubt something harmless goes as well.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

HIDDEN = "***"
SHORTEST = 4
"""Characters of a value that is looked for everywhere; a shorter one is in too many words."""

SECRET_NAME = re.compile(
    r"(?i)api_?-?key|token(?!s|iz)|secret|passw|passphrase|authoriz|cookie|credential|private_?key"
)
"""A name whose value is nobody's business."""

_TOO_COMMON = frozenset(("root", "user", "admin", "test", "home", "localhost", "none", "true"))
_NAME = r"[\w.-]*(?:api[-_]?key|token(?!s|iz)|secret|passw(?:or)?d|passphrase|credential)[\w-]*"
_QUOTED = r"""(?:"[^"]*"|'[^']*'|[^\s"',;&]+)"""
FLAG = re.compile(rf"(?i)(--[\w-]*(?:key|token|secret|passw(?:or)?d)[\w-]*|-hft)(\s+|=)({_QUOTED})")
"""A flag that brings a secret: its name, what is between, its value."""

_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [^-]*-----|\Z)", re.S), HIDDEN),
    (re.compile(r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\W{1,4}).*"), rf"\1\2{HIDDEN}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.+/=~-]{6,}"), rf"\1 {HIDDEN}"),
    (FLAG, rf"\1\2{HIDDEN}"),
    # A number alone is a count of tokens, or the like; as a secret it would be known by value.
    (
        re.compile(rf"(?i)\b({_NAME}[\"']?\s*[=:]\s*)(?!\d+(?:\.\d+)?(?![\w-]))({_QUOTED})"),
        rf"\1{HIDDEN}",
    ),
    (
        re.compile(r"(?i)([?&][^=&\s]*(?:key|token|secret|passw|auth|sig)[^=&\s]*=)[^&\s\"']*"),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"\b([a-zA-Z][\w+.-]*://)[^/\s@\"']+@"), rf"\1{HIDDEN}@"),
    (re.compile(r"\b(?:sk|pk|rk)-[\w-]{8,}"), HIDDEN),
    (re.compile(r"\b(?:hf|gh[pousr]|github_pat|glpat|xox[abprs])[-_][\w-]{8,}"), HIDDEN),
    (re.compile(r"\b(?:AKIA[0-9A-Z]{16}|AIza[\w-]{20,})"), HIDDEN),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"), HIDDEN),
    (re.compile(r"(?i)(/home/|/Users/|[A-Z]:[\\/]+Users[\\/]+)[^/\\\s\"':,]+"), r"\1USER"),
)


class Redactor:
    """Knows the secrets of one machine; texts go through it, never around it."""

    def __init__(
        self,
        secrets: Iterable[str] = (),
        *,
        environment: Mapping[str, str] = os.environ,
        home: Path | None = None,
        user: str | None = None,
        host: str | None = None,
    ) -> None:
        """``secrets`` are values to be hidden wherever they stand.

        Those of ``environment`` whose names say that they are some are hidden too.
        """
        known = {each.strip() for each in secrets}
        known |= {value for name, value in environment.items() if SECRET_NAME.search(name)}
        self._secrets = _any_of(known)
        home = home or Path.home()
        folders = {str(home), str(home.resolve()), home.as_posix()} - {"/", ""}
        self._home = _any_of(folders, spelt=False, after=r"(?![\w.-])")
        user = _user() if user is None else user
        host = platform.node() if host is None else host
        self._user = _name(user)
        self._host = _name(host)

    def text(self, text: str) -> str:
        """``text`` without secrets, without the home folder's, the user's and the host's name."""
        if self._secrets is not None:
            text = self._secrets.sub(HIDDEN, text)
        for pattern, instead in _PATTERNS[:-1]:
            text = pattern.sub(instead, text)
        if self._home is not None:
            text = self._home.sub("~", text)
        pattern, instead = _PATTERNS[-1]
        text = pattern.sub(instead, text)
        if self._user is not None:
            text = self._user.sub("USER", text)
        if self._host is not None:
            text = self._host.sub("HOST", text)
        return text

    def value(self, value: Any) -> Any:
        """A value of JSON with every text in it redacted, the names of its keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(each) for each in value]
        return value


def _any_of(
    values: Iterable[str], *, spelt: bool = True, after: str = ""
) -> re.Pattern[str] | None:
    """Matches each of ``values``, also as URLs and JSON spell it; the longest first."""
    found: set[str] = set()
    for each in values:
        if len(each) < SHORTEST or each.lower() in _TOO_COMMON:
            continue
        found.add(each)
        if spelt:
            found |= {quote(each, safe=""), json.dumps(each)[1:-1]}
            found |= {json.dumps(each, ensure_ascii=False)[1:-1]}
    if not found:
        return None
    alternatives = "|".join(re.escape(each) for each in sorted(found, key=len, reverse=True))
    return re.compile(f"(?:{alternatives}){after}")


def _name(name: str) -> re.Pattern[str] | None:
    if len(name) < SHORTEST or name.lower() in _TOO_COMMON:
        return None
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # Nobody has this number here, as in some containers.
        return ""
