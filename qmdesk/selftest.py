"""``qmdesk --selftest``: what is installed here, tried out as a user would.

It starts itself in a home of its own, has a small model made, loaded and asked, looks for
the tray, starts a second time, quits, and looks for what was left.  One line a step.
Nothing of the user's is read or written.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import psutil

from qmdesk import __version__, bundle
from qmdesk.demo import tiny_gguf
from qmdesk.desktop.words import TRAY_SHOWN
from qmdesk.remote import Remote, RemoteError

MODEL = "selftest"
SENTENCE = "this sentence came out of a real model"

_UP = 60.0
"""Seconds that a start or a load may take; the first one after an installation is slow."""
_TRAY = 3.0
"""Seconds after the gateway's start in which a tray, where there is one, has the icon."""
_END = 40.0
"""Seconds that everything has to end in; longer than ``--quit`` waits itself."""


class _Failed(Exception):
    """What did not work, in a line or a few."""


def run(out: TextIO) -> int:
    """Try everything; 0, or 1 after a line that says what failed."""
    with tempfile.TemporaryDirectory(prefix="qmdesk-selftest-") as folder:
        test = _SelfTest(out, Path(folder))
        try:
            test.run()
        except (_Failed, RemoteError, OSError, subprocess.TimeoutExpired) as error:
            print(f"FAILED  {error}", file=out, flush=True)
            if tail := test.last_words():
                print(tail, file=out, flush=True)
            return 1
        finally:
            test.end()
    return 0


