"""The embedded llama-server, as a real process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from qmdesk import llama_server
from qmdesk.demo import tiny_gguf
from tests.embedded import COMMAND, process, server, wait_for

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signal")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "alpha.gguf"
    tiny_gguf.write(path, say="alpha speaking")
    return path


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Large enough that nothing could say its whole context before a signal.
    path = tmp_path_factory.mktemp("models") / "loop.gguf"
    tiny_gguf.write(path, say="on and on", loop=True, context=100_000, size_mb=30)
    return path


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=env,
    )


def params(*arguments: object) -> llama_server.Params:
    return llama_server._parse([*map(str, arguments)])


def test_it_serves_as_llama_server_does(model: Path, tmp_path: Path) -> None:
    with server(
        *("-m", model, "--alias", "alpha", "-c", 1024, "-np", 2),
        *("--metrics", "--props", "--slot-save-path", f"{tmp_path}/", "--no-webui"),
    ) as running:
        assert running.url.startswith("http://127.0.0.1:")
        assert running.get("/health") == {"status": "ok"}
        assert running.get("/v1/models")["data"][0]["id"] == "alpha"
        assert running.get("/props")["total_slots"] == 2
        assert [each["n_ctx"] for each in running.get("/slots")] == [512, 512]
        assert running.chat() == "alpha speaking"
        saved = running.post("/slots/0?action=save", filename="s.bin")
        assert (tmp_path / saved["filename"]).is_file()
        message = running.post(
            "/v1/messages", max_tokens=9, messages=[{"role": "user", "content": "Hello"}]
        )
        assert message["content"] == [{"type": "text", "text": "alpha speaking"}]
        with running.open("/v1/embeddings", input="x") as answer:
            assert answer.status == 501


def test_four_slots_share_the_context_where_none_are_named(model: Path) -> None:
    with server("-m", model, "-c", 1024) as running:
        assert [each["n_ctx"] for each in running.get("/slots")] == [1024] * 4


def test_it_reranks_and_asks_for_the_key(model: Path) -> None:
    with server("-m", model, "--reranking", "--api-key", "one,two") as running:
        with running.open("/v1/rerank", query="x", documents=["y", "z"]) as answer:
            assert answer.status == 401
        assert running.get("/health") == {"status": "ok"}


def test_two_names_of_a_flag_do_the_same_and_underscores_are_dashes(model: Path) -> None:
    names = ("-c", "--ctx-size", "--ctx_size")
    assert {params("-m", model, name, 99).n_ctx for name in names} == {99}
    assert params("-m", model).port == 8080
    assert params("-m", model, "-t", 3).cpuparams_batch.n_threads == 3
    assert params("-m", model, "-t", 3, "-tb", 2).cpuparams_batch.n_threads == 2
    assert params("-m", model, "--seed", -1).sampling.seed == 2**32 - 1


def test_memory_flags_add_up(model: Path) -> None:
    def mode(*flags: str) -> str:
        return str(params("-m", model, *flags).load_mode.name).removeprefix("LLAMA_LOAD_MODE_")

    assert mode() == "AUTO"
    assert mode("--no-mmap") == "NONE"
    assert mode("--mlock") == "MMAP_MLOCK"
    assert mode("--no-mmap", "--mlock") == mode("--mlock", "--no-mmap") == "MLOCK"
    assert mode("--load-mode", "dio") == "DIRECT_IO"
    experts = params("-m", model, "--n-cpu-moe", 2).tensor_buft_overrides
    assert experts.count("=CPU") == 2
    assert params("-m", model, "-ts", "3,1").tensor_split[:3] == [3, 1, 0]


def test_every_flag_can_be_applied(model: Path, tmp_path: Path) -> None:
    values = {
        "FILE": str(model),
        "FILE:SCALE": f"{model}:0.5",
        "FOLDER": str(tmp_path),
        "on|off": "on",
        "on|off|auto": "auto",
        "KIND": "none",
        "TYPE": "q8_0",
        "REGEX=TYPE": "exps=CPU",
        "JSON": '{"enable_thinking": false}',
        "N,N": "3,1",
    }
    special = {"--numa": "isolate"}
    for flag in llama_server.FLAGS:
        for name in flag.names:
            value = special.get(name, values.get(flag.value, "1"))
            arguments = [name, value] if flag.value else [name]
            assert params("-m", model, *arguments) is not None


def test_many_flags_at_once_start_a_server(model: Path) -> None:
    line = (
        "-ngl 99 -t 1 -tb 1 -b 256 -ub 128 -ctk q8_0 -ctv q8_0 -fa on --jinja --no-mmap "
        "--cont-batching --no-warmup --sse-ping-interval 5 --temp 0.1 --top-k 5 --top-p 0.9 "
        "--min-p 0.1 --seed 1 -n 50 --n-cpu-moe 1 -mg 0 -sm layer --rope-scaling linear "
        "--rope-scale 2 --reasoning-format none --reasoning-budget 0 -lv 0 --slots"
    )
    with server("-m", model, *line.split()) as running:
        assert running.chat() == "alpha speaking"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--nonsense", "invalid argument: --nonsense"),
        ("--paralel 3", "invalid argument: --paralel (did you mean --parallel?)"),
        ("stray", "invalid argument: stray"),
        ("--port", "expected a value after --port"),
        ("--port x", "--port: 'x' is not a whole number"),
        ("--port 70000", "--port: 70000 is not a port: 0 to 65535"),
        ("-c 99999999999", "-c: 99999999999 is out of range"),
        ("--temp warm", "--temp: 'warm' is not a number"),
        ("-fa maybe", "-fa: 'maybe' is none of on, off, auto"),
        ("-m /no/such.gguf", "-m: cannot read /no/such.gguf: no such file or directory"),
        ("--lora /no/such.gguf", "--lora: cannot read /no/such.gguf: no such file or directory"),
        ("-ot x=Nowhere", "-ot: unknown buffer type: x=Nowhere"),
        ("", "no model: say which with -m FILE"),
    ],
)
@posix
def test_a_wrong_command_is_one_line_and_exit_code_1(arguments: str, message: str) -> None:
    done = run(*arguments.split())
    assert done.returncode == 1
    assert done.stderr == f"error: {message}\n"


def test_what_is_no_gguf_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_text("hello")
    done = run("-m", path)
    assert (done.returncode, done.stderr) == (1, f"error: {path} is not a GGUF file\n")


def test_a_cut_file_ends_with_one_line_and_no_traceback(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(model.read_bytes()[:200_000])
    done = run("-m", path, "--port", 0)
    assert done.returncode == 1
    assert done.stderr.endswith(f"\nerror: cannot load {path}: the lines above say why\n")
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_named(model: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("-m", model, "--port", port)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == f"error: cannot listen on 127.0.0.1:{port}: address already in use"
    assert "Traceback" not in done.stderr


def test_without_the_package_it_says_what_to_install(tmp_path: Path) -> None:
    # A package of the same name that cannot be found, as far as Python is concerned.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['xllamacpp'] = None\n")
    done = run("-m", "x", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == (
        "error: the embedded llama-server is not installed; try: pip install 'qmdesk[llama]'\n"
    )


def test_help_version_and_devices_need_no_model() -> None:
    shown = run("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert all(name in shown.stdout for flag in llama_server.FLAGS for name in flag.names)
    assert max(map(len, shown.stdout.splitlines())) <= 100
    assert run("--version").stdout.startswith("version: ")
    assert run("--list-devices").stdout.startswith("Available devices:\n")


def test_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, qmdesk.llama_server\n"
        "ours = {name for name in sys.modules if name.startswith('qmdesk')}\n"
        "assert ours == {'qmdesk', 'qmdesk.llama_server'}, ours\n"
        "heavy = {'argparse', 'asyncio', 'dataclasses', 'json', 'logging'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_0(model: Path, number: int) -> None:
    with server("-m", model) as running:
        running.process.send_signal(number)
        assert running.process.wait(30) == 0


@posix
def test_a_signal_ends_it_with_streams_open(loop: Path) -> None:
    hello = [{"role": "user", "content": "Hello"}]
    with (
        server("-m", loop) as running,
        running.open("/v1/chat/completions", messages=hello, stream=True) as first,
        running.open("/v1/chat/completions", messages=hello, stream=True) as second,
    ):
        assert first.readline().startswith(b"data: ")
        assert second.readline().startswith(b"data: ")
        running.process.send_signal(signal.SIGTERM)
        # Far less than the 30 s after which llama-server looks at its streams.
        assert running.process.wait(10) == 0


@posix
def test_a_signal_ends_it_while_it_loads(loop: Path) -> None:
    with process("-m", loop, "--port", 0, "--no-mmap") as started:
        wait_for(started.stderr, r".*loading model")
        started.send_signal(signal.SIGTERM)
        assert started.wait(30) in (0, -signal.SIGTERM)
