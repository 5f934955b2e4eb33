"""Whether a card may be read without waking it or keeping it awake (Linux)."""

from __future__ import annotations

from pathlib import Path

PCI = Path("/sys/bus/pci/devices")


def rests(device: Path, *, idle: bool) -> bool:
    """Whether the card of the PCI folder ``device`` is to be left alone.

    It sleeps; or it would fall asleep if nobody asked (a laptop's second card), and nothing
    of ours needs it now.
    """
    if text(device / "power" / "runtime_status") == "suspended":
        return True
    return idle and text(device / "power" / "control") == "auto"


def text(file: Path) -> str:
    """The stripped content of a small file; empty where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def number(file: Path) -> int | None:
    """The whole number in a small file; None where there is none."""
    try:
        return int(text(file))
    except ValueError:
        return None
