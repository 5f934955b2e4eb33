"""What a run without a window shows: which logs, with which time stamps."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator

import pytest

from qmdesk.config import Config, parse
from qmdesk.config.fields import LOG_TIME_FORMATS
from qmdesk.console import Console
from qmdesk.log_format import stamp
from qmdesk.logs import Logs


def config(shows: str) -> Config:
    return parse(f"logToStdout: {shows}")


@pytest.mark.parametrize(
    ("shows", "lines"),
    [
        ("proxy", ["ours"]),
        ("upstream", ["[a] its"]),
        ("both", ["[a] its", "ours"]),
        ("none", []),
    ],
)
def test_which_logs(capsys: pytest.CaptureFixture[str], shows: str, lines: list[str]) -> None:
    logs = Logs()
    console = Console(logs)
    console.use(config(shows))
    logs.own.write("ours")
    # A model's log comes with its first start.
    logs.of("a").write("\x1b[31mits\x1b[0m")
    console.close()
    assert sorted(capsys.readouterr().err.splitlines()) == lines


def test_it_can_be_changed_meanwhile(capsys: pytest.CaptureFixture[str]) -> None:
    logs = Logs()
    console = Console(logs)
    console.use(config("none"))
    logs.of("a").write("one")
    console.use(config("upstream"))
    logs.of("a").write("two")
    console.use(config("proxy"))
    logs.of("a").write("three")
    console.close()
    assert "three" not in capsys.readouterr().err


def test_a_reader_that_is_stuck_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    stuck = os.fdopen(write, "w")
    monkeypatch.setattr(sys, "stderr", stuck)
    logs = Logs()
    console = Console(logs)
    console.use(config("proxy"))
    for _ in range(100):
        logs.own.write("x" * 10_000)
    logs.own.write("the last")
    # Only now is anything read.
    text = b""
    while not text.endswith(b"the last\n"):
        text += os.read(read, 1 << 16)
    console.close()
    os.close(read)
    stuck.close()


NOW = 1754287445.678901
"""2025-08-04 06:04:05.678901 UTC, a Monday."""


@pytest.fixture
def in_london(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/London")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone cannot be set here")
@pytest.mark.usefixtures("in_london")
@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("", "2025-08-04 07:04:05,678"),
        ("ansic", "Mon Aug  4 07:04:05 2025"),
        ("unixdate", "Mon Aug  4 07:04:05 BST 2025"),
        ("rubydate", "Mon Aug 04 07:04:05 +0100 2025"),
        ("rfc822", "04 Aug 25 07:04 BST"),
        ("rfc822z", "04 Aug 25 07:04 +0100"),
        ("rfc850", "Monday, 04-Aug-25 07:04:05 BST"),
        ("rfc1123", "Mon, 04 Aug 2025 07:04:05 BST"),
        ("rfc1123z", "Mon, 04 Aug 2025 07:04:05 +0100"),
        ("rfc3339", "2025-08-04T07:04:05+01:00"),
        ("rfc3339nano", "2025-08-04T07:04:05.678901+01:00"),
        ("kitchen", "7:04AM"),
        ("stamp", "Aug  4 07:04:05"),
        ("stampmilli", "Aug  4 07:04:05.678"),
        ("stampmicro", "Aug  4 07:04:05.678901"),
        ("stampnano", "Aug  4 07:04:05.678901000"),
    ],
)
def test_time_stamps(layout: str, said: str) -> None:
    assert stamp(layout, NOW) == said


def test_every_layout_that_the_configuration_takes_is_known() -> None:
    for layout in LOG_TIME_FORMATS:
        assert re.search(r"\d", stamp(layout, NOW))
