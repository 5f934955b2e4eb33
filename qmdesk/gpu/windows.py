"""Every vendor's cards on Windows: the system's performance counters, and DXGI for the totals."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qmdesk.gpu.reading import Card, Holding, Kind, Reading

USED = r"\GPU Adapter Memory(*)\Dedicated Usage"
HELD = r"\GPU Process Memory(*)\Dedicated Usage"
_LUID = re.compile(r"luid_0x([0-9a-f]{8})_0x([0-9a-f]{8})", re.IGNORECASE)
_PID = re.compile(r"pid_(\d+)_", re.IGNORECASE)
_SOFTWARE = 2
"""DXGI's mark of an adapter that is no card."""


@dataclass(frozen=True, slots=True)
class Adapter:
    luid: int
    """The number that Windows gives a card until the next start."""
    name: str
    total: int
    """Bytes of its own; 0 for a part of the processor."""
    place: str = ""
    """What stays the same after a restart: vendor, device and a count."""


Counters = Mapping[str, Mapping[str, int]]
"""By counter path, by instance: bytes."""


def luid_of(instance: str) -> int | None:
    """The card that an instance such as ``pid_1_luid_0x00000000_0x0000D1E5_phys_0`` names."""
    match = _LUID.search(instance)
    return (int(match[1], 16) << 32) | int(match[2], 16) if match else None


def cards_of(adapters: Sequence[Adapter], counters: Counters) -> Reading:
    """Put totals and counters together."""
    used: dict[int, int] = {}
    for instance, size in counters.get(USED, {}).items():
        if (luid := luid_of(instance)) is not None:
            used[luid] = used.get(luid, 0) + size
    real = [adapter for adapter in adapters if adapter.total]
    ids = {adapter.luid: adapter.place for adapter in real}
    cards = tuple(
        Card(
            adapter.place, index, adapter.name, Kind.WINDOWS, adapter.total, used.get(adapter.luid)
        )
        for index, adapter in enumerate(real)
    )
    held: dict[tuple[str, int], int] = {}
    for instance, size in counters.get(HELD, {}).items():
        pid, luid = _PID.search(instance), luid_of(instance)
        if pid is not None and luid in ids and size:
            key = (ids[luid], int(pid[1]))
            held[key] = held.get(key, 0) + size
    return Reading(cards, tuple(Holding(card, pid, size) for (card, pid), size in held.items()))


class Windows:
    def __init__(
        self,
        adapters: Callable[[], Sequence[Adapter]] | None = None,
        counters: Callable[[], Counters] | None = None,
    ) -> None:
        self._list = adapters or _adapters
        self._count = counters or _counters
        self._adapters: Sequence[Adapter] = ()

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        try:
            # The counters are kept by the system and wake nobody; the list might.
            if not self._adapters or not idle:
                self._adapters = self._list()
            return cards_of(self._adapters, self._count())
        except OSError as error:
            return Reading(problem=f"Windows does not tell what its cards hold: {error}")

    def close(self) -> None:
        """Nothing is held."""


class _Guid(ctypes.Structure):
    _fields_ = (
        ("a", ctypes.c_uint32),
        ("b", ctypes.c_uint16),
        ("c", ctypes.c_uint16),
        ("d", ctypes.c_ubyte * 8),
    )


