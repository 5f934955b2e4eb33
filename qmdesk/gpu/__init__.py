"""What the cards really hold, measured.  Nothing here waits for the event loop or knows it.

A ``Sampler`` reads one platform's figures, and may take its time or hang: it belongs into
the thread of a ``Reader``.
"""

from qmdesk.gpu.reader import Reader
from qmdesk.gpu.reading import Card, Holding, Kind, Reading
from qmdesk.gpu.sample import CardSample, Program, Sample
from qmdesk.gpu.sampler import Sampler, machine

__all__ = [
    "Card",
    "CardSample",
    "Holding",
    "Kind",
    "Program",
    "Reader",
    "Reading",
    "Sample",
    "Sampler",
    "machine",
]
