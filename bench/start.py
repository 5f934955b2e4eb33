"""How long a start takes: until the icon is in the tray, and until requests are answered.

A private screen with a tray host; the application is started there again and again, from
source or as the bundle that is named.  The icon's time is when its window is mapped in the
host's panel, as the X server tells it; the gateway's, when /health is answered.

    python -m bench.start [--runs 10] [PROGRAM ...]
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from tests.desktop.desk import Desk

LIMIT = 20.0
"""Seconds that a start may take at most."""
GOAL = 1.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


def is_docked(desk: Desk) -> bool:
    """Whether an icon of ours is mapped; the host has no other."""
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--class", "qmdesk"],
        env=desk.env,
        capture_output=True,
        text=True,
        check=False,
    )
    return bool(found.stdout.strip())


def start(program: list[str]) -> tuple[float, float]:
    """Seconds until the icon is there, and until the gateway answers."""
    with Desk(trayer=True) as desk, tempfile.TemporaryDirectory() as home:
        config = Path(home) / "config.yaml"
        config.write_text("models: {a: {cmd: 'true --port ${PORT}'}}\n")
        names = {f"XDG_{each}_HOME": home for each in ("CONFIG", "STATE", "DATA", "CACHE")}
        port = free_port()
        began = time.monotonic()
        process = subprocess.Popen(
            [*program, "--config", str(config), "--listen", f"127.0.0.1:{port}"],
            env={**desk.env, **names, "HOME": home},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            docked = answered = 0.0
            while not (docked and answered):
                passed = time.monotonic() - began
                if passed > LIMIT:
                    raise TimeoutError(f"not there after {LIMIT:.0f} s")
                if not docked and is_docked(desk):
                    docked = time.monotonic() - began
                if docked and not answered and answers(port):
                    answered = time.monotonic() - began
                time.sleep(0.01)
            return docked, answered
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LIMIT)


def main(options: argparse.Namespace) -> int:
    program = options.program or [sys.executable, "-m", "qmdesk"]
    start(program)  # fills the disk's cache
    runs = [start(program) for _ in range(options.runs)]
    for name, values in zip(("icon", "gateway"), zip(*runs, strict=True), strict=True):
        print(
            f"{name:8} median {statistics.median(values):.2f} s"
            f" ({min(values):.2f} to {max(values):.2f})"
        )
    return 0 if statistics.median(icon for icon, _ in runs) <= GOAL else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("program", nargs="*", help="default: from source")
    os.environ.pop("QT_QPA_PLATFORM", None)
    sys.exit(main(parser.parse_args()))
