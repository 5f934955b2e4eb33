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
from qmdesk.scheduler.event import (
    Cancel,
    Configure,
    Died,
    Event,
    Lease,
    Outcome,
    Pause,
    Release,
    Request,
    Resume,
    ServeDone,
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
from qmdesk.scheduler.scheduler import Scheduler
from qmdesk.scheduler.seat import SeatState

__all__ = [
    "AbortSwap",
    "Action",
    "Cancel",
    "Configure",
    "Died",
    "Event",
    "Grant",
    "Group",
    "GroupsPolicy",
    "Lease",
    "MatrixError",
    "MatrixPolicy",
    "ModelPlan",
    "Outcome",
    "Pause",
    "Plan",
    "Policy",
    "QueuePosition",
    "Refusal",
    "Reject",
    "Release",
    "Request",
    "Resume",
    "Scheduler",
    "SeatState",
    "ServeDone",
    "Shutdown",
    "Stop",
    "Stopped",
    "Swap",
    "SwapDone",
    "Unload",
    "Wake",
    "WakeAt",
]
