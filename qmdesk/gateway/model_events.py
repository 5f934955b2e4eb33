"""``/models/sse``: the states of our models, in the shape of llama.cpp's own router."""

from __future__ import annotations

import json

from qmdesk.events import Bus, Fact, ModelStateChanged
from qmdesk.gateway.catalogue import STATUS
from qmdesk.gateway.event_stream import EventStream


class ModelEvents(EventStream):
    """Tells changes from now on; what is the case now, ``/v1/models`` says."""

    def __init__(self, bus: Bus) -> None:
        super().__init__(bus, ModelStateChanged)

    def _frame(self, number: int, fact: Fact) -> bytes:
        del number
        assert isinstance(fact, ModelStateChanged)
        status = "failed" if fact.error else STATUS[fact.state]
        data = {"model": fact.model, "event": "status_change", "data": {"status": status}}
        return f"data: {json.dumps(data)}\n\n".encode()
