"""The desktop app with a fake instance, spoken to over pipes.

Prints what is asked of the instance, one line each; reads commands from stdin:
``evict [MODEL]``, ``fail``, ``drop MODEL``, ``messages``, ``quit-qt``.
Arguments: ``--show`` opens the window, ``--empty`` has no models, ``--refuse`` makes the start
fail, ``--slow`` makes it wait for a line.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, ClassVar

from PySide6.QtWidgets import QApplication

from qmdesk.desktop import application, desk
from qmdesk.events import Evicted, LoadFailed
from tests.desktop.fake_instance import FakeInstance, some_models


class KnownDesk(desk.Desk):
    """A desk that can be found again, to be asked what it has told."""

    made: ClassVar[list[desk.Desk]] = []

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.made.append(self)


class TalkingInstance(FakeInstance):
    """A fake instance that says what happens to it and does what it is told."""

    async def start(self) -> None:
        await super().start()
        self.router.on_call = lambda call: say("call", *call)
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._on_line)
        say("started")

    async def stop(self, budget: float = 30.0) -> None:
        say("stopping")
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        await asyncio.sleep(0.05)
        await super().stop(budget)
        say("stopped")

    def _on_line(self) -> None:
        command, _, rest = sys.stdin.readline().strip().partition(" ")
        if command == "evict":
            self.bus.publish(
                Evicted(
                    (rest or "gemma-3-12b-it",),
                    "gpt-oss-20b",
                    "the card has 23.1 GiB & more is wanted",
                    "Open WebUI",
                    0.4,
                )
            )
        elif command == "fail":
            self.bus.publish(LoadFailed("broken-one", "error: no such file"))
        elif command == "messages":
            told = KnownDesk.made[-1].notifications.history
            say("messages", *(each.title for each in told))
        elif command == "quit-qt":
            QApplication.quit()
        elif command == "drop":
            self.router.set_models([each for each in some_models() if each.id != rest])


def say(*words: str) -> None:
    print(*words, flush=True)


def main() -> int:
    desk.Desk = KnownDesk  # type: ignore[misc]
    instance = TalkingInstance([] if "--empty" in sys.argv else some_models())
    if "--refuse" in sys.argv:
        instance.refusal = RuntimeError("the port 8080 is taken by another program")

    async def make_instance() -> FakeInstance:
        if "--slow" in sys.argv:
            await asyncio.to_thread(sys.stdin.readline)
        return instance

    return application.run(
        make_instance,  # type: ignore[arg-type]
        show="--show" in sys.argv,
        name="fake",
    )


if __name__ == "__main__":
    sys.exit(main())
