"""Our end of the pipe to the supervisor: while it is open, servers may live.

One supervisor serves the whole qmdesk.  It starts with the first server and ends when
we do; where it was killed it is started anew with the next server.  Windows needs none:
there each server is in a job that the system ends with us.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import subprocess
import sys
from pathlib import Path

log = logging.getLogger(__name__)

_END_WAIT = 2.0
"""Seconds to wait for the supervisor's end, which takes it some milliseconds."""


class Lifeline:
    """Ties processes to our life."""

    def __init__(self) -> None:
        self._tied: dict[int, None] = {}
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._failed = False

    @property
    def pid(self) -> int | None:
        """The supervisor's process number, while it runs."""
        supervisor = self._supervisor
        return supervisor.pid if supervisor and supervisor.poll() is None else None

    def tie(self, pid: int) -> None:
        """From now on ``pid`` is ended when we die, with its group and descendants."""
        self._tied[pid] = None
        if not self._say(f"add {pid}\n"):
            self._start()

    def untie(self, pid: int) -> None:
        """``pid`` has ended; harmless for one that is not tied."""
        if pid in self._tied:
            del self._tied[pid]
            if not self._say(f"remove {pid}\n") and self._tied:
                self._start()

    def close(self) -> None:
        """End the supervisor, and with it whatever is still tied."""
        supervisor, self._supervisor = self._supervisor, None
        self._tied.clear()
        if supervisor is None:
            return
        assert supervisor.stdin is not None
        supervisor.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            supervisor.wait(_END_WAIT)

    def _say(self, lines: str) -> bool:
        if self._supervisor is None:
            return False
        assert self._supervisor.stdin is not None
        try:
            os.write(self._supervisor.stdin.fileno(), lines.encode("ascii"))
        except OSError:
            # It was killed, or hangs and its pipe is full.
            return False
        return True

    def _start(self) -> None:
        if sys.platform == "win32" or self._failed:
            return
        if self._supervisor is not None:
            assert self._supervisor.stdin is not None
            self._supervisor.stdin.close()
            self._supervisor.kill()
            self._supervisor.wait()
        try:
            self._supervisor = subprocess.Popen(
                command(),
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            # Once is enough; models start all the same.
            self._failed = True
            log.warning("servers are not ended if qmdesk is killed: %s", error)
            return
        assert self._supervisor.stdin is not None
        os.set_blocking(self._supervisor.stdin.fileno(), False)
        self._say("".join(f"add {pid}\n" for pid in self._tied))


def command(*, frozen: bool = bool(getattr(sys, "frozen", False))) -> tuple[str, ...]:
    """What starts the supervisor: its file alone, or our own bundle with a hidden word."""
    if frozen:
        return (sys.executable, "supervise")
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))


_shared: Lifeline | None = None


def shared() -> Lifeline:
    """The lifeline of this qmdesk; closed when the interpreter ends."""
    global _shared  # noqa: PLW0603 - one supervisor a process is the point
    if _shared is None:
        _shared = Lifeline()
        atexit.register(_shared.close)
    return _shared
