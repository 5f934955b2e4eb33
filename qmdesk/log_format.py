"""How a line of our log looks: its time stamp is in one of Go's named layouts."""

from __future__ import annotations

import logging
from datetime import datetime

_CLOCK = "%Y-%m-%d %H:%M:%S"
_LAYOUTS = {
    "ansic": "%a %b {day} %H:%M:%S %Y",
    "unixdate": "%a %b {day} %H:%M:%S %Z %Y",
    "rubydate": "%a %b %d %H:%M:%S %z %Y",
    "rfc822": "%d %b %y %H:%M %Z",
    "rfc822z": "%d %b %y %H:%M %z",
    "rfc850": "%A, %d-%b-%y %H:%M:%S %Z",
    "rfc1123": "%a, %d %b %Y %H:%M:%S %Z",
    "rfc1123z": "%a, %d %b %Y %H:%M:%S %z",
    "rfc3339": "%Y-%m-%dT%H:%M:%S{zone}",
    "rfc3339nano": "%Y-%m-%dT%H:%M:%S.{micro}{zone}",
    "kitchen": "{hour}:%M%p",
    "stamp": "%b {day} %H:%M:%S",
    "stampmilli": "%b {day} %H:%M:%S.{milli}",
    "stampmicro": "%b {day} %H:%M:%S.{micro}",
    "stampnano": "%b {day} %H:%M:%S.{micro}000",
}
"""What ``strftime`` has no sign for, on some system or all, is in braces."""


def stamp(layout: str, seconds: float) -> str:
    """The Unix time ``seconds``, here, in Go's ``layout``; empty: with the clock alone."""
    moment = datetime.fromtimestamp(seconds).astimezone()
    if not layout:
        return f"{moment.strftime(_CLOCK)},{moment.microsecond // 1000:03}"
    zone = moment.strftime("%z")
    parts = {
        "day": f"{moment.day:2}",
        "hour": str(moment.hour % 12 or 12),
        "milli": f"{moment.microsecond // 1000:03}",
        "micro": f"{moment.microsecond:06}",
        "zone": "Z" if zone == "+0000" else f"{zone[:3]}:{zone[3:]}",
    }
    return moment.strftime(_LAYOUTS[layout].format(**parts))


class LogFormat(logging.Formatter):
    """``layout`` is the name of one; empty: the clock; ``none``: no time stamps."""

    def __init__(self, layout: str = "") -> None:
        line = "%(levelname)s %(name)s: %(message)s"
        super().__init__(line if layout == "none" else f"%(asctime)s {line}")
        self._layout = layout
        self._second = (0, "")
        """The last one and its words: there are many lines a second, and words take time."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        if self._layout:
            return stamp(self._layout, record.created)
        second = int(record.created)
        if second != self._second[0]:
            self._second = (second, datetime.fromtimestamp(second).astimezone().strftime(_CLOCK))
        return f"{self._second[1]},{int(record.created * 1000) % 1000:03}"