class _SelfTest:
    def __init__(self, out: TextIO, folder: Path) -> None:
        self._out = out
        self._folder = folder
        self._config = folder / "config.yaml"
        self._log = folder / "app.log"
        self._app: subprocess.Popen[bytes] | None = None
        self._tree: list[psutil.Process] = []
        self._environment = _own_home(folder)
        self._address = f"127.0.0.1:{_free_port()}"

    def run(self) -> None:
        kind = "bundle" if bundle.frozen() else "Python package"
        self._say("version", f"qmdesk {__version__}, {kind}, Python {platform.python_version()}")
        server = _llama_server()
        self._configure(server)
        began = time.monotonic()
        self._app = self._start()
        remote = Remote(f"http://{self._address}")
        self._wait_for(lambda: _answers(remote), "the gateway does not answer")
        self._say("start", f"the gateway answered after {time.monotonic() - began:.2f} s")
        self._look_for_tray(remote)
        if server:
            seconds = remote.load(MODEL)["seconds"]
            self._say("load", f"a real model in {seconds:.2f} s")
            text, pieces = self._ask()
            if text.strip() != SENTENCE:
                raise _Failed(f"the model was to say {SENTENCE!r} and said {text!r}")
            self._say("stream", f"{pieces} pieces through the gateway: {text.strip()!r}")
        else:
            self._say("load", "left out: this build has no llama-server, and none is on the PATH")
        self._start_again()
        self._quit()

    def end(self) -> None:
        """Leave nothing running, whatever happened."""
        if self._app is not None and self._app.poll() is None:
            self._remember()
            self._app.kill()
            self._app.wait()
        for process in self._tree:
            with contextlib.suppress(psutil.Error):
                process.kill()

    def last_words(self) -> str:
        """The end of what the application wrote."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-20:])

    def _say(self, step: str, text: str) -> None:
        print(f"{step:8}{text}", file=self._out, flush=True)

    def _configure(self, server: tuple[str, ...]) -> None:
        models: dict[str, Any] = {}
        if server:
            file = self._folder / "model.gguf"
            tiny_gguf.write(file, say=SENTENCE)
            flags = ("-m", str(file), "--port", "${PORT}", "-c", "1024", "-np", "1", "-t", "2")
            models[MODEL] = {"cmd": [*server, *flags]}
        # JSON is YAML, and needs no care with paths.
        self._config.write_text(json.dumps({"models": models}), encoding="utf-8")

    def _start(self, *more: str) -> subprocess.Popen[bytes]:
        command = [*_ourselves(), "--config", str(self._config), *more]
        if not more:
            command += ["--listen", self._address]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _look_for_tray(self, remote: Remote) -> None:
        if self._environment.get("QT_QPA_PLATFORM") == "offscreen":
            self._say("tray", "left out: there is no screen here")
            return
        deadline = time.monotonic() + _TRAY
        while not (told := [each for each in remote.logs("", follow=False) if TRAY_SHOWN in each]):
            if time.monotonic() > deadline:
                self._say("tray", "this screen has none; the window opens instead")
                return
            time.sleep(0.02)
        self._say("tray", "shown" + told[0].partition(TRAY_SHOWN)[2])

    def _ask(self) -> tuple[str, int]:
        body = {
            "model": MODEL,
            "messages": [{"role": "user", "content": "Say it."}],
            "stream": True,
            "max_tokens": 100,
        }
        request = urllib.request.Request(
            f"http://{self._address}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        text, pieces = "", 0
        with opener.open(request, timeout=_UP) as answer:
            for piece in _pieces(answer):
                text += piece
                pieces += 1
        return text, pieces

    def _start_again(self) -> None:
        second = self._start("--show")
        try:
            code = second.wait(_UP)
        except subprocess.TimeoutExpired:
            second.kill()
            second.wait()
            raise
        if code:
            raise _Failed(f"a second start ended with {code}")
        self._say("again", "a second start found the first and left")

    def _quit(self) -> None:
        assert self._app is not None
        self._remember()
        asked = self._start("--quit")
        code = asked.wait(_END)
        if code:
            raise _Failed(f"--quit ended with {code}")
        ended = self._app.wait(_END)
        if ended:
            raise _Failed(f"the application ended with {ended}")
        _, left = psutil.wait_procs(self._tree, timeout=5)
        if left:
            names = ", ".join(f"{each.pid} ({each.name()})" for each in left)
            raise _Failed(f"still there after the end: {names}")
        count = len(self._tree) + 1
        self._say("quit", f"nothing is left of {count} process{'es' if count > 1 else ''}")

    def _remember(self) -> None:
        """Note who belongs to the application: later nobody could tell."""
        assert self._app is not None
        with contextlib.suppress(psutil.Error):
            self._tree = psutil.Process(self._app.pid).children(recursive=True)

    def _wait_for(self, condition: Callable[[], bool], otherwise: str) -> None:
        assert self._app is not None
        deadline = time.monotonic() + _UP
        while not condition():
            if (code := self._app.poll()) is not None:
                raise _Failed(f"the application ended at once, with exit code {code}")
            if time.monotonic() > deadline:
                raise _Failed(f"{otherwise} within {_UP:.0f} s")
            time.sleep(0.02)


def _ourselves() -> tuple[str, ...]:
    return (sys.executable,) if bundle.frozen() else (sys.executable, "-m", "qmdesk")


def _llama_server() -> tuple[str, ...]:
    """The embedded one, else the one on the PATH; empty where there is neither."""
    if importlib.util.find_spec("xllamacpp") is not None:
        return (*_ourselves(), "llama-server")
    found = shutil.which("llama-server")
    return (os.path.abspath(found),) if found else ()


def _own_home(folder: Path) -> dict[str, str]:
    """The environment, with another home, and without a screen where there is none."""
    env = dict(os.environ)
    env.pop("QMDESK_CONFIG", None)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        env[name] = str(folder)
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        env[f"XDG_{name}_HOME"] = str(folder / name.lower())
    has_screen = sys.platform in ("win32", "darwin") or any(
        env.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if not has_screen:
        env["QT_QPA_PLATFORM"] = "offscreen"
    return env


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _answers(remote: Remote) -> bool:
    try:
        remote.status()
    except RemoteError:
        return False
    return True


def _pieces(answer: Any) -> Iterator[str]:
    for line in answer:
        payload = line.removeprefix(b"data:").strip()
        if line.startswith(b"data:") and payload != b"[DONE]":
            for choice in json.loads(payload).get("choices", ()):
                if piece := choice.get("delta", {}).get("content"):
                    yield piece
