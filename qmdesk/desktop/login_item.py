"""Starting at login, as each system has it: an autostart file, a Run value, a launch agent.

Written only when the user asks for it, and never put back after the user has removed it.
Everything here reads and writes files or the registry: call it in a thread.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import platformdirs

NAME = "qmdesk"


class LoginState(StrEnum):
    """What the system starts at login."""

    OFF = "off"
    ON = "on"
    OTHER = "other"
    """Another installation, or this one with another configuration."""


@dataclass(frozen=True, slots=True)
class LoginEntry:
    """What stands there now; ``command`` is what it runs, empty where there is nothing."""

    state: LoginState
    command: str = ""


class LoginItem(Protocol):
    """The place where the system keeps it."""

    def read(self) -> LoginEntry:
        """What stands there now."""

    def write(self) -> None:
        """Have this command started at login, whatever stood there.  Raises ``OSError``."""

    def remove(self) -> None:
        """Take it away; harmless where there is nothing.  Raises ``OSError``."""


def this_command(arguments: Sequence[str] = ()) -> tuple[str, ...]:
    """The command that starts this very installation, followed by ``arguments``."""
    python = Path(sys.executable)
    if getattr(sys, "frozen", False):
        return (str(python), *arguments)
    script = python.with_name("qmdesk.exe" if sys.platform == "win32" else "qmdesk")
    if script.is_file():
        return (str(script), *arguments)
    return (str(python), "-m", "qmdesk", *arguments)


def login_item(command: Sequence[str]) -> LoginItem:
    """The place of the system that we run on, for ``command``."""
    if sys.platform == "win32":
        return RunValue(command)
    if sys.platform == "darwin":
        return LaunchAgent(command, Path.home() / "Library" / "LaunchAgents")
    return AutostartFile(command, platformdirs.user_config_path() / "autostart")


class AutostartFile:
    """Linux and its kin: a desktop entry in the user's autostart folder.

    https://specifications.freedesktop.org/autostart-spec/latest/
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._exec = " ".join(_quoted(each) for each in command)
        self.file = folder / f"{NAME}.desktop"

    def read(self) -> LoginEntry:
        try:
            text = self.file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return LoginEntry(LoginState.OFF)
        values = dict(_pairs(text))
        off = values.get("Hidden", "").lower() == "true"
        # Desktops that let the user switch an entry off without removing it.
        off = off or values.get("X-GNOME-Autostart-enabled", "").lower() == "false"
        command = values.get("Exec", "")
        if off or not command:
            return LoginEntry(LoginState.OFF)
        return LoginEntry(_compared(command, self._exec), command)

    def write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            "[Desktop Entry]",
            "Type=Application",
            "Name=qmdesk",
            "Comment=Local language models on demand",
            f"Exec={self._exec}",
            "Icon=qmdesk",
            "Terminal=false",
            "X-GNOME-Autostart-enabled=true",
        )
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def remove(self) -> None:
        self.file.unlink(missing_ok=True)


class LaunchAgent:
    """macOS: a property list that launchd reads at login; see launchd.plist(5)."""

    LABEL = "org.qmdesk.qmdesk"

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = list(command)
        self.file = folder / f"{self.LABEL}.plist"

    def read(self) -> LoginEntry:
        import plistlib  # Elsewhere than on macOS it would only make each start longer.

        try:
            content = plistlib.loads(self.file.read_bytes())
            command = [str(each) for each in content["ProgramArguments"]]
            off = not content.get("RunAtLoad") or bool(content.get("Disabled"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return LoginEntry(LoginState.OFF)
        if off:
            return LoginEntry(LoginState.OFF)
        state = LoginState.ON if command == self._command else LoginState.OTHER
        return LoginEntry(state, shlex.join(command))

    def write(self) -> None:
        import plistlib

        self.file.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "Label": self.LABEL,
            "ProgramArguments": self._command,
            "RunAtLoad": True,
            "ProcessType": "Interactive",
        }
        self.file.write_bytes(plistlib.dumps(content))

    def remove(self) -> None:
        self.file.unlink(missing_ok=True)


class Registry(Protocol):
    """The few calls of ``winreg`` on one key of the current user."""

    def get(self, key: str, name: str) -> str | bytes | None:
        """The value; None where there is none."""

    def set(self, key: str, name: str, value: str) -> None: ...

    def delete(self, key: str, name: str) -> None:
        """Harmless where there is none."""


class RunValue:
    """Windows: a value under the user's Run key.

    https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys
    """

    RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
    APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
    """Where the task manager notes what the user has switched off."""

    def __init__(self, command: Sequence[str], registry: Registry | None = None) -> None:
        self._command = _windows_line(command)
        self._registry = registry if registry is not None else _winreg()

    def read(self) -> LoginEntry:
        command = self._registry.get(self.RUN, NAME)
        if not isinstance(command, str) or not command:
            return LoginEntry(LoginState.OFF)
        approved = self._registry.get(self.APPROVED, NAME)
        # The lowest bit of the first byte: 2 is on, 3 is off.
        if isinstance(approved, bytes) and approved and approved[0] & 1:
            return LoginEntry(LoginState.OFF)
        return LoginEntry(_compared(command, self._command), command)

    def write(self) -> None:
        self._registry.set(self.RUN, NAME, self._command)
        # The user has just asked for it: an older "off" no longer counts.
        self._registry.delete(self.APPROVED, NAME)

    def remove(self) -> None:
        self._registry.delete(self.RUN, NAME)


def _winreg() -> Registry:
    # A module of Windows only, and typed as nothing elsewhere.
    import importlib

    winreg = importlib.import_module("winreg")

    class CurrentUser:
        def get(self, key: str, name: str) -> str | bytes | None:
            with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as at:
                value: str | bytes = winreg.QueryValueEx(at, name)[0]
                return value
            return None

        def set(self, key: str, name: str, value: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as at:
                winreg.SetValueEx(at, name, 0, winreg.REG_SZ, value)

        def delete(self, key: str, name: str) -> None:
            with (
                contextlib.suppress(FileNotFoundError),
                winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, 0, winreg.KEY_SET_VALUE) as at,
            ):
                winreg.DeleteValue(at, name)

    return CurrentUser()


def _compared(command: str, ours: str) -> LoginState:
    return LoginState.ON if command == ours else LoginState.OTHER


def _pairs(text: str) -> list[tuple[str, str]]:
    """Keys and values of the entry itself, not of its further groups."""
    found = []
    group = ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip()
        elif group == "[Desktop Entry]" and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.append((key.strip(), value.strip()))
    return found


def _quoted(word: str) -> str:
    """A word of ``Exec``: quoted where it has to be, and quoted again as a value's text.

    https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html
    """
    word = word.replace("%", "%%")
    if word and not set(word) & set(" \t\n\"'\\><~|&;$*?#()`"):
        return word
    for each in ("\\", '"', "`", "$"):
        word = word.replace(each, "\\" + each)
    return '"' + word.replace("\\", "\\\\") + '"'


def _windows_line(command: Sequence[str]) -> str:
    from subprocess import list2cmdline

    # The program is always quoted: Windows would try each space of a bare path.
    first, *rest = command
    return " ".join((f'"{first}"', *([list2cmdline(rest)] if rest else [])))
