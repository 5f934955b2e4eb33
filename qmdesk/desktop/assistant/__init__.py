"""The first start: a server, models, a front end, and a real answer from a real model.

``setup`` is all that happens, free of Qt; ``window`` and its pages show it.  ``imported``
loads them, because together they would hold the event loop for long.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from qmdesk.desktop.imports import import_each

if TYPE_CHECKING:
    from qmdesk.desktop.assistant.window import AssistantWindow

PARTS: Final = (
    "qmdesk.config.editor",
    "qmdesk.demo.smollm2",
    "qmdesk.demo.tiny_gguf",
    *(
        f"{__name__}.{name}"
        for name in (
            *("servers", "model_files", "download", "setup", "server_page", "models_page"),
            *("connect_page", "answer_page"),
        )
    ),
)
"""Each before those that need it."""

DONE: Final = "assistant/done"
"""Where it is noted that the assistant was finished or closed."""


async def imported() -> type[AssistantWindow]:
    """The window's class, its modules loaded one by one with the loop running in between."""
    await import_each(PARTS)
    window = importlib.import_module(f"{__name__}.window")
    return window.AssistantWindow  # type: ignore[no-any-return]
