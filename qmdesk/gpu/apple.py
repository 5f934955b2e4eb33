"""Apple's processors: one memory for all, of which the system gives the card a part."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection

import psutil

from qmdesk.gpu.ram import resident
from qmdesk.gpu.reading import Card, Kind, Reading

ID = "apple"
_ASK = ("/usr/sbin/sysctl", "iogpu.wired_limit_mb", "hw.memsize", "machdep.cpu.brand_string")
_SMALL = 36 << 30


def _sysctl() -> str:
    done = subprocess.run(_ASK, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode("utf-8", "replace")


def parse(output: str) -> tuple[int, str]:
    """The bytes that the card may work with, and the processor's name.

    0 where there is no such card: an older Mac, whose sysctl has no such limit.
    """
    values = dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)
    limit, memory = values.get("iogpu.wired_limit_mb", ""), values.get("hw.memsize", "")
    if not limit.isdigit() or not memory.isdigit():
        return 0, ""
    # 0 is what Metal recommends by itself.
    share = int(memory) * 2 // 3 if int(memory) <= _SMALL else int(memory) * 3 // 4
    return int(limit) << 20 or share, values.get("machdep.cpu.brand_string", "Apple processor")


class Apple:
    def __init__(self, sysctl: Callable[[], str] = _sysctl) -> None:
        self._sysctl = sysctl

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        try:
            limit, name = parse(self._sysctl())
        except OSError as error:
            return Reading(problem=f"sysctl cannot be run: {error}")
        if not limit:
            return Reading()
        free = min(limit, psutil.virtual_memory().available)
        card = Card(ID, 0, name, Kind.APPLE, limit, limit - free, unified=True)
        return Reading((card,), tuple(resident(ID, ours)))

    def close(self) -> None:
        """Nothing is held."""
