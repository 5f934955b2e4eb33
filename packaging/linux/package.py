#!/usr/bin/env python3
"""Makes packages for Linux of the bundle in dist/qmdesk, and puts them beside it.

    package.py [deb] [tar.xz] [run]    these, or all three
    package.py share FOLDER            only the desktop entry, icons and metadata

Run by ``python3 dev.py package`` with the Python that made the bundle.  The same bundle
gives the same bytes: times are those of SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DIST = ROOT / "dist"
BUNDLE = DIST / "qmdesk"
METADATA = "org.qmdesk.qmdesk.metainfo.xml"
sys.path[:0] = [str(HERE.parent), str(ROOT)]

from icon_files import write_pngs  # noqa: E402 - the path comes first

from qmdesk import __version__  # noqa: E402

# What no program is linked to, and is read as files: fonts, key maps, locales of X.
FILES_NEEDED = ("fontconfig-config", "libx11-data", "xkb-data")
DESCRIPTION = """\
tray application that swaps local inference servers
 A chat front end points at one address, a request names a model, and qmdesk
 makes sure that the model's server runs. What no longer fits beside it is
 unloaded first, never while it answers somebody. It speaks the OpenAI and the
 Anthropic API, and reads llama-swap's configuration.
 .
 The package brings Python, Qt{} along."""


def now() -> int:
    """The time that files get, in seconds since 1970."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())


def share(folder: Path) -> None:
    """Put desktop entry, icons and metadata into ``folder``, such as /usr/share."""
    applications, metainfo = folder / "applications", folder / "metainfo"
    for each in (applications, metainfo):
        each.mkdir(parents=True)
    shutil.copyfile(HERE / "qmdesk.desktop", applications / "qmdesk.desktop")
    date = datetime.fromtimestamp(now(), UTC).date().isoformat()
    text = (HERE / METADATA).read_text(encoding="utf-8")
    text = text.replace("@VERSION@", __version__).replace("@DATE@", date)
    (metainfo / METADATA).write_text(text, encoding="utf-8")
    svg = ROOT / "resources" / "icons" / "qmdesk.svg"
    icons = folder / "icons" / "hicolor"
    write_pngs(svg, icons)
    (icons / "scalable" / "apps").mkdir(parents=True)
    shutil.copyfile(svg, icons / "scalable" / "apps" / "qmdesk.svg")


# --- .deb -----------------------------------------------------------------------------


def deb() -> Path:
    """A Debian package: all of it in /usr/lib/qmdesk, a link in /usr/bin."""
    machine = said("dpkg", "--print-architecture").strip()
    target = DIST / f"qmdesk_{__version__}_{machine}.deb"
    with tempfile.TemporaryDirectory() as work:
        root = Path(work) / "root"
        shutil.copytree(BUNDLE, root / "usr" / "lib" / "qmdesk", symlinks=True)
        share(root / "usr" / "share")
        (root / "usr" / "bin").mkdir()
        (root / "usr" / "bin" / "qmdesk").symlink_to("../lib/qmdesk/qmdesk")
        documents = root / "usr" / "share" / "doc" / "qmdesk"
        documents.mkdir(parents=True)
        licences = root / "usr" / "lib" / "qmdesk" / "_internal" / "resources" / "licences.txt"
        copyright_ = [(ROOT / "LICENSE").read_text(), licences.read_text(encoding="utf-8")]
        (documents / "copyright").write_text("\n\n".join(copyright_), encoding="utf-8")
        log = (ROOT / "CHANGELOG.md").read_bytes()
        (documents / "CHANGELOG.md.gz").write_bytes(gzip.compress(log, 9, mtime=0))
        control = root / "DEBIAN"
        control.mkdir()
        more = " and a llama-server" if (BUNDLE / "_internal" / "xllamacpp").exists() else ""
        size = sum(path.lstat().st_size for path in root.rglob("*")) // 1024
        (control / "control").write_text(
            f"Package: qmdesk\nVersion: {__version__}\nArchitecture: {machine}\n"
            "Maintainer: The qmdesk authors <qmdesk@localhost>\n"
            f"Installed-Size: {size}\nDepends: {', '.join(dependencies(BUNDLE))}\n"
            "Section: utils\nPriority: optional\n"
            f"Description: {DESCRIPTION.format(more)}\n"
        )
        script = (HERE / "prerm").read_text()
        script = script.replace("@END_RUNNING@", (HERE / "end_running.sh").read_text())
        (control / "prerm").write_text(script)
        tidy(root)
        (control / "prerm").chmod(0o755)
        run("dpkg-deb", "--root-owner-group", "-Zzstd", "--build", str(root), str(target))
    return target


