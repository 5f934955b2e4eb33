"""What is started for a model: its command, environment and folder, all filled in."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from qmdesk.config import Model
from qmdesk.config.command import arguments
from qmdesk.process.environment import child_environment
from qmdesk.said import said

_HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of ``model``, on ``port`` where its configuration has ``${PORT}``."""

    model: Model
    port: int | None
    argv: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, port: int | None) -> Launch:
        """As the configuration has it."""
        return cls(model, port, tuple(_fill(word, port) for word in arguments(model.cmd)))

    @property
    def base_url(self) -> str:
        """Where it is to answer, without a slash at the end."""
        return _fill(self.model.proxy, self.port)

    @property
    def own_port(self) -> int | None:
        """The port of this machine on which our process itself is to listen.

        None where the command does not say so: then another program may rightly listen.
        """
        if self.port is not None:
            return self.port
        parts = urlsplit(self.base_url)
        if parts.hostname not in _HERE or parts.port is None:
            return None
        number = re.compile(rf"(?<!\d){parts.port}(?!\d)")
        return parts.port if any(number.search(word) for word in self.argv) else None

    @property
    def folder(self) -> str:
        """Where it starts: ``cwd``, or the user's home."""
        return os.path.expanduser(self.model.cwd) if self.model.cwd else str(Path.home())

    @property
    def program(self) -> str | None:
        """The path of the executable, as the system will find it."""
        name = self.argv[0]
        if os.path.dirname(name) and not os.path.isabs(name):
            # A relative path counts from the folder that it starts in.
            name = os.path.join(self.folder, name)
        return shutil.which(name, path=self._search_path())

    @property
    def llama_server(self) -> bool:
        """Whether it is a llama-server, be it within a wrapper."""
        return any("llama-server" in word or "llama_server" in word for word in self.argv)

    @property
    def name(self) -> str:
        """The program's name for people: a Python module's own, where it is one."""
        name = Path(self.argv[0]).name
        if name.startswith("python") and len(self.argv) > 2 and self.argv[1] == "-m":
            return self.argv[2].rpartition(".")[2].replace("_", "-")
        return name

    def impossible(self) -> str | None:
        """Why it cannot start, where that can be seen without trying; else None.

        Only what is certain: a program that is not there, and the model file of a
        llama-server that is started directly (a wrapper may see other folders).
        """
        if self.program is None:
            return self.why_not(FileNotFoundError())
        if self.name.removesuffix(".exe") == "llama-server":
            for flag, file in pairwise(self.argv):
                path = os.path.join(self.folder, file)
                if (
                    flag in ("-m", "--model")
                    and file.endswith(".gguf")
                    and not os.path.exists(path)
                ):
                    return said(
                        "there is no model file {path} ({flag} in models.{model}.cmd)",
                        path=path,
                        flag=flag,
                        model=self.model.id,
                    )
        return None

    def environment(self) -> dict[str, str]:
        """Ours, cleaned, with the model's ``env`` on top."""
        env = (_fill(entry, self.port) for entry in self.model.env)
        return child_environment(os.environ, env, program=self.program)

    def stop_command(self, pid: int) -> tuple[str, ...]:
        """``cmdStop`` for the process ``pid``; empty where there is none."""
        words = arguments(self.model.cmd_stop)
        return tuple(_fill(word, self.port).replace("${PID}", str(pid)) for word in words)

    def why_not(self, error: OSError, argv: Sequence[str] = ()) -> str:
        """Why the system could not start it, and what to do about it."""
        program, key = (argv or self.argv)[0], "cmdStop" if argv else "cmd"
        if not os.path.isdir(self.folder):
            return said("there is no folder {folder} (cwd)", folder=self.folder)
        if isinstance(error, FileNotFoundError):
            if os.path.dirname(program):
                words = said("there is no program {program}", program=repr(program))
            else:
                words = said("there is no program {program} on the PATH", program=repr(program))
            return words + said(
                ". Install it, or write its full path in models.{model}.{key}",
                model=self.model.id,
                key=key,
            )
        if isinstance(error, PermissionError):
            return said("{program} may not be run (permission denied)", program=program)
        return f"{program}: {error.strerror or error}"

    def _search_path(self) -> str | None:
        of_model = [entry[5:] for entry in self.model.env if entry.startswith("PATH=")]
        return _fill(of_model[-1], self.port) if of_model else os.environ.get("PATH")


def _fill(text: str, port: int | None) -> str:
    return text.replace("${PORT}", str(port)) if port is not None else text
