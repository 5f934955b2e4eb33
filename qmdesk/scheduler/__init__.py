"""Who may use which model now: a pure state machine.

An event goes in, a list of actions comes out.  There is no clock, no task and no
I/O in here: times are seconds of any steady clock, handed in with each event.
"""

from qmdesk.scheduler.action import (
    AbortSwap,
    Action,
    Grant,
    QueuePosition,
    Refusal,
    Reject,
    Stop,
    Swap,
    WakeAt,
)
from qmdesk.scheduler.budget import BudgetPolicy
from qmdesk.scheduler.event import (
    Cancel,
    Configure,
    Died,
    Event,
    Lease,
    Measured,
    Outcome,
    Pause,
    Release,
    Request,
    Resume,
    ServeDone,
    Shed,
    Shutdown,
    Stopped,
    SwapDone,
    Unload,
    Wake,
)
from qmdesk.scheduler.groups import Group, GroupsPolicy
from qmdesk.scheduler.matrix import MatrixError, MatrixPolicy
from qmdesk.scheduler.plan import ModelPlan, Plan
from qmdesk.scheduler.policy import Policy
from qmdesk.scheduler.room import Need, Pool, Room, gib
from qmdesk.scheduler.scheduler import Foresight, Scheduler
from qmdesk.scheduler.seat import SeatState

__all__ = [
    "AbortSwap",
    "Action",
    "BudgetPolicy",
    "Cancel",
    "Configure",
    "Died",
    "Event",
    "Foresight",
    "Grant",
    "Group",
    "GroupsPolicy",
    "Lease",
    "MatrixError",
    "MatrixPolicy",
    "Measured",
    "ModelPlan",
    "Need",
    "Outcome",
    "Pause",
    "Plan",
    "Policy",
    "Pool",
    "QueuePosition",
    "Refusal",
    "Reject",
    "Release",
    "Request",
    "Resume",
    "Room",
    "Scheduler",
    "SeatState",
    "ServeDone",
    "Shed",
    "Shutdown",
    "Stop",
    "Stopped",
    "Swap",
    "SwapDone",
    "Unload",
    "Wake",
    "WakeAt",
    "gib",
]