def dependencies(bundle: Path) -> list[str]:
    """The packages of this system that the bundle is linked to and does not hold itself.

    Versions are the least that have all the symbol versions that it asks for.
    """
    needed: set[str] = set()
    versions: dict[str, set[str]] = {}
    files = [path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink()]
    here = {path.name for path in bundle.rglob("*.so*")}
    for path in files:
        if ".so" not in path.name and path.name != "qmdesk":
            continue
        library = ""
        for line in said("objdump", "-p", str(path)).splitlines():
            words = line.split()
            if words[:1] == ["NEEDED"]:
                needed.add(words[1])
            elif words[:2] == ["required", "from"]:
                library = words[2].rstrip(":")
            elif len(words) == 4 and words[0].startswith("0x"):
                versions.setdefault(library, set()).add(words[3])
    found: dict[str, tuple[int, ...]] = {}
    for library in needed - here:
        if library.startswith("ld-linux"):
            continue
        package, symbols = package_of(library)
        least = max((symbols.get(each, ()) for each in versions.get(library, ())), default=())
        found[package] = max(found.get(package, ()), least)
    found |= dict.fromkeys(FILES_NEEDED, ())
    return [
        f"{name} (>= {'.'.join(map(str, least))})" if least else name
        for name, least in sorted(found.items())
    ]


def package_of(library: str) -> tuple[str, dict[str, tuple[int, ...]]]:
    """The package that has ``library``, and its first version with each symbol version."""
    path = re.search(rf"^\s*{re.escape(library)} .* => (\S+)", said("ldconfig", "-p"), re.MULTILINE)
    if path is None:
        raise SystemExit(f"{library}, which the bundle needs, is not installed")
    real = os.path.realpath(path[1])
    for each in (real, real.removeprefix("/usr")):
        owner = said("dpkg-query", "-S", each, strict=False).partition(":")[0]
        if owner:
            break
    else:
        raise SystemExit(f"{real} is of no package")
    text = said("dpkg-query", "--control-show", owner, "symbols", strict=False)
    lines = re.findall(r"^ (\w[\w.]*)@\1 (\d[\d.]*)", text, re.MULTILINE)
    return owner, {name: tuple(map(int, version.split("."))) for name, version in lines}


# --- for other systems ----------------------------------------------------------------


def unpacked(folder: Path) -> Path:
    """The folder that the archive and the .run hold: bundle, desktop files, install.sh."""
    top = folder / f"qmdesk-{__version__}"
    shutil.copytree(BUNDLE, top / "qmdesk", symlinks=True)
    share(top / "share")
    for name in ("install.sh", "uninstall.sh", "end_running.sh"):
        shutil.copyfile(HERE / name, top / name)
    shutil.copyfile(ROOT / "LICENSE", top / "LICENSE")
    tidy(top)
    for name in ("install.sh", "uninstall.sh"):
        (top / name).chmod(0o755)
    return top


def archive() -> Path:
    """A .tar.xz, to be unpacked anywhere and run from there, or installed."""
    target = DIST / f"qmdesk-{__version__}-linux-{os.uname().machine}.tar.xz"
    with tempfile.TemporaryDirectory() as work:
        top = unpacked(Path(work))
        run(
            *("tar", "--create", "--file", str(target), "--directory", work),
            *("--sort=name", "--owner=0", "--group=0", "--numeric-owner"),
            *("--use-compress-program", "xz --threads=0 -6", top.name),
        )
    return target


def self_extracting() -> Path:
    """A .run, which unpacks itself and runs install.sh."""
    target = DIST / f"qmdesk-{__version__}-linux-{os.uname().machine}.run"
    with tempfile.TemporaryDirectory() as work:
        top = unpacked(Path(work))
        date = datetime.fromtimestamp(now(), UTC).strftime("%a %b %d %H:%M:%S UTC %Y")
        run(
            *("makeself", "--quiet", "--gzip", "--packaging-date", date),
            *("--tar-extra", "--sort=name --owner=0 --group=0 --numeric-owner"),
            *(str(top), str(target), f"Quartermaster Desk {__version__}", "./install.sh"),
        )
    return target


# --- helpers --------------------------------------------------------------------------


def tidy(folder: Path) -> None:
    """Give every file the same rights and time, whoever made it and when."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or path.name == "qmdesk"
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (now(), now()), follow_symlinks=False)


def said(*command: str, strict: bool = True) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if strict and done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def run(*command: str) -> None:
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"{command[0]} failed")


KINDS: dict[str, tuple[str, Callable[[], Path]]] = {
    "deb": ("dpkg-deb", deb),
    "tar.xz": ("xz", archive),
    "run": ("makeself", self_extracting),
}


def main(arguments: list[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "share":
        share(Path(arguments[1]))
        return 0
    if unknown := [each for each in arguments if each not in KINDS]:
        print(f"no such package: {unknown[0]}; there are {', '.join(KINDS)}", file=sys.stderr)
        return 2
    for name in arguments or KINDS:
        tool, make = KINDS[name]
        if shutil.which(tool) is None:
            print(f"{tool}, which makes a {name}, is not installed", file=sys.stderr)
            return 1
        path = make()
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1e6:.0f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
