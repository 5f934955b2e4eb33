"""The command line.

Each command imports what it needs itself: the tray is to be there at once.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from qmdesk import __version__, bundle, resources
from qmdesk.folders import crash_folder
from qmdesk.sources import Sources
from qmdesk.user_error import UserError

_QUIT_WAIT = 30.0
"""Seconds: what runs has 20 to end itself and its models."""
if TYPE_CHECKING:
    from qmdesk.config import Config
    from qmdesk.diagnostics import Facts
    from qmdesk.instance import Instance
    from qmdesk.remote import Remote


def main(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qmdesk",
        description="Swaps local inference servers behind one OpenAI- and Anthropic-compatible"
        " address. Without a command: the tray application.",
    )
    parser.add_argument("--version", action="version", version=f"qmdesk {__version__}")
    _config_option(parser)
    _listen_option(parser)
    parser.add_argument("--show", action="store_true", help="open the main window")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--quit",
        action="store_const",
        dest="run",
        const=_quit,
        help="ask the application that runs to end, and wait until it has",
    )
    instead.add_argument(
        "--selftest",
        action="store_const",
        dest="run",
        const=_selftest,
        help="try out what is installed, with a small model made for it",
    )
    instead.add_argument(
        "--licences",
        "--licenses",
        action="store_const",
        dest="run",
        const=_licences,
        help="what this is made of, with versions and licences",
    )
    parser.set_defaults(run=_desktop)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    serve = commands.add_parser("serve", help="run without a screen")
    _config_option(serve)
    _listen_option(serve)
    serve.set_defaults(run=_serve)

    check = commands.add_parser("check", help="say what is wrong with a configuration")
    check.add_argument("file", nargs="?", type=Path, help="default: the one that is used")
    check.add_argument("--strict", action="store_true", help="unknown keys are errors")
    _folder_option(check)
    check.set_defaults(run=_check)

    schema = commands.add_parser("schema", help="the JSON schema of a configuration, for editors")
    schema.set_defaults(run=_schema)

    demo = commands.add_parser("demo", help="load, stream, swap and evict with a real small model")
    demo.add_argument("--exit", action="store_true", help="end when all has been shown")
    demo.set_defaults(run=_demo)

    # Named here for the help only; __main__ takes it before anything heavy is imported.
    commands.add_parser("llama-server", help="the embedded llama-server, with its own options")

    status = commands.add_parser("status", help="what runs now")
    status.set_defaults(run=_status)
    doctor = commands.add_parser(
        "doctor", help="what the cards hold, what each model takes, who would go for whom"
    )
    doctor.set_defaults(run=_doctor)
    load = commands.add_parser("load", help="load a model and wait until it is ready")
    load.add_argument("model")
    load.set_defaults(run=_load)
    unload = commands.add_parser("unload", help="unload a model, or all")
    unload.add_argument("model", nargs="?")
    unload.set_defaults(run=_unload)
    logs = commands.add_parser("logs", help="the log of a model, or of qmdesk itself")
    logs.add_argument("model", nargs="?", default="")
    logs.add_argument("-f", "--follow", action="store_true", help="go on as lines come")
    logs.set_defaults(run=_logs)
    pause = commands.add_parser("pause", help="free the card: unload all, load nothing")
    end = pause.add_mutually_exclusive_group()
    end.add_argument("--minutes", type=float, metavar="N", help="resume after so many minutes")
    end.add_argument("--until", metavar="PROGRAM", help="resume when this program has ended")
    pause.set_defaults(run=_pause)
    resume = commands.add_parser("resume", help="end a pause")
    resume.set_defaults(run=_resume)
    diagnostics = commands.add_parser(
        "diagnostics", help="collect what a report needs into one file, without secrets"
    )
    diagnostics.add_argument(
        "file", nargs="?", type=Path, help="default: qmdesk-diagnostics-TIME.zip, here"
    )
    diagnostics.set_defaults(run=_diagnostics)
    for command in (status, doctor, load, unload, logs, pause, resume, diagnostics):
        _config_option(command)
        command.add_argument(
            "--address", metavar="HOST:PORT", help="where it listens (default: as configured)"
        )
    return parser


def _config_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="default: $QMDESK_CONFIG, else config.yaml in your configuration folder",
    )
    _folder_option(parser)


def _folder_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config-dir",
        type=Path,
        metavar="FOLDER",
        default=argparse.SUPPRESS,
        help="a folder whose .yaml files are read too, or alone",
    )


def _listen_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        type=_address,
        default=argparse.SUPPRESS,
        help="in place of the configuration's; port 0 takes a free one",
    )


def _address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no HOST:PORT, such as 127.0.0.1:8080 or :8080 for every interface"
        )
    return f"{host}:{port}"


# Where the configuration is


def config_path(given: Path | None) -> Path:
    """The configuration that is meant: as given, by the environment, or the user's own."""
    if given is not None:
        return given
    if named := os.environ.get("QMDESK_CONFIG"):
        return Path(named)
    return platformdirs.user_config_path("qmdesk", appauthor=False) / "config.yaml"


