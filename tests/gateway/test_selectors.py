"""Selectors over real servers: one name, several that may answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from qmdesk.config import parse
from tests.conftest import fake, until
from tests.gateway.peer_server import PeerServer, becomes, free_port


@pytest.fixture
async def peer() -> AsyncIterator[PeerServer]:
    server = PeerServer(models=["far"])
    await server.start()
    yield server
    await server.close()


def two(selector: str, more: str = "") -> str:
    return (
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
        "groups: {both: {members: [a, b], swap: false}}\n"
        f"selectors:\n  any: {selector}\n{more}"
    )


async def ask(http, instance, name: str = "any", **fields: object):
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": name, **fields}) as response:
        return response.status, response.headers.get("X-QM-Model"), await response.json()


async def test_pin_takes_the_first_target_and_tells_its_server_its_name(start, http) -> None:
    peer = PeerServer()
    address = await peer.start()
    text = f"models: {{a: {{proxy: '{address}'}}}}\n"
    instance = await start(parse(text + "selectors: {any: {strategy: pin, targets: [a]}}"))
    body = '{"model": "any", "n":1.0, "big": 123456789012345678901}'
    async with http.post(f"{instance.addresses[0]}/v1/completions", data=body) as response:
        assert response.headers["X-QM-Model"] == "a"
    await peer.close()
    assert peer.asked[0].body.decode() == body.replace('"any"', '"a"')


async def test_warm_takes_what_is_loaded(start, http) -> None:
    instance = await start(parse(two("{strategy: warm, targets: [a, b]}")))
    await instance.router.load("b", by="test")
    assert (await ask(http, instance))[:2] == (200, "b")
    await instance.router.unload(by="test")
    assert (await ask(http, instance))[:2] == (200, "a")


async def test_spillover_starts_the_second_when_the_first_is_busy(start, http) -> None:
    instance = await start(parse(two("{strategy: spillover, targets: [a, b]}")))
    address = f"{instance.addresses[0]}/v1/chat/completions"
    body = {"model": "any", "stream": True, "fake": {"tokens": 2, "delay": 600}}
    async with http.post(address, json=body) as first:
        assert first.headers["X-QM-Model"] == "a"
        assert (await ask(http, instance))[1] == "b"
        # The second is free again, and the first is not.
        assert (await ask(http, instance))[1] == "b"
    await until(lambda: not instance.router.snapshot().in_flight)
    # The first one's place was given back with its client: they take turns.
    assert {(await ask(http, instance))[1] for _ in range(2)} == {"a", "b"}


async def test_a_request_that_is_refused_gives_its_place_back(start, http) -> None:
    text = (
        f"models:\n  a: {{proxy: 'http://127.0.0.1:{free_port()}'}}\n  b: {{cmd: {fake()}}}\n"
        "groups: {both: {members: [a, b], swap: false}}\n"
        "selectors: {any: {strategy: spillover, targets: [a, b]}}\n"
    )
    instance = await start(parse(text))
    # Were the place still taken the second time, the other one would be started.
    for _ in range(2):
        assert (await ask(http, instance))[0] == 502
    assert instance.router.state("b") == "stopped"


async def test_spillover_goes_on_to_a_peer(start, http, peer: PeerServer) -> None:
    peer.hold = asyncio.Event()
    text = two(
        "{strategy: spillover, targets: [a, p/far]}",
        f"peers: {{p: {{proxy: 'http://127.0.0.1:{peer.port}', models: [far]}}}}\n",
    )
    instance = await start(parse(text))
    body = {"model": "any", "stream": True, "fake": {"tokens": 2, "delay": 600}}
    async with http.post(f"{instance.addresses[0]}/v1/chat/completions", json=body):
        peer.hold.set()
        assert (await ask(http, instance))[1] == "p/far"
        assert peer.asked[0].json()["model"] == "far"


async def test_none_that_can_serve_is_said_with_the_reasons(start, http) -> None:
    text = (
        f"peers: {{p: {{proxy: 'http://127.0.0.1:{free_port()}', models: [far]}}}}\n"
        "selectors: {any: {strategy: pin, targets: [p/far]}}\n"
    )
    instance = await start(parse(text))
    await becomes(http, instance, "p/far", "unavailable")
    status, _, body = await ask(http, instance)
    assert status == 503
    assert body["error"]["code"] == "selector_unavailable"
    assert "p/far: the peer p is down: " in body["error"]["message"]


async def test_a_target_that_cannot_be_reached_is_passed_over(start, http, peer) -> None:
    text = (
        f"peers:\n  gone: {{proxy: 'http://127.0.0.1:{peer.port}', models: [far]}}\n"
        f"models: {{b: {{cmd: {fake(name='b')}}}}}\n"
        "selectors: {any: {strategy: spillover, targets: [gone/far, b]}}\n"
    )
    peer.break_off = True
    instance = await start(parse(text))
    status, model, body = await ask(http, instance)
    assert (status, model) == (200, "b")
    assert body["model"] == "b"


async def test_they_are_listed_unless_they_are_not_to_be(start, http) -> None:
    text = two(
        "{strategy: warm, targets: [a, b], name: Any, description: D, metadata: {x: 1}}\n"
        "  hidden: {strategy: pin, targets: [b], unlisted: true}"
    )
    instance = await start(parse(text))

    async def row(path: str = "/v1/models/any") -> dict:
        async with http.get(f"{instance.addresses[0]}{path}") as response:
            return json.loads(await response.read())

    listed = await row("/v1/models")
    assert [each["id"] for each in listed["data"]] == ["a", "b", "any"]
    entry = await row()
    assert (entry["name"], entry["description"]) == ("Any", "D")
    assert entry["status"] == {"value": "unloaded"}
    assert entry["meta"]["llamaswap"] == {
        "x": 1,
        "type": "selector",
        "strategy": "warm",
        "targets": ["a", "b"],
        "spillover": 1,
    }
    await instance.router.load("b", by="test")
    assert (await row())["status"] == {"value": "loaded"}
    assert (await row("/v1/models/hidden"))["id"] == "hidden"
