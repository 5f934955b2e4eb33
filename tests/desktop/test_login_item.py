"""Starting at login on three systems, at the lowest level that can be had here."""

from __future__ import annotations

import configparser
import plistlib
import re
import sys
from pathlib import Path

import pytest

from qmdesk.desktop.login_item import (
    AutostartFile,
    LaunchAgent,
    LoginEntry,
    LoginItem,
    LoginState,
    RunValue,
    login_item,
    this_command,
)

OURS = ("/opt/q m/qmdesk", "--config", "/home/me/100%/$x.yaml")


class FakeRegistry:
    """Values by key and name."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], str | bytes] = {}

    def get(self, key: str, name: str) -> str | bytes | None:
        return self.values.get((key, name))

    def set(self, key: str, name: str, value: str) -> None:
        self.values[key, name] = value

    def delete(self, key: str, name: str) -> None:
        self.values.pop((key, name), None)


@pytest.fixture(params=["autostart", "agent", "run value"])
def make(request: pytest.FixtureRequest, tmp_path: Path):
    """Makes the item of a command, in one place."""
    registry = FakeRegistry()

    def made(*command: str) -> LoginItem:
        if request.param == "autostart":
            return AutostartFile(command, tmp_path / "new" / "autostart")
        if request.param == "agent":
            return LaunchAgent(command, tmp_path / "LaunchAgents")
        return RunValue(command, registry)

    return made


def test_it_is_off_until_it_is_written(make) -> None:
    item = make(*OURS)
    assert item.read() == LoginEntry(LoginState.OFF)
    item.write()
    assert item.read().state is LoginState.ON
    item.remove()
    assert item.read().state is LoginState.OFF
    item.remove()


def test_another_installations_is_told_apart(make) -> None:
    make("/opt/other/qmdesk").write()
    entry = make(*OURS).read()
    assert entry.state is LoginState.OTHER
    assert "/opt/other/qmdesk" in entry.command


def test_the_same_with_another_configuration_is_another_one(make) -> None:
    make("/opt/q m/qmdesk", "--config", "/elsewhere.yaml").write()
    assert make(*OURS).read().state is LoginState.OTHER


class TestAutostartFile:
    def test_the_command_survives_both_levels_of_quoting(self, tmp_path: Path) -> None:
        words = ("/a b/q", "plain", 'say "hi"', "back\\slash", "$HOME", "`x`", "50%", "")
        item = AutostartFile(words, tmp_path)
        item.write()
        parser = configparser.RawConfigParser()
        parser.optionxform = str  # type: ignore[assignment, method-assign]
        parser.read(item.file)
        text = parser["Desktop Entry"]["Exec"]
        # The value's own escapes first, then the quotes of its words, then the field codes.
        text = text.replace("\\\\", "\\")
        found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', text)
        plain = [re.sub(r"\\(.)", r"\1", quoted) or bare for quoted, bare in found]
        assert tuple(each.replace("%%", "%") for each in plain) == words

    @pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
    def test_what_the_user_has_switched_off_is_off(self, tmp_path: Path, line: str) -> None:
        item = AutostartFile(OURS, tmp_path)
        item.write()
        text = item.file.read_text().replace("X-GNOME-Autostart-enabled=true\n", "")
        item.file.write_text(f"{text}{line}\n[Desktop Action x]\nExec=other\n")
        assert item.read().state is LoginState.OFF
        item.write()
        assert item.read().state is LoginState.ON

    def test_a_folder_that_cannot_be_written_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(OSError):
            AutostartFile(OURS, tmp_path / "file" / "autostart").write()


class TestLaunchAgent:
    def test_it_is_what_launchd_reads(self, tmp_path: Path) -> None:
        item = LaunchAgent(OURS, tmp_path)
        item.write()
        content = plistlib.loads(item.file.read_bytes())
        assert content["ProgramArguments"] == list(OURS)
        assert content["RunAtLoad"] is True
        assert item.file.stem == content["Label"]

    @pytest.mark.parametrize("content", [b"", b"not a plist", plistlib.dumps([1])])
    def test_a_damaged_file_is_as_none(self, tmp_path: Path, content: bytes) -> None:
        item = LaunchAgent(OURS, tmp_path)
        item.file.write_bytes(content)
        assert item.read().state is LoginState.OFF

    def test_a_disabled_one_is_off(self, tmp_path: Path) -> None:
        item = LaunchAgent(OURS, tmp_path)
        item.file.write_bytes(
            plistlib.dumps({"ProgramArguments": list(OURS), "RunAtLoad": True, "Disabled": True})
        )
        assert item.read().state is LoginState.OFF


class TestRunValue:
    def test_the_program_is_quoted(self) -> None:
        registry = FakeRegistry()
        RunValue(
            (r"C:\Program Files\qmdesk\qmdesk.exe", "--config", r"C:\a b.yaml"), registry
        ).write()
        assert registry.values[RunValue.RUN, "qmdesk"] == (
            r'"C:\Program Files\qmdesk\qmdesk.exe" --config "C:\a b.yaml"'
        )

    def test_what_the_task_manager_has_switched_off_is_off(self) -> None:
        registry = FakeRegistry()
        item = RunValue(OURS, registry)
        item.write()
        registry.values[RunValue.APPROVED, "qmdesk"] = bytes([3]) + bytes(11)
        assert item.read().state is LoginState.OFF
        registry.values[RunValue.APPROVED, "qmdesk"] = bytes([2]) + bytes(11)
        assert item.read().state is LoginState.ON
        registry.values[RunValue.APPROVED, "qmdesk"] = bytes([3]) + bytes(11)
        item.write()
        assert item.read().state is LoginState.ON


def test_a_bundle_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert this_command(["--show"]) == (sys.executable, "--show")


def test_without_a_script_python_starts_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert this_command() == (str(tmp_path / "python3"), "-m", "qmdesk")
    (tmp_path / "qmdesk").write_text("")
    assert this_command() == (str(tmp_path / "qmdesk"),)


@pytest.mark.skipif(sys.platform != "linux", reason="the place is the system's")
def test_this_systems_place(own_folders: Path) -> None:
    item = login_item(OURS)
    assert isinstance(item, AutostartFile)
    assert item.file == own_folders / "config" / "autostart" / "qmdesk.desktop"
