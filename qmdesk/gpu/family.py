"""A process and all that it has started."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path

import psutil

from qmdesk.gpu.fdinfo import PROC


def family(leaders: Collection[int], proc: Path = PROC) -> set[int]:
    """``leaders`` and their descendants, by number.

    By the kernel's own lists of children, where it keeps them: a walk through every process
    of the machine would be felt.
    """
    found: set[int] = set()
    left = list(leaders)
    while left:
        pid = left.pop()
        if pid in found:
            continue
        found.add(pid)
        tasks = proc / str(pid) / "task"
        lists = list(tasks.glob("*/children"))
        for each in lists:
            with contextlib.suppress(OSError):
                left += [int(child) for child in each.read_text().split()]
        if not lists and (tasks.exists() or not proc.exists()):
            with contextlib.suppress(psutil.Error):
                left += [child.pid for child in psutil.Process(pid).children()]
    return found
