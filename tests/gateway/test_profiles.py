"""A profile that is on says what names mean."""

from __future__ import annotations

import json

import pytest

from qmdesk.config import Config, parse
from qmdesk.events import PeerChanged, ProfileChanged
from tests.conftest import fake
from tests.gateway.peer_server import PeerServer, rows

PROFILES = (
    "profiles:\n"
    "  work: {description: By day, pins: {gpt: b, a: , chat: a, fast: alias, any: warmest}}\n"
    "  rest: {pins: {gpt: a}}\n"
    "selectors: {warmest: {strategy: warm, targets: [a, b]}}\n"
)


def config(more: str = PROFILES) -> Config:
    return parse(
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n"
        f"  b: {{cmd: {fake(name='b')}, filters: {{setParamsByID: {{alias: {{x: 1}}}}}}}}\n{more}"
    )


async def switch(http, instance, name: object, status: int = 200):
    address = f"{instance.addresses[0]}/api/profiles/active"
    async with http.put(address, json={"name": name}) as response:
        assert response.status == status
        return await response.json()


async def answerer(http, instance, name: str) -> tuple[int, str | None]:
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": name}) as response:
        if response.status != 200:
            return response.status, (await response.json())["error"]["code"]
        return response.status, response.headers["X-QM-Model"]


async def test_none_is_on_at_the_start(start, http) -> None:
    instance = await start(config())
    assert await answerer(http, instance, "gpt") == (404, "model_not_found")
    async with http.get(f"{instance.addresses[0]}/api/profiles") as response:
        answer = await response.json()
    assert answer["active"] is None
    assert answer["profiles"][1] == {"name": "rest", "description": "", "pins": {"gpt": "a"}}
    assert answer["profiles"][0]["pins"]["a"] == ""


async def test_the_pins_of_the_one_that_is_on_hold(start, http) -> None:
    instance = await start(config())
    assert await switch(http, instance, "work") == {"active": "work"}
    assert await answerer(http, instance, "gpt") == (200, "b")
    assert await answerer(http, instance, "any") == (200, "b")
    assert await answerer(http, instance, "b") == (200, "b")
    # Pins do not chain: a is switched off, and yet chat means it.
    assert await answerer(http, instance, "a") == (404, "model_disabled")
    assert await answerer(http, instance, "chat") == (200, "a")
    await switch(http, instance, "rest")
    assert await answerer(http, instance, "gpt") == (200, "a")
    await switch(http, instance, None)
    assert await answerer(http, instance, "gpt") == (404, "model_not_found")


async def test_a_name_that_is_switched_off_is_said_to_be(start, http) -> None:
    instance = await start(config())
    await switch(http, instance, "work")
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": "a"}) as response:
        error = (await response.json())["error"]
    assert error["message"] == "'a' is switched off by the profile 'work'"


async def test_the_server_gets_to_see_the_pinned_name_and_its_parameters(start, http) -> None:
    peer = PeerServer()
    address = await peer.start()
    text = (
        f"models:\n  b: {{proxy: '{address}', filters: {{setParamsByID: {{alias: {{x: 1}}}}}}}}\n"
        f"peers: {{p: {{proxy: '{address}', models: [far]}}}}\n"
        "profiles: {on: {pins: {one: b, two: alias, three: p/far}}}\n"
    )
    instance = await start(parse(text))
    await switch(http, instance, "on")
    for name in ("one", "two", "three"):
        assert (await answerer(http, instance, name))[0] == 200
    await peer.close()
    assert [asked.json() for asked in peer.asked] == [
        {"model": "b"},
        {"model": "alias", "x": 1},
        {"model": "far"},
    ]


async def test_pins_are_listed_while_they_hold(start, http) -> None:
    instance = await start(config())
    assert [*(await rows(http, instance))] == ["a", "b", "warmest"]
    await switch(http, instance, "work")
    listed = await rows(http, instance)
    assert [*listed] == ["a", "b", "warmest", "gpt", "chat", "fast", "any"]
    assert listed["gpt"]["meta"]["llamaswap"] == {"type": "profile", "target": "b"}
    assert listed["gpt"]["status"] == {"value": "unloaded"}
    await instance.router.load("b", by="test")
    listed = await rows(http, instance)
    assert {listed[name]["status"]["value"] for name in ("gpt", "fast", "any")} == {"loaded"}


async def test_it_stays_on_over_a_change_of_the_file_for_as_long_as_there_is_one(
    start, http
) -> None:
    instance = await start(config())
    facts: list[ProfileChanged] = []
    instance.bus.subscribe(facts.append, ProfileChanged)  # type: ignore[arg-type]
    await switch(http, instance, "rest")
    await switch(http, instance, "rest")
    instance.router.apply_config(config(PROFILES.replace("{gpt: a}", "{gpt: b}")))
    assert await answerer(http, instance, "gpt") == (200, "b")
    instance.router.apply_config(config(""))
    assert await answerer(http, instance, "gpt") == (404, "model_not_found")
    assert facts == [ProfileChanged("rest"), ProfileChanged(None)]


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"name": 1}', '"work"'])
async def test_nonsense_is_refused(start, http, body: str) -> None:
    instance = await start(config())
    address = f"{instance.addresses[0]}/api/profiles/active"
    async with http.put(address, data=body) as response:
        assert response.status == 400
        assert '{"name": "PROFILE"}' in (await response.json())["error"]["message"]


async def test_an_unknown_one_is_refused_with_those_that_there_are(start, http) -> None:
    instance = await start(config())
    error = (await switch(http, instance, "wrok", 404))["error"]
    assert error["code"] == "profile_not_found"
    assert error["message"].endswith("there are work, rest")


async def test_a_page_of_another_site_cannot_switch(start, http) -> None:
    instance = await start(config())
    address = f"{instance.addresses[0]}/api/profiles/active"
    headers = {"Origin": "https://evil.example"}
    async with http.put(address, json={"name": "work"}, headers=headers) as response:
        assert response.status == 403


async def test_facts_are_told_as_events(start, http) -> None:
    instance = await start(config())
    async with http.get(f"{instance.addresses[0]}/api/events") as events:
        await events.content.readuntil(b"\n\n")
        await switch(http, instance, "work")
        event = (await events.content.readuntil(b"\n\n")).decode()
        instance.bus.publish(PeerChanged("p", up=False, models=("m",), error="gone"))
        other = (await events.content.readuntil(b"\n\n")).decode()
    assert "event: profile_changed\n" in event
    assert '{"profile": "work"}' in event
    data = json.loads(other.split("data: ")[1])
    assert data == {"peer": "p", "up": False, "models": ["m"], "error": "gone"}
