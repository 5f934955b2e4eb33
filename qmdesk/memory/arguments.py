"""A llama-server's arguments, as far as they say how much memory it takes and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

CONTEXT = ("-c", "--ctx-size")
SLOTS = ("-np", "--parallel")
LAYERS = ("-ngl", "--gpu-layers", "--n-gpu-layers")
EXPERT_LAYERS = ("-ncmoe", "--n-cpu-moe")
ALL_EXPERTS = ("-cmoe", "--cpu-moe")
KEYS = ("-ctk", "--cache-type-k")
VALUES = ("-ctv", "--cache-type-v")
DEVICE = ("-dev", "--device")
SPLIT_MODE = ("-sm", "--split-mode")
SPLIT = ("-ts", "--tensor-split")
MAIN = ("-mg", "--main-gpu")
FIT = ("-fit", "--fit")
FIT_TARGET = ("-fitt", "--fit-target")
OVERRIDES = ("-ot", "--override-tensor")
MODEL = ("-m", "--model")

_ALL_LAYERS = 999
_OFF = ("off", "0", "false", "disabled")
_OTHERS_BUSINESS = frozenset(
    "--port --host --api-key --api-key-file -a --alias --log-file -lv --verbosity"
    " --log-verbosity --slot-save-path --path --chat-template --chat-template-file".split()
)
"""Flags with a value that has nothing to do with memory."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The command of one start.  Flags that are missing have None."""

    argv: tuple[str, ...]

    @property
    def llama_server(self) -> bool:
        """Whether it is a llama-server, be it within a wrapper."""
        return any("llama-server" in word or "llama_server" in word for word in self.argv)

    @property
    def embedded(self) -> bool:
        """Whether it is the llama-server that comes with qmdesk."""
        if "qmdesk.llama_server" in self.argv:
            return True
        at = self.argv.index("llama-server") if "llama-server" in self.argv else 0
        return at > 0 and any("qmdesk" in word for word in self.argv[:at])

    def value(self, flags: Sequence[str]) -> str | None:
        """The value of the last of ``flags``; None where none is there."""
        found = None
        for at, word in enumerate(self.argv[:-1]):
            if word in flags:
                found = self.argv[at + 1]
        return found

    def number(self, flags: Sequence[str]) -> int | None:
        text = self.value(flags)
        return int(text) if text is not None and re.fullmatch(r"-?\d+", text) else None

    def has(self, flags: Sequence[str]) -> bool:
        return any(word in flags for word in self.argv)

    def with_value(self, flags: Sequence[str], value: int) -> Arguments:
        """The same with ``value`` for the last of ``flags``, appended where none is there."""
        for at in range(len(self.argv) - 2, -1, -1):
            if self.argv[at] in flags:
                return Arguments((*self.argv[: at + 1], str(value), *self.argv[at + 2 :]))
        return Arguments((*self.argv, flags[-1], str(value)))

    @property
    def context(self) -> int | None:
        """Tokens of all slots together; None or 0: as many as the model was trained for."""
        return self.number(CONTEXT)

    @property
    def slots(self) -> int:
        return max(1, self.number(SLOTS) or 1)

    @property
    def layers(self) -> int | None:
        """Layers on the card; None: the server's own choice, which is all that fit."""
        text = self.value(LAYERS)
        if text == "all":
            return _ALL_LAYERS
        number = self.number(LAYERS)
        return _ALL_LAYERS if number is not None and number < 0 else number

    @property
    def fits_itself(self) -> bool:
        """Whether the server has been left to find its own sizes, and can."""
        said = self.value(FIT)
        if said is not None and said.lower() in _OFF:
            return False
        explicit = (CONTEXT, LAYERS, EXPERT_LAYERS, ALL_EXPERTS, SPLIT, OVERRIDES)
        return (said is not None or self.embedded) and not any(map(self.has, explicit))

    def left_free(self, reserve: int) -> Arguments:
        """The same, and so many bytes that a server which fits itself leaves free."""
        if self.has(FIT_TARGET):
            return self
        return self.with_value(FIT_TARGET, max(1, reserve >> 20))

    def files(self) -> Iterator[str]:
        """The words that name a model's file."""
        endings = (".gguf", ".safetensors", ".ckpt", ".pth", ".pt", ".bin", ".onnx")
        for word in self.argv[1:]:
            # `--flag=FILE` is how some other servers have it.
            name = word.partition("=")[2] if word.startswith("--") and "=" in word else word
            if name.lower().endswith(endings):
                yield name

    def what_matters(self) -> tuple[str, ...]:
        """The words that bear on the memory: no port, no key, no name."""
        kept: list[str] = []
        skip = False
        for at, word in enumerate(self.argv):
            if skip:
                skip = False
            elif word in _OTHERS_BUSINESS:
                skip = True
            elif not re.search(r"https?://", word):
                kept.append(PurePath(word).name if at == 0 else word)
        return tuple(kept)
