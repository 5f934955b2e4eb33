"""Intel's cards, from the kernel's files alone (Linux).

The kernel tells no global figure of what is used, so it is the sum of what the processes
that may be looked at hold.
"""

from __future__ import annotations

import platform
from collections.abc import Collection
from pathlib import Path

from qmdesk.gpu import drm, fdinfo, power
from qmdesk.gpu.reading import Card, Kind, Reading

_TOTALS = ("tile0/physical_vram_size_bytes", "lmem_total_bytes", "drm/card*/lmem_total_bytes")


class Intel:
    def __init__(self, drm_folder: Path = drm.DRM, proc: Path = fdinfo.PROC) -> None:
        self._drm = drm_folder
        self._totals: dict[str, int] = {}
        self._holders = drm.Holders(proc, ("i915", "xe"), ("local0", "vram0"))

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        cards: list[Card] = []
        devices = [
            device
            for device in drm.devices(self._drm, "0x8086")
            # A part of the processor has no memory of its own: main memory is what counts.
            if self._total(device)
        ]
        awake = [each.address for each in devices if not power.rests(each.folder, idle=idle)]
        holdings = self._holders.holdings(ours, awake) if awake else []
        for index, device in enumerate(devices):
            rests = device.address not in awake
            heat = None if rests else drm.sensor(device.folder, "temp1_input", "temp2_input")
            used = sum(each.bytes or 0 for each in holdings if each.card == device.address)
            cards.append(
                Card(
                    id=device.address,
                    index=index,
                    name="Intel card",
                    kind=Kind.INTEL,
                    total=self._total(device),
                    used=None if rests else used,
                    temperature=None if heat is None else heat / 1000,
                    driver=f"Linux {platform.release()}",
                    asleep=rests,
                )
            )
        return Reading(tuple(cards), tuple(holdings))

    def close(self) -> None:
        """Nothing is held."""

    def _total(self, device: drm.Device) -> int:
        if device.address not in self._totals:
            found = (power.number(file) for name in _TOTALS for file in device.folder.glob(name))
            self._totals[device.address] = next((each for each in found if each), 0)
        return self._totals[device.address]
