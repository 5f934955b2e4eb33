"""What the assistant knows and does, as plain values.  Free of Qt.

Nothing is written before ``save``; that goes through the same way as the settings window.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from qmdesk.config import ConfigError
from qmdesk.config.editor import EditError
from qmdesk.config.store import ChangedOnDisk
from qmdesk.configuration import NotEditable
from qmdesk.desktop.assistant import model_files, servers
from qmdesk.desktop.assistant.download import Download
from qmdesk.desktop.assistant.servers import NoServer, Server
from qmdesk.desktop.settings_window.edits import add_model, edited
from qmdesk.desktop.settings_window.proposal import Proposal, propose
from qmdesk.desktop.trial import Trial, TrialFailed, ask
from qmdesk.desktop.words import exact, plural, tr
from qmdesk.events import ModelState
from qmdesk.logs import plain

if TYPE_CHECKING:
    from qmdesk.instance import Instance

log = logging.getLogger(__name__)

LAST_WORDS = 8
"""Lines of a server's log that are shown where it failed."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be added."""

    proposal: Proposal
    size: int
    """Bytes of its file, or of its first part."""
    chosen: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of the question at the end."""

    model: str
    trial: Trial | None = None
    """None where it failed."""
    problem: str = ""
    last_words: str = ""
    """The last lines of the server's log, where it failed."""

    @property
    def text(self) -> str:
        if self.trial is None:
            return tr("{model} did not answer: {reason}", model=self.model, reason=self.problem)
        return self.trial.answer


