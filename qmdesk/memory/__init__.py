"""What fits: measured cards, learned footprints, and what the router is to do about both."""

from qmdesk.memory.memory import Memory, Pace
from qmdesk.memory.snapshot import MemorySnapshot, ModelMemory

__all__ = ["Memory", "MemorySnapshot", "ModelMemory", "Pace"]