class _Description(ctypes.Structure):
    """DXGI_ADAPTER_DESC1."""

    _fields_ = (
        ("description", ctypes.c_wchar * 128),
        ("vendor", ctypes.c_uint32),
        ("device", ctypes.c_uint32),
        ("subsystem", ctypes.c_uint32),
        ("revision", ctypes.c_uint32),
        ("video_memory", ctypes.c_size_t),
        ("system_memory", ctypes.c_size_t),
        ("shared_memory", ctypes.c_size_t),
        ("luid_low", ctypes.c_uint32),
        ("luid_high", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    )


class _Item(ctypes.Structure):
    """PDH_FMT_COUNTERVALUE_ITEM_W, with a 64-bit value."""

    _fields_ = (
        ("name", ctypes.c_wchar_p),
        ("status", ctypes.c_uint32),
        ("value", ctypes.c_int64),
    )


def _check(what: str, status: int) -> None:
    if status & 0xFFFFFFFF:
        raise OSError(f"{what} answered 0x{status & 0xFFFFFFFF:08x}")


def _library(name: str) -> Any:
    loader = getattr(ctypes, "WinDLL", None)
    if loader is None:
        raise OSError("this is not Windows")
    return loader(name)


def _adapters() -> Sequence[Adapter]:
    """What DXGI lists, software left out."""
    dxgi = _library("dxgi")
    factory_id = _Guid(
        0x770AAE78, 0xF26F, 0x4DBA, (ctypes.c_ubyte * 8)(*bytes.fromhex("a829253c83d1b387"))
    )
    factory = ctypes.c_void_p()
    _check(
        "CreateDXGIFactory1",
        dxgi.CreateDXGIFactory1(ctypes.byref(factory_id), ctypes.byref(factory)),
    )
    found: list[Adapter] = []
    try:
        number = 0
        while True:
            adapter = ctypes.c_void_p()
            # IDXGIFactory1::EnumAdapters1; it fails behind the last one.
            if _method(factory, 12, ctypes.c_uint32, ctypes.c_void_p)(
                factory, number, ctypes.byref(adapter)
            ):
                return found
            number += 1
            told = _Description()
            # IDXGIAdapter1::GetDesc1
            status = _method(adapter, 10, ctypes.c_void_p)(adapter, ctypes.byref(told))
            _method(adapter, 2)(adapter)
            _check("GetDesc1", status)
            if not told.flags & _SOFTWARE:
                luid = (told.luid_high & 0xFFFFFFFF) << 32 | told.luid_low
                kind = f"{told.vendor:04x}:{told.device:04x}"
                same = sum(each.place.startswith(kind) for each in found)
                found.append(Adapter(luid, told.description, told.video_memory, f"{kind}#{same}"))
    finally:
        _method(factory, 2)(factory)


def _method(thing: ctypes.c_void_p, slot: int, *types: Any) -> Any:
    """The COM method in ``slot`` of the object's table."""
    table = ctypes.cast(thing, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    prototype: Any = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, *types)
    return prototype(table[slot])


def _counters() -> Counters:
    """Both counters, as PDH gives them now."""
    pdh = _library("pdh")
    query = ctypes.c_void_p()
    _check("PdhOpenQuery", pdh.PdhOpenQueryW(None, None, ctypes.byref(query)))
    try:
        handles: dict[str, ctypes.c_void_p] = {}
        for path in (USED, HELD):
            handles[path] = ctypes.c_void_p()
            # The English names, whatever language Windows speaks.
            _check(
                "PdhAddEnglishCounter",
                pdh.PdhAddEnglishCounterW(query, path, None, ctypes.byref(handles[path])),
            )
        _check("PdhCollectQueryData", pdh.PdhCollectQueryData(query))
        return {path: _values(pdh, handle) for path, handle in handles.items()}
    finally:
        pdh.PdhCloseQuery(query)


def _values(pdh: Any, counter: ctypes.c_void_p) -> Mapping[str, int]:
    large, more_data, no_data = 0x400, 0x800007D2, 0x800007D5
    size, count = ctypes.c_uint32(0), ctypes.c_uint32(0)
    ask = pdh.PdhGetFormattedCounterArrayW
    status = ask(counter, large, ctypes.byref(size), ctypes.byref(count), None) & 0xFFFFFFFF
    if status == no_data or (status == 0 and not count.value):
        return {}
    if status != more_data:
        _check("PdhGetFormattedCounterArray", status)
    buffer = ctypes.create_string_buffer(size.value)
    _check(
        "PdhGetFormattedCounterArray",
        ask(counter, large, ctypes.byref(size), ctypes.byref(count), buffer),
    )
    items = ctypes.cast(buffer, ctypes.POINTER(_Item))
    return {items[at].name: items[at].value for at in range(count.value)}
