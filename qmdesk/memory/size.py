"""What a command will take, worked out from the files that it names: a plain estimate.

Only for what has never been measured.  Whoever reads model files better takes the place of
``size_of``.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from qmdesk.memory import header
from qmdesk.memory.arguments import (
    ALL_EXPERTS,
    EXPERT_LAYERS,
    KEYS,
    MODEL,
    VALUES,
    Arguments,
)

GIB = 1 << 30
OVERHEAD = GIB // 2
"""Bytes for buffers and the driver's own."""
USUAL_CONTEXT = 16_384
"""Tokens, where neither the command nor the file says."""
_SHARD = re.compile(r"(.*)-(\d{5})-of-(\d{5})(\.gguf)$", re.IGNORECASE)
_EXPERTS_SHARE = 0.85
"""Of a mixture model's weights."""
_ELEMENT = {
    "f32": 2.0,
    "f16": 1.0,
    "bf16": 1.0,
    "q8_0": 0.53125,
    "q5_1": 0.375,
    "q5_0": 0.34375,
    "q4_1": 0.3125,
    "q4_0": 0.28125,
    "iq4_nl": 0.28125,
}
"""Of two bytes."""


@dataclass(frozen=True, slots=True)
class Size:
    """One start, in bytes."""

    weights: int
    per_token: int
    """Keys and values of a token, over all layers."""
    context: int
    """Tokens of all slots together."""
    slots: int
    layers: int
    """Of the model; 0: not known."""
    on_card: int | None
    """Of them on the card; None: all."""
    mixture: bool
    experts_off: int
    """Layers whose experts stay in main memory."""

    @property
    def vram(self) -> int:
        """Bytes on the card."""
        if self.on_card == 0:
            return 0
        share = self._share()
        weights = self.weights * share
        if self.mixture and self.layers:
            off = min(self.experts_off, self.layers) / self.layers
            weights -= self.weights * share * _EXPERTS_SHARE * off
        return int(weights + self.per_token * self.context * share + OVERHEAD)

    @property
    def ram(self) -> int:
        """Bytes in main memory: what is not on the card."""
        whole = replace(self, on_card=None, experts_off=0).vram
        return max(0, whole - self.vram) + OVERHEAD // 2

    def _share(self) -> float:
        if self.on_card is None or not self.layers:
            return 1.0
        # The output layer counts as one more.
        return min(1.0, self.on_card / (self.layers + 1))


def size_of(arguments: Arguments, folder: str) -> Size | None:
    """None where no file of the command can be found.  Reads files: not for the loop."""
    files = [Path(folder, os.path.expanduser(name)) for name in arguments.files()]
    weights = sum(sum(_size(part) for part in shards(file)) for file in dict.fromkeys(files))
    if not weights:
        return None
    if not arguments.llama_server:
        return Size(weights, 0, 0, 1, 0, None, mixture=False, experts_off=0)
    named = arguments.value(MODEL)
    said = header.read(Path(folder, os.path.expanduser(named))) if named else header.Header()
    keys = _ELEMENT.get(arguments.value(KEYS) or "f16", 1.0)
    values = _ELEMENT.get(arguments.value(VALUES) or "f16", 1.0)
    # Where the file does not tell: what models of such a size usually have.
    per_token = said.per_token or int(64 * 1024 * math.sqrt(weights / GIB))
    context = arguments.context or (
        min(said.context or USUAL_CONTEXT, USUAL_CONTEXT)
        if arguments.fits_itself
        else said.context or USUAL_CONTEXT
    )
    layers = arguments.layers
    return Size(
        weights=weights,
        per_token=int(per_token * (keys + values) / 2),
        context=context,
        slots=arguments.slots,
        layers=said.layers,
        on_card=None if layers is None or layers > said.layers > 0 else layers,
        mixture=said.experts > 1,
        experts_off=said.layers
        if arguments.has(ALL_EXPERTS)
        else arguments.number(EXPERT_LAYERS) or 0,
    )


def shards(file: Path) -> tuple[Path, ...]:
    """``file``, and its other parts where it is the first of several."""
    match = _SHARD.fullmatch(file.name)
    if match is None:
        return (file,)
    stem, _, count, ending = match.groups()
    return tuple(
        file.with_name(f"{stem}-{number:05}-of-{count}{ending}")
        for number in range(1, int(count) + 1)
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
