"""Peers and profiles on the desktop: seen, told of, switched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from qmdesk.config import parse
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.notification_text import Kind
from qmdesk.events import PeerChanged, ProfileChanged
from qmdesk.gateway.peers import PeerState
from qmdesk.instance import Instance
from tests.conftest import fake, until
from tests.desktop.conftest import Run
from tests.desktop.fake_instance import FakeInstance, some_models

UP = PeerState("far", "http://10.0.0.2:8080", True, ("a", "b"), "")
DOWN = PeerState("near", "http://10.0.0.3:8080", False, (), "connection refused")
NEW = PeerState("new", "http://10.0.0.4:8080", None, (), "")


@pytest.fixture
def instance() -> FakeInstance:
    return FakeInstance(some_models())


@pytest.fixture
def desk(qapp: QApplication, instance: FakeInstance) -> Iterator[Desk]:
    made = Desk(instance)  # type: ignore[arg-type]
    yield made
    made.close()


def test_peers_are_listed_with_how_they_are(desk: Desk, instance: FakeInstance, run: Run) -> None:
    async def main() -> None:
        desk.window.present()
        peers = desk.window.models.peers
        assert peers.isHidden()
        instance.known_peers = (UP, DOWN, NEW)
        desk.feed.refresh()
        assert [peers.item(at).text() for at in range(peers.count())] == [
            "Peer far: 2 models",
            "Peer near: does not answer: connection refused",
            "Peer new: not looked at yet",
        ]
        assert "http://10.0.0.3:8080" in peers.item(1).toolTip()
        assert peers.isVisible()
        instance.known_peers = ()
        desk.feed.refresh()
        assert peers.isHidden()

    run(main())


def test_a_peer_that_goes_and_comes_back_is_told_once_each(
    desk: Desk, instance: FakeInstance, run: Run
) -> None:
    async def main() -> None:
        for up, error in ((True, ""), (True, ""), (False, "timed out"), (False, "refused")):
            instance.bus.publish(PeerChanged("far", up, ("a",), error))
        instance.bus.publish(PeerChanged("far", True, ("a", "b")))
        instance.bus.publish(PeerChanged("far", True, ("a",)))
        told = [(each.kind, each.title) for each in desk.notifications.history]
        assert told == [
            (Kind.PEER_DOWN, "Peer far does not answer"),
            (Kind.PEER_BACK, "Peer far answers again"),
        ]
        down, back = desk.notifications.history
        assert down.text.startswith("timed out. Its models are asked of other peers")
        assert back.text == "It offers 2 models."
        assert down.urgent
        assert not back.urgent

    run(main())


def test_without_profiles_there_is_no_menu_of_them(desk: Desk) -> None:
    assert not desk.tray.menu.profiles.menu.menuAction().isVisible()


def test_a_profile_is_switched_as_the_api_does(qapp: QApplication, run: Run) -> None:
    config = parse(
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
        "profiles:\n  day & night: {pins: {a: b}}\n  quiet: {pins: {b: a}}\n"
    )

    async def main() -> None:
        instance = Instance(config, listen="127.0.0.1:0")
        heard: list[str | None] = []
        instance.bus.subscribe(lambda fact: heard.append(fact.profile), ProfileChanged)
        await instance.start()
        desk = Desk(instance)
        try:
            menu = desk.tray.menu.profiles.menu

            def ticked() -> list[str]:
                return [each.text() for each in menu.actions() if each.isChecked()]

            assert menu.menuAction().isVisible()
            assert ticked() == ["None"]
            none, _, first, second = menu.actions()
            assert first.text() == "day && night"
            first.trigger()
            await until(lambda: heard == ["day & night"])
            assert instance.profile == "day & night"
            await until(lambda: ticked() == ["day && night"])
            second.trigger()
            await until(lambda: ticked() == ["quiet"])
            none.trigger()
            await until(lambda: ticked() == ["None"])
            assert instance.profile is None
            desk.commands.switch_profile("gone")
            await until(lambda: desk.notifications.last is not None)
            assert "no profile 'gone'" in desk.notifications.last.text
        finally:
            desk.close()
            await instance.stop(4.0)

    run(main())
