"""Modules that are imported while the event loop runs."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable


async def import_each(names: Iterable[str]) -> None:
    """Import one after the other, with the loop running in between.

    Each before those that need it: then none of them takes long.
    """
    for name in names:
        importlib.import_module(name)
        await asyncio.sleep(0)
