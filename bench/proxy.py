"""The gateway between a client and a model's server, against none and against nginx.

Small requests, streams, large bodies and a client that leaves, each measured in turn at
every target, round by round, so that a slow moment of the machine hits all of them.
Medians, and ratios of the same round.  The gateway runs as users run it: keys, scheduling,
activity and access log on.

    python -m bench.proxy [--rounds 5] [--seconds 2] [--window] [--only small streams large leave]

nginx is left out where it is not installed.  ``--window`` measures the tray application with
its window open, without a screen.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

UPSTREAM = Path(__file__).with_name("echo_upstream.py")
KEY = "sk-of-the-benchmark"
BODY = b'{"model":"m","messages":[{"role":"user","content":"Say something short, please."}]}'
PATH = "/v1/chat/completions"
DOWN = 50 << 20
UP = 20 << 20
SENT = re.compile(rb'"sent":(\d+)')

NGINX = """
worker_processes 1; error_log {folder}/error.log; pid {folder}/nginx.pid; daemon off;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream up {{ server 127.0.0.1:{upstream}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{port}; client_max_body_size 0; keepalive_requests 1000000;
    location / {{
      proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off;
    }}
  }}
}}
"""


@dataclass
class Target:
    """Where requests are sent, and who works for them there."""

    name: str
    port: int
    process: psutil.Process | None = None

    def cpu(self) -> float:
        """Seconds that its processes have worked so far."""
        if self.process is None:
            return 0.0
        total = 0.0
        for each in (self.process, *self.process.children(recursive=True)):
            # The model's server is the gateway's child, but not what is measured.
            if UPSTREAM.name not in " ".join(each.cmdline()):
                times = each.cpu_times()
                total += times.user + times.system
        return total


def request(path: str, body: bytes = BODY) -> bytes:
    return (
        b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        % (path.encode(), KEY.encode(), len(body), body)
    )


class Asker(asyncio.Protocol):
    """Asks again and again on one connection, as soon as an answer is whole."""

    def __init__(self, counts: list[int]) -> None:
        self._counts = counts
        self._request = request(PATH)
        self._data = b""
        self._size = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._size:
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._data.startswith(b"HTTP/1.1 200"):
                raise SystemExit(self._data.decode())
            found = re.search(rb"(?i)content-length: (\d+)", self._data[:end])
            assert found is not None
            self._size = end + 4 + int(found.group(1))
        if len(self._data) >= self._size:
            self._data, self._size = b"", 0
            self._counts[0] += 1
            self._transport.write(self._request)


async def small(target: Target, clients: int, seconds: float) -> tuple[float, float]:
    """Requests per second, and the target's CPU microseconds for each."""
    loop = asyncio.get_running_loop()
    counts = [0]
    made = [
        await loop.create_connection(lambda: Asker(counts), "127.0.0.1", target.port)
        for _ in range(clients)
    ]
    await asyncio.sleep(0.2)
    before, cpu, began = counts[0], target.cpu(), time.monotonic()
    await asyncio.sleep(seconds)
    count, took = counts[0] - before, time.monotonic() - began
    used = target.cpu() - cpu
    for transport, _ in made:
        transport.abort()
    return count / took, used / count * 1e6


class Listener(asyncio.Protocol):
    """One stream, read to its end; notes how old each event is when it comes."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.ages: list[int] = []
        self.head_age = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(request(self._path))

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        data = self._tail + data
        if not self.head_age and (found := re.search(rb"(?i)x-sent: (\d+)", data)):
            self.head_age = now - int(found.group(1))
        self.ages += [now - int(each) for each in SENT.findall(data)]
        self._tail = data[-20:] if not data.endswith(b"\n") else b""
        if b"[DONE]" in data:
            self._transport.close()
            if not self.done.done():
                self.done.set_result(None)

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("the stream was cut"))


async def streams(
    target: Target, count: int, rate: float, seconds: float
) -> tuple[float, float, float]:
    """The median age of an event and of the head in microseconds; CPU for each event."""
    loop = asyncio.get_running_loop()
    events = max(1, int(rate * seconds))
    path = f"{PATH}?stream={events}&gap={1 / rate}"
    cpu = target.cpu()
    listeners = []
    for _ in range(count):
        _, listener = await loop.create_connection(lambda: Listener(path), "127.0.0.1", target.port)
        listeners.append(listener)
        await asyncio.sleep(1 / rate / count)
    await asyncio.gather(*(each.done for each in listeners))
    used = target.cpu() - cpu
    ages = [age for each in listeners for age in each.ages]
    heads = [each.head_age for each in listeners]
    return (
        statistics.median(ages) / 1e3,
        statistics.median(heads) / 1e3,
        used / len(ages) * 1e6,
    )


async def large(target: Target, *, up: bool) -> float:
    """MiB per second of one large body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port, limit=1 << 20)
    began = time.monotonic()
    if up:
        left = UP
        writer.write(
            b"POST /v1/audio/raw?model=m HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s"
            b"\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n"
            % (KEY.encode(), left)
        )
        piece = bytes(1 << 18)
        while left:
            writer.write(piece)
            left -= len(piece)
            await writer.drain()
        await reader.readuntil(b"}}")
        size = UP
    else:
        writer.write(request(f"{PATH}?bytes={DOWN}"))
        await reader.readuntil(b"\r\n\r\n")
        left = DOWN
        while left:
            left -= len(await reader.read(1 << 20))
        size = DOWN
    took = time.monotonic() - began
    writer.close()
    return size / took / (1 << 20)