def _sources(options: argparse.Namespace) -> Sources:
    """Where the configuration is; the user's own file is made where there is none yet."""
    given: Path | None = getattr(options, "config", None)
    folder: Path | None = getattr(options, "config_dir", None)
    if given is None and folder is not None and "QMDESK_CONFIG" not in os.environ:
        return Sources(None, folder)
    path = config_path(given)
    if given is None and "QMDESK_CONFIG" not in os.environ and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(resources.path("config.yaml"), path)
        print(f"made a first configuration: {path}", file=sys.stderr)
    return Sources(path, folder)


# Commands


def _desktop(options: argparse.Namespace) -> int:
    try:
        from qmdesk.desktop import application
    except ImportError as error:
        print(
            f"the desktop cannot start: {error}. Install the libraries that Qt needs, or run"
            " without a screen: qmdesk serve",
            file=sys.stderr,
        )
        return 1
    bundle.name_ourselves()
    sources = _sources(options)
    listen = getattr(options, "listen", None)

    async def make_instance() -> Instance:
        # The imports and the reading take long, and the icon is to live meanwhile.
        make, config = await asyncio.to_thread(_read, sources)
        return make(config, listen=listen, sources=sources)

    return application.run(
        make_instance,
        show=options.show,
        name=_instance_name(sources),
        arguments=_again(options),
    )


def _read(sources: Sources) -> tuple[type[Instance], Config]:
    from qmdesk.config import ConfigError
    from qmdesk.instance import Instance
    from qmdesk.router.plan import plan_of

    try:
        config = sources.read()
        plan_of(config)
    except ConfigError as error:
        config = sources.in_place(error)
    return Instance, config


def _again(options: argparse.Namespace) -> tuple[str, ...]:
    """The options that make a later start the same, with paths that hold anywhere."""
    words: list[str] = []
    for name in ("config", "config_dir"):
        path: Path | None = getattr(options, name, None)
        if path is not None:
            words += [f"--{name.replace('_', '-')}", str(path.resolve())]
    if listen := getattr(options, "listen", None):
        words += ["--listen", listen]
    return tuple(words)


def _quit(options: argparse.Namespace) -> int:
    try:
        from qmdesk.desktop import single_instance
    except ImportError as error:
        print(
            f"a running application cannot be asked: {error}. Install the libraries that Qt"
            " needs, or stop its process",
            file=sys.stderr,
        )
        return 1

    given: Path | None = getattr(options, "config", None)
    folder: Path | None = getattr(options, "config_dir", None)
    # As when it was started, but nothing is made for the sake of ending it.
    alone = given is None and folder is not None and "QMDESK_CONFIG" not in os.environ
    sources = Sources(None if alone else config_path(given), folder)
    running = single_instance.SingleInstance(_instance_name(sources))
    try:
        if running.end(_QUIT_WAIT):
            return 0
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"qmdesk did not end within {_QUIT_WAIT:.0f} s. End it by its tray menu, or stop its"
        " process",
        file=sys.stderr,
    )
    return 1


def _selftest(_: argparse.Namespace) -> int:
    from qmdesk import selftest

    return selftest.run(sys.stdout)


def _licences(_: argparse.Namespace) -> int:
    from qmdesk.licences import report

    print(report(), end="")
    return 0


