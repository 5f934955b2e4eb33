"""A real llama-server with tiny models that each say their own sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qmdesk.config import Config, parse
from qmdesk.demo import tiny_gguf


@pytest.fixture(scope="session")
def model_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three models: two that answer, and one that speaks until it is stopped."""
    folder = tmp_path_factory.mktemp("models")
    says = {"alpha": "alpha model speaking here", "beta": "beta answers this time"}
    files = {name: folder / f"{name}.gguf" for name in (*says, "endless")}
    for name, text in says.items():
        tiny_gguf.write(files[name], say=text)
    tiny_gguf.write(files["endless"], say="and so it goes", loop=True, context=65536)
    return files


@pytest.fixture(scope="session")
def real_text(model_files: dict[str, Path]) -> str:
    """The configuration's text: the real server, one model at a time."""
    lines = ["models:"]
    for name, file in model_files.items():
        server = [sys.executable, "-m", "qmdesk.llama_server"]
        argv = [*server, "-m", str(file), "--port", "${PORT}", "--alias", name, "-c", "4096"]
        if name == "endless":
            # A fast machine fills a context within a second.
            argv.append("--context-shift")
        lines += [f"  {name}:", f"    cmd: {argv}".replace("'", '"')]
        lines += [f'    env: ["PYTHONPATH={Path(__file__).parents[2]}"]']
        lines += [f"    aliases: [{name}-alias]"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def real(real_text: str) -> Config:
    return parse(real_text)
