"""The cards in the kernel's ``/sys/class/drm``, and what processes hold on them (Linux)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from qmdesk.gpu import fdinfo, power
from qmdesk.gpu.family import family
from qmdesk.gpu.reading import Holding

DRM = Path("/sys/class/drm")
LOOK_AT_ALL = 10.0
"""Seconds between two walks through the descriptors of every process."""
_CARD = re.compile(r"card(\d+)")


@dataclass(frozen=True, slots=True)
class Device:
    """One card's folders."""

    number: int
    folder: Path
    """Its PCI folder."""
    address: str
    """Its place on the bus, such as ``0000:03:00.0``."""


def devices(drm: Path, vendor: str) -> Iterator[Device]:
    """The cards of ``vendor`` (such as ``0x1002``), in the kernel's order."""
    try:
        names = sorted(each.name for each in drm.iterdir())
    except OSError:
        return
    for name in names:
        if (match := _CARD.fullmatch(name)) is None:
            continue
        folder = drm / name / "device"
        if power.text(folder / "vendor") == vendor:
            slot = re.search(r"PCI_SLOT_NAME=(\S+)", power.text(folder / "uevent"))
            yield Device(int(match[1]), folder, slot[1] if slot else name)


def sensor(folder: Path, *names: str) -> int | None:
    """The first of ``names`` that the card's hwmon folder has."""
    for hwmon in sorted(folder.glob("hwmon/hwmon*")):
        for name in names:
            if (value := power.number(hwmon / name)) is not None:
                return value
    return None


class Holders:
    """Who holds how much: ours at each look, everybody now and then."""

    def __init__(
        self,
        proc: Path,
        driver: Collection[str],
        regions: Iterable[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._proc = proc
        self._drivers = driver
        self._regions = tuple(regions)
        self._clock = clock
        self._known: set[int] = set()
        self._looked: float | None = None

    def holdings(self, ours: Collection[int], addresses: Collection[str]) -> list[Holding]:
        now = self._clock()
        if self._looked is None or now - self._looked >= LOOK_AT_ALL:
            # A walk through every process's descriptors: not at every look.
            self._looked = now
            self._known = set(fdinfo.pids(self._proc))
        sums: dict[tuple[str, int], int] = {}
        seen: set[int] = set()
        for pid, stats in fdinfo.clients(
            self._proc, sorted(self._known | family(ours, self._proc))
        ):
            address = stats.get("drm-pdev", "")
            if stats.get("drm-driver") in self._drivers and address in addresses:
                seen.add(pid)
                key = (address, pid)
                sums[key] = sums.get(key, 0) + fdinfo.held(stats, self._regions)
        self._known = seen
        return [Holding(card, pid, size) for (card, pid), size in sums.items()]
