"""One interface to the cards of every platform, and which samplers this machine needs."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Protocol

from qmdesk.gpu.reading import Reading


class Sampler(Protocol):
    """Reads the cards of one platform.  Used by one thread at a time; may be slow."""

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        """One look; never raises, what is wrong is told in ``problem``.

        ``ours`` are the leaders of our servers.  Where it is ``idle``, none of ours runs or
        starts: a card that would sleep if it were left alone is left alone.
        """
        ...

    def close(self) -> None:
        """Let the driver go."""
        ...


class Machine:
    """Several samplers as one; the main memory stands in where none has a card."""

    def __init__(self, samplers: Sequence[Sampler], instead: Sampler) -> None:
        self._samplers = tuple(samplers)
        self._instead = instead

    def read(self, ours: Collection[int], *, idle: bool) -> Reading:
        readings = [sampler.read(ours, idle=idle) for sampler in self._samplers]
        problem = "; ".join(reading.problem for reading in readings if reading.problem)
        if not any(reading.cards for reading in readings):
            main = self._instead.read(ours, idle=idle)
            return Reading(main.cards, main.holdings, problem or main.problem)
        return Reading(
            tuple(card for reading in readings for card in reading.cards),
            tuple(holding for reading in readings for holding in reading.holdings),
            problem,
        )

    def close(self) -> None:
        for sampler in (*self._samplers, self._instead):
            sampler.close()


def machine() -> Sampler:
    """The samplers of this machine.  Nothing is loaded before the first ``read``."""
    from qmdesk.gpu.ram import Ram

    samplers: list[Sampler] = []
    if sys.platform == "win32":
        from qmdesk.gpu.windows import Windows

        samplers.append(Windows())
    elif sys.platform == "darwin":
        from qmdesk.gpu.apple import Apple

        samplers.append(Apple())
    else:
        from qmdesk.gpu.amd import Amd
        from qmdesk.gpu.intel import Intel
        from qmdesk.gpu.nvidia import Nvidia

        samplers += [Nvidia(), Amd(), Intel()]
    return Machine(samplers, Ram())
