"""The embedded llama-server: llama.cpp's own server, out of a Python package.

It is for whoever has a GGUF and no llama-server: ``qmdesk llama-server -m FILE
--port N`` takes llama-server's flags, answers the same addresses and ends the same
way.  A wrong start is one last line on standard error and exit code 1.

This runs once for every model that is loaded, so it imports next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TextIO

# xllamacpp's objects have no types.
Params = Any
Apply = Callable[[Params, str], None]

_LOG_REST = 0.05  # seconds


class UsageError(Exception):
    """One clear line about what is wrong with the command."""


class Flag(NamedTuple):
    """One of llama-server's flags, under all of its names."""

    names: tuple[str, ...]
    value: str
    """What the value is called in the help; empty where there is none."""
    apply: Apply
    help: str


# --- reading values -------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a whole number") from None
    if not -(2**31) <= number < 2**32:
        raise UsageError(f"{text} is out of range")
    return number


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number") from None


def _port(text: str) -> int:
    if not 0 <= (number := _whole(text)) <= 65535:
        raise UsageError(f"{text} is not a port: 0 to 65535")
    return number


def _file(text: str) -> str:
    try:
        with open(text, "rb"):
            return text
    except OSError as error:
        raise UsageError(f"cannot read {text}: {(error.strerror or str(error)).lower()}") from None


def _text_of(path: str) -> str:
    with open(_file(path), encoding="utf-8", errors="replace") as file:
        return file.read()


