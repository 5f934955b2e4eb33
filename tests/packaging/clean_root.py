"""A Debian of its own in a folder: the least that can install a package."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

USER = "tester"
_CHANGING = ("proc/", "var/lib/apt/", "var/cache/", "var/log/", "var/lib/dpkg/", "tmp/", "home/")


class CleanRoot:
    """Made by debootstrap; to be closed, which leaves the folder and unmounts the rest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        release = Path("/etc/os-release").read_text(encoding="utf-8")
        suite = next(
            line.partition("=")[2].strip('"')
            for line in release.splitlines()
            if line.startswith("VERSION_CODENAME=")
        )
        checked("debootstrap", "--variant=minbase", suite, str(folder))
        checked("mount", "-t", "proc", "proc", str(folder / "proc"))
        self.run("useradd", "--create-home", USER)

    @property
    def home(self) -> Path:
        """The ordinary user's home, as seen from outside."""
        return self.folder / "home" / USER

    @property
    def user(self) -> int:
        return self.home.stat().st_uid

    def run(self, *command: str) -> str:
        """Run ``command`` in it as root; what it printed."""
        return checked("chroot", str(self.folder), "/usr/bin/env", "-i", *_environment(), *command)

    def as_user(self, *command: str, **env: str) -> Sequence[str]:
        """The command that runs ``command`` in it as the ordinary user."""
        more = [f"{name}={value}" for name, value in env.items()]
        return (
            *("chroot", f"--userspec={USER}", str(self.folder), "/usr/bin/env", "-i"),
            *("-C", f"/home/{USER}", *_environment(), f"HOME=/home/{USER}", *more, *command),
        )

    def files(self) -> set[str]:
        """Every path in it, less what changes with any package, and the user's own."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            under = os.path.relpath(folder, self.folder) + "/"
            if under.removeprefix("./").startswith(_CHANGING):
                folders.clear()
                continue
            found.update(os.path.join(under, name) for name in (*folders, *files))
        return found

    def close(self) -> None:
        checked("umount", str(self.folder / "proc"))


def _environment() -> tuple[str, ...]:
    return (
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "DEBIAN_FRONTEND=noninteractive",
        "LC_ALL=C.UTF-8",
    )


def checked(*command: str) -> str:
    """Run it to its end; raises RuntimeError with what it said where it fails."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}")
    return done.stdout
