"""Two gigabytes each way through the gateway: seconds, and how much its process grows.

    python bench/bytes.py [MEBIBYTES]

The upstream (a model's server) and the client are processes of their own.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path

MIB = 1 << 20
PIECE = bytes(MIB)
MODEL = b'--B\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n'
FILE = b'--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
WAYS = ("download", "upload", "upload, model last")


async def upstream(port: int) -> None:
    """Answers ``/down/MEBIBYTES`` with that much, and swallows what is posted."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        target = head.split(" ")[1].partition("?")[0]
        if target.startswith("/v1/down/"):
            count = int(target.rpartition("/")[2])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (count * MIB))
            for _ in range(count):
                writer.write(PIECE)
                await writer.drain()
        else:
            named = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
            left = int(named.get("content-length", 0))
            while left:
                left -= len(await reader.read(MIB))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", port)
    await server.serve_forever()


async def client(port: int, way: str, count: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=MIB)
    if way == "download":
        writer.write(b"GET /v1/down/%d?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n" % count)
        await reader.readuntil(b"\r\n\r\n")
        left = count * MIB
        while left:
            left -= len(await reader.read(MIB))
    else:
        before, after = MODEL + FILE, b"\r\n--B--\r\n"
        if way != "upload":
            before, after = FILE, b"\r\n" + MODEL + b"--B--\r\n"
        writer.write(
            b"POST /v1/images/edits HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
            b"Content-Type: multipart/form-data; boundary=B\r\n\r\n"
            % (len(before) + count * MIB + len(after))
            + before
        )
        for _ in range(count):
            writer.write(PIECE)
            await writer.drain()
        writer.write(after)
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
    writer.close()


class Peak:
    """How much this process grows within the block, at its most."""

    def __enter__(self) -> Peak:
        import psutil

        self._me = psutil.Process()
        self._before = self._most = self._me.memory_info().rss
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.01):
            self._most = max(self._most, self._me.memory_info().rss)

    @property
    def growth(self) -> int:
        return self._most - self._before


async def main(count: int) -> None:
    from qmdesk.config import parse
    from qmdesk.instance import Instance

    command = f"{sys.executable} {Path(__file__).absolute()} --upstream ${{PORT}}"
    instance = Instance(parse(f'models:\n  a: {{cmd: "{command}"}}\n'), listen="127.0.0.1:0")
    await instance.start()
    try:
        await instance.router.load("a", by="bench")
        port = instance.addresses[0].rpartition(":")[2]
        for way in WAYS:
            with Peak() as peak:
                began = time.perf_counter()
                process = await asyncio.create_subprocess_exec(
                    sys.executable, __file__, "--client", port, way, str(count)
                )
                assert await process.wait() == 0
                seconds = time.perf_counter() - began
            print(
                f"{way}: {count} MiB in {seconds:.2f} s, {count / seconds:.0f} MiB/s,"
                f" {peak.growth / MIB:.1f} MiB more memory"
            )
    finally:
        await instance.stop()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--upstream", port]:
            asyncio.run(upstream(int(port)))
        case ["--client", port, way, count]:
            asyncio.run(client(int(port), way, int(count)))
        case [count]:
            asyncio.run(main(int(count)))
        case _:
            asyncio.run(main(2048))