def _instance_name(sources: Sources) -> str:
    """One application per user and configuration."""
    paths = "\n".join(str(each.resolve()) for each in (sources.file, sources.folder) if each)
    return f"qmdesk-{hashlib.sha256(paths.encode()).hexdigest()[:12]}"


def _serve(options: argparse.Namespace) -> int:
    sources = _sources(options)
    config = sources.read()
    return asyncio.run(_serve_until_signal(config, sources, getattr(options, "listen", None)))


async def _serve_until_signal(config: Config, sources: Sources, listen: str | None) -> int:
    from qmdesk.collector import settle
    from qmdesk.console import Console
    from qmdesk.events import ConfigApplied
    from qmdesk.instance import Instance
    from qmdesk.tasks import spawn

    instance = Instance(config, listen=listen, sources=sources)
    console = Console(instance.logs)
    console.use(config)
    instance.bus.subscribe(lambda _: console.use(instance.config), ConfigApplied)
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            instance.hurry()
        stop.set()

    def on_hangup() -> None:
        spawn(_reload(instance), "reload")

    async def _reload(instance: Instance) -> None:
        # A rejected one is reported by the instance; everything goes on as before.
        with contextlib.suppress(UserError):
            await instance.reload()

    _on_signals(on_signal, on_hangup)
    try:
        await instance.start()
    except UserError as error:
        console.close()
        print(error, file=sys.stderr)
        return 1
    settle()
    # In one piece: the console's thread writes there as well.
    sys.stderr.write(f"qmdesk {__version__} at {instance.addresses[0]}/v1\n")
    sys.stderr.flush()
    await stop.wait()
    await instance.stop()
    await asyncio.to_thread(console.close)
    return 0


def _on_signals(stop: object, reload: object) -> None:
    loop = asyncio.get_running_loop()
    assert callable(stop)
    assert callable(reload)
    if sys.platform == "win32":
        # The loop cannot take signals there; Python hands them to the main thread.
        signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(stop))
        signal.signal(signal.SIGBREAK, lambda *_: loop.call_soon_threadsafe(stop))
    else:
        loop.add_signal_handler(signal.SIGINT, stop)
        loop.add_signal_handler(signal.SIGTERM, stop)
        loop.add_signal_handler(signal.SIGHUP, reload)


def _check(options: argparse.Namespace) -> int:
    from qmdesk.config import ConfigError
    from qmdesk.config.merge import read_all
    from qmdesk.router.plan import plan_of

    folder: Path | None = getattr(options, "config_dir", None)
    path = None if folder is not None and options.file is None else config_path(options.file)
    try:
        config = read_all(path, folder, strict=options.strict)
        plan_of(config)
    except ConfigError as error:
        for problem in error.problems:
            print(problem)
        count = len([each for each in error.problems if each.severity == "error"])
        print(f"{count} error{'s' if count != 1 else ''}", file=sys.stderr)
        return 1
    for problem in config.warnings:
        print(problem)
    models = len(config.models)
    print(
        f"{path or folder}: {models} model{'s' if models != 1 else ''}, no errors", file=sys.stderr
    )
    return 0


def _schema(_: argparse.Namespace) -> int:
    from qmdesk.config.schema import schema

    print(json.dumps(schema(), indent=2))
    return 0


def _demo(options: argparse.Namespace) -> int:
    from qmdesk.demo.demo import run

    if not options.exit and _has_screen():
        # Without Qt's libraries the demo does as well.
        with contextlib.suppress(ImportError):
            from qmdesk.desktop import application

            return application.run_beside(
                lambda show: run(exit_when_done=False, out=sys.stdout, show=show)
            )
    return asyncio.run(run(exit_when_done=options.exit, out=sys.stdout))


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _remote(options: argparse.Namespace) -> Remote:
    from qmdesk.config import Config
    from qmdesk.remote import Remote

    config = Config()
    given: Path | None = getattr(options, "config", None)
    folder: Path | None = getattr(options, "config_dir", None)
    path = config_path(given)
    if given is not None or folder is not None or path.exists():
        config = Sources(path if given or folder is None else None, folder).read()
    return Remote.of(config, options.address)


