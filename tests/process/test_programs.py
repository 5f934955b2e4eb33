"""Other programs are found by name, and their end is noticed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from qmdesk.process import programs
from qmdesk.process.programs import ProgramNotFound

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies a Linux program")
NAME = "a-game-with-a-long-name"


@pytest.fixture
async def game(tmp_path: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A program of a name of its own, longer than the kernel keeps."""
    program = tmp_path / NAME
    shutil.copy("/bin/sleep", program)
    process = await asyncio.create_subprocess_exec(program, "100")
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


@pytest.mark.parametrize("name", [NAME, NAME.upper(), f" {NAME}.exe "])
async def test_it_is_found_in_any_spelling(game: asyncio.subprocess.Process, name: str) -> None:
    assert await programs.find(name) == (game.pid,)


async def test_one_that_does_not_run_is_said_with_some_that_do(
    game: asyncio.subprocess.Process,
) -> None:
    with pytest.raises(ProgramNotFound, match="no program called 'no-such-game' runs"):
        await programs.find("no-such-game")


async def test_its_end_is_noticed_at_once(game: asyncio.subprocess.Process) -> None:
    ended = asyncio.ensure_future(programs.ended(NAME))
    await asyncio.sleep(0)
    assert not ended.done()
    game.terminate()
    # Well within the time between two looks.
    await asyncio.wait_for(ended, programs.GAP - 1)


async def test_its_end_is_noticed_where_the_system_does_not_tell(
    game: asyncio.subprocess.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.pidfd_open")
    monkeypatch.setattr(programs, "GAP", 0.05)
    ended = asyncio.ensure_future(programs.ended(NAME))
    await asyncio.sleep(0)
    game.terminate()
    await asyncio.wait_for(ended, 10)


async def test_waiting_can_be_given_up(game: asyncio.subprocess.Process) -> None:
    ended = asyncio.ensure_future(programs.ended(NAME))
    await asyncio.sleep(0.05)
    ended.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ended


async def test_ours_are_none_of_the_foremost(game: asyncio.subprocess.Process) -> None:
    found = await asyncio.to_thread(programs.foremost, 1000)
    assert NAME not in found
    assert len(set(found)) == len(found)


async def test_those_on_a_card_are_the_foremost_while_they_run(tmp_path: Path) -> None:
    shutil.copy("/bin/sleep", tmp_path / NAME)
    # Nobody's child: ours would be left out.
    starter = await asyncio.create_subprocess_shell(
        f"'{tmp_path / NAME}' 100 > /dev/null & echo $!", stdout=asyncio.subprocess.PIPE
    )
    said, _ = await starter.communicate()
    try:
        found = await asyncio.to_thread(programs.foremost, 1000)
        (name,) = (each for each in found if NAME.startswith(each))
        found = await asyncio.to_thread(programs.foremost, 1000, ("gone.exe", name, name))
        assert found[0] == name
        assert found.count(name) == 1
        assert "gone.exe" not in found
        assert await asyncio.to_thread(programs.foremost, 1, (name,)) == (name,)
    finally:
        os.kill(int(said), signal.SIGTERM)
