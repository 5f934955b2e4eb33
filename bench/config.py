"""How long a large configuration takes: read, read again, compared and edited.

``python -m bench.config [MODELS]`` makes a file with macros, environment variables and
groups, prints milliseconds, and fails where reading takes more than a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from qmdesk.config import parse
from qmdesk.config.diff import diff
from qmdesk.config.editor import Editor

LIMIT = 1.0
"""Seconds for reading 1,000 models."""

HEAD = """\
# A large household.
startPort: 10000
globalTTL: 600
macros:
  home: ${env.HOME}/llama.cpp/build/bin
  ctx: 32768
  server: >
    ${home}/llama-server
    --port ${PORT}
    --flash-attn on
  agent: >
    ${server}
    --jinja --ctx-size ${ctx}
    --chat-template-kwargs '{"reasoning_effort":"high"}'

models:
"""

MODEL = """\
  # number {n}
  "org/model-{n}":
    macros:
      quant: Q{q}_K_M
    cmd: |
      ${{agent}}
      --model "${{env.MODELS}}/model {n}-${{quant}}.gguf"
      # --no-mmap
      --tensor-split 1.05,0.95
    name: Model {n}
    aliases: [m{n}, "model-{n}:latest"]
    env:
      - "CUDA_VISIBLE_DEVICES={card}"
    ttl: {ttl}
    filters:
      stripParams: "top_p, seed"
      setParams: {{temperature: 0.7}}
      setParamsByID:
        "${{MODEL_ID}}:hot": {{temperature: 1.2}}
    metadata: {{context: "${{ctx}}", number: {n}}}

"""


def text(models: int) -> str:
    """A file with so many models, in groups of twenty."""
    made = [HEAD]
    made += [MODEL.format(n=n, q=2 + n % 7, card=n % 4, ttl=n % 900) for n in range(models)]
    made.append("groups:\n")
    for first in range(0, models, 20):
        members = ", ".join(f"org/model-{n}" for n in range(first, min(models, first + 20)))
        made.append(f"  g{first}: {{swap: false, members: [{members}]}}\n")
    return "".join(made)


def measure(what: str, action: Callable[[], object], times: int = 3) -> float:
    """The best of a few runs, in seconds; printed in milliseconds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    sys.stdout.write(f"{what:<24}{best * 1000:8.0f} ms\n")
    return best


def main() -> int:
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    written = text(models)
    environ = {"HOME": "/home/ann", "MODELS": "/mnt/models"}
    sys.stdout.write(f"{models} models, {len(written) / 1024:.0f} KiB\n")
    took = measure("read", lambda: parse(written, environ=environ, windows=False))
    old = parse(written, environ=environ, windows=False)
    new = parse(written.replace("ttl: 5", "ttl: 6"), environ=environ, windows=False)
    measure("compare", lambda: diff(old, new))

    def edit() -> None:
        editor = Editor(written)
        editor.set(("models", "org/model-7", "ttl"), 5)

    measure("open and edit once", edit)
    return int(took > LIMIT * models / 1000)


if __name__ == "__main__":
    sys.exit(main())
