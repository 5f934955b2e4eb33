"""The configuration's file is seen to change, whatever way it changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from qmdesk import config_watch
from qmdesk.config_watch import ConfigWatch
from qmdesk.events import ConfigApplied, ConfigRejected
from tests.conftest import fake, parse, until

SOON = 2.0
"""Seconds within which a change must be seen."""


class Seen:
    def __init__(self) -> None:
        self.times = 0
        self._event = asyncio.Event()

    def __call__(self) -> None:
        self.times += 1
        self._event.set()

    async def once(self) -> None:
        async with asyncio.timeout(SOON):
            await self._event.wait()
        self._event.clear()


@pytest.fixture
def no_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only events count: the look at intervals would hide that they do not come."""
    monkeypatch.setattr(config_watch, "LOOK_EVERY", 3600.0)


@pytest.fixture
async def watch(no_looks: None) -> AsyncIterator[Callable[[Path], object]]:
    watches: list[ConfigWatch] = []

    async def begin(file: Path) -> Seen:
        seen = Seen()
        watches.append(ConfigWatch(lambda: (file,), seen))
        await watches[-1].start()
        return seen

    yield begin
    for each in watches:
        each.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text("one", encoding="utf-8")
    return file


async def test_written_in_place(watch, file: Path) -> None:
    seen = await watch(file)
    file.write_text("two", encoding="utf-8")
    await seen.once()


async def test_replaced_by_another_file(watch, file: Path) -> None:
    seen = await watch(file)
    new = file.with_suffix(".new")
    for text in ("two", "three"):
        new.write_text(text, encoding="utf-8")
        new.replace(file)
        await seen.once()


async def test_truncated_and_written_in_steps_is_one_change(watch, file: Path) -> None:
    seen = await watch(file)
    with file.open("w", encoding="utf-8") as stream:
        stream.flush()
        await asyncio.sleep(0.3)
        assert seen.times == 0
        for text in ("models:\n", "  a:\n", "    cmd: x\n"):
            stream.write(text)
            stream.flush()
            await asyncio.sleep(0.02)
    await seen.once()
    assert seen.times == 1


async def test_deleted_and_made_again(watch, file: Path) -> None:
    seen = await watch(file)
    file.unlink()
    await asyncio.sleep(0.4)
    assert seen.times == 0
    file.write_text("two", encoding="utf-8")
    await seen.once()


async def test_a_link_that_is_turned_to_another_file(watch, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(name, encoding="utf-8")
    link = tmp_path / "config.yaml"
    link.symlink_to("one/config.yaml")
    seen = await watch(link)
    (tmp_path / "one" / "config.yaml").write_text("changed where it lies", encoding="utf-8")
    await seen.once()
    os.symlink("two/config.yaml", tmp_path / "new")
    (tmp_path / "new").replace(link)
    await seen.once()
    (tmp_path / "two" / "config.yaml").write_text("changed again", encoding="utf-8")
    await seen.once()


async def test_a_mounted_folder_whose_inner_link_flips(watch, tmp_path: Path) -> None:
    """As Kubernetes mounts a config map: config.yaml → ..data/config.yaml → ..1/config.yaml."""
    for name in ("..1", "..2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(name, encoding="utf-8")
    (tmp_path / "..data").symlink_to("..1")
    (tmp_path / "config.yaml").symlink_to("..data/config.yaml")
    seen = await watch(tmp_path / "config.yaml")
    (tmp_path / "..new").symlink_to("..2")
    (tmp_path / "..new").replace(tmp_path / "..data")
    await seen.once()


async def test_the_same_content_again_is_no_change(watch, file: Path) -> None:
    seen = await watch(file)
    file.write_text("one", encoding="utf-8")
    os.utime(file)
    await asyncio.sleep(0.5)
    assert seen.times == 0


async def test_looks_find_what_no_event_tells(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_watch, "LOOK_EVERY", 0.1)
    monkeypatch.setattr(ConfigWatch, "on_any_event", lambda *_: None)
    seen = Seen()
    watch = ConfigWatch(lambda: (file,), seen)
    await watch.start()
    file.write_text("two", encoding="utf-8")
    await seen.once()
    watch.close()


async def test_an_edit_is_applied_and_a_broken_one_is_told(start, http, tmp_path: Path) -> None:
    """A stream and its model are not disturbed by either."""
    file = tmp_path / "config.yaml"
    text = f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
    file.write_text(text, encoding="utf-8")
    instance = await start(parse(text, path=file))
    told: list[object] = []
    instance.bus.subscribe(told.append, ConfigApplied, ConfigRejected)
    body = {"model": "a", "stream": True, "fake": {"tokens": 60, "delay": 0.05}}
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json=body) as response:
        await response.content.readany()
        pid = instance.router.snapshot().model("a").pid
        file.write_text(text + "globalTTL: 77\n", encoding="utf-8")
        await until(lambda: told, SOON)
        assert instance.router.snapshot().model("b").ttl == 77
        file.write_text(text + "globalTTL: [\n", encoding="utf-8")
        await until(lambda: len(told) == 2, SOON)
        assert isinstance(told[0], ConfigApplied)
        assert not told[0].saved
        assert isinstance(told[1], ConfigRejected)
        assert f"{file}:" in told[1].problems[0]
        assert (await response.content.read()).endswith(b"data: [DONE]\n\n")
    assert instance.router.snapshot().model("a").pid == pid
    assert instance.router.snapshot().model("b").ttl == 77
