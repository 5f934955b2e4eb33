#!/usr/bin/env python3
"""Everything that work on qmdesk needs, with nothing but Python to begin with.

    python3 dev.py demo [--exit]       try it: real models, no configuration
    python3 dev.py run [...]           qmdesk itself, with its arguments
    python3 dev.py test [...]          the tests, with pytest's arguments
    python3 dev.py lint                style, types, import rules, dependencies
    python3 dev.py translate           texts to be translated into resources/translations
    python3 dev.py setup               only get everything ready
    python3 dev.py build [--without-llama]    the bundle that is installed, in dist/qmdesk
    python3 dev.py package [deb] [tar.xz] [run]    what is handed out of it, in dist

The first time, this makes .venv and installs into it; later it starts at once.  What
the tests need of the system it installs where it may (as root on Debian or Ubuntu)
and otherwise names.  The exit code is that of the command that was run.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = BIN / ("python.exe" if WINDOWS else "python")
LINUX = sys.platform.startswith("linux")

# Bundles are made in one of its own: they hold nothing that only happened to be installed.
BUILD_VENV = ROOT / "build" / "venv"
BUNDLE = ROOT / "dist" / "qmdesk"

# What the embedded llama-server and Qt load, and Debian's packages for it.
SERVER_LIBRARIES = {
    "libgomp.so.1": "libgomp1",
    "libstdc++.so.6": "libstdc++6",
}
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
# What a bundle's Qt loads besides, on desktops of the newer kind.
WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
# The programs of the tests that have a desktop or a browser of their own.
PROGRAMS = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "trayer": "trayer",
    "dunst": "dunst",
    "dbus-daemon": "dbus",
    "xdotool": "xdotool",
    "scrot": "scrot",
    "xdpyinfo": "x11-utils",
    "curl": "curl",
    "chromium": "chromium",
}


def say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> int:
    """Run ``command`` to its end, also where Ctrl-C ends it; return its exit code."""
    interrupted = False
    with subprocess.Popen([str(each) for each in command], cwd=cwd, env=env) as child:
        while True:
            try:
                code = child.wait()
                break
            except KeyboardInterrupt:
                # The child has it as well, and says when it is done.
                interrupted = True
    if interrupted and code:
        raise KeyboardInterrupt
    return 128 - code if code < 0 else code


def become(*command: str | Path, cwd: Path | None = None) -> int:
    """Run ``command`` as the last thing: in this process's place, where there is such."""
    if not WINDOWS:
        if cwd is not None:
            os.chdir(cwd)
        sys.stdout.flush()
        os.execv(command[0], [str(each) for each in command])
    return run(*command, cwd=cwd)


# --- the system -----------------------------------------------------------------------


def may_install() -> bool:
    # Windows has no such function.
    geteuid: Callable[[], int] = getattr(os, "geteuid", lambda: -1)
    return LINUX and geteuid() == 0 and shutil.which("apt-get") is not None


