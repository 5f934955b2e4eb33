"""The configuration's file on disk: never half written, never lost."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qmdesk.config import ConfigError
from qmdesk.config.store import ABSENT, KEPT, ChangedOnDisk, ConfigStore

OLD = "# mine\r\nlisten: 127.0.0.1:1\r\n"
NEW = "\ufefflisten: 127.0.0.1:2\n# ☕\n"

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links as on POSIX")


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> ConfigStore:
    path = tmp_path / "etc" / "config.yaml"
    path.parent.mkdir()
    path.write_bytes(OLD.encode())
    return ConfigStore(path, tmp_path / "history")


def others(store: ConfigStore) -> list[str]:
    """What lies beside the file."""
    return [each.name for each in store.path.parent.iterdir() if each != store.path]


class TestSaving:
    def test_keeps_every_byte(self, store: ConfigStore) -> None:
        text, stamp = store.load()
        assert text == OLD
        stamp = store.save(NEW, stamp)
        assert store.path.read_bytes() == NEW.encode()
        assert store.load() == (NEW, stamp)
        assert others(store) == []

    def test_the_same_text_writes_nothing(self, store: ConfigStore) -> None:
        text, stamp = store.load()
        before = store.path.stat()
        assert store.save(text, stamp) == stamp
        assert store.path.stat().st_ino == before.st_ino
        assert store.history() == ()

    def test_a_file_that_was_changed_meanwhile_is_left_alone(self, store: ConfigStore) -> None:
        _, stamp = store.load()
        store.path.write_text("their: edit\n", encoding="utf-8")
        with pytest.raises(ChangedOnDisk) as caught:
            store.save(NEW, stamp)
        assert store.path.read_text(encoding="utf-8") == "their: edit\n"
        assert caught.value.text == "their: edit\n"
        store.save(NEW, caught.value.stamp)
        assert store.load()[0] == NEW

    def test_changed_and_changed_back_is_not_changed(self, store: ConfigStore) -> None:
        _, stamp = store.load()
        store.path.write_text("x", encoding="utf-8")
        store.path.write_bytes(OLD.encode())
        store.save(NEW, stamp)

    def test_a_change_while_it_is_written_counts(
        self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, stamp = store.load()
        sync = os.fsync

        def late(file: int) -> None:
            store.path.write_text("their: edit\n", encoding="utf-8")
            sync(file)

        monkeypatch.setattr(os, "fsync", late)
        with pytest.raises(ChangedOnDisk):
            store.save(NEW, stamp)
        assert store.path.read_text(encoding="utf-8") == "their: edit\n"
        assert others(store) == []

    def test_a_file_that_vanished_comes_back(self, store: ConfigStore) -> None:
        _, stamp = store.load()
        store.path.unlink()
        assert store.load() == ("", ABSENT)
        store.save(NEW, stamp)
        assert store.load()[0] == NEW

    def test_a_file_that_never_was(self, tmp_path: Path) -> None:
        store = ConfigStore(tmp_path / "new" / "config.yaml", tmp_path / "history")
        _, stamp = store.load()
        store.save(NEW, stamp)
        assert store.load()[0] == NEW
        with pytest.raises(ChangedOnDisk):
            store.save(OLD, ABSENT)

    def test_a_file_that_is_not_utf_8(self, store: ConfigStore) -> None:
        store.path.write_bytes(b"a: \xff")
        with pytest.raises(ConfigError, match="UTF-8"):
            store.load()

    @posix
    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
    def test_permissions_stay(self, store: ConfigStore, mode: int) -> None:
        store.path.chmod(mode)
        store.save(NEW, store.load()[1])
        assert stat.S_IMODE(store.path.stat().st_mode) == mode

    @posix
    def test_a_link_stays_a_link(self, store: ConfigStore, tmp_path: Path) -> None:
        target = tmp_path / "dotfiles.yaml"
        store.path.rename(target)
        store.path.symlink_to(Path("..") / target.name)
        store.save(NEW, store.load()[1])
        assert store.path.is_symlink()
        assert target.read_bytes() == NEW.encode()

    @posix
    def test_a_file_that_is_mounted_by_itself(
        self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.replace

        def busy(source: Path, target: Path) -> None:
            if target == store.path:
                raise OSError(errno.EBUSY, "Device or resource busy")
            real(source, target)

        monkeypatch.setattr(os, "replace", busy)
        inode = store.path.stat().st_ino
        store.save("a: 1\n", store.load()[1])
        assert store.load()[0] == "a: 1\n"
        assert store.path.stat().st_ino == inode
        assert others(store) == []


class TestAFullDisk:
    """Wherever the disk is full, the old content is still there."""

    @staticmethod
    def _full(times: int) -> Callable[..., int]:
        left = [times]
        real = os.write

        def write(file: int, data: bytes) -> int:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(file, bytes(data)[: max(1, len(data) // 2)])

        return write

    @pytest.mark.parametrize("writes", range(0, 12, 2))
    def test_while_writing(
        self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch, writes: int
    ) -> None:
        _, stamp = store.load()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", self._full(writes))
            with pytest.raises(OSError, match="No space"):
                store.save(NEW, stamp)
        assert store.load() == (OLD, stamp)
        assert others(store) == []
        store.save(NEW, stamp)
        assert store.load()[0] == NEW
        assert store.history()[0].text() == OLD

    def test_while_syncing(self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(_: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

        _, stamp = store.load()
        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output"):
            store.save(NEW, stamp)
        assert store.load() == (OLD, stamp)
        assert others(store) == []

    def test_while_replacing(self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        _, stamp = store.load()
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(PermissionError):
            store.save(NEW, stamp)
        assert store.load() == (OLD, stamp)
        assert others(store) == []

    def test_what_a_cut_off_run_left_is_swept(self, store: ConfigStore) -> None:
        (store.path.parent / ".config.yaml.1.new").write_text("half", encoding="utf-8")
        store.save(NEW, store.load()[1])
        assert others(store) == []


class TestHistory:
    def test_has_what_was_replaced_newest_first(self, store: ConfigStore) -> None:
        stamp = store.load()[1]
        for number in range(3):
            stamp = store.save(f"a: {number}\n", stamp)
        assert [each.text() for each in store.history()] == ["a: 1\n", "a: 0\n", OLD]
        times = [each.time for each in store.history()]
        assert times == sorted(times, reverse=True)
        assert all(each.tzinfo is not None for each in times)

    def test_keeps_ten(self, store: ConfigStore) -> None:
        stamp = store.load()[1]
        for number in range(KEPT + 5):
            stamp = store.save(f"a: {number}\n", stamp)
        assert len(store.history()) == KEPT
        assert store.history()[0].text() == f"a: {KEPT + 3}\n"

    def test_has_edits_of_others_too(self, store: ConfigStore) -> None:
        store.save("a: 0\n", store.load()[1])
        store.path.write_text("their: edit\n", encoding="utf-8")
        store.save("a: 1\n", store.load()[1])
        assert store.history()[0].text() == "their: edit\n"

    def test_restore_keeps_what_it_replaces(self, store: ConfigStore) -> None:
        store.save(NEW, store.load()[1])
        store.restore(store.history()[-1])
        assert store.load()[0] == OLD
        assert store.history()[0].text() == NEW

    def test_restore_when_the_file_is_gone(self, store: ConfigStore) -> None:
        store.save(NEW, store.load()[1])
        store.path.unlink()
        store.restore(store.history()[0])
        assert store.load()[0] == OLD

    def test_files_of_one_name_are_told_apart(self, store: ConfigStore, tmp_path: Path) -> None:
        other = ConfigStore(tmp_path / "config.yaml", tmp_path / "history")
        other.save(OLD, ABSENT)
        other.save(NEW, other.load()[1])
        assert len(other.history()) == 1
        assert store.history() == ()

    @posix
    def test_is_for_the_owner_only(self, store: ConfigStore) -> None:
        store.save(NEW, store.load()[1])
        assert stat.S_IMODE(store.history()[0].path.stat().st_mode) == 0o600
