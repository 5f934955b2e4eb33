"""Windows ties a server and all that it starts to us with a job object.

One job for each server.  We hold its only handle, so the system ends the job's processes
when we end, however that happens.  A server is started suspended, put into its job and
only then let run: so nothing that it starts can escape.  qmdesk itself is in no job of
its own: a browser or an updater that it opens may outlive it.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from typing import Protocol

log = logging.getLogger(__name__)

CREATE_SUSPENDED = 0x00000004
"""The creation flag for ``subprocess.Popen``, which has no name for it."""
KILLED = 1
"""The exit status of processes that were ended with their job."""


class JobApi(Protocol):
    """The calls of the system; each raises ``OSError`` where it fails.

    Jobs and processes are handles.
    """

    def create(self) -> int:
        """A new job without a name."""

    def kill_on_close(self, job: int) -> None:
        """Let the job's processes end when its last handle is closed."""

    def assign(self, job: int, process: int) -> None:
        """Put ``process``, and all that it will start, into the job."""

    def resume(self, process: int) -> None:
        """Let a process run that was started suspended."""

    def pids(self, job: int) -> tuple[int, ...]:
        """The numbers of the processes in the job."""

    def terminate(self, job: int, status: int) -> None:
        """End every process in the job."""

    def close(self, job: int) -> None:
        """Give the handle back."""


class Job:
    """One server's job; close it once the server has ended."""

    def __init__(self, api: JobApi, handle: int) -> None:
        self._api = api
        self._handle: int | None = handle

    @classmethod
    def adopt(cls, api: JobApi, process: int) -> Job | None:
        """Put a suspended process into a job of its own and let it run.

        None where the system refuses the job: the server runs all the same, untied.
        Raises ``OSError`` where it cannot be let run; then it is the caller's to end.
        """
        job: Job | None = None
        try:
            job = cls(api, api.create())
            api.kill_on_close(job.handle)
            api.assign(job.handle, process)
        except OSError as error:
            log.warning("a server is not tied to qmdesk's life: %s", error)
            if job is not None:
                job.close()
                job = None
        try:
            api.resume(process)
        except OSError:
            if job is not None:
                job.end()
                job.close()
            raise
        return job

    @property
    def handle(self) -> int:
        assert self._handle is not None
        return self._handle

    def pids(self) -> tuple[int, ...]:
        """Who is in it now; nobody once it is closed."""
        if self._handle is None:
            return ()
        try:
            return self._api.pids(self._handle)
        except OSError as error:
            log.warning("cannot list a server's processes: %s", error)
            return ()

    def end(self) -> None:
        """End everything in it by force."""
        if self._handle is not None:
            try:
                self._api.terminate(self._handle, KILLED)
            except OSError as error:
                log.warning("cannot end a server's job: %s", error)

    def close(self) -> None:
        """Give it back, which ends what is still in it; twice is harmless."""
        handle, self._handle = self._handle, None
        if handle is not None:
            try:
                self._api.close(handle)
            except OSError as error:
                log.warning("cannot close a server's job: %s", error)


# What follows is laid out as winnt.h has it.

_EXTENDED_LIMIT_INFORMATION = 9
_BASIC_PROCESS_ID_LIST = 3
_LIMIT_KILL_ON_JOB_CLOSE = 0x2000
_ERROR_MORE_DATA = 234
_MOST_PROCESSES = 1 << 16


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION"""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION"""

    _fields_ = (
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def process_list(room: int) -> type[ctypes.Structure]:
    """JOBOBJECT_BASIC_PROCESS_ID_LIST with room for so many processes."""

    class ProcessList(ctypes.Structure):
        _fields_ = (
            ("NumberOfAssignedProcesses", ctypes.c_uint32),
            ("NumberOfProcessIdsInList", ctypes.c_uint32),
            ("ProcessIdList", ctypes.c_size_t * room),
        )

    return ProcessList


if sys.platform == "win32":
    from ctypes import wintypes

    class WindowsJobs:
        """The calls themselves."""

        def __init__(self) -> None:
            # Own instances of the libraries: their types are not shared with anybody.
            kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._ntdll = ctypes.WinDLL("ntdll")
            handle, dword = wintypes.HANDLE, wintypes.DWORD
            self._create = kernel.CreateJobObjectW
            self._create.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
            self._create.restype = handle
            self._set = kernel.SetInformationJobObject
            self._set.argtypes = (handle, ctypes.c_int, ctypes.c_void_p, dword)
            self._set.restype = wintypes.BOOL
            self._assign = kernel.AssignProcessToJobObject
            self._assign.argtypes = (handle, handle)
            self._assign.restype = wintypes.BOOL
            self._query = kernel.QueryInformationJobObject
            self._query.argtypes = (handle, ctypes.c_int, ctypes.c_void_p, dword, ctypes.c_void_p)
            self._query.restype = wintypes.BOOL
            self._terminate = kernel.TerminateJobObject
            self._terminate.argtypes = (handle, wintypes.UINT)
            self._terminate.restype = wintypes.BOOL
            self._close = kernel.CloseHandle
            self._close.argtypes = (handle,)
            self._close.restype = wintypes.BOOL
            self._resume = self._ntdll.NtResumeProcess
            self._resume.argtypes = (handle,)
            self._resume.restype = wintypes.LONG
            self._error_of = self._ntdll.RtlNtStatusToDosError
            self._error_of.argtypes = (wintypes.LONG,)
            self._error_of.restype = wintypes.ULONG

        def create(self) -> int:
            job = self._create(None, None)
            if not job:
                raise ctypes.WinError(ctypes.get_last_error())
            return int(job)

        def kill_on_close(self, job: int) -> None:
            limits = ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _LIMIT_KILL_ON_JOB_CLOSE
            self._check(
                self._set(
                    job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
                )
            )

        def assign(self, job: int, process: int) -> None:
            self._check(self._assign(job, process))

        def resume(self, process: int) -> None:
            # Popen closes the thread's handle, so the whole process is resumed.
            status = self._resume(process)
            if status < 0:
                raise ctypes.WinError(int(self._error_of(status)))

        def pids(self, job: int) -> tuple[int, ...]:
            room = 64
            while True:
                found = process_list(room)()
                done = self._query(
                    job, _BASIC_PROCESS_ID_LIST, ctypes.byref(found), ctypes.sizeof(found), None
                )
                error = 0 if done else ctypes.get_last_error()
                if error not in (0, _ERROR_MORE_DATA):
                    raise ctypes.WinError(error)
                if not error or room >= _MOST_PROCESSES:
                    return tuple(found.ProcessIdList[: found.NumberOfProcessIdsInList])
                room *= 4

        def terminate(self, job: int, status: int) -> None:
            self._check(self._terminate(job, status))

        def close(self, job: int) -> None:
            self._check(self._close(job))

        @staticmethod
        def _check(done: int) -> None:
            if not done:
                raise ctypes.WinError(ctypes.get_last_error())
