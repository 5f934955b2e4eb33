"""One inference server: started, found ready, logged, and stopped with its whole tree.

Knows nothing of other models, nor why it is stopped beyond the reason it is handed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qmdesk.process.port import Ports
    from qmdesk.process.process import Process, StartAborted, StartFailed
    from qmdesk.process.record import Records

__all__ = ["Ports", "Process", "Records", "StartAborted", "StartFailed"]

_HOMES = {
    "Ports": "port",
    "Process": "process",
    "Records": "record",
    "StartAborted": "process",
    "StartFailed": "process",
}


def __getattr__(name: str) -> object:
    # On demand: the supervisor is a module of this room, and must start within moments.
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