def _status(options: argparse.Namespace) -> int:
    status = _remote(options).status()
    models = status["models"]
    print(f"{status['in_flight']} running, {status['waiting']} waiting")
    if status["paused"]:
        print(f"paused by {status['paused']['by']} {status['paused']['end']}")
    width = max((len(model["model"]) for model in models), default=0)
    for model in models:
        more = [f"{model['in_flight']} in flight"] if model["in_flight"] else []
        if model["load_seconds"] is not None:
            more.append(f"loaded in {model['load_seconds']:.1f} s")
        if model["outdated"]:
            more.append("changed at its next start")
        if model["error"]:
            more.append(model["error"].splitlines()[0])
        print(f"{model['model']:{width}}  {model['state']:8}  {', '.join(more)}".rstrip())
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from qmdesk.doctor import report
    from qmdesk.remote import RemoteError

    try:
        memory, running = _remote(options).memory(), True
    except RemoteError:
        if options.address is not None:
            raise
        memory, running = asyncio.run(_look(_sources(options).read())), False
    for line in report(memory, running=running):
        print(line)
    return 0


async def _look(config: Config) -> dict[str, Any]:
    from qmdesk.gateway.memory_rows import memory_rows
    from qmdesk.instance import Instance

    return memory_rows(await Instance(config).look())


def _load(options: argparse.Namespace) -> int:
    answer = _remote(options).load(options.model)
    print(f"{answer['model']} is ready ({answer['seconds']:.1f} s)")
    return 0


def _unload(options: argparse.Namespace) -> int:
    unloaded = _remote(options).unload(options.model)["unloaded"]
    print(f"unloaded {', '.join(unloaded)}" if unloaded else "nothing was loaded")
    return 0


def _pause(options: argparse.Namespace) -> int:
    answer = _remote(options).pause(minutes=options.minutes, program=options.until)
    unloaded = ", ".join(answer["unloaded"])
    print(f"paused {answer['paused']['end']}" + (f"; unloaded {unloaded}" if unloaded else ""))
    return 0


def _resume(options: argparse.Namespace) -> int:
    was = _remote(options).resume()["was_paused"]
    print("resumed: models are loaded again when they are asked for" if was else "was not paused")
    return 0


def _logs(options: argparse.Namespace) -> int:
    for line in _remote(options).logs(options.model, follow=options.follow):
        print(line, flush=options.follow)
    return 0


def _diagnostics(options: argparse.Namespace) -> int:
    from qmdesk.config import Config, ConfigError
    from qmdesk.diagnostics import Facts, default_name, pack, parts
    from qmdesk.remote import Remote, RemoteError

    given: Path | None = getattr(options, "config", None)
    folder: Path | None = getattr(options, "config_dir", None)
    path = config_path(given)
    sources = Sources(path if given or folder is None else None, folder)
    files = tuple(each for each in sources.files() if each.exists())
    config, more = Config(), {}
    try:
        if files:
            config = sources.read()
    except ConfigError as error:
        more["configuration/problems.txt"] = "\n".join(str(each) for each in error.problems) + "\n"
    facts = Facts(config, files, crash_folder(), more=more)
    try:
        facts = _running_facts(Remote.of(config, options.address), facts)
    except RemoteError as error:
        print(f"{error}. Collected without it.", file=sys.stderr)
    collected = parts(facts)
    target: Path = options.file or Path(default_name())
    try:
        pack(collected, target)
    except OSError as error:
        print(f"cannot write {target}: {error.strerror}", file=sys.stderr)
        return 1
    for part in collected:
        print(f"{len(part.text.encode()):9}  {part.name}")
    print(f"{target}: look it over before you send it to anybody", file=sys.stderr)
    return 0


def _running_facts(remote: Remote, facts: Facts) -> Facts:
    """``facts`` with what the running qmdesk says of itself.  Raises ``RemoteError``."""
    from qmdesk.diagnostics.parts import REQUESTS

    status = remote.status()
    names = ["qmdesk", *(model["model"] for model in status["models"] if not model["external"])]
    return replace(
        facts,
        status=status,
        activity=remote.activity(REQUESTS),
        logs={name: tuple(remote.logs(name, follow=False)) for name in names},
    )