class Setup:
    """Everything between the first look and the first answer.  All methods run on the loop."""

    def __init__(self, instance: Instance, changed: Callable[[], None]) -> None:
        """``changed`` is called when there is more to show."""
        self._instance = instance
        self._changed = changed
        self._files: list[Path] = []
        self._chosen: dict[Path, bool] = {}
        self._one_at_a_time = asyncio.Lock()
        self.looking = True
        """While it has not been looked for servers and models yet."""
        self.servers: tuple[Server, ...] = ()
        self.server: Server | None = None
        """The one that models are added with."""
        self.server_problem = ""
        """Why the program that was chosen last is none."""
        self.candidates: tuple[Candidate, ...] = ()
        self.download = Download(changed)
        self.added: tuple[str, ...] = ()
        """The models that were added, by name."""
        self.problem = ""
        """Why nothing could be saved, or found."""
        self.asking = ""
        """The model that is being asked."""
        self.asked_at = 0.0
        """By ``time.monotonic``."""
        self.answer: Answer | None = None

    # the server

    async def look(self) -> None:
        """Look for servers, and for models in the folders of other programs."""
        try:
            self.servers = await asyncio.to_thread(servers.find)
            self.server = self.server or next(iter(self.servers), None)
            self._changed()
            known = await asyncio.to_thread(_known_models)
            self._take(known, chosen=False)
            await self._propose()
        finally:
            self.looking = False
            self._changed()

    async def choose_file(self, path: Path) -> None:
        """Take the program at ``path``, if it is a llama-server."""
        self.server_problem = ""
        try:
            found = await asyncio.to_thread(servers.look_at, path)
        except NoServer as error:
            self.server_problem = str(error)
        else:
            self.servers = (*(each for each in self.servers if each != found), found)
            await self.choose_server(found)
        self._changed()

    async def choose_server(self, server: Server) -> None:
        """Add models with ``server`` from now on."""
        if server != self.server:
            self.server = server
            await self._propose()
            self._changed()

    # the models

    async def add(self, places: Iterable[Path]) -> None:
        """Offer the models at ``places``, files and folders, and choose them."""
        self.problem = ""
        places = tuple(places)
        found = await asyncio.to_thread(model_files.find, places)
        if not found:
            where = ", ".join(each.name or str(each) for each in places)
            self.problem = tr("There is no complete .gguf model in {places}.", places=where)
        self._take(found, chosen=True)
        await self._propose()
        self._changed()

    async def fetch_demo(self) -> None:
        """Fetch the demo model, or make a tiny one, and choose it."""
        path = await self.download.fetch()
        if path is not None:
            await self.add((path,))

    def choose(self, id: str, chosen: bool) -> None:
        """Have the candidate of this name added by ``save``, or not."""
        for each in self.candidates:
            if each.proposal.id == id:
                self._chosen[each.proposal.file] = chosen
        self.candidates = tuple(
            replace(each, chosen=self._chosen[each.proposal.file]) for each in self.candidates
        )
        self._changed()

    @property
    def chosen(self) -> tuple[Proposal, ...]:
        """What ``save`` would add."""
        return tuple(each.proposal for each in self.candidates if each.chosen)

    async def save(self) -> bool:
        """Write the chosen models into the configuration and put it in force.

        False where that did not work; ``problem`` says why, and nothing has changed.
        """
        async with self._one_at_a_time:
            self.problem = ""
            wanted = self.chosen
            if wanted:
                try:
                    await self._save(wanted)
                except (ConfigError, EditError, NotEditable, ChangedOnDisk, OSError) as error:
                    self.problem = tr("Nothing was saved: {reason}", reason=error)
            self._changed()
            return not self.problem

    async def _save(self, wanted: tuple[Proposal, ...]) -> None:
        configuration = self._instance.configuration
        text, stamp = await configuration.text()
        edits = [add_model(each.id, {"cmd": each.cmd}) for each in wanted]
        new = await asyncio.to_thread(edited, text, *edits)
        await configuration.save(new, stamp)
        names = tuple(each.id for each in wanted)
        log.info("the assistant has added %s", ", ".join(names))
        self.added += names
        gone = {each.file for each in wanted}
        self._files = [each for each in self._files if each not in gone]
        self.candidates = tuple(each for each in self.candidates if each.proposal.file not in gone)

    def _take(self, files: Iterable[Path], *, chosen: bool) -> None:
        there = self._commands()
        for path in files:
            if any(str(path) in command for command in there):
                continue
            if path not in self._files:
                self._files.append(path)
            if chosen or path not in self._chosen:
                self._chosen[path] = chosen

    def _commands(self) -> list[str]:
        models = self._instance.config.models.values()
        return [each.cmd if isinstance(each.cmd, str) else " ".join(each.cmd) for each in models]

    async def _propose(self) -> None:
        taken = tuple(self._instance.config.models)
        while True:
            files, server = tuple(self._files), self.server
            program = server.command if server else ()
            found = await asyncio.to_thread(_proposals, files, taken, program)
            # Until nothing was added or chosen meanwhile: the last to end must not win.
            if (files, server) == (tuple(self._files), self.server):
                break
        self.candidates = tuple(
            Candidate(proposal, size, self._chosen.get(proposal.file, False))
            for proposal, size in found
        )

    # the answer

    @property
    def models(self) -> tuple[str, ...]:
        """The models that can be asked: those that were added first."""
        others = (
            each.id
            for each in self._instance.config.models.values()
            if not each.unlisted and each.id not in self.added
        )
        return (*self.added, *others)

    async def ask(self, model: str) -> None:
        """Ask ``model`` a question through the gateway; ``answer`` says what came of it."""
        if self.asking:
            return
        self.asking, self.asked_at, self.answer = model, time.monotonic(), None
        self._changed()
        base = self._instance.addresses[0].rstrip("/") if self._instance.addresses else ""
        config = self._instance.config
        key = config.api_keys[0].key if config.api_keys else ""
        try:
            trial = await asyncio.to_thread(ask, base, key, model, config.certificate)
        except TrialFailed as failed:
            words = self._last_words(model)
            self.answer = Answer(model, problem=str(failed), last_words=words)
        else:
            self.answer = Answer(model, trial)
        finally:
            self.asking = ""
            self._changed()

    @property
    def waiting(self) -> tuple[str, float | None]:
        """What is waited for now, in words, and how far that is (0 to 1), where it is known."""
        known = self._instance.router.snapshot().model(self.asking)
        spent = exact(time.monotonic() - self.asked_at)
        if known is None or known.state is ModelState.READY:
            return tr("{model} is answering, {time}", model=self.asking, time=spent), None
        line = tr("{model} is being loaded, {time}", model=self.asking, time=spent)
        if known.eta is not None:
            line += ", " + tr("{time} left", time=exact(known.eta))
        return line, known.progress

    def _last_words(self, model: str) -> str:
        found = self._instance.logs.get(model)
        lines = [plain(each) for each in found.lines(LAST_WORDS)] if found else []
        return "\n".join(lines)

    def summary(self) -> str:
        """What was added, in a line; empty where nothing was."""
        if not self.added:
            return ""
        return plural(len(self.added), "1 model was added", "{n} models were added")


def _known_models() -> tuple[Path, ...]:
    return model_files.find(model_files.known_folders())


def _proposals(
    files: tuple[Path, ...], taken: Collection[str], program: tuple[str, ...]
) -> list[tuple[Proposal, int]]:
    names, found = set(taken), []
    for path in files:
        try:
            size = path.stat().st_size
        except OSError:
            # Gone since it was found.
            continue
        proposal = propose(path, names, program)
        names.add(proposal.id)
        found.append((proposal, size))
    return found
