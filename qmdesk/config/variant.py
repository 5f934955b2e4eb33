"""``model?ctx=N``: a model with another context, made when somebody asks for it."""

from __future__ import annotations

import re
from dataclasses import replace

from qmdesk.config.command import split
from qmdesk.config.config import Model

LEAST = 512
MOST = 4 << 20
"""Tokens."""
_NAME = re.compile(r"(.+)\?ctx=([^?]*)", re.DOTALL)
_FLAGS = ("-c", "--ctx-size")


class NoVariant(ValueError):
    """There is no such variant; says why and what there is."""


def split_name(name: str) -> tuple[str, str | None]:
    """The model's own name, and what follows ``?ctx=``; None where nothing does."""
    match = _NAME.fullmatch(name)
    return (match[1], match[2]) if match else (name, None)


def context_of(text: str) -> int:
    """The tokens that ``text`` asks for.  Raises ``NoVariant``."""
    number = int(text) if re.fullmatch(r"\d{1,9}", text.strip()) else 0
    if not LEAST <= number <= MOST:
        raise NoVariant(
            f"a context must be a whole number of tokens from {LEAST} to {MOST}, such as"
            f" ?ctx=16384, not {text!r}"
        )
    return number


def variant_of(model: Model, context: int) -> Model:
    """``model`` with another context: unlisted, under a name of its own.

    Raises ``NoVariant`` where its command is not a llama-server's.
    """
    words = list(split(model.cmd) if isinstance(model.cmd, str) else model.cmd)
    if not any("llama-server" in word or "llama_server" in word for word in words):
        raise NoVariant(
            f"{model.id} cannot be asked for with another context: its command is not a"
            " llama-server"
        )
    for at in range(len(words) - 2, -1, -1):
        if words[at] in _FLAGS:
            words[at + 1] = str(context)
            break
    else:
        words += ["-c", str(context)]
    return replace(
        model,
        id=f"{model.id}?ctx={context}",
        cmd=tuple(words),
        aliases=(),
        unlisted=True,
        pinned=False,
        # What was written for another context says nothing of this one.
        est_vram_gb=0.0,
        use_model_name=model.use_model_name or model.id,
        context_length=context if model.context_length else 0,
    )
