"""Ends the servers of a qmdesk that died, however it died: a small process of its own.

qmdesk holds the other end of standard input and writes lines into it::

    add PID       end this process with qmdesk, its group (if it leads one) and descendants
    remove PID    it has ended, or is no longer qmdesk's

When the input ends, qmdesk is gone: what remains is killed, and so ends this.  A server
that dies with qmdesk by itself leaves orphans which no parent names any more; that is why
descendants outside the group are looked for now and then, and not only at the end.

Run as a file with ``python -I -S``, it is up in a few milliseconds: nothing is imported
but small parts of the standard library, and nothing of qmdesk.  POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping

LOOK_EVERY = 10.0
"""Seconds between two looks at the descendants, while there is somebody to look at."""
PATIENCE = 5.0
"""Seconds for which killing goes on where something is still alive."""

_SIGKILL = 9
_LINUX = os.path.exists("/proc/self/stat")

Row = tuple[int, int, str]
"""A process: its parent, its group, and when it started, in the system's own words."""
Table = Mapping[int, Row]


def main() -> int:
    """Serve the one who holds standard input, until it ends."""
    # Whoever ends a session or presses Ctrl-C means qmdesk; this follows by itself.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    charges = Charges()
    unfinished = b""
    while True:
        wait = LOOK_EVERY if charges else None
        if not select.select([0], [], [], wait)[0]:
            charges.look()
            continue
        data = os.read(0, 1 << 16)
        if not data:
            break
        *lines, unfinished = (unfinished + data).split(b"\n")
        for line in lines:
            charges.obey(line.decode("ascii", "replace"))
    charges.end()
    return 0


class Charges:
    """Who is to be ended with qmdesk."""

    def __init__(
        self,
        table: Callable[[], Table] | None = None,
        row: Callable[[int], Row | None] | None = None,
        kill: Callable[[int, int], None] | None = None,
    ) -> None:
        self._table = table or process_table
        self._row = row or process_row
        self._kill = kill or os.kill
        self._known: dict[int, dict[int, str]] = {}
        """By the number that was added: it and its descendants, with their start times."""

    def __bool__(self) -> bool:
        return bool(self._known)

    def obey(self, line: str) -> None:
        """Carry out one line; what it does not understand it leaves."""
        word, _, number = line.partition(" ")
        if not number.isdigit():
            return
        pid = int(number)
        if word == "add":
            # One that has ended already may have left a group: it is known without a time.
            row = self._row(pid)
            self._known[pid] = {pid: row[2] if row else ""}
        elif word == "remove":
            self._known.pop(pid, None)

    def look(self) -> None:
        """Get to know the descendants that run now."""
        self._doomed(self._table())

    def end(self) -> None:
        """Kill all that remains, and what it starts meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while doomed := self._doomed(self._table()):
            for pid in doomed:
                # Gone meanwhile, or not ours to kill.
                with contextlib.suppress(OSError):
                    self._kill(pid, _SIGKILL)
            if time.monotonic() > deadline:
                return
            time.sleep(0.02)

    def _doomed(self, table: Table) -> set[int]:
        """Who runs of those that were added, their groups and descendants."""
        children: dict[int, list[int]] = {}
        groups: dict[int, list[int]] = {}
        for pid, (parent, group, _) in table.items():
            children.setdefault(parent, []).append(pid)
            groups.setdefault(group, []).append(pid)
        doomed: set[int] = set()
        for leader, known in self._known.items():
            # The same start time: a number that another process got since does not count.
            found = [pid for pid, started in known.items() if _is(table, pid, started)]
            if leader not in table or leader in found:
                # While a group lives its number is not given away.
                found += groups.get(leader, ())
            while found:
                pid = found.pop()
                if pid not in doomed:
                    doomed.add(pid)
                    known[pid] = table[pid][2]
                    found += children.get(pid, ())
        return doomed


def _is(table: Table, pid: int, started: str) -> bool:
    return pid in table and table[pid][2] == started


def process_row(pid: int) -> Row | None:
    """One process that runs; None where there is none, or only its remains."""
    if _LINUX:
        return _stat(pid)
    return _ps("-p", str(pid)).get(pid)


def process_table() -> Table:
    """Every process that runs, by its number."""
    if not _LINUX:
        return _ps("-ax")
    rows = ((int(name), _stat(int(name))) for name in os.listdir("/proc") if name.isdigit())
    return {pid: row for pid, row in rows if row is not None}


def _stat(pid: int) -> Row | None:
    # proc(5): after the name in parentheses come state, ppid, pgrp; starttime is field 22.
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return int(fields[1]), int(fields[2]), fields[19].decode("ascii")


def _ps(*which: str) -> dict[int, Row]:
    import subprocess

    command = ("/bin/ps", *which, "-o", "pid=,ppid=,pgid=,stat=,lstart=")
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    except OSError:
        return {}
    return parse_ps(output.decode("utf-8", "replace"))


def parse_ps(output: str) -> dict[int, Row]:
    """The rows of ``ps -o pid=,ppid=,pgid=,stat=,lstart=``, zombies left out."""
    rows: dict[int, Row] = {}
    for line in output.splitlines():
        fields = line.split(None, 4)
        if len(fields) == 5 and not fields[3].startswith("Z"):
            rows[int(fields[0])] = int(fields[1]), int(fields[2]), fields[4].strip()
    return rows


if __name__ == "__main__":
    sys.exit(main())
