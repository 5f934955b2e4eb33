"""The demo from end to end, with generated models and the embedded llama-server."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import sys
from pathlib import Path

import aiohttp
import psutil
import pytest

from qmdesk.demo import demo, tiny_gguf
from qmdesk.process import lifeline


class Terminal(io.StringIO):
    """A terminal, as far as the demo can tell; ``invited`` is set when all is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.invited = asyncio.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "Ctrl-C ends it" in text:
            self.invited.set()
        return super().write(text)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is touched, and no llama-server but our own is found."""
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PATH"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(demo, "GENERATED_MB", 0)


def children() -> list[psutil.Process]:
    """What runs below us, but for the supervisor that serves the whole test run."""
    supervisor = lifeline.shared().pid
    return [each for each in psutil.Process().children(recursive=True) if each.pid != supervisor]


async def test_it_loads_streams_swaps_evicts_embeds_and_comes_back() -> None:
    before = children()
    out = io.StringIO()
    assert await demo.run(exit_when_done=True, out=out, tiny=True) == 0
    said = out.getvalue()
    assert re.search(r"^address   http://127\.0\.0\.1:\d+$", said, re.MULTILINE)
    answers = re.findall(r"^model > (.*)$", said, re.MULTILINE)
    assert answers[0] == answers[3] == demo.SENTENCES[demo.CHAT]
    assert answers[1] == demo.SENTENCES[demo.LONG]
    assert re.fullmatch(r"\d+ numbers: .*", answers[2])
    gone = re.findall(r"^  (\S+) was unloaded for (\S+) ", said, re.MULTILINE)
    assert gone == [
        (demo.CHAT, demo.LONG),
        (demo.LONG, demo.EMBED),
        (demo.EMBED, demo.CHAT),
    ]
    assert len(re.findall(r": loaded in \d+\.\d\d s, first token \d+ ms, \d+ tokens/s", said)) == 3
    table = said.partition("\nloaded ")[2].splitlines()[1:5]
    assert [row.split()[0] for row in table] == [demo.CHAT, demo.LONG, demo.EMBED, demo.CHAT]
    assert "Ctrl-C" not in said
    assert children() == before


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_on_a_terminal_it_stays_up_until_a_signal(number: int) -> None:
    before = children()
    out = Terminal()
    running = asyncio.create_task(demo.run(exit_when_done=False, out=out, tiny=True))
    invited = asyncio.create_task(out.invited.wait())
    await asyncio.wait({running, invited}, return_when=asyncio.FIRST_COMPLETED)
    assert invited.done(), out.getvalue()
    # The printed command is what a user would try.
    url = re.search(r"curl (\S+)", out.getvalue())
    body = re.search(r"-d '(.*)'", out.getvalue())
    assert url is not None
    assert body is not None
    async with (
        aiohttp.ClientSession() as http,
        http.post(url[1], json=json.loads(body[1])) as answer,
    ):
        data = await answer.json()
    assert data["choices"][0]["message"]["content"] == demo.SENTENCES[demo.CHAT]
    os.kill(os.getpid(), number)
    assert await running == 0
    assert out.getvalue().endswith("stopping\n")
    assert children() == before


async def test_without_a_network_it_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing listens on the discard port.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    out = io.StringIO()
    assert await demo.run(exit_when_done=True, out=out) == 0
    assert "SmolLM2 cannot be had: the package index cannot be reached." in out.getvalue()
    assert demo.SENTENCES[demo.CHAT] in out.getvalue()


async def test_a_model_that_cannot_be_loaded_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write(path: Path, **_: object) -> None:
        path.write_bytes(b"GGUF, but not for long")

    monkeypatch.setattr(tiny_gguf, "write", write)
    out = io.StringIO()
    assert await demo.run(exit_when_done=True, out=out, tiny=True) == 1
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("error: the gateway answered 5")
    assert demo.CHAT in last
    assert children() == []


async def test_it_fails_where_nothing_is_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = demo._configuration

    def all_together(server: tuple[str, ...], models: dict[str, Path]) -> str:
        data = json.loads(configuration(server, models))
        data["groups"] = {"all": {"swap": False, "members": list(models)}}
        return json.dumps(data)

    monkeypatch.setattr(demo, "_configuration", all_together)
    out = io.StringIO()
    assert await demo.run(exit_when_done=True, out=out, tiny=True) == 1
    assert "error: no model was unloaded for another" in out.getvalue()


async def test_without_any_server_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    out = io.StringIO()
    assert await demo.run(exit_when_done=True, out=out, tiny=True) == 1
    assert out.getvalue().endswith(
        "error: there is no llama-server; try: pip install 'qmdesk[llama]'\n"
    )


def test_progress_is_one_changing_line_on_a_terminal_and_few_lines_elsewhere() -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    for out in (screen := Screen(), plain := io.StringIO()):
        bar = demo._Bar(out)
        for done in range(0, 101, 5):
            bar.show(done * 10**6, 100 * 10**6)
        bar.end()
    assert screen.getvalue().count("\n") == 1
    assert screen.getvalue().rpartition("\r")[2].startswith(f"[{'#' * 24}] 100 %  100 of 100 MB")
    assert plain.getvalue().splitlines() == [
        "  0 %  0 of 100 MB",
        " 25 %  25 of 100 MB",
        " 50 %  50 of 100 MB",
        " 75 %  75 of 100 MB",
        "100 %  100 of 100 MB",
    ]