def _choice(**choices: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in choices:
            raise UsageError(f"{text!r} is none of {', '.join(choices)}")
        return choices[text]

    return read


def _member(enum: str, prefix: str, *names: str, **others: str) -> Callable[[str], Any]:
    """Read a name as that member of the package's ``enum``.

    ``others`` are names that llama-server spells otherwise than the member.
    """
    members = {name: name.upper().replace("-", "_").replace("+", "_") for name in names} | others

    def read(text: str) -> Any:
        import xllamacpp

        if text not in members:
            raise UsageError(f"{text!r} is none of {', '.join(members)}")
        return getattr(xllamacpp, enum)[prefix + members[text]]

    return read


# --- applying them --------------------------------------------------------------------


def _put(name: str, read: Callable[[str], Any] = str) -> Apply:
    """Set the parameter ``name``, such as ``sampling.top_k``, to what ``read`` makes of it."""
    *parents, attribute = name.split(".")

    def apply(params: Params, text: str) -> None:
        for parent in parents:
            params = getattr(params, parent)
        try:
            setattr(params, attribute, read(text))
        except OverflowError:
            raise UsageError(f"{text} is out of range") from None

    return apply


def _be(name: str, value: Any) -> Apply:
    return _put(name, lambda _: value)


def _both(*each: Apply) -> Apply:
    def apply(params: Params, text: str) -> None:
        for one in each:
            one(params, text)

    return apply


def _sampled(name: str, read: Callable[[str], Any]) -> Apply:
    """Set a sampling parameter, and say that it is ours and not the model file's to set."""
    put = _put(f"sampling.{name}", read)

    def apply(params: Params, text: str) -> None:
        import xllamacpp

        put(params, text)
        known = xllamacpp.common_params_sampling_config
        member = getattr(known, f"COMMON_PARAMS_SAMPLING_CONFIG_{name.upper()}")
        params.sampling.user_sampling_config |= int(member)

    return apply


def _load_mode(*, mmap: bool | None = None, mlock: bool = False) -> Apply:
    def apply(params: Params, text: str) -> None:
        import xllamacpp

        modes = xllamacpp.llama_load_mode
        now = params.load_mode
        none = (modes.LLAMA_LOAD_MODE_NONE, modes.LLAMA_LOAD_MODE_MLOCK)
        locked = (modes.LLAMA_LOAD_MODE_MLOCK, modes.LLAMA_LOAD_MODE_MMAP_MLOCK)
        mapped = now not in none if mmap is None else mmap
        name = ("MMAP_MLOCK" if mapped else "MLOCK") if mlock or now in locked else ""
        params.load_mode = modes["LLAMA_LOAD_MODE_" + (name or ("MMAP" if mapped else "NONE"))]

    return apply


def _experts_on_cpu(params: Params, text: str) -> None:
    """Keep the experts of the first layers (all where ``text`` is empty) off the GPU."""
    if text and (count := _whole(text)) < 0:
        raise UsageError(f"{text} is negative")
    layers = [rf"blk\.{layer}\." for layer in range(count)] if text else [""]
    rules = [layer + r"ffn_(up|down|gate|gate_up)_(ch|)exps=CPU" for layer in layers]
    if rules:
        _override(params, ",".join(rules))


def _override(params: Params, text: str) -> None:
    before = params.tensor_buft_overrides
    try:
        params.tensor_buft_overrides = f"{before},{text}" if before else text
    except ValueError as error:
        raise UsageError(f"{error}: {text}") from None


def _tensor_split(params: Params, text: str) -> None:
    shares = [_real(each) for each in re.split(r"[,/]", text)]
    room = len(params.tensor_split)
    if len(shares) > room:
        raise UsageError(f"more than {room} shares")
    params.tensor_split = shares + [0.0] * (room - len(shares))


def _lora(params: Params, text: str) -> None:
    import xllamacpp

    adapters = [xllamacpp.CommonAdapterLoraInfo(_file(each), 1.0) for each in text.split(",")]
    params.lora_adapters = [*params.lora_adapters, *adapters]


def _lora_scaled(params: Params, text: str) -> None:
    import xllamacpp

    adapters = []
    for each in text.split(","):
        path, colon, scale = each.rpartition(":")
        if not colon:
            raise UsageError(f"{each!r} is not FILE:SCALE")
        adapters.append(xllamacpp.CommonAdapterLoraInfo(_file(path), _real(scale)))
    params.lora_adapters = [*params.lora_adapters, *adapters]


def _rerank(params: Params, text: str) -> None:
    import xllamacpp

    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK


def _fit_target(params: Params, text: str) -> None:
    reserves = [_whole(each) << 20 for each in text.split(",")]
    devices = params.fit_params_target
    # One figure is for all devices.
    if len(reserves) == 1:
        reserves *= len(devices)
    params.fit_params_target = reserves + devices[len(reserves) :]


def _template_kwargs(params: Params, text: str) -> None:
    import json

    try:
        values = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(values, dict):
        raise UsageError("not a JSON object")
    params.default_template_kwargs = {
        **params.default_template_kwargs,
        **{key: json.dumps(value) for key, value in values.items()},
    }


def _reasoning_budget(params: Params, text: str) -> None:
    params.sampling.reasoning_budget_tokens = budget = _whole(text)
    if budget == 0:
        params.enable_reasoning = 0


def _seed(text: str) -> int:
    return _whole(text) % 2**32


def _commas(text: str) -> list[str]:
    return [each for each in text.split(",") if each]


_switch = _choice(on=True, off=False)
_cache_type = _member(
    "ggml_type",
    "GGML_TYPE_",
    *("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"),
)

FLAGS = (
    Flag(("-m", "--model"), "FILE", _put("model.path", _file), "the model, a GGUF file"),
    Flag(("-mm", "--mmproj"), "FILE", _put("mmproj.path", _file), "its projector, for images"),
    Flag(("--no-mmproj-offload",), "", _be("mmproj_use_gpu", False), "keep the projector off GPUs"),
    Flag(("--lora",), "FILE", _lora, "an adapter; several with commas"),
    Flag(("--lora-scaled",), "FILE:SCALE", _lora_scaled, "the same, with its weight"),
    Flag(("-a", "--alias"), "NAME", _put("model_alias", _commas), "the model's name in answers"),
    # The server.
    Flag(("--host",), "HOST", _put("hostnames", lambda text: [text]), "default 127.0.0.1"),
    Flag(("--port",), "N", _put("port", _port), "default 8080; 0 takes any free port"),
    Flag(("--api-key",), "KEY", _put("api_keys", _commas), "ask for this key; several with commas"),
    Flag(
        ("--api-key-file",),
        "FILE",
        _put("api_keys", lambda path: _text_of(path).split()),
        "the same, one key a line",
    ),
    Flag(("--api-prefix",), "PATH", _put("api_prefix"), "put this before every path"),
    Flag(
        ("-to", "--timeout"),
        "SECONDS",
        _both(_put("timeout_read", _whole), _put("timeout_write", _whole)),
        "how long a read or a write may take",
    ),
    Flag(("--threads-http",), "N", _put("n_threads_http", _whole), "threads for requests"),
    Flag(("--sse-ping-interval",), "SECONDS", _put("sse_ping_interval", _whole), "in streams"),
    Flag(("--sleep-idle-seconds",), "SECONDS", _put("sleep_idle_seconds", _whole), "free memory"),
    Flag(("--slots",), "", _be("endpoint_slots", True), "answer /slots (default)"),
    Flag(("--no-slots",), "", _be("endpoint_slots", False), "do not"),
    Flag(("--slot-save-path",), "FOLDER", _put("slot_save_path"), "let slots be saved there"),
    Flag(("--metrics",), "", _be("endpoint_metrics", True), "answer /metrics"),
    Flag(("--props",), "", _be("endpoint_props", True), "let /props be changed"),
    Flag(("--webui", "--ui"), "", _be("ui", True), "the page at /, where the build has one"),
    Flag(("--no-webui", "--no-ui"), "", _be("ui", False), "no page"),
    Flag(("--embeddings", "--embedding"), "", _be("embedding", True), "answer /v1/embeddings"),
    Flag(
        ("--pooling",),
        "KIND",
        _put(
            "pooling_type",
            _member(
                "llama_pooling_type",
                "LLAMA_POOLING_TYPE_",
                *("none", "mean", "cls", "last", "rank"),
            ),
        ),
        "none, mean, cls, last, rank",
    ),
    Flag(("--reranking", "--rerank"), "", _rerank, "answer /v1/rerank"),
    # Size and speed.
    Flag(("-c", "--ctx-size"), "N", _put("n_ctx", _whole), "context, in tokens; 0: the model's"),
    Flag(("-np", "--parallel"), "N", _put("n_parallel", _whole), "slots (default: 4, shared)"),
    Flag(("-kvu", "--kv-unified"), "", _be("kv_unified", True), "one context for all slots"),
    Flag(("-no-kvu", "--no-kv-unified"), "", _be("kv_unified", False), "one for each"),
    Flag(("-b", "--batch-size"), "N", _put("n_batch", _whole), "tokens in a batch"),
    Flag(("-ub", "--ubatch-size"), "N", _put("n_ubatch", _whole), "tokens computed at once"),
    Flag(("-n", "--predict", "--n-predict"), "N", _put("n_predict", _whole), "most in an answer"),
    Flag(("--keep",), "N", _put("n_keep", _whole), "tokens kept when the context shifts"),
    Flag(("--context-shift",), "", _be("ctx_shift", True), "shift a full context"),
    Flag(("--no-context-shift",), "", _be("ctx_shift", False), "end there (default)"),
    Flag(("-t", "--threads"), "N", _put("cpuparams.n_threads", _whole), "threads"),
    Flag(
        ("-tb", "--threads-batch"),
        "N",
        _put("cpuparams_batch.n_threads", _whole),
        "threads for prompts",
    ),
    Flag(("-cb", "--cont-batching"), "", _be("cont_batching", True), "mix requests (default)"),
    Flag(("-nocb", "--no-cont-batching"), "", _be("cont_batching", False), "do not"),
    Flag(("--warmup",), "", _be("warmup", True), "one empty run after the load (default)"),
    Flag(("--no-warmup",), "", _be("warmup", False), "none"),
    Flag(
        ("-fa", "--flash-attn"),
        "on|off|auto",
        _put(
            "flash_attn_type",
            _member(
                "llama_flash_attn_type",
                "LLAMA_FLASH_ATTN_TYPE_",
                on="ENABLED",
                off="DISABLED",
                auto="AUTO",
            ),
        ),
        "flash attention",
    ),
    Flag(("-ctk", "--cache-type-k"), "TYPE", _put("cache_type_k", _cache_type), "keys' type"),
    Flag(("-ctv", "--cache-type-v"), "TYPE", _put("cache_type_v", _cache_type), "values' type"),
    Flag(("-nkvo", "--no-kv-offload"), "", _be("no_kv_offload", True), "keep the context off GPUs"),
    Flag(("-cram", "--cache-ram"), "MIB", _put("cache_ram_mib", _whole), "prompts kept in memory"),
    Flag(("--cache-reuse",), "N", _put("n_cache_reuse", _whole), "least piece to reuse"),
    Flag(("--cache-prompt",), "", _be("cache_prompt", True), "reuse prompts (default)"),
    Flag(("--no-cache-prompt",), "", _be("cache_prompt", False), "do not"),
    Flag(("-ctxcp", "--ctx-checkpoints"), "N", _put("n_ctx_checkpoints", _whole), "of a slot"),
    Flag(
        ("-sps", "--slot-prompt-similarity"),
        "SHARE",
        _put("slot_prompt_similarity", _real),
        "how alike a prompt is to take its slot",
    ),
    Flag(("--swa-full",), "", _be("swa_full", True), "full cache for sliding windows"),
    # Where the model lies.
    Flag(
        ("-ngl", "--gpu-layers", "--n-gpu-layers"),
        "N",
        _put(
            "n_gpu_layers",
            lambda text: {"auto": -1, "all": -2}[text] if text in ("auto", "all") else _whole(text),
        ),
        "layers on GPUs: a number, auto or all",
    ),
    Flag(
        ("-sm", "--split-mode"),
        "KIND",
        _put(
            "split_mode",
            _member("llama_split_mode", "LLAMA_SPLIT_MODE_", "none", "layer", "row", "tensor"),
        ),
        "none, layer, row, tensor",
    ),
    Flag(("-ts", "--tensor-split"), "N,N", _tensor_split, "each GPU's share"),
    Flag(("-mg", "--main-gpu"), "N", _put("main_gpu", _whole), "the first GPU"),
    Flag(("-ncmoe", "--n-cpu-moe"), "N", _experts_on_cpu, "layers whose experts stay off GPUs"),
    Flag(("-cmoe", "--cpu-moe"), "", _experts_on_cpu, "all of them"),
    Flag(("-ot", "--override-tensor"), "REGEX=TYPE", _override, "where tensors go"),
    Flag(("-fit", "--fit"), "on|off", _put("fit_params", _switch), "fit into free memory"),
    Flag(("-fitt", "--fit-target"), "MIB", _fit_target, "memory to leave free"),
    Flag(("-fitc", "--fit-ctx"), "N", _put("fit_params_min_ctx", _whole), "least context"),
    Flag(("--mmap",), "", _load_mode(mmap=True), "map the file"),
    Flag(("--no-mmap",), "", _load_mode(mmap=False), "read it instead"),
    Flag(("--mlock",), "", _load_mode(mlock=True), "keep it in memory"),
    Flag(
        ("-lm", "--load-mode"),
        "KIND",
        _put(
            "load_mode",
            _member(
                "llama_load_mode",
                "LLAMA_LOAD_MODE_",
                *("auto", "none", "mmap", "mlock", "mmap+mlock"),
                dio="DIRECT_IO",
            ),
        ),
        "auto, none, mmap, mlock, mmap+mlock, dio",
    ),
    Flag(
        ("--numa",),
        "KIND",
        _put(
            "numa",
            _member("ggml_numa_strategy", "GGML_NUMA_STRATEGY_", "distribute", "isolate"),
        ),
        "distribute, isolate",
    ),
    # The context's stretch.
    Flag(
        ("--rope-scaling",),
        "KIND",
        _put(
            "rope_scaling_type",
            _member(
                "llama_rope_scaling_type", "LLAMA_ROPE_SCALING_TYPE_", "none", "linear", "yarn"
            ),
        ),
        "none, linear, yarn",
    ),
    Flag(
        ("--rope-scale",),
        "N",
        _put("rope_freq_scale", lambda text: 1 / (_real(text) or 1.0)),
        "stretch by this factor",
    ),
    Flag(("--rope-freq-base",), "N", _put("rope_freq_base", _real), "base frequency"),
    Flag(("--rope-freq-scale",), "N", _put("rope_freq_scale", _real), "frequency's factor"),
    Flag(("--yarn-orig-ctx",), "N", _put("yarn_orig_ctx", _whole), "trained context"),
    Flag(("--yarn-ext-factor",), "N", _put("yarn_ext_factor", _real), "extrapolation"),
    Flag(("--yarn-attn-factor",), "N", _put("yarn_attn_factor", _real), "attention"),
    Flag(("--yarn-beta-slow",), "N", _put("yarn_beta_slow", _real), "high correction"),
    Flag(("--yarn-beta-fast",), "N", _put("yarn_beta_fast", _real), "low correction"),
    # Templates and sampling, where a request names none.
    Flag(("--jinja",), "", _be("use_jinja", True), "the model's own template (default)"),
    Flag(("--no-jinja",), "", _be("use_jinja", False), "a built-in one like it"),
    Flag(("--chat-template",), "TEXT", _put("chat_template"), "another template, or its name"),
    Flag(("--chat-template-file",), "FILE", _put("chat_template", _text_of), "the same, a file"),
    Flag(("--chat-template-kwargs",), "JSON", _template_kwargs, "what the template is given"),
    Flag(
        ("--reasoning-format",),
        "KIND",
        _put(
            "reasoning_format",
            _member(
                "common_reasoning_format",
                "COMMON_REASONING_FORMAT_",
                *("none", "auto", "deepseek", "deepseek-legacy"),
            ),
        ),
        "none, auto, deepseek, deepseek-legacy",
    ),
    Flag(("--reasoning-budget",), "N", _reasoning_budget, "tokens to think; 0: none"),
    Flag(
        ("-rea", "--reasoning"),
        "on|off|auto",
        _put("enable_reasoning", _choice(on=1, off=0, auto=-1)),
        "whether to think",
    ),
    Flag(("-s", "--seed"), "N", _put("sampling.seed", _seed), "-1: another each time"),
    Flag(("--temp", "--temperature"), "N", _sampled("temp", _real), "temperature"),
    Flag(("--top-k",), "N", _sampled("top_k", _whole), "most candidates"),
    Flag(("--top-p",), "N", _sampled("top_p", _real), "share of candidates"),
    Flag(("--min-p",), "N", _sampled("min_p", _real), "least probability"),
    Flag(
        ("--repeat-penalty",),
        "N",
        _sampled("penalty_repeat", _real),
        "against repetition",
    ),
    Flag(("--presence-penalty",), "N", _put("sampling.penalty_present", _real), "the same"),
    Flag(("--frequency-penalty",), "N", _put("sampling.penalty_freq", _real), "the same"),
    # What it writes.
    Flag(
        ("-lv", "--log-verbosity", "--verbosity"),
        "N",
        _put("verbosity", _whole),
        "what to log: 0 the least, 3 the default",
    ),
    Flag(("-v", "--verbose", "--log-verbose"), "", _be("verbosity", 2**31 - 1), "log all"),
    Flag(("--offline",), "", _be("offline", True), "fetch nothing (nothing ever is)"),
)

_BY_NAME = {name: flag for flag in FLAGS for name in flag.names}


# --- the program ----------------------------------------------------------------------


def _fail(message: str) -> int:
    _line(sys.stderr, f"error: {message}")
    return 1


def _line(stream: TextIO | None, text: str) -> None:
    """Write a line in one piece, wherever somebody reads."""
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.write(text + "\n")
            stream.flush()


def _help() -> None:
    print("usage: qmdesk llama-server -m FILE [flag ...]\n")
    print("The embedded llama-server. Its flags are llama-server's:\n")
    for flag in FLAGS:
        names = ", ".join(flag.names) + (f" {flag.value}" if flag.value else "")
        gap = "" if len(names) < 38 else "\n" + " " * 40
        print(f"  {names:<38}{gap}{flag.help}")
    print(f"  {'--list-devices':<38}say what it can compute on, and exit")
    print(f"  {'--version':<38}say what it is, and exit")
    print(f"  {'-h, --help':<38}say this, and exit")


def _version() -> None:
    import xllamacpp

    build = xllamacpp.BUILD_INFO
    print(f"version: {xllamacpp.__version__} (xllamacpp)")
    print(f"built with {build['compiler']} for {build['build_target']}")


def _list_devices() -> None:
    import xllamacpp

    print("Available devices:")
    devices = [
        each
        for each in xllamacpp.get_device_info()
        if each["type"] != xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    ]
    for each in devices:
        total, free = each["memory_total"] >> 20, each["memory_free"] >> 20
        print(f"  {each['name']}: {each['description']} ({total} MiB, {free} MiB free)")
    if not devices:
        print("  (none)")


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, _BY_NAME, n=1, cutoff=0.75)
    return f" (did you mean {near[0]}?)" if near else ""


