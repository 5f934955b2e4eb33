"""What a key or an address sees of names that are no models of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from qmdesk.config import parse
from tests.conftest import fake
from tests.gateway.peer_server import PeerServer

NAMES = """
selectors:
  one: {strategy: pin, targets: [a]}
  two: {strategy: warm, targets: [b, a]}
profiles: {on: {pins: {gpt: b, far: p/m}}}
apiKeys: [all, a, two, far]
apiKeyModels: {a: [a], two: [two], far: [p/m]}
"""


@pytest.fixture
async def base(start, http) -> AsyncIterator[str]:
    peer = PeerServer()
    address = await peer.start()
    text = (
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
        "  current: {aliases: [title]}\n"
        f"peers: {{p: {{proxy: '{address}', models: [m, n]}}}}\n{NAMES}"
    )
    instance = await start(parse(text))
    headers = {"Authorization": "Bearer all"}
    put = http.put(
        f"{instance.addresses[0]}/api/profiles/active", json={"name": "on"}, headers=headers
    )
    async with put as response:
        assert response.status == 200
    yield instance.addresses[0]
    await peer.close()


@pytest.mark.parametrize(
    ("key", "seen"),
    [
        ("all", "a b p/m p/n one two current title gpt far"),
        ("a", "a one two current title"),
        ("two", "two"),
        ("far", "p/m far"),
    ],
)
async def test_the_list_has_what_the_key_reaches(base, http, key: str, seen: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with http.get(f"{base}/v1/models", headers=headers) as response:
        assert [row["id"] for row in (await response.json())["data"]] == seen.split()


@pytest.mark.parametrize(
    ("key", "name", "answer"),
    [
        ("a", "one", (200, "a")),
        # Of a selector's targets only those that the key may use.
        ("a", "two", (200, "a")),
        ("a", "gpt", (403, "model_not_allowed")),
        ("a", "p/m", (403, "model_not_allowed")),
        ("a", "m", (403, "model_not_allowed")),
        # A key for a selector's name may use whatever that chooses.
        ("two", "two", (200, "b")),
        ("two", "b", (403, "model_not_allowed")),
        ("two", "one", (403, "model_not_allowed")),
        ("far", "p/m", (200, "p/m")),
        ("far", "m", (200, "p/m")),
        ("far", "far", (200, "p/m")),
        ("far", "n", (403, "model_not_allowed")),
        ("far", "title", (503, "no_model_loaded")),
    ],
)
async def test_a_key_reaches_what_it_may_use_by_any_name(
    base, http, key: str, name: str, answer: tuple[int, str]
) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    address = f"{base}/v1/chat/completions"
    async with http.post(address, json={"model": name}, headers=headers) as response:
        said = response.headers.get("X-QM-Model")
        assert (response.status, said or (await response.json())["error"]["code"]) == answer


async def test_an_address_for_some_groups_offers_no_peers(start, http) -> None:
    text = (
        f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: {fake(name='b')}}}\n"
        "groups: {g: {members: [a]}}\n"
        "peers: {p: {proxy: 'http://127.0.0.1:9', models: [m]}}\n"
        "selectors: {s: {strategy: warm, targets: [b, a]}, t: {strategy: pin, targets: [b]}}\n"
        "listeners: {'127.0.0.1:0': {groups: [g]}}\n"
    )
    instance = await start(parse(text), listen=None)
    base = instance.addresses[0]
    async with http.get(f"{base}/v1/models") as response:
        assert [row["id"] for row in (await response.json())["data"]] == ["a", "s"]
    for name, answer in (("s", 200), ("t", 404), ("p/m", 404), ("m", 404)):
        async with http.post(f"{base}/v1/chat/completions", json={"model": name}) as response:
            assert response.status == answer
