"""The Debian package from its installation to its removal, in a clean root.

Runs where QMDESK_DEB names a package, as root: see .ci/run.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from qmdesk.demo import tiny_gguf
from tests.conftest import pid_runs
from tests.desktop.desk import Desk, wait_for
from tests.packaging.clean_root import USER, CleanRoot, checked

DEB = os.environ.get("QMDESK_DEB", "")
pytestmark = [
    pytest.mark.skipif(not DEB, reason="QMDESK_DEB names no package"),
    pytest.mark.timeout(420),
]
SENTENCE = "packed and delivered"
ADDRESS = "127.0.0.1:18437"
CONFIG = f"""\
# mine
listen: {ADDRESS}
models:
  tiny:
    cmd: qmdesk llama-server -m /home/{USER}/tiny.gguf --port ${{PORT}} -c 1024 -t 1
  foreign:
    cmd: sleep 600
    proxy: http://127.0.0.1:9
    checkEndpoint: none
groups:
  all: {{swap: false, members: [tiny, foreign]}}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CleanRoot]:
    made = CleanRoot(tmp_path_factory.mktemp("clean") / "root")
    yield made
    made.close()
    shutil.rmtree(made.folder)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk(trayer=True) as made:
        yield made


def menu_entry(root: CleanRoot) -> list[str]:
    """The command behind the entry in the menu."""
    entry = configparser.RawConfigParser()
    entry.read(root.folder / "usr" / "share" / "applications" / "qmdesk.desktop")
    return shlex.split(entry["Desktop Entry"]["Exec"])


def start(root: CleanRoot, desk: Desk, *more: str) -> subprocess.Popen[str]:
    command = root.as_user(*menu_entry(root), *more, DISPLAY=desk.env["DISPLAY"])
    return desk.start(*command)


def asked(path: str, body: dict[str, Any] | str | None = None, method: str = "") -> Any:
    data = body.encode() if isinstance(body, str) else body and json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://{ADDRESS}{path}",
        data or None,
        {"Content-Type": "application/json"},
        method=method or None,
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def chat() -> str:
    body = {"model": "tiny", "messages": [{"role": "user", "content": "hello"}]}
    text: str = asked("/v1/chat/completions", body)["choices"][0]["message"]["content"]
    return text.strip()


def is_up() -> bool:
    try:
        asked("/api/status")
    except OSError:
        return False
    return True


def newer(deb: Path, folder: Path) -> Path:
    """The same package under a later version."""
    checked("dpkg-deb", "-R", str(deb), str(folder / "newer"))
    control = folder / "newer" / "DEBIAN" / "control"
    text = re.sub(r"(?m)^Version: .*$", r"\g<0>+newer", control.read_text())
    control.write_text(text)
    made = folder / "newer.deb"
    checked(
        "dpkg-deb",
        "--root-owner-group",
        "-Zgzip",
        "-z1",
        "-b",
        str(folder / "newer"),
        made.as_posix(),
    )
    return made


def test_from_the_installation_to_the_removal(root: CleanRoot, desk: Desk, tmp_path: Path) -> None:
    # What it depends on comes first: that stays, and is not its trace.
    depends = checked("dpkg-deb", "-f", DEB, "Depends").strip()
    root.run("apt-get", "update", "-qq")
    root.run("apt-get", "satisfy", "-y", "-qq", "--no-install-recommends", depends)
    before = root.files()
    package = root.folder / "tmp" / "qmdesk.deb"
    shutil.copyfile(DEB, package)
    root.run("dpkg", "--install", "/tmp/qmdesk.deb")

    # An ordinary user starts it from the menu: the tray is there, the server answers.
    config = root.home / ".config" / "qmdesk" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG)
    tiny_gguf.write(root.home / "tiny.gguf", say=SENTENCE)
    checked("chown", "-R", str(root.user), str(root.home))
    app = start(root, desk)
    wait_for(desk.tray_icons, "the icon in the tray")
    wait_for(is_up, "the gateway")
    assert chat() == SENTENCE
    assert psutil.Process(app.pid).uids().real == root.user != 0

    # A program of somebody else's sees nothing of the bundle.
    asked("/api/models/foreign/load", method="POST")
    children = psutil.Process(app.pid).children(recursive=True)
    [foreign] = [each for each in children if each.name() == "sleep"]
    text = Path(f"/proc/{foreign.pid}/environ").read_text()
    assert "/usr/lib/qmdesk" not in text
    assert "_PYI" not in text

    # There is one instance, however often it is started.
    again = start(root, desk)
    assert again.wait(20) == 0
    wait_for(lambda: desk.shown(app.pid), "the first one's window")

    # An upgrade ends it, and keeps what is the user's.
    edited = CONFIG.replace("# mine", "# mine, edited")
    asked("/api/config", edited, "PUT")
    shutil.copyfile(newer(Path(DEB), tmp_path), package)
    assert "start it again" in root.run("dpkg", "--install", "/tmp/qmdesk.deb")
    assert app.wait(5) == 0
    assert not any(pid_runs(each.pid) for each in children)
    assert config.read_text() == edited
    kept = root.home / ".local" / "state" / "qmdesk" / "history"
    assert CONFIG in [each.read_text() for each in kept.rglob("*") if each.is_file()]

    # Killed without mercy it takes its servers along.
    app = start(root, desk)
    wait_for(is_up, "the gateway")
    assert chat() == SENTENCE
    children = psutil.Process(app.pid).children(recursive=True)
    assert children
    app.send_signal(signal.SIGKILL)
    app.wait()
    wait_for(lambda: not any(pid_runs(each.pid) for each in children), "the end of all of them")

    # Purged, it leaves nothing but what the user has made.
    app = start(root, desk)
    wait_for(is_up, "the gateway")
    root.run("dpkg", "--purge", "qmdesk")
    assert app.wait(5) == 0
    assert root.files() == before
    assert config.read_text() == edited
