"""A server sees the user's environment, not that of our bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmdesk.process.environment import child_environment


def of(base: dict[str, str], *extra: str, **more: object) -> dict[str, str]:
    return child_environment(base, extra, **{"platform": "linux", **more})  # type: ignore[arg-type]


def test_the_models_own_come_on_top() -> None:
    base = {"A": "1", "B": "2"}
    assert of(base, "B=3", "C=x=y", "D=") == {"A": "1", "B": "3", "C": "x=y", "D": ""}
    assert base == {"A": "1", "B": "2"}


def test_our_choice_of_a_qt_binding_is_ours() -> None:
    assert of({"QT_API": "pyside6"}) == {}


class TestLoaderPath:
    @pytest.mark.parametrize(
        ("platform", "name"), [("linux", "LD_LIBRARY_PATH"), ("darwin", "DYLD_LIBRARY_PATH")]
    )
    def test_the_programs_folder_comes_first(self, platform: str, name: str) -> None:
        program = "/opt/llama/llama-server"
        assert of({}, program=program, platform=platform) == {name: "/opt/llama"}
        assert of({name: "/a"}, program=program, platform=platform) == {name: "/opt/llama:/a"}
        assert of({}, f"{name}=/b", program=program, platform=platform) == {name: "/opt/llama:/b"}

    def test_a_link_counts_where_it_leads(self, tmp_path: Path) -> None:
        (tmp_path / "bundle").mkdir()
        (tmp_path / "bundle" / "llama-server").touch()
        (tmp_path / "link").symlink_to(tmp_path / "bundle" / "llama-server")
        folder = str((tmp_path / "bundle").resolve())
        assert of({}, program=str(tmp_path / "link")) == {"LD_LIBRARY_PATH": folder}

    @pytest.mark.parametrize("folder", ["/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin"])
    def test_a_system_folder_is_searched_anyway(self, folder: str) -> None:
        assert of({}, program=f"{folder}/no-such-server").get("LD_LIBRARY_PATH") is None

    def test_windows_needs_none(self) -> None:
        assert of({}, program="/opt/llama/llama-server", platform="win32") == {}


def test_windows_has_one_spelling_of_a_name() -> None:
    assert of({"PATH": "a"}, "Path=b", platform="win32") == {"PATH": "b"}
