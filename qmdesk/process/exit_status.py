"""What an exit status means, in words."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from qmdesk.said import said

DLL_MISSING = 0xC0000135

# NTSTATUS values, from Microsoft's list "NTSTATUS Values" (MS-ERREF 2.3.1).
_WINDOWS = {
    0xC0000005: said("access violation: the program crashed"),
    0xC000001D: said("illegal instruction: this build needs another processor"),
    0xC0000017: said("out of memory"),
    DLL_MISSING: said("a DLL that it needs is missing"),
    0xC0000139: said("a DLL that it needs is of the wrong version"),
    0xC000013A: said("ended by Ctrl-C"),
    0xC0000142: said("a DLL that it needs could not start"),
    0xC0000409: said("the program ended itself after an internal error"),
}
_SIGNALS = {
    "SIGKILL": said("killed from outside; the system does this when memory runs out"),
    "SIGILL": said("illegal instruction: this build needs another processor"),
    "SIGSEGV": said("the program crashed"),
    "SIGBUS": said("the program crashed; a model file that changed under it does this too"),
    "SIGABRT": said("the program ended itself after an internal error"),
    "SIGTERM": said("ended from outside"),
    "SIGINT": said("ended from outside"),
}
# What shells say of the program that they were to run.
_SHELL = {
    126: said("a program that it was to run may not be run"),
    127: said("a program that it was to run was not found"),
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
        return _with(said("was ended by {signal}", signal=name), hint)
    if returncode >= 0xC0000000:
        hint = _WINDOWS.get(returncode)
        if returncode == DLL_MISSING and missing:
            hint = said("it needs what is missing: {names}", names=", ".join(missing))
        return _with(said("ended with code {code}", code=f"0x{returncode:08X}"), hint)
    hint = _SHELL.get(returncode)
    return _with(said("ended with code {code}", code=returncode), hint)


def _with(ended: str, hint: str | None) -> str:
    return ended + said(" ({hint})", hint=hint) if hint else ended
