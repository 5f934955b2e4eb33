"""The one run loop: carries out what the scheduler decides and owns the processes."""

from qmdesk.router.idle_model import IdleModel
from qmdesk.router.pause import Pause
from qmdesk.router.router import Router
from qmdesk.router.snapshot import ModelSnapshot, Running, Snapshot
from qmdesk.router.turn import Rejected, Turn

__all__ = [
    "IdleModel",
    "ModelSnapshot",
    "Pause",
    "Rejected",
    "Router",
    "Running",
    "Snapshot",
    "Turn",
]
