"""One child process as the system has it: started, its output read, its end seen.

The platform seam of starting: POSIX children lead a session of their own, read
through a non-blocking pipe; on Linux their end comes by a pidfd.  Elsewhere one
thread reads and one waits.  All callbacks run on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from qmdesk.bundle import forget_library_folder
from qmdesk.process.job import CREATE_SUSPENDED, Job
from qmdesk.process.tree import Tree

_READ = 1 << 16
_READS = 4
"""Reads in one go: a server that floods its log must not keep the loop from the rest."""
_DRAIN = 2.0
"""Seconds that output is still read after the end: a grandchild may hold the pipe."""
_PR_SET_PDEATHSIG = 1

if sys.platform == "linux":
    _prctl = ctypes.CDLL(None, use_errno=True).prctl


class Child:
    """A started process.  Made by ``Child.start``; hold it until it has ended."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        output: Callable[[bytes], None],
        job: Job | None = None,
    ) -> None:
        self._popen = popen
        self.output = output
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._pidfd: int | None = None
        self._pipe: int | None = None
        self._reads = True
        self.pid = popen.pid
        self.tree = Tree(popen.pid, job)
        self._watch_end()
        self._watch_output()

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        output: Callable[[bytes], None],
    ) -> Child:
        """Start ``argv`` without a shell; ``output`` gets what it writes, as it comes.

        To be called on the event loop's thread, which must be the main thread: Linux
        ends the child together with the *thread* that forked it.  Raises ``OSError``,
        and ``RuntimeError`` on another thread.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a server is started from the main thread, with which it ends")
        if sys.platform == "win32":
            return cls._start_on_windows(argv, env, cwd, output)
        popen = subprocess.Popen(
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_dies_with(os.getpid()),  # noqa: PLW1509 - see there
        )
        return cls(popen, output)

    if sys.platform == "win32":

        @classmethod
        def _start_on_windows(
            cls,
            argv: Sequence[str],
            env: Mapping[str, str],
            cwd: str | None,
            output: Callable[[bytes], None],
        ) -> Child:
            forget_library_folder()
            popen = subprocess.Popen(
                argv,
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                creationflags=subprocess.CREATE_NO_WINDOW
                | subprocess.CREATE_NEW_PROCESS_GROUP
                | CREATE_SUSPENDED,
            )
            try:
                job = Job.adopt(_jobs(), int(popen._handle))  # type: ignore[attr-defined]
            except OSError:
                # Suspended for ever otherwise, with the files that it holds.
                popen.kill()
                popen.wait()
                raise
            return cls(popen, output, job)

    @property
    def returncode(self) -> int | None:
        """As ``subprocess`` has it; None while it runs."""
        return self._popen.returncode

    async def wait(self) -> int:
        """Wait for the end; the exit status as ``subprocess`` has it."""
        return int(await asyncio.shield(self._ended))

    # The end

    def _watch_end(self) -> None:
        if sys.platform == "linux":
            try:
                self._pidfd = os.pidfd_open(self.pid)
            except OSError:
                pass  # An old kernel or a sandbox: the thread below serves as well.
            else:
                self._loop.add_reader(self._pidfd, self._end_seen)
                return
        threading.Thread(target=self._wait_in_thread, name=f"wait-{self.pid}", daemon=True).start()

    def _wait_in_thread(self) -> None:
        self._popen.wait()
        self._call(self._end_seen)

    def _end_seen(self) -> None:
        if self._popen.poll() is None:
            return
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        self.tree.leader_ended()
        # What it wrote last belongs to the story of its end.
        if self._pipe is not None:
            self._read_pipe()
        self._loop.call_later(_DRAIN, self._close_pipe)
        if not self._ended.done():
            self._ended.set_result(self._popen.returncode)

    # The output

    def _watch_output(self) -> None:
        assert self._popen.stdout is not None
        if sys.platform == "win32":
            threading.Thread(
                target=self._read_in_thread, name=f"read-{self.pid}", daemon=True
            ).start()
            return
        # Popen's file object is not needed: it must not close the descriptor later.
        self._pipe = os.dup(self._popen.stdout.fileno())
        self._popen.stdout.close()
        os.set_blocking(self._pipe, False)
        self._loop.add_reader(self._pipe, self._read_pipe)

    def _read_pipe(self) -> None:
        for _ in range(_READS):
            if self._pipe is None:
                return
            try:
                data = os.read(self._pipe, _READ)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._close_pipe()
                return
            self.output(data)

    def _close_pipe(self) -> None:
        self._reads = False
        if self._pipe is not None:
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self._pipe = None

    def _read_in_thread(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as stdout:
            while self._reads and (data := os.read(stdout.fileno(), _READ)):
                self._call(self._output_read, data)

    def _output_read(self, data: bytes) -> None:
        if self._reads:
            self.output(data)

    def _call(self, callback: Callable[..., None], *args: object) -> None:
        # Where the loop has closed, nobody is left to be told.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *args)


def _dies_with(parent: int) -> Callable[[], None] | None:
    """What the forked child runs before it becomes the server: a death tied to ours.

    Python warns of ``preexec_fn`` where threads run: between fork and exec nothing may
    take a lock.  These two calls take none: the function is looked up at import.
    """
    if sys.platform == "linux":

        def tie() -> None:
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                # We died before the tie was made; nobody would ever end this child.
                os._exit(127)

        return tie
    else:  # noqa: RET505 - the other systems
        return None


if sys.platform == "win32":
    from functools import cache

    from qmdesk.process.job import WindowsJobs

    @cache
    def _jobs() -> WindowsJobs:
        """The job calls, with what must be undone of a bundle before the first start."""
        # A PyInstaller bundle puts its own folder into the DLL search of its children.
        ctypes.WinDLL("kernel32").SetDllDirectoryW(None)
        return WindowsJobs()
