"""Takes the pictures in ``docs/screenshots``: ``python -m tests.desktop.screenshots``.

Every picture is taken in light and dark, at 100 % and 200 %, and in other languages than
English in light at 100 % and, where it is narrow, dark at 200 %; somebody looks at them.
The languages to be taken can be named: ``python -m tests.desktop.screenshots de``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unittest import mock

FOLDER = Path(os.environ.get("SHOTS", Path(__file__).resolve().parents[2] / "docs" / "screenshots"))
SCALES = (100, 200)
SCHEMES = ("light", "dark")
SHOTS = {
    "en": [(scheme, scale) for scheme in SCHEMES for scale in SCALES],
    "de": [("light", 100), ("dark", 200)],
}
"""Which scheme and scale, by language."""
NARROW = ("window-models", "window-activity", "tray-menu", "settings-general", "settings-models")
"""Those of which other languages have a large picture."""
LARGEST = 150_000
"""Bytes of a picture; with more, it is kept with fewer colours."""
SCREEN = {"name": "desk", "x": 0, "y": 0, "width": 2400, "height": 1600, "dpr": 1}
SCREEN |= {"logicalDpi": 96, "logicalBaseDpi": 96}


def main(languages: list[str]) -> int:
    """Take all pictures of these languages, each combination in a process of its own."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        screens = Path(home) / "screens.json"
        screens.write_text(json.dumps({"screens": [SCREEN]}))
        for language in languages:
            for scheme, scale in SHOTS[language]:
                env = {
                    **os.environ,
                    "HOME": home,
                    "XDG_CONFIG_HOME": home,
                    "QT_QPA_PLATFORM": f"offscreen:configfile={screens}",
                    "QT_SCALE_FACTOR": str(scale / 100),
                }
                command = [sys.executable, "-m", "tests.desktop.screenshots"]
                subprocess.run([*command, language, scheme, str(scale)], env=env, check=True)
    return 0


