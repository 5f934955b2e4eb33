"""What processes hold on cards, from the kernel's ``/proc/PID/fdinfo`` (Linux).

The keys are those of the kernel's drm-usage-stats: amdgpu, i915 and xe all write them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PROC = Path("/proc")
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def parse(text: str) -> Mapping[str, str]:
    """The ``drm-`` keys of one fdinfo file; empty where it is no card's."""
    pairs = (line.partition(":") for line in text.splitlines() if line.startswith("drm-"))
    return {key: value.strip() for key, _, value in pairs}


def size(value: str) -> int:
    """``120 KiB`` in bytes; 0 where it is no size."""
    number, _, unit = value.partition(" ")
    return int(number) * _UNITS.get(unit.strip(), 1) if number.isdigit() else 0


def held(stats: Mapping[str, str], regions: Iterable[str]) -> int:
    """Bytes in the memory ``regions``: what is resident where the driver tells, else all."""
    total = 0
    for region in regions:
        for key in (f"drm-resident-{region}", f"drm-memory-{region}", f"drm-total-{region}"):
            if key in stats:
                total += size(stats[key])
                break
    return total


def clients(proc: Path, pids: Iterable[int]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Every process's open cards: its number and the keys, each client once."""
    for pid in pids:
        seen: set[tuple[str, str]] = set()
        folder = proc / str(pid)
        for fd in _card_files(folder):
            try:
                text = (folder / "fdinfo" / fd).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            stats = parse(text)
            client = (stats.get("drm-pdev", ""), stats.get("drm-client-id", fd))
            if stats and client not in seen:
                # Duplicated descriptors show the same client again.
                seen.add(client)
                yield pid, stats


def _card_files(folder: Path) -> list[str]:
    """The numbers of the files that are open on a card."""
    found: list[str] = []
    try:
        for fd in os.listdir(folder / "fd"):
            try:
                if os.readlink(folder / "fd" / fd).startswith(("/dev/dri/", "/dev/kfd")):
                    found.append(fd)
            except OSError:
                continue
    except OSError:
        # It has ended, or belongs to somebody else.
        return []
    return found


def pids(proc: Path) -> list[int]:
    """The numbers of all processes."""
    try:
        return [int(name) for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return []
