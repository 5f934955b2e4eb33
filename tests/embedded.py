"""Runs the embedded llama-server in a process of its own, for tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import IO, Any

COMMAND = (sys.executable, "-m", "qmdesk.llama_server")


@dataclass
class Running:
    """A server that listens."""

    process: subprocess.Popen[str]
    url: str

    def post(self, path: str, **body: Any) -> Any:
        with self.open(path, **body) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)

    def open(self, path: str, **body: Any) -> HTTPResponse:
        """The answer to a POST, to be read and closed; also one with an error's status."""
        request = urllib.request.Request(
            self.url + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            answer: HTTPResponse = urllib.request.urlopen(request, timeout=30)
            return answer
        except urllib.error.HTTPError as error:
            return error  # type: ignore[return-value]

    def chat(self, text: str = "Hello", **body: Any) -> str:
        answer = self.post(
            "/v1/chat/completions", messages=[{"role": "user", "content": text}], **body
        )
        content = answer["choices"][0]["message"]["content"]
        assert isinstance(content, str)
        return content


@contextmanager
def process(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A server's process, which is killed in the end if it still runs."""
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def wait_for(stream: IO[str] | None, pattern: str) -> str:
    """What ``pattern`` matches at the begin of a line of ``stream``, or its group."""
    assert stream is not None
    for line in stream:
        if found := re.match(pattern, line):
            return found[found.lastindex or 0]
    raise AssertionError("the server ended")


@contextmanager
def server(*arguments: object) -> Iterator[Running]:
    """A server that listens on a port of its own and is killed in the end."""
    # One thread: several would wait for each other wherever the machine is busy.
    with process("--port", 0, "-t", 1, *arguments) as started:
        log = started.stderr
        assert log is not None
        # Its log must not fill the pipe, and pytest shows it where a test fails.
        reader = threading.Thread(target=lambda: [print(line, end="") for line in log])
        reader.start()
        try:
            yield Running(started, wait_for(started.stdout, r"listening on (\S+)"))
        finally:
            started.kill()
            reader.join()