async def leave(target: Target, upstream: int) -> float:
    """Milliseconds from a client's going until the model's server is left."""
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    writer.write(request(f"{PATH}?stream=1000&gap=0.05"))
    await reader.readuntil(b"data: ")
    gone = time.monotonic_ns()
    writer.transport.abort()
    while True:
        await asyncio.sleep(0.01)
        closed = await asyncio.to_thread(_closed, upstream)
        if closed >= gone:
            return (closed - gone) / 1e6


def _closed(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/closed") as answer:
        return int(answer.read())


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(1000):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise SystemExit(f"nothing listens on port {port}")


@contextlib.contextmanager
def running(command: list[str], port: int, env: dict[str, str]) -> Iterator[psutil.Process]:
    with subprocess.Popen(
        command, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        try:
            wait_for(port)
            yield psutil.Process(child.pid)
        finally:
            child.terminate()


@contextlib.contextmanager
def targets(folder: Path, *, window: bool) -> Iterator[tuple[list[Target], int]]:
    """All targets, running, and the port of the model's server behind the gateway."""
    upstream, behind, nginx, gateway = (free_port() for _ in range(4))
    config = folder / "config.yaml"
    config.write_text(
        f"apiKeys: [{KEY}]\nmodels:\n  m:\n    cmd: [{sys.executable}, {UPSTREAM}, '{behind}']\n"
        f"    proxy: http://127.0.0.1:{behind}\n    concurrencyLimit: 200\n",
        encoding="utf-8",
    )
    env = {f"XDG_{name}_HOME": str(folder / name) for name in ("STATE", "DATA", "CONFIG")}
    env |= {"HOME": str(folder), "QT_QPA_PLATFORM": "offscreen"}
    mode = ["--show"] if window else ["serve"]
    with contextlib.ExitStack() as stack:
        stack.enter_context(running([sys.executable, str(UPSTREAM), str(upstream)], upstream, {}))
        found = [Target("direct", upstream)]
        if (program := shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")) is not None:
            (folder / "nginx.conf").write_text(
                NGINX.format(folder=folder, upstream=upstream, port=nginx), encoding="utf-8"
            )
            command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]
            found.append(Target("nginx", nginx, stack.enter_context(running(command, nginx, {}))))
        command = [sys.executable, "-m", "qmdesk", *mode, "--config", str(config)]
        command += ["--listen", f"127.0.0.1:{gateway}"]
        found.append(Target("qmdesk", gateway, stack.enter_context(running(command, gateway, env))))
        yield found, behind


class Table:
    """Figures by row and target; each round adds one of each."""

    def __init__(self) -> None:
        self._figures: dict[str, dict[str, list[float]]] = {}

    def add(self, row: str, target: Target, figure: float) -> None:
        self._figures.setdefault(row, {}).setdefault(target.name, []).append(figure)

    def show(self) -> None:
        names = list(dict.fromkeys(name for row in self._figures.values() for name in row))
        print(f"{'median':44}" + "".join(f"{name:>12}" for name in names) + "   qmdesk against")
        for row, by_target in self._figures.items():
            cells = "".join(
                f"{statistics.median(by_target[name]):12,.1f}" if name in by_target else " " * 12
                for name in names
            )
            print(f"{row:44}{cells}   {self._compared(by_target)}")

    def _compared(self, by_target: dict[str, list[float]]) -> str:
        ours = by_target.get("qmdesk", [])
        parts = []
        for name, theirs in by_target.items():
            if name != "qmdesk" and all(theirs):
                ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
                differences = [a - b for a, b in zip(ours, theirs, strict=True)]
                parts.append(
                    f"{name}: x{statistics.median(ratios):.2f},"
                    f" {statistics.median(differences):+,.0f}"
                )
        return "; ".join(parts)


async def measure(
    found: list[Target], behind: int, rounds: int, seconds: float, only: list[str]
) -> Table:
    table = Table()
    for target in found:
        await small(target, 1, 0.5)  # The gateway loads its model.
    for _ in range(rounds):
        if "small" in only:
            for clients in (1, 8):
                for target in found:
                    rate, cpu = await small(target, clients, seconds)
                    table.add(f"small requests/s, {clients} clients", target, rate)
                    if target.process is not None:
                        table.add(f"  CPU us for each, {clients} clients", target, cpu)
        if "streams" in only:
            for count, rate in ((10, 100), (50, 50)):
                for target in found:
                    age, head, cpu = await streams(target, count, rate, seconds)
                    what = f"{count} streams x {rate}/s"
                    table.add(f"{what}: us until an event is here", target, age)
                    table.add(f"{what}: us until the head is here", target, head)
                    if target.process is not None:
                        table.add(f"{what}: CPU us for each event", target, cpu)
        if "large" in only:
            for up, what in ((False, "50 MiB down, MiB/s"), (True, "20 MiB up, MiB/s")):
                for target in found:
                    table.add(what, target, await large(target, up=up))
        if "leave" in only:
            for target in found:
                port = behind if target.name == "qmdesk" else found[0].port
                table.add("client gone until upstream left, ms", target, await leave(target, port))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--window", action="store_true")
    kinds = ["small", "streams", "large", "leave"]
    parser.add_argument("--only", nargs="+", choices=kinds, default=kinds)
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        targets(Path(folder), window=args.window) as (found, behind),
    ):
        table = asyncio.run(measure(found, behind, args.rounds, args.seconds, args.only))
    table.show()


if __name__ == "__main__":
    main()
