"""How long the settings window holds the event loop in a file of 500 models.

``python -m bench.settings [MODELS]`` opens the window offscreen, types into the text and
into a form, and prints milliseconds between turns of the loop: the median, one in a
hundred, and the longest.  On a machine with other work the longest is that work's.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qmdesk.config import parse
from qmdesk.desktop import settings_window
from qmdesk.desktop.desk import OPENING_GAP
from qmdesk.desktop.loop import new_event_loop
from qmdesk.instance import Instance

KEY_GAP = 0.08
"""Seconds between key presses."""
PAUSE = 1.0
"""Seconds in which the text is read after typing."""
WORDS = "# some words typed in, as people type them"

MODEL = """\
  model-{n}:
    # number {n}
    cmd: llama-server -m /models/m{n}.gguf --port ${{PORT}} -c 32768 -ngl 99
    ttl: 1800
    aliases: [gpt-{n}, a-{n}]
    env:
      - CUDA_VISIBLE_DEVICES=0
"""


class Turns:
    """The times between turns of the loop."""

    def __init__(self) -> None:
        self._gaps: list[float] = []

    async def watch(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            self._gaps.append(now - last)
            last = now

    def tell(self, what: str) -> None:
        gaps = sorted(self._gaps)
        self._gaps.clear()
        middle, most, longest = (
            gaps[round((len(gaps) - 1) * share)] * 1000 for share in (0.5, 0.99, 1)
        )
        late = sum(gap > 0.02 for gap in gaps)
        print(f"{what:28} {middle:6.1f} {most:6.1f} {longest:6.1f}   over 20 ms: {late}")


async def run(folder: Path, models: int) -> None:
    """Open, type, and tell how it went."""
    file = folder / "config.yaml"
    text = "models:\n" + "".join(MODEL.format(n=n) for n in range(models))
    file.write_text(text, encoding="utf-8")
    instance = Instance(parse(text, file))
    turns = Turns()
    watch = asyncio.get_running_loop().create_task(turns.watch())
    make = await settings_window.imported()
    await asyncio.sleep(0.1)
    turns.tell("modules")
    window = make(instance)
    window.resize(1180, 720)
    await asyncio.sleep(OPENING_GAP / 1000)
    window.present("general")
    await asyncio.sleep(PAUSE)
    await window.session.settled()
    turns.tell("open")
    for page in ("general", "models", "groups"):
        window.present(page)
        cursor = window.text.textCursor()
        cursor.setPosition(text.index(f"# number {models // 2}"))
        window.text.setTextCursor(cursor)
        await asyncio.sleep(PAUSE)
        turns.tell(f"page {page}")
        for letter in WORDS:
            QTest.keyClick(window.text, letter)
            await asyncio.sleep(KEY_GAP)
        turns.tell(f"typing beside {page}")
        await asyncio.sleep(PAUSE)
        await window.session.settled()
        turns.tell("reading it")
    window.present(f"models/model-{models // 2}")
    await asyncio.sleep(PAUSE)
    turns.tell("page of a model")
    editor = window.models.form.field(("name",)).editor
    for letter in "a friendly name":
        QTest.keyClick(editor, letter)
        await asyncio.sleep(KEY_GAP)
    await asyncio.sleep(PAUSE)
    await window.session.settled()
    turns.tell("typing into a form")
    window.stop()
    await window.session.settled()
    window.deleteLater()
    watch.cancel()


def main() -> int:
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    app = QApplication([])
    app.setStyle("Fusion")
    print(f"{'ms between turns':28} {'median':>6} {'1/100':>6} {'most':>6}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            runner.run(run(Path(folder), models))
    return 0


if __name__ == "__main__":
    sys.exit(main())
