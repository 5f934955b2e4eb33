"""Exit statuses are told in words that help."""

from __future__ import annotations

import pytest

from qmdesk.process.exit_status import DLL_MISSING, describe


@pytest.mark.parametrize(
    ("returncode", "said"),
    [
        (0, "ended with code 0"),
        (1, "ended with code 1"),
        (127, "ended with code 127 (a program that it was to run was not found)"),
        (-9, "was ended by SIGKILL (killed from outside; the system does this when memory"),
        (-4, "was ended by SIGILL (illegal instruction: this build needs another processor)"),
        (-10, "was ended by SIGUSR1"),
        (-250, "was ended by signal 250"),
        (0xC0000005, "ended with code 0xC0000005 (access violation"),
        (0xC0000135, "ended with code 0xC0000135 (a DLL that it needs is missing)"),
        (0xC0000ABC, "ended with code 0xC0000ABC"),
        (0x40010004, "ended with code 1073807364"),
    ],
)
def test_in_words(returncode: int, said: str) -> None:
    assert describe(returncode).startswith(said)


def test_what_is_missing_is_named() -> None:
    assert describe(DLL_MISSING, ("cudart64_12.dll", "cublas64_12.dll")) == (
        "ended with code 0xC0000135 (it needs what is missing: cudart64_12.dll, cublas64_12.dll)"
    )
