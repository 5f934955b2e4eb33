"""A private desktop for tests: screen, session bus, window manager and tray host.

Everything is started for one ``Desk`` and ended with it, by process id.  The user's own
screen, bus, settings and files are not touched.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("Xvfb", "dbus-daemon", "openbox", "trayer", "xdotool", "xwininfo", "xprop", "scrot")
PATIENCE = 20.0
"""Seconds that anything on the desk may take."""


def missing() -> str | None:
    """What a desk needs and is not installed, in words; None where it can be made.

    In continuous integration nothing may be missing: the tests then fail instead.
    """
    if os.environ.get("CI"):
        return None
    if not sys.platform.startswith("linux"):
        return "a private X screen needs Linux"
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def wait_for(condition: Callable[[], T], what: str, patience: float | None = None) -> T:
    """Look until ``condition`` gives something; raises TimeoutError that names ``what``."""
    deadline = time.monotonic() + (patience or PATIENCE)
    while not (found := condition()):
        if time.monotonic() >= deadline:
            raise TimeoutError(f"gave up waiting for {what}")
        time.sleep(0.02)
    return found


class Desk:
    """An X screen with a session bus and a window manager; a tray host where asked."""

    def __init__(self, *, trayer: bool = False, size: tuple[int, int] = (1024, 768)) -> None:
        """``trayer``: start a tray host of the XEmbed kind.  ``size`` in pixels."""
        self.folder = Path(tempfile.mkdtemp(prefix="desk-"))
        self._processes: list[subprocess.Popen[str]] = []
        self._logs: list[IO[str]] = []
        try:
            self.env = self._made_env(size)
            # Every desktop has one: without it windows get no focus and no place.
            self.start("openbox")
            wait_for(self._has_window_manager, "the window manager")
            if trayer:
                self.start_trayer()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def bus_address(self) -> str:
        """The address of the private session bus."""
        return self.env["DBUS_SESSION_BUS_ADDRESS"]

    def start(
        self, *command: str, interactive: bool = False, cwd: Path = ROOT, **env: str
    ) -> subprocess.Popen[str]:
        """Start a program on the desk, ended with it; its errors go to a file of the desk.

        ``interactive``: the caller speaks with it over pipes.
        """
        name = f"{len(self._processes):02}-{Path(command[0]).name}.log"
        log = (self.folder / name).open("w", encoding="utf-8")
        self._logs.append(log)
        process = subprocess.Popen(
            command,
            env={**self.env, **env},
            cwd=cwd,
            stdin=subprocess.PIPE if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE if interactive else log,
            stderr=log,
            text=True,
            bufsize=1,
        )
        self._processes.append(process)
        return process

    def start_trayer(self) -> subprocess.Popen[str]:
        """Start the tray host, at the top right."""
        process = self.start(
            *("trayer", "--edge", "top", "--align", "right", "--SetDockType", "true"),
            *("--expand", "true", "--width", "10", "--height", "24"),
        )
        # It shows its panel only once there is an icon, so the tree has to do.
        wait_for(lambda: '"trayer"' in self._tree(), "the tray host")
        return process

    def stop(self, process: subprocess.Popen[str]) -> None:
        """End one program, gently at first."""
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if process in self._processes:
            self._processes.remove(process)

    def xdotool(self, *args: object) -> str:
        """Run xdotool; what it printed."""
        return self._output("xdotool", *map(str, args))

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Move the pointer and click; 1 is left, 3 is right."""
        self.xdotool("mousemove", x, y)
        self.xdotool("click", button)

    def key(self, *keys: str) -> None:
        """Press keys, by their X names, in whatever has the focus or the grab."""
        self.xdotool("key", *keys)

    def open_menu(self, pid: int) -> tuple[int, int, int, int]:
        """Right-click the one icon in the tray host until a menu of ``pid`` shows; its place.

        As a person would: the second of two clicks at the same place within the time of a
        double click opens nothing.
        """
        x, y = wait_for(self.tray_icons, "the icon in the tray")[0]

        def opened() -> list[tuple[int, int, int, int]]:
            self.click(x, y, 3)
            with contextlib.suppress(TimeoutError):
                return wait_for(lambda: self.shown(pid), "the menu", 2)
            return []

        return wait_for(opened, "the menu")[-1]

    def windows(self, text: str) -> list[tuple[int, int, int, int]]:
        """Place and size of every visible window whose line in the tree has ``text``."""
        found = []
        for line in self._tree().splitlines():
            match = re.search(r"(\d+)x(\d+)\+-?\d+\+-?\d+\s+\+(-?\d+)\+(-?\d+)$", line)
            if match and text in line and self._is_viewable(line.split()[0]):
                width, height, x, y = map(int, match.groups())
                found.append((x, y, width, height))
        return found

    def tray_icons(self) -> list[tuple[int, int]]:
        """The middle of every icon in the XEmbed tray host, once nothing moves any more."""
        icons = self._tray_icons()
        # A host places and maps an icon in steps; a click in between meets nobody.
        time.sleep(0.1)
        return icons if icons == self._tray_icons() else []

    def _tray_icons(self) -> list[tuple[int, int]]:
        panels = self.windows('"trayer"')
        icons = []
        # Windows with a class: the window manager's own decorations have none.
        for x, y, width, height in self.windows(': ("'):
            middle = x + width // 2, y + height // 2
            inside = any(
                px <= middle[0] < px + pw and py <= middle[1] < py + ph for px, py, pw, ph in panels
            )
            if inside and 12 <= width == height <= 32 and middle not in icons:
                icons.append(middle)
        return icons

    def _tree(self) -> str:
        # Fails where a window goes while it is read: the next look will do.
        return self._output("xwininfo", "-root", "-tree", strict=False)

    def _is_viewable(self, id: str) -> bool:
        # Gone again since the tree was read: then it is not.
        return "Map State: IsViewable" in self._output("xwininfo", "-id", id, strict=False)

    def shown(self, pid: int, least: int = 40) -> list[tuple[int, int, int, int]]:
        """Place and size of the visible windows of a process, higher than ``least`` pixels."""
        found = []
        ids = self._output("xdotool", "search", "--onlyvisible", "--pid", str(pid), strict=False)
        for id in ids.split():
            text = self._output("xdotool", "getwindowgeometry", "--shell", id, strict=False)
            values = dict(line.split("=") for line in text.split())
            if values and int(values["HEIGHT"]) > least:
                found.append(tuple(int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT")))
        return found  # type: ignore[return-value]

    def screenshot(self, path: Path) -> Path:
        """Keep a picture of the whole screen as a PNG."""
        path.unlink(missing_ok=True)
        self._output("scrot", str(path))
        return path

    def read_logs(self) -> str:
        """What the programs on the desk have said, for a failing test."""
        return "\n".join(
            f"== {path.name}\n{path.read_text(errors='replace')}"
            for path in sorted(self.folder.glob("*.log"))
        )

    def close(self) -> None:
        """End everything that was started, last first, and remove the files."""
        for process in reversed(list(self._processes)):
            self.stop(process)
        for log in self._logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _made_env(self, size: tuple[int, int]) -> dict[str, str]:
        home, run = self.folder / "home", self.folder / "run"
        home.mkdir()
        run.mkdir(mode=0o700)
        kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
        self.env = {
            **kept,
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(run),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={run}/bus",
            "QT_QPA_PLATFORM": "xcb",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.env["DISPLAY"] = self._started_screen(size)
        address = self.env["DBUS_SESSION_BUS_ADDRESS"]
        self.start("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}")
        wait_for((run / "bus").exists, "the session bus")
        return self.env

    def _started_screen(self, size: tuple[int, int]) -> str:
        # The server takes the first free number and tells it: tests may run side by side.
        receiving, telling = os.pipe()
        screen = "{}x{}x24".format(*size)
        log = (self.folder / "xvfb.log").open("w", encoding="utf-8")
        self._logs.append(log)
        process = subprocess.Popen(
            # Without -noreset it starts anew, deaf for a moment, whenever its last client goes.
            [
                *("Xvfb", "-displayfd", str(telling), "-screen", "0", screen),
                *("-nolisten", "tcp", "-noreset"),
            ],
            pass_fds=[telling],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
        )
        self._processes.append(process)
        os.close(telling)
        with os.fdopen(receiving) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("the X server did not start")
        return f":{number}"

    def _has_window_manager(self) -> bool:
        return "_NET_SUPPORTING_WM_CHECK" in self._output("xprop", "-root", strict=False)

    def _output(self, *command: str, strict: bool = True) -> str:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, env=self.env, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        if strict and done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout


def python(*args: str) -> Sequence[str]:
    """The command that runs this Python with ``args``."""
    return (sys.executable, *args)
