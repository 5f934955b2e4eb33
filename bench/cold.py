"""How long a cold request waits for its first byte.

The upstream is ready a set time after its process has started.  Each round unloads the
model and asks for it over plain HTTP; the figure is the time from sending the request to
the first byte of the answer.

    python -m bench.cold [--rounds 20] [--ready 50 300 1000 1500]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from qmdesk.config import parse
from qmdesk.instance import Instance

UPSTREAM = Path(__file__).with_name("slow_upstream.py")


async def first_byte(port: int) -> float:
    """Seconds until the first byte of a chat completion, on a new connection."""
    body = b'{"model":"m","messages":[]}'
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    first = await reader.read(1)
    seconds = time.perf_counter() - began
    rest = await reader.read()
    writer.close()
    if not (first + rest).startswith(b"HTTP/1.1 200"):
        raise SystemExit((first + rest).decode())
    return seconds


async def measure(ready: int, rounds: int) -> list[float]:
    command = [sys.executable, "-I", "-S", str(UPSTREAM), "${PORT}", str(ready)]
    config = parse(f"models:\n  m: {{cmd: {command}}}\n".replace("'", '"'))
    instance = Instance(config, listen="127.0.0.1:0")
    await instance.start()
    port = int(instance.addresses[0].rpartition(":")[2])
    try:
        times = []
        for _ in range(rounds + 1):
            await instance.router.unload(by="the benchmark")
            times.append(await first_byte(port))
        # The first one also pays for what is imported on the way.
        return times[1:]
    finally:
        await instance.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--ready", type=int, nargs="+", default=[50, 300, 1000, 1500])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        print("ready after   first byte, ms: median     min     max   added at the median")
        for ready in options.ready:
            times = [each * 1000 for each in asyncio.run(measure(ready, options.rounds))]
            median = statistics.median(times)
            print(
                f"{ready:8d} ms                  {median:9.1f} {min(times):7.1f}"
                f" {max(times):7.1f}   {median - ready:8.1f} ms"
            )


if __name__ == "__main__":
    main()
