"""An inference server for tests: does exactly what it is told, as a process of its own.

Standard library only and quick to start.  How it starts, stops and fails is said on
its command line; how it answers is said in each request's body, under ``fake``::

    {"model": "x", "stream": true, "fake": {"tokens": 5, "delay": 0.1}}

``tokens`` and ``delay`` (seconds before each), ``silence`` (seconds before the head),
``status``, ``tool_call``, ``die`` (``before`` or ``within`` the answer), ``cut`` (end the
connection within the answer, and live).  ``GET /fake/requests`` tells what it was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time


def main() -> None:
    options = parse()
    if options.prints:
        print(options.prints, flush=True)
    if options.reads:
        with open("/dev/zero", "rb", buffering=0) as zero:
            for _ in range(options.reads):
                zero.read(1 << 20)
    if options.floods:
        for _ in range(options.floods * 16):
            os.write(1, (b"x" * 127 + b"\n") * 512)
    if options.allocates:
        allocate(*options.allocates)
    if options.exit_after is not None:
        time.sleep(options.exit_after)
        os._exit(options.exit_code)
    if options.ignore_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.fork and os.fork() == 0:
        if options.fork_escapes:
            os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
        os._exit(0)
    asyncio.run(Server(options).run())


def allocate(folder: str, mib: str, total: str) -> None:
    """Take memory of the card that ``folder`` is, or end as a server does that finds too little."""
    file = os.path.join(folder, str(os.getpid()))
    with open(file + ".new", "w") as new:
        new.write(mib)
    os.rename(file + ".new", file)
    taken = 0
    for name in os.listdir(folder):
        # What belonged to the dead counts as long as it is there: drivers release late.
        if name.isdigit():
            try:
                with open(os.path.join(folder, name)) as other:
                    taken += int(other.read())
            except FileNotFoundError:
                pass  # it has just been released
    if taken > int(total):
        os.unlink(file)
        print(f"cudaMalloc failed: out of memory ({taken} of {total} MiB)", flush=True)
        os._exit(1)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--name", default="fake")
    parser.add_argument("--ready-after", type=float, default=0.0, help="seconds of 503")
    parser.add_argument("--listen-after", type=float, default=0.0, help="seconds of nothing")
    parser.add_argument("--health", type=int, default=200, help="status of /health when ready")
    parser.add_argument("--hang-health", type=int, default=0, help="tries that get no answer")
    parser.add_argument("--exit-after", type=float)
    parser.add_argument("--exit-code", type=int, default=0)
    parser.add_argument("--prints", default="")
    parser.add_argument("-c", "--ctx-size", type=int)
    parser.add_argument("--file", help="a model file, which is not read")
    parser.add_argument("--allocates", nargs=3, metavar=("FOLDER", "MIB", "TOTAL"))
    parser.add_argument("--reads", type=int, default=0, help="MiB that it reads first")
    parser.add_argument("--floods", type=int, default=0, help="MiB that it writes first")
    parser.add_argument("--ignore-term", action="store_true")
    parser.add_argument("--stop-after", type=float, default=0.0, help="seconds that a stop takes")
    parser.add_argument("--fork", action="store_true", help="a child that ignores SIGTERM")
    parser.add_argument("--fork-escapes", action="store_true", help="... in its own session")
    parser.add_argument("--die-at", type=int, default=0, help="die at the nth POST")
    return parser.parse_args()


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.began = time.monotonic()
        self.requests: list[dict[str, object]] = []
        self.posts = 0
        self.health_tries = 0
        self.begun: dict[asyncio.StreamReader, bytes] = {}
        """The first byte of a request, where it came while the last one was answered."""
        self.stop = asyncio.Event()

    async def run(self) -> None:
        if not self.options.ignore_term:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.stop.set)
        await asyncio.sleep(self.options.listen_after)
        server = await asyncio.start_server(
            self.connection, self.options.host, self.options.port, limit=1 << 26
        )
        print(f"{self.options.name} listens on {self.options.port}", flush=True)
        await self.stop.wait()
        await asyncio.sleep(self.options.stop_after)
        server.close()
        os._exit(0)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        begun = self.begun.pop(reader, b"")
        head = (begun + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head.split("\r\n")
        method, target, _ = line.split(" ", 2)
        headers = [each.split(": ", 1) for each in lines if each]
        named = {name.lower(): value for name, value in headers}
        body = b""
        if "content-length" in named:
            body = await reader.readexactly(int(named["content-length"]))
        elif "chunked" in named.get("transfer-encoding", ""):
            while size := int(await reader.readline(), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readline()
        path = target.partition("?")[0]
        if path == "/health":
            return await self.health(writer)
        if path == "/fake/requests":
            return await self.say(writer, 200, self.requests)
        record: dict[str, object] = {
            "method": method,
            "target": target,
            "headers": headers,
            "body": body.decode("utf-8", "replace"),
            "left": False,
            "done": False,
        }
        self.requests.append(record)
        if method == "POST":
            self.posts += 1
            if self.posts == self.options.die_at:
                os._exit(3)
        gone = asyncio.ensure_future(self.watch(reader, record))
        answer = asyncio.ensure_future(self.answer(writer, path, body))
        try:
            await asyncio.wait((gone, answer), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                return False
            if isinstance(answer.exception(), ConnectionError):
                # Seen first by the writing side.
                record["left"] = time.time()
                return False
            record["done"] = True
            return answer.result()
        finally:
            gone.cancel()
            answer.cancel()
            await asyncio.wait((gone, answer))

    async def watch(self, reader: asyncio.StreamReader, record: dict[str, object]) -> None:
        """See the client leave while it is being answered."""
        try:
            byte = await reader.read(1)
        except ConnectionError:
            byte = b""
        if byte:
            # It has its answer, and asks for something else.
            self.begun[reader] = byte
            await asyncio.Event().wait()
        record["left"] = time.time()

    async def health(self, writer: asyncio.StreamWriter) -> bool:
        self.health_tries += 1
        if self.health_tries <= self.options.hang_health:
            await asyncio.sleep(600)
        if time.monotonic() - self.began < self.options.ready_after:
            return await self.say(writer, 503, {"error": {"message": "Loading model"}})
        return await self.say(writer, self.options.health, {"status": "ok"})

    async def answer(self, writer: asyncio.StreamWriter, path: str, body: bytes) -> bool:
        try:
            content = json.loads(body or b"{}")
        except ValueError:
            content = {}
        fake = content.get("fake", {})
        if path.startswith("/sdcpp/v1/"):
            return await self.video(writer, path, content)
        if fake.get("die") == "before":
            os._exit(9)
        await asyncio.sleep(fake.get("silence", 0.0))
        tokens = [f"{self.options.name}-{number}" for number in range(fake.get("tokens", 3))]
        reason = "tool_calls" if fake.get("tool_call") else "stop"
        if not content.get("stream"):
            for _ in tokens:
                await asyncio.sleep(fake.get("delay", 0.0))
            return await self.say(
                writer,
                fake.get("status", 200),
                {
                    "object": "chat.completion",
                    "model": self.options.name,
                    "path": path,
                    "choices": [
                        {
                            "index": 0,
                            "finish_reason": reason,
                            "message": {"role": "assistant", "content": " ".join(tokens)},
                        }
                    ],
                },
            )
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for number, token in enumerate(tokens):
            await asyncio.sleep(fake.get("delay", 0.0))
            await self.event(writer, {"content": token}, None)
            if number == len(tokens) // 2:
                if fake.get("die") == "within":
                    os._exit(9)
                if fake.get("cut"):
                    writer.transport.abort()
                    return False
        await self.event(writer, {}, reason)
        self.chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def video(self, writer: asyncio.StreamWriter, path: str, content: dict) -> bool:
        """A render that ends after as many looks at it as its submission says."""
        if path.endswith("/vid_gen"):
            self.looks = int(content.get("looks", 3))
            return await self.say(writer, 202, {"id": "job-1", "status": "queued"})
        if path.endswith("/cancel"):
            self.looks = 0
            return await self.say(writer, 200, {"id": "job-1", "status": "cancelling"})
        self.looks -= 1
        status = "completed" if self.looks <= 0 else "generating"
        return await self.say(writer, 200, {"id": "job-1", "status": status})

    async def event(
        self, writer: asyncio.StreamWriter, delta: dict[str, str], reason: str | None
    ) -> None:
        data = json.dumps(
            {
                "object": "chat.completion.chunk",
                "id": "fake",
                "created": 0,
                "model": self.options.name,
                "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
            }
        )
        self.chunk(writer, f"data: {data}\n\n".encode())
        await writer.drain()

    def chunk(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def say(self, writer: asyncio.StreamWriter, status: int, content: object) -> bool:
        body = json.dumps(content).encode()
        writer.write(
            f"HTTP/1.1 {status} Fake\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        return True


if __name__ == "__main__":
    sys.exit(main())
