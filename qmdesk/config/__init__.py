"""What the user wrote, as typed frozen values.

``read`` turns a file into a ``Config`` or raises ``ConfigError`` with every
problem at once.  Nothing here waits, starts anything or keeps state.
"""

from qmdesk.config.config import Config, Group, HoldPolicy, Matrix, Model
from qmdesk.config.problem import ConfigError, Problem
from qmdesk.config.reader import parse, read

__all__ = [
    "Config",
    "ConfigError",
    "Group",
    "HoldPolicy",
    "Matrix",
    "Model",
    "Problem",
    "parse",
    "read",
]
