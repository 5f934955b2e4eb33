"""What every test may use, and what none may leave behind."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import psutil
import pytest

from qmdesk import tasks
from qmdesk.config import Config, parse
from qmdesk.instance import Instance
from qmdesk.process import lifeline

FAKE = Path(__file__).with_name("fake_upstream.py")


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test: nothing of the user's is read or written."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.delenv("QMDESK_CONFIG", raising=False)
    return home


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """A child process, a thread or a task that outlives its test fails it."""
    me = psutil.Process()
    before = set(me.children(recursive=True))
    threads = set(threading.enumerate())
    yield
    # The supervisor is there for the whole run, from the first server on.
    supervisor = lifeline.shared().pid
    left = [each for each in set(me.children(recursive=True)) - before if _lives(each)]
    left = [each for each in left if each.pid != supervisor]
    for process in left:
        process.kill()
    assert not left, f"left running: {left}"
    assert not tasks.running(), f"left running: {tasks.running()}"
    more = [each for each in set(threading.enumerate()) - threads if not each.daemon]
    more = [each for each in more if not each.name.startswith("asyncio_")]
    assert not more, f"left running: {more}"


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def fake(*options: object, name: str = "fake") -> str:
    """The command line of a fake upstream, as a configuration has it."""
    words = [sys.executable, "-S", "-E", str(FAKE), "--port", "${PORT}", "--name", name]
    return str([*words, *map(str, options)]).replace("'", '"')


def models(*lines: str) -> Config:
    """A configuration of models; each line is ``NAME: {KEY: VALUE, ...}``."""
    return parse("models:\n" + "".join(f"  {line}\n" for line in lines))


def simple(*names: str, more: str = "") -> Config:
    """Fake models that serve at once, one at a time."""
    return parse(simple_text(*names) + more)


def simple_text(*names: str) -> str:
    """The same as text."""
    return "models:\n" + "".join(f"  {name}:\n    cmd: {fake(name=name)}\n" for name in names)


Start = Callable[[Config], "asyncio.Future[Instance]"]


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., object]]:
    """Starts instances on free ports, and stops them when the test ends."""
    running: list[Instance] = []

    async def begin(config: Config, listen: str | None = "127.0.0.1:0") -> Instance:
        instance = Instance(config, listen=listen)
        await instance.start()
        running.append(instance)
        return instance

    yield begin
    for instance in running:
        await instance.stop(budget=4.0)


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A client, closed when the test ends."""
    async with aiohttp.ClientSession() as session:
        yield session


def pid_runs(pid: int) -> bool:
    """Whether a process that is no zombie has this number."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


async def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until ``condition`` holds; for what nothing announces."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def environment(**more: str) -> dict[str, str]:
    """Ours, with the project importable, for processes that a test starts itself."""
    root = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": root, **more}