def take(language: str, scheme: str, scale: int) -> int:
    """Take the pictures of one language, one colour scheme and one scale."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QColor, QGuiApplication, QPalette
    from PySide6.QtWidgets import QApplication

    from qmdesk.desktop.language import ENGLISH, speak
    from qmdesk.desktop.loop import new_event_loop

    app = QApplication([])
    app.setStyle("Fusion")
    if scheme == "dark":
        # The offscreen platform knows no scheme of its own.
        QGuiApplication.styleHints().setColorScheme(Qt.ColorScheme.Dark)
        if app.palette().color(QPalette.ColorRole.Window).lightness() > 128:
            app.setPalette(_dark(QPalette, QColor))
    speak(language)
    name = f"{scheme}-{scale}"
    with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
        runner.run(_take(name if language == ENGLISH else f"{name}-{language}"))
    return 0


async def _take(name: str) -> None:
    from qmdesk.config.settings import ApiKey
    from qmdesk.desktop.desk import Desk
    from qmdesk.desktop.main_window import ACTIVITY, CONNECT, LOGS, MEMORY, MESSAGES, MODELS
    from qmdesk.process import programs
    from tests.desktop.fake_instance import FakeInstance, some_cards, some_memories, some_models

    programs.foremost = lambda *_: ("game.exe", "blender")
    instance = FakeInstance(some_models())
    await instance.start()
    instance.router.waiting = 2
    instance.config.api_keys = (ApiKey("a-secret-key"),)
    _write_log(instance)
    desk = Desk(instance)  # type: ignore[arg-type]
    _tell_an_hour(desk, instance)
    instance.measure(*some_cards(), models=some_memories())
    desk.window.present()
    window = desk.window
    window.resize(1060, 600)
    # The figures are made up: this machine's own would come between.
    window._look.stop()
    window._look.look = lambda: None
    window.models.select("qwen3-30b-a3b")
    for page, title in (
        (MODELS, "models"),
        (ACTIVITY, "activity"),
        (MEMORY, "memory"),
        (LOGS, "logs"),
        (CONNECT, "connect"),
        (MESSAGES, "messages"),
    ):
        window.rail.setCurrentRow(page)
        window.logs.show_source("gpt-oss-20b")
        if page == CONNECT:
            window.connect_page.guides.list.setCurrentRow(2)
        await asyncio.sleep(0.3)
        window._on_memory(_some_memory())
        await asyncio.sleep(0.1)
        window.activity.table.selectRow(3)
        window.messages.table.selectRow(0)
        _save(window, f"window-{title}-{name}")
    menu = desk.tray.menu
    menu.menu.popup(window.pos())
    await asyncio.sleep(0.1)
    _save(menu.menu, f"tray-menu-{name}")
    menu.menu.close()
    model = menu.model("qwen3-30b-a3b")
    assert model is not None
    model.menu.popup(window.pos())
    await asyncio.sleep(0.1)
    _save(model.menu, f"tray-model-{name}")
    model.menu.close()
    desk.tray.menu.pause.menu.popup(window.pos())
    await asyncio.sleep(0.1)
    _save(desk.tray.menu.pause.menu, f"tray-free-{name}")
    desk.tray.menu.pause.menu.close()
    desk.close()
    await _take_settings(name)
    await _take_assistant(name)


async def _take_settings(name: str) -> None:
    from qmdesk.desktop.settings_window import pages
    from qmdesk.desktop.settings_window.apply_dialog import ApplyDialog
    from qmdesk.desktop.settings_window.window import SettingsWindow
    from tests.desktop.settings_desk import NAMED, SettingsInstance

    os.environ.setdefault("OPENROUTER_KEY", "sk-or-1")
    # What its --help says is wanted in the picture, not where this Python lies.
    python, server = "python3", "qmdesk.llama_server"
    with tempfile.TemporaryDirectory() as folder:
        instance = SettingsInstance(Path(folder) / "config.yaml", NAMED)
        window = SettingsWindow(instance)  # type: ignore[arg-type]
        window.resize(1180, 720)
        window.present(pages.GENERAL)
        while window.session.locked:
            await asyncio.sleep(0.05)
        for page in pages.PAGES:
            window.rail.setCurrentRow(pages.PAGES.index(page))
            if page == pages.MODELS:
                text = NAMED.replace("concurrencyLimit: 4", "concurencyLimit: 4")
                text = text.replace("server: llama-server", f"server: {python} -m {server}")
                window.session.replace(text.replace("-c 16384", "-c 16384 --flash-atn on"))
                await window.session.settled()
                window.models.select("gpt-oss-20b")
                while not window.models.doubts.text():
                    await asyncio.sleep(0.05)
            elif page in (pages.PEERS, pages.SELECTORS, pages.PROFILES, pages.KEYS):
                window.session.replace(NAMED)
                await window.session.settled()
                window.form(page).list.setCurrentRow(0 if page == pages.PROFILES else 1)
                shown = window._field or ("profiles", "away")
                window.text.go_to(window.session.analysis.line(shown), 1)
            else:
                window.session.replace(NAMED.replace("globalTTL: 1800", "globalTTL: 900"))
                await window.session.settled()
                if page == pages.GENERAL:
                    window.form(page).fields["globalTTL",].editor.setFocus()
            await asyncio.sleep(0.3)
            _save(window, f"settings-{page}-{name}")
        window.present(f"{pages.MODELS}/qwen3-30b-a3b")
        await asyncio.sleep(0.3)
        window.models.form.field(("filters", "stripParams")).editor.setFocus()
        window.models._body.ensureWidgetVisible(window.models.by_name)
        await asyncio.sleep(0.1)
        _save(window, f"settings-filters-{name}")
        window._on_apply()
        await asyncio.sleep(0.3)
        dialog = window.findChild(ApplyDialog)
        assert dialog is not None
        _save(dialog, f"settings-apply-{name}")
        window.stop()
        window.deleteLater()
    await _take_files(name)


async def _take_files(name: str) -> None:
    """One file of several, with edits of an earlier window."""
    from qmdesk.desktop.settings_window import drafts, pages
    from qmdesk.desktop.settings_window.window import SettingsWindow
    from qmdesk.folders import state_folder
    from tests.desktop.settings_desk import NAMES, TEXT, SettingsInstance

    with tempfile.TemporaryDirectory() as folder:
        house = Path(folder) / "10-house.yaml"
        house.write_text(TEXT, encoding="utf-8")
        (Path(folder) / "20-peers.yaml").write_text(NAMES, encoding="utf-8")
        left = drafts.Drafts(state_folder() / "drafts", house)
        then = datetime.now().astimezone().replace(hour=14, minute=2).timestamp()
        with mock.patch("time.time", return_value=then):
            left.keep(TEXT, TEXT.replace("1800", "900"))
        instance = SettingsInstance(None, folder=Path(folder))
        window = SettingsWindow(instance)  # type: ignore[arg-type]
        window.resize(1180, 720)
        window.present(pages.GENERAL)
        while window.session.locked or not window.restore.isVisible():
            await asyncio.sleep(0.05)
        await window.session.settled()
        await asyncio.sleep(0.3)
        _save(window, f"settings-files-{name}")
        window.stop()
        window.deleteLater()
        left.keep(TEXT, TEXT)


async def _take_assistant(name: str) -> None:
    from qmdesk.desktop.assistant import model_files, servers
    from qmdesk.desktop.assistant.servers import Server
    from qmdesk.desktop.assistant.setup import Answer
    from qmdesk.desktop.assistant.window import ANSWER, CONNECT, MODELS, AssistantWindow
    from qmdesk.desktop.commands import Commands
    from qmdesk.desktop.trial import Trial
    from qmdesk.events import ModelState
    from tests.desktop.fake_instance import model
    from tests.desktop.settings_desk import SettingsInstance

    # What this machine has is nobody's business.
    servers.find = lambda: (
        Server(("llama-server",), "7104 (1d2f6a9)", "/usr/local/bin/llama-server"),
        Server(("qmdesk", "llama-server"), "2026.10 (xllamacpp)", "comes with qmdesk"),
    )
    model_files.known_folders = lambda: ()
    shutil.which = lambda name: name
    with tempfile.TemporaryDirectory() as folder:
        files = Path.home() / "models"
        files.mkdir(exist_ok=True)
        for file in ("Qwen3-30B-A3B-Q4_K_M", "gpt-oss-20b-mxfp4", "gemma-3-12b-it-q4_0"):
            (files / f"{file}.gguf").touch()
            os.truncate(files / f"{file}.gguf", len(file) << 29)
        instance = SettingsInstance(Path(folder) / "config.yaml", "listen: 127.0.0.1:8080\n")
        instance.addresses = ("http://127.0.0.1:8080",)
        window = AssistantWindow(instance, Commands(instance))  # type: ignore[arg-type]
        window.resize(820, 520)
        window.present()
        while window.setup.looking:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        _save(window, f"assistant-server-{name}")
        window._turn_to(MODELS)
        await asyncio.sleep(0.1)
        _save(window, f"assistant-empty-{name}")
        await window.setup.add([files])
        window.setup.choose("gpt-oss-20b-mxfp4", False)
        await asyncio.sleep(0.2)
        _save(window, f"assistant-models-{name}")
        window.next.click()
        while window.at != CONNECT:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        _save(window, f"assistant-address-{name}")
        window._turn_to(ANSWER)
        setup, id = window.setup, "qwen3-30b-a3b-q4_k_m"
        loading = model(id, ModelState.STARTING, progress=0.64, eta=6.0)
        instance.router.models[id] = loading
        setup.asking, setup.asked_at = id, time.monotonic() - 11
        window.refresh()
        await asyncio.sleep(0.2)
        _save(window, f"assistant-loading-{name}")
        setup.asking = ""
        trial = Trial("Hello, it is nice to meet you.", 6.4, 6.9, 12, loaded=True)
        setup.answer = Answer(id, trial)
        window.refresh()
        await asyncio.sleep(0.2)
        _save(window, f"assistant-answer-{name}")
        words = "load_model: loading model\nerror: invalid argument: --flash-atn"
        setup.answer = Answer(id, None, "llama-server ended with code 1", words)
        window.refresh()
        await asyncio.sleep(0.2)
        _save(window, f"assistant-failed-{name}")
        window.stop()
        window.deleteLater()


def _some_memory() -> object:
    from qmdesk.desktop.host_memory import HostMemory

    gib = 1 << 30
    models = {"qwen3-30b-a3b": 17.1 * gib, "gpt-oss-20b": 6.2 * gib, "gemma-3-12b-it": 7.9 * gib}
    held = {model: round(size) for model, size in models.items()}
    return HostMemory(64 * gib, 24 * gib, held, 9 * gib)


def _tell_an_hour(desk: object, instance: object) -> None:
    """Requests, swaps and messages of an hour."""
    from time import time

    from qmdesk.desktop.journal import Span, Swap, Use
    from qmdesk.events import Evicted, LoadFailed
    from tests.desktop.fake_instance import a_running, one_that_is_over

    now = time()
    journal = desk.journal  # type: ignore[attr-defined]
    for model, spans in {
        "qwen3-30b-a3b": [(58, 57, 31), (18, 17.2, None)],
        "gpt-oss-20b": [(31, 30.5, 18), (0.4, None, None)],
        "gemma-3-12b-it": [(40, 39.6, None)],
        "mistral-small-24b": [(25, 24.5, None)],
        "nomic-embed": [(55, 54.9, 47), (12, 11.9, 8), (6, 5.9, 4)],
    }.items():
        at = [[None if m is None else now - m * 60 for m in span] for span in spans]
        journal.spans[model] = [Span(*each) for each in at]
    gib = 1 << 30
    for card, uses in {
        "GPU-1": [
            (60, 22, 0.9, "firefox"),
            (22, 13, 5.2, "blender"),
            (13, 6, 1.6, "firefox"),
            (6, 0, 10.7, "game.exe"),
        ],
        "GPU-2": [(60, 0, 1.0, "Xorg")],
    }.items():
        journal.uses[card] = deque(
            Use(now - a * 60, now - b * 60, round(held * gib), 24 * gib, ((by, round(held * gib)),))
            for a, b, held, by in uses
        )
    swaps = (
        (31, "gpt-oss-20b", ("qwen3-30b-a3b",), 30.0),
        (18, "qwen3-30b-a3b", ("gpt-oss-20b",), 48.0),
        (0.4, "gpt-oss-20b", ("nomic-embed",), None),
    )
    for number, (ago, model, evicted, seconds) in enumerate(swaps, 100):
        why = "group (default) runs one model at a time"
        swap = Swap(number, model, "OpenWebUI/0.6", now - ago * 60, evicted, why, 0.6, seconds)
        swap.ok = seconds is not None
        journal.swaps.append(swap)
    for seconds in (42.0, 47.5, 41.2, 44.0, 61.0, 43.3, 47.4):
        journal._loads.setdefault("qwen3-30b-a3b", []).append(seconds)
    instance.running = [  # type: ignore[attr-defined]
        a_running(31, "qwen3-30b-a3b", 4.2, waited_seconds=0.1, first_token_seconds=0.9),
        a_running(32, "qwen3-30b-a3b", 1.4, waited_seconds=0.0),
        a_running(33, "gpt-oss-20b", 24.0, state="waiting", client="Zed"),
    ]
    instance.over = [  # type: ignore[attr-defined]
        one_that_is_over(1, "nomic-embed", 700, duration_ms=80.0, first_token_ms=None),
        one_that_is_over(2, "gemma-3-12b-it", 600, client="SillyTavern"),
        one_that_is_over(3, "broken-one", 300, status=503, error="code 1", generated_tokens=None),
        one_that_is_over(
            4,
            "qwen3-30b-a3b",
            200,
            queue_ms=52_000.0,
            load_ms=47_400.0,
            first_token_ms=53_100.0,
            duration_ms=61_000.0,
        ),
        one_that_is_over(5, "qwen3-30b-a3b", 100, first_token_ms=1900.0, duration_ms=12_400.0),
        one_that_is_over(6, "qwen3-30b-a3b", 30, client="Claude-Code"),
    ]
    bus = instance.bus  # type: ignore[attr-defined]
    bus.publish(Evicted(("nomic-embed",), "gpt-oss-20b", why, "Zed", 0.6))
    bus.publish(LoadFailed("broken-one", "error: invalid argument: --flash-atn"))


def _save(widget: object, name: str) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    if name.endswith(tuple(f"200-{each}" for each in SHOTS)) and not name.startswith(NARROW):
        return
    path = FOLDER / f"{name}.png"
    picture = widget.grab().toImage()  # type: ignore[attr-defined]
    picture = picture.convertToFormat(QImage.Format.Format_RGB32)
    # The commonest colours and no dithering: a third of the size, and nobody sees it.
    counted = Counter(memoryview(picture.constBits()).cast("B").cast("I"))
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    for colours in (256, 96, 48):
        table = [colour for colour, _ in counted.most_common(colours)]
        small = picture.convertToFormat(QImage.Format.Format_Indexed8, table, flags)
        small.save(str(path), "PNG", 0)
        if path.stat().st_size < LARGEST:
            break
    print(path.name, path.stat().st_size // 1024, "KiB")


def _write_log(instance: object) -> None:
    log = instance.logs.of("gpt-oss-20b")  # type: ignore[attr-defined]
    at = datetime(2026, 3, 2, 14, 2, 11, tzinfo=timezone.utc)  # noqa: UP017 - 3.11 has both
    lines = [
        "system_info: n_threads = 12 | CUDA : ARCHS = 860 | USE_GRAPHS = 1 | FA_ALL_QUANTS = 1",
        "main: binding port with default address family",
        "main: HTTP server is listening, hostname: 127.0.0.1, port: 5801, http threads: 15",
        "main: loading model",
        "srv    load_model: loading model '/models/gpt-oss-20b-mxfp4.gguf'",
        "llama_model_loader: loaded meta data with 37 key-value pairs and 459 tensors",
    ]
    lines += [f"load_tensors: layer {layer:>3} assigned to device CUDA0" for layer in range(25)]
    lines.append("load_tensors:        CUDA0 model buffer size = 11036.38 MiB")
    for number, line in enumerate(lines):
        moment = at + timedelta(milliseconds=37 * number)
        log.write(f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03} {line}")


def _dark(palette_class: type, colour: type) -> object:
    roles = palette_class.ColorRole  # type: ignore[attr-defined]
    palette = palette_class()
    for role, value in (
        (roles.Window, "#2b2d30"),
        (roles.WindowText, "#e6e8ea"),
        (roles.Base, "#1f2123"),
        (roles.AlternateBase, "#26282b"),
        (roles.Text, "#e6e8ea"),
        (roles.Button, "#3a3d41"),
        (roles.ButtonText, "#e6e8ea"),
        (roles.ToolTipBase, "#3a3d41"),
        (roles.ToolTipText, "#e6e8ea"),
        (roles.PlaceholderText, "#9aa0a6"),
        (roles.Light, "#4a4e53"),
        (roles.Midlight, "#43474b"),
        (roles.Mid, "#46494d"),
        (roles.Dark, "#1a1b1d"),
        (roles.Highlight, "#2f65a8"),
        (roles.HighlightedText, "#ffffff"),
    ):
        palette.setColor(role, colour(value))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(palette_class.ColorGroup.Disabled, role, colour("#7d8287"))  # type: ignore[attr-defined]
    return palette


if __name__ == "__main__":
    if len(sys.argv) == 4:
        sys.exit(take(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    sys.exit(main(sys.argv[1:] or list(SHOTS)))
