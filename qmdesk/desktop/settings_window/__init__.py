"""The settings window: the configuration as forms, with its text beside them.

``imported`` loads its modules: together they take a tenth of a second, which the event loop
must not be held for.
"""

from __future__ import annotations

import gc
import importlib
from typing import TYPE_CHECKING, Final

from qmdesk.desktop.imports import import_each

if TYPE_CHECKING:
    from qmdesk.desktop.settings_window.window import SettingsWindow

PARTS: Final = (
    "qmdesk.config.writing",
    "qmdesk.config.block_text",
    "qmdesk.config.changes",
    "qmdesk.config.editor",
    "qmdesk.config.three_way",
    *(
        f"{__name__}.{name}"
        for name in (
            *("edits", "parameter_lines", "field", "section", "pages", "analysis"),
            *("drafts", "draft_keeper", "session"),
            *("program_help", "yaml_pane", "arguments_edit", "peer_models_edit", "name_button"),
            *("entries", "field_editor", "form_page", "proposal", "entries_view", "models_page"),
            *("api_keys", "check_list", "keys_page"),
            *("together", "groups_page", "history_dialog", "merge_dialog", "proposal_dialog"),
        )
    ),
)
"""Each before those that need it."""


async def imported() -> type[SettingsWindow]:
    """The window's class, its modules loaded one by one with the loop running in between."""
    await import_each(PARTS)
    window = importlib.import_module(f"{__name__}.window")
    if not gc.get_freeze_count():
        # What is there now stays to the end.  A search for garbage that goes through all of
        # it holds the loop for 0.1 s, and reading files makes it come often.
        gc.freeze()
    return window.SettingsWindow  # type: ignore[no-any-return]
