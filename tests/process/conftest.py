"""Processes to test with: real ones, each with its log and what was told of it."""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from qmdesk.config import Model
from qmdesk.events import ModelState, StopReason
from qmdesk.logs import Log
from qmdesk.process import Ports, Process, Records
from qmdesk.process.hooks import Hooks
from qmdesk.process.process import START_MARK
from tests.conftest import FAKE

Told = tuple[ModelState, StopReason | None, str | None]


@dataclass
class Server:
    """One model's process under test."""

    process: Process
    log: Log
    told: list[Told] = field(default_factory=list)
    """Every transition: the new state, why, and what failed."""

    @property
    def states(self) -> list[str]:
        return [state.value for state, _, _ in self.told]

    def wrote(self, text: str) -> bool:
        """Whether ``text`` is in its log, other than in the command that was started."""
        lines = (line for line in self.log.lines() if not line.startswith(START_MARK))
        return any(text in line for line in lines)

    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid


Make = Callable[..., Server]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes servers of a command and a model's other fields; ends them with the test."""
    made: list[Server] = []
    ports = Ports()
    records = Records(tmp_path / "records")

    def server(cmd: tuple[str, ...] | str = (), hooks: Hooks | None = None, **more: Any) -> Server:
        cmd = cmd or fake()
        if "${PORT}" in str((cmd, more.get("proxy", "${PORT}"))):
            more.setdefault("port", free_port())
        log = Log("m")
        told: list[Told] = []

        def changed(
            process: Process, before: ModelState, reason: StopReason | None, error: str | None
        ) -> None:
            told.append((process.state, reason, error))

        process = Process(
            Model(id="m", cmd=cmd, **more),
            log,
            ports,
            records,
            hooks=hooks or Hooks(),
            changed=changed,
        )
        made.append(Server(process, log, told))
        return made[-1]

    yield server
    for each in made:
        await each.process.stop(StopReason.SHUTDOWN, 1.0)


def fake(*options: object, port: str = "${PORT}") -> tuple[str, ...]:
    """The arguments that start a fake upstream."""
    return (sys.executable, "-S", "-E", str(FAKE), "--port", port, *map(str, options))


def shell(script: str) -> tuple[str, ...]:
    """The arguments that run a shell script, in which ``FAKE`` starts a fake upstream."""
    return ("sh", "-c", script.replace("FAKE", " ".join(fake())))


def python(source: str) -> tuple[str, ...]:
    """The arguments that run a Python program."""
    return (sys.executable, "-S", "-E", "-c", source)


def free_port() -> int:
    """A port on which nobody listens, and which the next caller does not get."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listen(port: int, host: str = "127.0.0.1") -> socket.socket:
    """A listening socket of the test's own."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen()
    return listener
