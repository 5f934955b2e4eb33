"""What the user wrote, as typed frozen values.

``read`` turns a file into a ``Config``, and ``read_all`` several of them, or raises
``ConfigError`` with every problem at once.  ``editor`` changes a file's text and ``store``
writes it.  Nothing here waits, starts anything or keeps state.
"""

from qmdesk.config.config import Config, Group, HoldPolicy, Matrix, Model
from qmdesk.config.merge import read_all
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
    "read_all",
]
