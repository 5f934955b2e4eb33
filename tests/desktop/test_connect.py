"""What is to be entered in front ends, and the test of a model: real snippets, a real gateway."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading

import pytest
import yaml

from qmdesk.desktop.connect_text import Place, guides
from qmdesk.desktop.trial import TrialFailed, ask
from tests.conftest import environment, models, simple

AWKWARD = Place("http://127.0.0.1:8080", "k\"e'y", 'it\'s a "model": x/y')


def snippet(place: Place, name: str) -> str:
    return next(each.snippet for each in guides(place) if each.name == name)


def test_each_names_address_model_and_key() -> None:
    place = Place("http://127.0.0.1:8080", "secret", "qwen")
    found = guides(place)
    assert [each.name for each in found] == [
        "Open WebUI",
        "SillyTavern",
        "Continue",
        "Cline",
        "Zed",
        "Claude Code",
        "Python, openai",
        "Python, anthropic",
        "curl",
    ]
    for each in found:
        assert "http://127.0.0.1:8080" in each.snippet
        if each.name != "Zed":
            assert "secret" in each.snippet
        if each.name != "Open WebUI":
            assert "qwen" in each.snippet


def test_anthropics_clients_add_the_version_themselves() -> None:
    place = Place("http://127.0.0.1:8080", "", "qwen")
    for name in ("Claude Code", "Python, anthropic"):
        assert "/v1" not in snippet(place, name)


def test_awkward_names_stay_whole() -> None:
    assert yaml.safe_load(snippet(AWKWARD, "Continue"))["models"][0] == {
        "name": AWKWARD.model,
        "provider": "openai",
        "model": AWKWARD.model,
        "apiBase": "http://127.0.0.1:8080/v1",
        "apiKey": AWKWARD.key,
    }
    zed = json.loads(snippet(AWKWARD, "Zed"))["language_models"]["openai_compatible"]["qmdesk"]
    assert zed["available_models"][0]["name"] == AWKWARD.model
    place = Place(AWKWARD.base, "plain", AWKWARD.model)
    shell = snippet(place, "Claude Code") + '\nprintf %s "$ANTHROPIC_MODEL"'
    assert subprocess.check_output(["sh", "-c", shell], text=True) == AWKWARD.model


@pytest.mark.parametrize("name", ["Python, openai", "Python, anthropic", "curl"])
async def test_what_can_be_run_runs(start, name: str) -> None:
    address = (await start(simple("a"))).addresses[0]
    # The fake server answers every route as OpenAI's: what is said has another place there.
    text = snippet(Place(address, "", "a"), name).replace("answer.content[0].text", "answer")
    command = ["sh", "-c", text] if name == "curl" else [sys.executable, "-c", text]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment(), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert process.returncode == 0
    assert b"a-0 a-1 a-2" in said


async def test_a_real_question_gets_an_answer_and_its_timing(start) -> None:
    address = (await start(simple("a"))).addresses[0]
    trial = await asyncio.to_thread(ask, address, "", "a")
    assert trial.answer
    assert trial.loaded
    assert 0 < trial.first <= trial.seconds
    assert "the model was loaded for it" in trial.timing
    again = await asyncio.to_thread(ask, address, "", "a")
    assert not again.loaded


async def test_a_key_is_sent(start) -> None:
    address = (await start(simple("a", more="apiKeys: [secret]\n"))).addresses[0]
    assert (await asyncio.to_thread(ask, address, "secret", "a")).answer
    with pytest.raises(TrialFailed, match="key"):
        await asyncio.to_thread(ask, address, "wrong", "a")


async def test_a_refusal_is_told_in_its_words(start) -> None:
    instance = await start(models("a: {cmd: 'no-such-program --port ${PORT}'}"))
    address = instance.addresses[0]
    with pytest.raises(TrialFailed, match="no program 'no-such-program'"):
        await asyncio.to_thread(ask, address, "", "a")
    await instance.router.pause(by="the test")
    with pytest.raises(TrialFailed, match="qmdesk is paused by the test"):
        await asyncio.to_thread(ask, address, "", "a")


async def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(TrialFailed):
        await asyncio.to_thread(ask, f"http://127.0.0.1:{port}", "", "a")


def test_a_stream_that_breaks_or_says_nothing_is_told() -> None:
    for body, why in (
        (b'data: {"error": {"message": "the card is full"}}\n\n', "the card is full"),
        (b"data: nonsense\n\ndata: [1]\n\ndata: [DONE]\n\n", "without a word"),
    ):
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer(server: socket.socket = server, body: bytes = body) -> None:
                peer, _ = server.accept()
                with peer:
                    peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(65536):
                        pass

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(TrialFailed, match=why):
                ask(f"http://127.0.0.1:{server.getsockname()[1]}", "", "a")
            thread.join()


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "http_proxy", "http://127.0.0.1:1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(TrialFailed, match="refused"):
        ask(f"http://127.0.0.1:{port}", "", "a")
