"""NVIDIA's cards, through the driver's own library (nvidia-ml-py loads it)."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from qmdesk.gpu import power
from qmdesk.gpu.reading import Card, Holding, Kind, Reading

FIRST_WAIT = 10.0
LONGEST_WAIT = 300.0
"""Seconds between two tries to load the driver after a failure."""
_VENDOR = "0x10de"
_DISPLAY = "0x03"


class Nvidia:
    """A driver that is missing, replaced or lost is tried again with growing pauses."""

    def __init__(self, pci: Path = power.PCI, clock: Callable[[], float] = time.monotonic) -> None:
        self._pci = pci
        self._clock = clock
        self._nvml: Any = None
        self._up = False
        self._problem = ""
        self._wait = 0.0
        self._not_before = 0.0
        self._driver = ""
        self._known: tuple[Card, ...] = ()

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        if self._resting(idle):
            # Asking the driver at all would keep it awake, even about another card.
            self.close()
            return Reading(tuple(replace(card, used=None, asleep=True) for card in self._known))
        if not self._up and not self._begin():
            return Reading(problem=self._problem)
        try:
            cards, holdings = self._look()
        except self._nvml.NVMLError as error:
            self._failed(f"NVIDIA's driver does not answer: {error}")
            return Reading(problem=self._problem)
        self._known = tuple(cards)
        # A card has been seen since: the next failure is a new one.
        self._wait = 0.0
        self._problem = ""
        return Reading(self._known, tuple(holdings))

    def close(self) -> None:
        if self._up:
            self._up = False
            try:
                self._nvml.nvmlShutdown()
            except self._nvml.NVMLError as error:
                self._problem = f"NVIDIA's driver could not be let go: {error}"

    def _resting(self, idle: bool) -> bool:
        devices = [
            device
            for device in (self._pci.iterdir() if self._pci.is_dir() else ())
            if power.text(device / "vendor") == _VENDOR
            and power.text(device / "class").startswith(_DISPLAY)
        ]
        # The first look is allowed where it wakes nobody: else nothing would be known.
        idle = idle and bool(self._known)
        return bool(devices) and all(power.rests(device, idle=idle) for device in devices)

    def _begin(self) -> bool:
        if self._clock() < self._not_before:
            return False
        if self._nvml is None:
            if not _driver_there():
                self._failed("")
                return False
            import pynvml

            self._nvml = pynvml
        try:
            self._nvml.nvmlInit()
            self._up = True
            self._driver = _text(self._nvml.nvmlSystemGetDriverVersion())
        except self._nvml.NVMLError as error:
            absent = (
                self._nvml.NVML_ERROR_LIBRARY_NOT_FOUND,
                self._nvml.NVML_ERROR_DRIVER_NOT_LOADED,
            )
            # A machine without such a card is no problem.
            why = "" if error.value in absent else f"NVIDIA's driver cannot be used: {error}"
            if error.value == self._nvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH:
                why = "NVIDIA's driver was updated: restart the machine to use the card"
            self._failed(why)
            return False
        return True

    def _failed(self, why: str) -> None:
        self.close()
        self._problem = why
        self._wait = min(LONGEST_WAIT, max(FIRST_WAIT, 2 * self._wait))
        self._not_before = self._clock() + self._wait

    def _look(self) -> tuple[list[Card], list[Holding]]:
        cards: list[Card] = []
        holdings: list[Holding] = []
        lost: Exception | None = None
        count = self._nvml.nvmlDeviceGetCount()
        for index in range(count):
            try:
                handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
                for part in self._parts(handle):
                    card, held = self._card(part, handle, index)
                    cards.append(card)
                    holdings += held
            except self._nvml.NVMLError as error:
                # One that fell off the bus does not take the others with it.
                lost = error
        if lost is not None and not cards:
            raise lost
        return cards, holdings

    def _parts(self, handle: Any) -> list[Any]:
        """The card itself, or its instances where it is cut into some (MIG)."""
        nvml = self._nvml
        mode = self._ask(nvml.nvmlDeviceGetMigMode, handle)
        if mode is None or mode[0] != nvml.NVML_DEVICE_MIG_ENABLE:
            return [handle]
        most = self._ask(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0
        parts = (
            self._ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, at) for at in range(most)
        )
        return [part for part in parts if part is not None]

    def _card(self, part: Any, whole: Any, index: int) -> tuple[Card, list[Holding]]:
        nvml = self._nvml
        id = _text(nvml.nvmlDeviceGetUUID(part))
        total, used, unified = self._memory(part)
        load = self._ask(nvml.nvmlDeviceGetUtilizationRates, part)
        temperature = self._ask(nvml.nvmlDeviceGetTemperatureV, whole, nvml.NVML_TEMPERATURE_GPU)
        if temperature is None:
            temperature = self._ask(nvml.nvmlDeviceGetTemperature, whole, nvml.NVML_TEMPERATURE_GPU)
        milliwatts = self._ask(nvml.nvmlDeviceGetPowerUsage, whole)
        card = Card(
            id=id,
            index=index,
            name=_text(self._ask(nvml.nvmlDeviceGetName, part) or "NVIDIA card"),
            kind=Kind.NVIDIA,
            total=total,
            used=used,
            utilisation=None if load is None else load.gpu / 100,
            temperature=None if temperature is None else float(temperature),
            power=None if milliwatts is None else milliwatts / 1000,
            driver=self._driver,
            unified=unified,
        )
        held: dict[int, int | None] = {}
        for ask in (
            nvml.nvmlDeviceGetComputeRunningProcesses,
            nvml.nvmlDeviceGetGraphicsRunningProcesses,
        ):
            for process in self._ask(ask, part) or ():
                # The same process may be in both lists, with the same figure.
                known = held.get(process.pid)
                if known is None or (process.usedGpuMemory or 0) > known:
                    held[process.pid] = process.usedGpuMemory
        return card, [Holding(id, pid, size) for pid, size in held.items()]

    def _memory(self, part: Any) -> tuple[int, int | None, bool]:
        """Total and used bytes, and whether it is the machine's main memory."""
        nvml = self._nvml
        # Version 1 counts what the driver has set aside as used.
        info = self._ask(nvml.nvmlDeviceGetMemoryInfo, part, nvml.nvmlMemory_v2)
        if info is None:
            info = self._ask(nvml.nvmlDeviceGetMemoryInfo, part)
        if info is not None:
            return int(info.total), int(info.used), False
        # Integrated ones share the main memory and do not tell their own figures.
        import psutil

        main = psutil.virtual_memory()
        return main.total, main.total - main.available, True

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The answer, or None where this card or this driver does not tell."""
        nvml = self._nvml
        try:
            return function(*arguments)
        except nvml.NVMLLibraryMismatchError:
            # The driver is older than the binding.
            return None
        except nvml.NVMLError as error:
            silent = (
                nvml.NVML_ERROR_NOT_SUPPORTED,
                nvml.NVML_ERROR_FUNCTION_NOT_FOUND,
                nvml.NVML_ERROR_NO_PERMISSION,
                nvml.NVML_ERROR_NOT_FOUND,
                nvml.NVML_ERROR_INVALID_ARGUMENT,
                nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
            )
            if error.value in silent:
                return None
            raise


def _driver_there() -> bool:
    """Whether loading the binding, which is not small, is of any use."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
