"""AMD's cards, from the kernel's files alone (Linux)."""

from __future__ import annotations

import platform
from collections.abc import Collection
from pathlib import Path

from qmdesk.gpu import drm, fdinfo, power
from qmdesk.gpu.reading import Card, Holding, Kind, Reading

_CARVE_OUT = 3 << 30
"""Bytes; with less of its own a card is part of a processor, and works in main memory."""


class Amd:
    def __init__(self, drm_folder: Path = drm.DRM, proc: Path = fdinfo.PROC) -> None:
        self._drm = drm_folder
        self._known: dict[str, Card] = {}
        self._own = drm.Holders(proc, ("amdgpu",), ("vram",))
        self._shared = drm.Holders(proc, ("amdgpu",), ("vram", "gtt"))

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        cards = [
            self._card(index, device, idle=idle)
            for index, device in enumerate(drm.devices(self._drm, "0x1002"))
        ]
        awake = [card for card in cards if not card.asleep]
        holdings: list[Holding] = []
        for holders, unified in ((self._own, False), (self._shared, True)):
            chosen = [card.id for card in awake if card.unified is unified]
            if chosen:
                holdings += holders.holdings(ours, chosen)
        return Reading(tuple(cards), tuple(holdings))

    def close(self) -> None:
        """Nothing is held."""

    def _card(self, index: int, device: drm.Device, *, idle: bool) -> Card:
        known = self._known.get(device.address)
        name = power.text(device.folder / "product_name") or "AMD card"
        if power.rests(device.folder, idle=idle and known is not None):
            total = known.total if known else 0
            return Card(device.address, index, name, Kind.AMD, total, asleep=True)
        folder = device.folder
        total = power.number(folder / "mem_info_vram_total") or 0
        used = power.number(folder / "mem_info_vram_used")
        more = power.number(folder / "mem_info_gtt_total") or 0
        unified = 0 < total <= _CARVE_OUT and more > total
        if unified:
            total += more
            used = (used or 0) + (power.number(folder / "mem_info_gtt_used") or 0)
        busy = power.number(folder / "gpu_busy_percent")
        millidegrees = drm.sensor(folder, "temp1_input")
        microwatts = drm.sensor(folder, "power1_average", "power1_input")
        card = self._known[device.address] = Card(
            id=device.address,
            index=index,
            name=name,
            kind=Kind.AMD,
            total=total,
            used=used,
            utilisation=None if busy is None else busy / 100,
            temperature=None if millidegrees is None else millidegrees / 1000,
            power=None if microwatts is None else microwatts / 1_000_000,
            driver=f"amdgpu of Linux {platform.release()}",
            unified=unified,
        )
        return card
