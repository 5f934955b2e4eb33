"""Who may use the models, and who may operate the gateway."""

from __future__ import annotations

import logging
import socket
from typing import Any

import aiohttp
import psutil
import pytest

from qmdesk.config import parse
from tests.conftest import fake, simple, until


async def status(http, address: str, **more: Any) -> int:
    method = more.pop("method", "GET")
    async with http.request(method, address, **more) as response:
        await response.read()
        return response.status


async def error(http, address: str, **more: Any) -> tuple[int, dict[str, Any]]:
    method = more.pop("method", "POST")
    async with http.request(method, address, **more) as response:
        return response.status, (await response.json())["error"]


def own_address() -> str:
    """One of this machine's, other than loopback."""
    for each in [one for all in psutil.net_if_addrs().values() for one in all]:
        if each.family == socket.AF_INET and not each.address.startswith("127."):
            return each.address
    pytest.skip("this machine has no address but loopback")


KEYS = """
apiKeys: [all, some, {key: boss, admin: true, name: the boss}]
apiKeyModels: {some: [a, x]}
"""


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


class TestKeysForSomeModels:
    @pytest.fixture
    async def base(self, start) -> str:
        lines = "".join(
            f"  {name}: {{cmd: {fake(name=name)}, aliases: [{alias}]}}\n"
            for name, alias in (("a", "one"), ("b", "x"), ("c", "three"))
        )
        instance = await start(parse(f"models:\n{lines}fallbackModel: c\n{KEYS}"))
        return instance.addresses[0]

    async def test_see_only_those(self, base, http) -> None:
        for key, seen in (("some", ["a", "b"]), ("all", ["a", "b", "c"])):
            async with http.get(f"{base}/v1/models", headers=bearer(key)) as response:
                assert [row["id"] for row in (await response.json())["data"]] == seen
        assert await status(http, f"{base}/v1/models/one", headers=bearer("some")) == 200
        assert await status(http, f"{base}/v1/models/c", headers=bearer("some")) == 403
        assert await status(http, f"{base}/v1/models/c", headers=bearer("all")) == 200

    async def test_use_only_those_by_any_of_their_names(self, base, http) -> None:
        address = f"{base}/v1/chat/completions"
        for name in ("a", "one", "x", "b"):
            body = {"model": name}
            options = {"method": "POST", "headers": bearer("some"), "json": body}
            assert await status(http, address, **options) == 200, name

    @pytest.mark.parametrize("name", ["c", "three"])
    async def test_a_refusal_names_neither_other_models_nor_keys(self, base, http, name) -> None:
        address = f"{base}/v1/chat/completions"
        code, said = await error(http, address, headers=bearer("some"), json={"model": name})
        assert (code, said["code"], said["type"]) == (403, "model_not_allowed", "permission_error")
        words = said["message"].replace(repr(name), "").split()
        assert not {"a", "b", "c", "one", "x", "three", "some", "all", "boss"} & {*words}

    async def test_an_unknown_name_gets_no_fallback_that_is_not_theirs(self, base, http) -> None:
        address = f"{base}/v1/chat/completions"
        code, said = await error(http, address, headers=bearer("some"), json={"model": "thee"})
        assert (code, said["code"]) == (404, "model_not_found")
        assert "three" not in said["message"]
        options = {"method": "POST", "headers": bearer("all"), "json": {"model": "thee"}}
        assert await status(http, address, **options) == 200


class TestOperations:
    async def test_this_machine_needs_no_key_and_a_wrong_one_locks_nobody_out(
        self, start, http
    ) -> None:
        instance = await start(simple("a", more=KEYS))
        base = instance.addresses[0]
        for headers in ({}, bearer("wrong"), bearer("some")):
            assert await status(http, f"{base}/running", headers=headers) == 200
            options = {"method": "POST", "headers": headers}
            assert await status(http, f"{base}/api/models/unload", **options) == 200
        assert await status(http, f"{base}/v1/models") == 401

    async def test_other_machines_are_refused_unless_they_are_listed(self, start, http) -> None:
        mine = own_address()
        instance = await start(simple("a"), "0.0.0.0:0")
        base = f"http://{mine}:{instance.addresses[0].rpartition(':')[2]}"
        assert await status(http, f"{base}/v1/models") == 200
        code, said = await error(http, f"{base}/running", method="GET")
        assert (code, said["code"]) == (403, "not_local")
        await instance._apply(simple("a", more=f"adminAllow: {mine}\n"))
        assert await status(http, f"{base}/running") == 200

    async def test_a_key_with_admin_operates_from_anywhere(self, start, http) -> None:
        mine = own_address()
        instance = await start(simple("a", more=KEYS), "0.0.0.0:0")
        base = f"http://{mine}:{instance.addresses[0].rpartition(':')[2]}"
        for headers, code in ((bearer("boss"), 200), (bearer("all"), 403), ({}, 401)):
            assert await status(http, f"{base}/running", headers=headers) == code
        async with http.get(f"{base}/running") as response:
            # So that a browser asks for it.
            assert response.headers["WWW-Authenticate"].startswith("Basic ")
        evil = bearer("boss") | {"Origin": "https://evil.example"}
        options = {"method": "POST", "headers": evil}
        assert await status(http, f"{base}/api/models/unload", **options) == 403

    @pytest.mark.parametrize("path", ["/api/config", "/api/captures/1"])
    async def test_what_is_private_is_not_for_every_page_of_this_machine(
        self, start, http, path
    ) -> None:
        instance = await start(simple("a", more="allowOrigins: ['http://localhost:3']\n"))
        base = instance.addresses[0]
        for origin, refused in (
            ("http://localhost:3000", True),
            ("null", True),
            ("http://localhost:3", False),
            (base, False),
            (None, False),
        ):
            headers = {"Origin": origin} if origin else {}
            code = await status(http, base + path, headers=headers)
            assert (code == 403) is refused, origin