def apt(*packages: str) -> bool:
    """Install Debian packages; return whether that worked."""
    say("installing " + " ".join(packages))
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    failed = ""
    # The lists of packages are fetched only where they are missing or too old.
    for command in (install, ["apt-get", "update", "-qq"], install):
        done = subprocess.run(
            command,
            check=False,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if command is install and done.returncode == 0:
            return True
        failed = done.stdout.strip() or failed
    say("apt-get failed:")
    print(failed, file=sys.stderr, flush=True)
    return False


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def how_to_install(libraries: list[str], packages: list[str]) -> str:
    """Say how the missing things are had on this system."""
    if shutil.which("apt-get"):
        return "sudo apt-get install " + " ".join(packages)
    if libraries and shutil.which("dnf") and sys.maxsize > 2**32:
        return "sudo dnf install " + " ".join(f"'{each}()(64bit)'" for each in libraries)
    return "your system's packages of " + " ".join(libraries or packages)


def ensure_libraries(libraries: dict[str, str], whose: str, *, needed: bool = False) -> bool:
    """See to what is needed of the system; return whether to go on."""
    if not LINUX:
        return True
    missing = [each for each in libraries if not loads(each)]
    if not missing:
        return True
    packages = [libraries[each] for each in missing]
    if may_install() and apt(*packages):
        return True
    say(f"{whose} lacks libraries: " + ", ".join(missing))
    say("to get them: " + how_to_install(missing, packages))
    if not needed:
        say("going on without")
    return not needed


def ensure_for_tests() -> bool:
    """See to the programs and libraries of the tests; return whether to go on."""
    ensure_programs()
    ensure_libraries(SERVER_LIBRARIES, "the embedded llama-server")
    return ensure_libraries(QT_LIBRARIES, "the desktop part of qmdesk", needed=True)


def ensure_programs() -> None:
    """See to the programs of those tests, which say themselves what they lack."""
    if not LINUX:
        return
    packages = [package for name, package in PROGRAMS.items() if shutil.which(name) is None]
    if packages and not (may_install() and apt(*packages, "fonts-dejavu-core")):
        say(
            "the tests on a real desktop and in a browser need more; "
            + how_to_install([], packages)
        )


def has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


# --- .venv ----------------------------------------------------------------------------


def python_of(venv: Path) -> Path:
    return venv / ("Scripts" if WINDOWS else "bin") / PYTHON.name


def ensure_venv(venv: Path = VENV, python: str = sys.executable) -> int:
    """Make ``venv`` for ``python``, unless it is there; return 0 or an exit code."""
    version = "{}.{}".format(*sys.version_info[:2])
    made = venv / ".made"
    # A virtual environment does not survive being moved.
    key = f"{version} {ROOT}" if venv == VENV else f"{python} {ROOT}"
    if python_of(venv).exists() and made.exists() and made.read_text() == key:
        return 0
    # Debian has these in a package of their own.
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        package = "python3-venv"
        if not (may_install() and apt(package)):
            say(f"this Python cannot make virtual environments: install {package} first")
            return 1
    name = venv.relative_to(ROOT)
    say(f"making {name} with {python}")
    if code := run(python, "-m", "venv", "--clear", venv):
        say(f"{python} could not make {name}")
        return code
    made.write_text(key)
    return 0


def ensure_installed(extra: str, venv: Path = VENV, python: str = sys.executable) -> int:
    """Install qmdesk with ``extra`` into ``venv``, unless it is; return 0 or an exit code."""
    if code := ensure_venv(venv, python):
        return code
    key = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    # "dev" has all that "llama" has.
    for each in {extra, "dev"}:
        stamp = venv / f".installed-{each}"
        if stamp.exists() and stamp.read_text() == key:
            return 0
    name = venv.relative_to(ROOT)
    say(f"installing qmdesk[{extra}] into {name}; the first time this takes a minute or two")
    options = ("--quiet", "--disable-pip-version-check", "--no-input")
    pip = (python_of(venv), "-m", "pip", "install", *options)
    code = run(*pip, "-e", f".[{extra}]", cwd=ROOT)
    if code:
        say("pip failed")
        return code
    (venv / f".installed-{extra}").write_text(key)
    return 0


# --- the bundle -----------------------------------------------------------------------

# Whether PyInstaller can put this Python into a bundle: it needs it as a library.
PROBE = """
import ctypes, importlib.util, os, sys, sysconfig
if sys.version_info < (3, 11):
    sys.exit("older than 3.11")
if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
    sys.exit("it cannot make virtual environments")
if sys.platform == "linux":
    get = sysconfig.get_config_var
    name = get("INSTSONAME") or ""
    if not get("Py_ENABLE_SHARED"):
        sys.exit("built without a shared library")
    for each in (os.path.join(get("LIBDIR") or "", name), name):
        try:
            ctypes.CDLL(each)
            break
        except OSError:
            pass
    else:
        sys.exit(f"{name} is not installed")
"""


def why_not(python: str) -> str:
    """Why ``python`` cannot go into a bundle; empty where it can."""
    done = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def debian_package(reason: str) -> str:
    """The package that what ``why_not`` misses is in; empty where nothing can be installed."""
    if "virtual environments" in reason:
        return "python3-venv"
    _, name, rest = reason.partition("libpython")
    return name + rest.partition(".so")[0]


def bundled_python() -> str | None:
    """A Python that can go into a bundle: the system's, or this one; None where neither can."""
    system = "/usr/bin/python3"
    found = [sys.executable]
    if LINUX and os.path.exists(system):
        # Others look for libraries in the folder that they were built for.
        found.insert(0, system)
    for python in found:
        reason = why_not(python)
        while python == system and (package := debian_package(reason)) and may_install():
            if not apt(package) or (after := why_not(python)) == reason:
                break
            reason = after
        if not reason:
            return python
        say(f"{python} cannot go into a bundle: {reason}")
    say("take a Python with a shared library, such as Debian's python3 with libpython3.11,")
    say("or one that was built with --enable-shared; docs/release.md says more")
    return None


def build(arguments: list[str]) -> int:
    if (python := bundled_python()) is None:
        return 1
    if LINUX and shutil.which("objdump") is None and not (may_install() and apt("binutils")):
        say("PyInstaller needs objdump; " + how_to_install([], ["binutils"]))
        return 1
    libraries = {**QT_LIBRARIES, **WAYLAND_LIBRARIES, **SERVER_LIBRARIES}
    # The bundle takes them along, or its package depends on them.
    if not ensure_libraries(libraries, "the bundle", needed=True):
        return 1
    if code := ensure_installed("llama,build", BUILD_VENV, python):
        return code
    return run(
        *(python_of(BUILD_VENV), "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
        *("--distpath", BUNDLE.parent, "--workpath", ROOT / "build" / "pyinstaller"),
        *("installer.spec", "--", *arguments),
        cwd=ROOT,
        env=reproducible(),
    )


def package(arguments: list[str]) -> int:
    if not LINUX:
        say("packages of this kind are made on Linux; docs/release.md has the other systems")
        return 1
    if not BUNDLE.exists():
        say("there is no bundle yet: python3 dev.py build")
        return 1
    script = ROOT / "packaging" / "linux" / "package.py"
    return run(python_of(BUILD_VENV), script, *arguments, cwd=ROOT, env=reproducible())


def reproducible() -> dict[str, str]:
    """The environment in which the same sources give the same bytes."""
    env = {**os.environ, "PYTHONHASHSEED": "1", "TZ": "UTC"}
    if "SOURCE_DATE_EPOCH" not in env and shutil.which("git"):
        done = subprocess.run(
            ["git", "log", "-1", "--format=%ct"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.stdout.strip():
            env["SOURCE_DATE_EPOCH"] = done.stdout.strip()
    return env


# --- the commands ---------------------------------------------------------------------


def setup() -> int:
    ensure_for_tests()
    if code := ensure_installed("dev"):
        return code
    say("ready: python3 dev.py demo, run, test, lint or translate")
    return 0


def qmdesk(arguments: list[str]) -> int:
    ensure_libraries(SERVER_LIBRARIES, "the embedded llama-server")
    if has_screen():
        ensure_libraries(QT_LIBRARIES, "the desktop part of qmdesk")
    return ensure_installed("llama") or become(PYTHON, "-m", "qmdesk", *arguments)


def test(arguments: list[str]) -> int:
    if not ensure_for_tests():
        return 1
    # All of them mostly wait: two files at a time take two thirds of the time.
    chosen = arguments or ["-n", "2", "--dist", "loadfile"]
    return ensure_installed("dev") or become(PYTHON, "-m", "pytest", *chosen, cwd=ROOT)


def lint() -> int:
    if code := ensure_installed("dev"):
        return code
    checks: tuple[tuple[str | Path, ...], ...] = (
        (PYTHON, "-m", "ruff", "check", "."),
        (PYTHON, "-m", "ruff", "format", "--check", "."),
        (PYTHON, "-m", "mypy"),
        (BIN / "lint-imports", "--no-cache"),
        (PYTHON, "-m", "deptry", "."),
    )
    failed = []
    for check in checks:
        words = [str(each) for each in check]
        name = " ".join([Path(words[0]).name, *words[1:]]).removeprefix(f"{PYTHON.name} -m ")
        say(name)
        if run(*check, cwd=ROOT):
            failed.append(name)
    for name in failed:
        say(f"failed: {name}")
    return 1 if failed else 0


def translate() -> int:
    ensure_libraries(QT_LIBRARIES, "the desktop part of qmdesk", needed=True)
    return ensure_installed("dev") or become(PYTHON, "-m", "tests.desktop.translations", cwd=ROOT)


def main(argv: list[str]) -> int:
    command, arguments = (argv[0], argv[1:]) if argv else ("", [])
    if command in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    if command in ("setup", "lint", "translate") and arguments:
        say(f"{command} takes no arguments")
        return 2
    if command == "build" and arguments not in ([], ["--without-llama"]):
        say("build takes --without-llama or nothing")
        return 2
    if command not in ("demo", "run", "test", "lint", "translate", "setup", "build", "package"):
        say(f"no such command: {command}" if command else "say which command")
        print(__doc__, file=sys.stderr)
        return 2
    if sys.version_info < (3, 11):  # noqa: UP036
        say("qmdesk needs Python 3.11 or later, this is {}.{}".format(*sys.version_info[:2]))
        return 1
    if command == "setup":
        return setup()
    if command == "lint":
        return lint()
    if command == "translate":
        return translate()
    if command == "test":
        return test(arguments)
    if command == "build":
        return build(arguments)
    if command == "package":
        return package(arguments)
    return qmdesk(["demo", *arguments] if command == "demo" else arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
