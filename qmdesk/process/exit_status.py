"""What an exit status means, in words."""

from __future__ import annotations

import signal
from collections.abc import Sequence

DLL_MISSING = 0xC0000135

# NTSTATUS values, from Microsoft's list "NTSTATUS Values" (MS-ERREF 2.3.1).
_WINDOWS = {
    0xC0000005: "access violation: the program crashed",
    0xC000001D: "illegal instruction: this build needs another processor",
    0xC0000017: "out of memory",
    DLL_MISSING: "a DLL that it needs is missing",
    0xC0000139: "a DLL that it needs is of the wrong version",
    0xC000013A: "ended by Ctrl-C",
    0xC0000142: "a DLL that it needs could not start",
    0xC0000409: "the program ended itself after an internal error",
}
_SIGNALS = {
    "SIGKILL": "killed from outside; the system does this when memory runs out",
    "SIGILL": "illegal instruction: this build needs another processor",
    "SIGSEGV": "the program crashed",
    "SIGBUS": "the program crashed; a model file that changed under it does this too",
    "SIGABRT": "the program ended itself after an internal error",
    "SIGTERM": "ended from outside",
    "SIGINT": "ended from outside",
}
# What shells say of the program that they were to run.
_SHELL = {
    126: "a program that it was to run may not be run",
    127: "a program that it was to run was not found",
}


def describe(returncode: int, missing: Sequence[str] = ()) -> str:
    """How a process ended, as the end of a sentence: ``ended with code 1``.

    ``returncode`` is as ``subprocess`` gives it: negative for a signal on POSIX, an
    unsigned 32-bit number on Windows.  ``missing`` names DLLs that were not found.
    """
    if returncode < 0:
        try:
            name = signal.Signals(-returncode).name
        except ValueError:
            name = f"signal {-returncode}"
        hint = _SIGNALS.get(name)
        return f"was ended by {name}" + (f" ({hint})" if hint else "")
    if returncode >= 0xC0000000:
        hint = _WINDOWS.get(returncode)
        if returncode == DLL_MISSING and missing:
            hint = f"it needs what is missing: {', '.join(missing)}"
        return f"ended with code 0x{returncode:08X}" + (f" ({hint})" if hint else "")
    hint = _SHELL.get(returncode)
    return f"ended with code {returncode}" + (f" ({hint})" if hint else "")