class TestProxies:
    """A request of a proxy on this machine comes from loopback, whoever sent it."""

    @pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
    async def test_what_comes_through_one_that_nobody_trusts_is_not_of_here(
        self, start, http, name
    ) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/running"
        assert await status(http, address, headers={name: "127.0.0.1"}) == 403

    @pytest.mark.parametrize(
        ("hops", "code"),
        [
            (None, 403),
            ("127.0.0.1", 403),
            ("10.1.2.3", 200),
            ("10.1.2.3:4711", 200),
            ("10.1.2.3, 127.0.0.1", 200),
            # Anybody can write the first ones.
            ("10.1.2.3, 203.0.113.9", 403),
            ("10.1.2.3, 203.0.113.9, 127.0.0.1", 403),
            ("10.1.2.3, unknown", 403),
            ("[fd00::7]:80", 200),
        ],
    )
    async def test_a_trusted_one_says_who_it_is(self, start, http, hops, code) -> None:
        more = "trustedProxies: 127.0.0.0/8\nadminAllow: [10.0.0.0/8, 'fd00::/8']\n"
        instance = await start(simple("a", more=more))
        headers = {} if hops is None else {"X-Forwarded-For": hops}
        assert await status(http, f"{instance.addresses[0]}/running", headers=headers) == code

    async def test_the_upstream_hears_of_every_hop(self, start, http, caplog) -> None:
        caplog.set_level(logging.INFO, "qmdesk.access")
        instance = await start(simple("a", more="trustedProxies: 127.0.0.1\n"))
        headers = {
            "X-Forwarded-For": "198.51.100.1, 203.0.113.9",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "desk.example",
        }
        address = f"{instance.addresses[0]}/v1/chat/completions"
        options = {"method": "POST", "json": {"model": "a"}, "headers": headers}
        assert await status(http, address, **options) == 200
        proxy = instance.router.snapshot().model("a").proxy
        async with http.get(f"{proxy}/fake/requests") as response:
            (request,) = await response.json()
        sent = dict(request["headers"])
        assert sent["X-Forwarded-For"] == "198.51.100.1, 203.0.113.9, 127.0.0.1"
        assert sent["X-Forwarded-Proto"] == "https"
        assert sent["X-Forwarded-Host"] == "desk.example"
        lines = [each for each in caplog.records if each.name == "qmdesk.access"]
        await until(lambda: lines)
        assert lines[0].message.startswith("203.0.113.9 ")

    async def test_nobody_else_is_believed(self, start, http) -> None:
        instance = await start(simple("a", more="trustedProxies: 10.0.0.0/8\n"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        headers = {"X-Forwarded-For": "10.9.9.9", "X-Forwarded-Proto": "https"}
        options = {"method": "POST", "json": {"model": "a"}, "headers": headers}
        assert await status(http, address, **options) == 200
        proxy = instance.router.snapshot().model("a").proxy
        async with http.get(f"{proxy}/fake/requests") as response:
            (request,) = await response.json()
        sent = dict(request["headers"])
        assert sent["X-Forwarded-For"] == "127.0.0.1"
        assert sent["X-Forwarded-Proto"] == "http"


async def test_the_name_of_a_key_stands_for_its_client(start, http, caplog) -> None:
    caplog.set_level(logging.INFO, "qmdesk.access")
    instance = await start(simple("a", more=KEYS))
    assert await status(http, f"{instance.addresses[0]}/v1/models", headers=bearer("boss")) == 200
    await until(lambda: [each for each in caplog.records if each.name == "qmdesk.access"])
    assert "127.0.0.1 the boss GET /v1/models 200" in caplog.text
    assert "boss " in caplog.text
    assert "Bearer" not in caplog.text


async def test_keys_in_other_characters_than_ascii(start, http) -> None:
    instance = await start(simple("a", more="apiKeys: ['schlüssel']\n"))
    address = f"{instance.addresses[0]}/v1/models"
    assert await status(http, address, headers=bearer("schlüssel")) == 200
    assert await status(http, address, headers={"x-api-key": "schlüssel"}) == 200
    encoded = aiohttp.encode_basic_auth("me", "schlüssel", encoding="utf-8")
    assert await status(http, address, headers={"Authorization": encoded}) == 200
    assert await status(http, address, headers=bearer("schl\udcfcssel")) == 401
