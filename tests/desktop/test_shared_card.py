"""The desktop beside a game: real processes, on a card that stands in."""

from __future__ import annotations

from pathlib import Path

from qmdesk.config import parse
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.main_window import MEMORY
from qmdesk.desktop.notification_text import Kind
from qmdesk.instance import Instance
from qmdesk.memory import Pace
from tests.conftest import until
from tests.desktop.conftest import Run
from tests.desktop.test_tray import settle
from tests.memory.fake_card import FakeCard, Game

PACE = Pace(busy=0.03, idle=0.03, settle=2.0, steady=0.3, step=0.02)


def test_a_model_that_gives_way_is_seen_from_load_to_message(run: Run, tmp_path: Path) -> None:
    card = FakeCard(tmp_path / "card")
    text = (
        "memory: {graceSeconds: 0.1}\n"
        f"models:\n  a:\n    cmd: {card.command('a', 16)}\n    estVramGB: 16\n"
        f"  b:\n    cmd: {card.command('b', 12)}\n    estVramGB: 12\n"
    )

    async def body() -> None:
        instance = Instance(parse(text), listen="127.0.0.1:0", sampler=lambda: card, pace=PACE)
        await instance.start()
        desk = Desk(instance)
        status = desk.tray.menu.status
        try:
            await until(lambda: status.text() == "No model loaded, 0.0 of 24.0 GiB")
            await instance.router.load("a", by="the test")
            await until(lambda: status.text() == "1 model loaded, 16.0 of 24.0 GiB")
            menu = desk.tray.menu.model("a")
            assert menu is not None
            await until(lambda: menu.detail.text().startswith("16.0 GiB (learned), since "))
            desk.window.present()
            window = desk.window
            window.models.select("b")
            detail = window.models.detail
            await until(lambda: "it would unload a:" in detail.foresight.text())
            assert detail.memory.text() == "Takes 12.0 GiB, configured."
            window.rail.setCurrentRow(MEMORY)
            game = Game(card, 20)
            try:
                await until(lambda: desk.notifications.history)
                (told,) = desk.notifications.history
                assert told.kind is Kind.MEMORY
                assert told.title == "a was unloaded: game.exe holds 8.0 GiB"
                page = window.memory
                await until(lambda: "a&nbsp;16.0" not in page.cards[0].legend.text())
                story = page.timeline.accessibleDescription
                await until(lambda: "game.exe: 8.0 GiB" in story())
            finally:
                game.end()
        finally:
            desk.close()
            await instance.stop(4.0)
            await settle()

    run(body())
