"""A router in a process of its own, for tests that let it die.

    python -m tests.process.lone_router FOLDER CONFIG

Loads the model ``m``, prints its number of process and the supervisor's, then waits: for
the end of its input, upon which it shuts down.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from qmdesk.config import parse
from qmdesk.events import Bus
from qmdesk.logs import Logs
from qmdesk.process import lifeline
from qmdesk.router import Router


async def main(folder: str, config: str) -> None:
    router = Router(parse(config), Bus(), Logs(), Path(folder))
    await router.load("m", by="the test")
    model = router.snapshot().model("m")
    assert model is not None
    print(model.pid, lifeline.shared().pid, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await router.shutdown(5.0)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