def _parse(argv: list[str]) -> Params:
    """Make the server's parameters of ``argv``; raise UsageError where it is wrong."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    # The package's defaults are a library's; these are the program's.
    params.port = 8080
    params.n_parallel = -1
    words = iter(argv)
    for word in words:
        name = word.replace("_", "-") if word.startswith("--") else word
        flag = _BY_NAME.get(name)
        if flag is None:
            raise UsageError(f"invalid argument: {word}{_nearest(name)}")
        value = ""
        if flag.value:
            following = next(words, None)
            if following is None:
                raise UsageError(f"expected a value after {word}")
            value = following
        try:
            flag.apply(params, value)
        except UsageError as error:
            raise UsageError(f"{word}: {error}") from None
    if not params.model.path:
        raise UsageError("no model: say which with -m FILE")
    with open(params.model.path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise UsageError(f"{params.model.path} is not a GGUF file")
    if params.n_parallel < 0:
        params.n_parallel = 4
        params.kv_unified = True
    if params.cpuparams_batch.n_threads < 0:
        params.cpuparams_batch.n_threads = params.cpuparams.n_threads
    if params.embedding:
        # An embedding's text is computed as a whole.
        params.n_batch = min(params.n_batch, params.n_ubatch)
    return params


def _why(params: Params) -> str:
    """Say why the server did not start: the package says so only in its log."""
    host, port = params.hostnames[0], params.port
    if port and not host.endswith(".sock"):
        try:
            kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(kind, socket.SOCK_STREAM) as tried:
                if os.name == "posix":
                    tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(address)
        except OSError as error:
            return f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}"
    return f"cannot load {params.model.path}: the lines above say why"


def _await_signal(ready: Callable[[], None]) -> NoReturn:
    """Be there until Ctrl-C or SIGTERM, and then be gone.

    The system may hand a signal to any thread of the server, and then no sleep of this
    one is cut short; the byte that Python's own handler writes wakes it all the same.
    """
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: None)
    ready()
    woken.recv(1)
    # At once: a clean end would wait for every open stream.
    os._exit(0)


def main(argv: list[str]) -> int:
    """Serve as ``argv`` (without the program's name) says, until a signal.

    ``listening on http://HOST:PORT`` on standard output says that the model is ready.
    Returns the exit code: 1 with one line on standard error where the command is
    wrong, the model cannot be loaded or the port cannot be had.  On SIGTERM or
    Ctrl-C the process exits with 0 from within, open streams or not; while the model
    is still loading, the signal itself ends it.
    """
    if "-h" in argv or "--help" in argv:
        _help()
        return 0
    try:
        import xllamacpp
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            hint = "is not installed; try: pip install 'qmdesk[llama]'"
        else:
            hint = f"cannot be loaded: {error}"
            if "libgomp" in hint:
                hint += "; it is in your system's package libgomp1 or libgomp"
        return _fail(f"the embedded llama-server {hint}")
    if "--version" in argv:
        _version()
        return 0
    if "--list-devices" in argv:
        _list_devices()
        return 0
    try:
        params = _parse(argv)
    except UsageError as error:
        return _fail(str(error))
    # Python's own handler of Ctrl-C would run only after the load.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        server = xllamacpp.Server(params)
    except (RuntimeError, ValueError):
        # Its log is written by a thread of its own, which may still be at it.
        time.sleep(_LOG_REST)
        return _fail(_why(params))
    # Not on standard error: the thread that writes the log could be within a line.
    _await_signal(lambda: _line(sys.stdout, f"listening on {server.listening_address}"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
