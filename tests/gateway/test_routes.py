"""Which routes there are, and what is said where something is wrong."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request

from qmdesk.config import parse
from qmdesk.gateway.inference import _seconds
from qmdesk.gateway.target import join, upstream_path
from tests.conftest import fake, models, simple, until


class TestPaths:
    @pytest.mark.parametrize(
        ("asked", "sent"),
        [
            ("/v1/chat/completions", "/v1/chat/completions"),
            ("/chat/completions?x=%20y", "/v1/chat/completions?x=%20y"),
            ("/v/chat/completions", "/chat/completions"),
            ("/audioapi/v1/tasks/run?x=1", "/v1/tasks/run?x=1"),
            ("/segment", "/v1/segment"),
            ("/v1/some/new/route", "/v1/some/new/route"),
            ("/infill", "/infill"),
            ("/messages", "/v1/messages"),
            ("/nothing", None),
            ("/v1/", None),
        ],
    )
    def test_the_upstreams_path(self, asked: str, sent: str | None) -> None:
        assert upstream_path(asked) == sent

    def test_a_version_at_the_end_of_the_proxy_is_not_doubled(self) -> None:
        assert join("http://h:1/v1", "/v1/messages") == "http://h:1/v1/messages"
        assert join("http://h:1/api", "/v1/messages") == "http://h:1/api/v1/messages"


async def problem(response: aiohttp.ClientResponse) -> dict[str, Any]:
    content = await response.json()
    error: dict[str, Any] = content["error"]
    return error


class TestWhichModel:
    async def test_aliases_and_json_of_any_content_type(self, start, http) -> None:
        instance = await start(models(f"a: {{cmd: {fake(name='a')}, aliases: ['gpt-4', 'x/y:z']}}"))
        for name in ("gpt-4", "x/y:z"):
            async with http.post(
                f"{instance.addresses[0]}/v1/chat/completions",
                data=json.dumps({"model": name}),
                headers={"Content-Type": "application/x-www-form-urlencoded"},
            ) as response:
                assert response.status == 200
                assert response.headers["X-QM-Model"] == "a"

    async def test_an_unknown_one_is_refused_with_the_nearest_names(self, start, http) -> None:
        instance = await start(simple("qwen3-30b", "gemma"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "qwen3-31b"}) as response:
            assert response.status == 404
            error = await problem(response)
        assert error["code"] == "model_not_found"
        assert "did you mean 'qwen3-30b'?" in error["message"]
        assert all(model.state == "stopped" for model in instance.router.snapshot().models)

    async def test_none_is_refused_unless_there_is_a_default(self, start, http) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        for body in ({}, {"model": None}, {"model": ""}):
            async with http.post(address, json=body) as response:
                assert response.status == 404
                assert (await problem(response))["code"] == "model_required"
        instance.router.apply_config(simple("a", more="defaultModel: a\n"))
        async with http.post(address, json={}) as response:
            assert response.status == 200

    async def test_unknown_names_go_to_the_fallback_where_there_is_one(self, start, http) -> None:
        instance = await start(simple("a", more="fallbackModel: a\n"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "whatever"}) as response:
            assert response.headers["X-QM-Model"] == "a"

    async def test_broken_json_is_refused_with_its_place(self, start, http) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, data=b'{"model": "a",}') as response:
            assert response.status == 400
            error = await problem(response)
        assert error["code"] == "invalid_json"
        assert "line 1, column 15" in error["message"]

    async def test_a_broken_model_says_what_is_wrong_with_it(self, start, http) -> None:
        text = (
            f"models:\n  a: {{cmd: {fake(name='a')}}}\n  b: {{cmd: 'x --port ${{PORT}} ${{no}}'}}\n"
        )
        instance = await start(parse(text, tolerant=True))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "b"}) as response:
            assert response.status == 503
            assert "no" in (await problem(response))["message"]
        async with http.post(address, json={"model": "a"}) as response:
            assert response.status == 200


class TestRewriting:
    async def test_name_and_parameters(self, start, http) -> None:
        line = (
            f"a: {{cmd: {fake(name='a')}, useModelName: real,"
            " filters: {stripParams: 'top_p, model',"
            " setParams: {reasoning: off, deep.x: 1}, setParamsByID: {'a:hot': {temperature: 2}}}}"
        )
        instance = await start(models(line))
        body = '{"model":"a:hot", "top_p":0.5, "seed":1.0}'
        async with http.post(f"{instance.addresses[0]}/v1/chat/completions", data=body) as response:
            assert response.status == 200
        proxy = instance.router.snapshot().model("a").proxy
        async with http.get(f"{proxy}/fake/requests") as response:
            (request,) = await response.json()
        assert request["body"].startswith('{"model":"real", "seed":1.0')
        assert json.loads(request["body"]) == {
            "model": "real",
            "seed": 1.0,
            "reasoning": "off",
            "deep": {"x": 1},
            "temperature": 2,
        }

    async def test_our_own_credentials_stay_with_us(self, start, http) -> None:
        instance = await start(simple("a", more="apiKeys: [secret]\n"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        headers = {
            "Authorization": "Bearer secret",
            "X-Own": "kept",
            "Connection": "X-Hop",
            "X-Hop": "1",
        }
        async with http.post(address, json={"model": "a"}, headers=headers) as response:
            assert response.status == 200
        proxy = instance.router.snapshot().model("a").proxy
        async with http.get(f"{proxy}/fake/requests") as response:
            (request,) = await response.json()
        sent = {name.lower(): value for name, value in request["headers"]}
        assert sent["x-own"] == "kept"
        assert not {"authorization", "x-hop", "x-api-key"} & set(sent)


class TestAccess:
    async def test_keys_by_every_way(self, start, http) -> None:
        instance = await start(simple("a", more="apiKeys: [one, two]\n"))
        address = f"{instance.addresses[0]}/v1/models"
        ways = (
            {"Authorization": "Bearer two"},
            {"x-api-key": "one"},
            {"Authorization": aiohttp.encode_basic_auth("anybody", "two")}
            if hasattr(aiohttp, "encode_basic_auth")
            else {"Authorization": aiohttp.BasicAuth("anybody", "two").encode()},
        )
        for headers in ways:
            async with http.get(address, headers=headers) as response:
                assert response.status == 200
        for headers in ({}, {"Authorization": "Bearer three"}):
            async with http.get(address, headers=headers) as response:
                assert response.status == 401
                assert (await problem(response))["type"] == "authentication_error"
        async with http.get(f"{instance.addresses[0]}/health") as response:
            assert await response.text() == "OK"

    async def test_a_foreign_host_name_is_refused(self, start, http) -> None:
        instance = await start(simple("a", more="allowHosts: [desk.example]\n"))
        address = f"{instance.addresses[0]}/v1/models"
        for host, status in (
            ("evil.example", 403),
            ("", 403),
            ("desk.example:80", 200),
            ("localhost", 200),
            ("[::1]:8080", 200),
        ):
            async with http.get(address, headers={"Host": host}) as response:
                assert response.status == status, host

    async def test_pages_of_this_machine_may_read_and_others_may_not(self, start, http) -> None:
        instance = await start(simple("a", more="allowOrigins: ['https://chat.example']\n"))
        address = f"{instance.addresses[0]}/v1/models"
        for origin, allowed in (
            ("http://localhost:3000", True),
            ("https://chat.example", True),
            ("https://evil.example", False),
        ):
            async with http.get(address, headers={"Origin": origin}) as response:
                assert response.headers.get("Access-Control-Allow-Origin") == (
                    origin if allowed else None
                )
                if allowed:
                    assert "X-QM-Model" in response.headers["Access-Control-Expose-Headers"]

    async def test_preflights(self, start, http) -> None:
        instance = await start(simple("a"))
        headers = {
            "Origin": "http://localhost:3000",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-stainless-os, bad header, authorization",
        }
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.options(address, headers=headers) as response:
            assert response.status == 204
            assert (
                response.headers["Access-Control-Allow-Headers"] == "x-stainless-os, authorization"
            )
            assert "POST" in response.headers["Access-Control-Allow-Methods"]

    @pytest.mark.parametrize(
        "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
    )
    async def test_pages_of_other_sites_change_nothing(self, start, http, headers) -> None:
        instance = await start(simple("a"))
        await instance.router.load("a", by="the test")
        for method, path in (("GET", "/unload"), ("POST", "/api/models/unload")):
            async with http.request(
                method, instance.addresses[0] + path, headers=headers
            ) as response:
                assert response.status == 403
        assert instance.router.snapshot().model("a").state == "ready"


class TestOperations:
    async def test_load_unload_and_what_runs(self, start, http) -> None:
        instance = await start(simple("a", "org/b"))
        base = instance.addresses[0]
        async with http.post(f"{base}/api/models/org/b/load") as response:
            assert (await response.json())["model"] == "org/b"
        async with http.get(f"{base}/running") as response:
            (row,) = (await response.json())["running"]
        assert (row["model"], row["state"]) == ("org/b", "ready")
        assert row["pid"]
        assert row["port"]
        async with http.post(f"{base}/models/load", json={"model": "a"}) as response:
            assert (await response.json())["success"] is True
        async with http.post(f"{base}/api/models/a/unload") as response:
            assert (await response.json())["unloaded"] == ["a"]
        for verb, pinned in (("pin", True), ("unpin", False)):
            async with http.post(f"{base}/api/models/org/b/{verb}") as response:
                assert (await response.json())["pinned"] is pinned
            assert instance.router.snapshot().model("org/b").pinned is pinned
        async with http.get(f"{base}/unload") as response:
            assert await response.text() == "OK"
        async with http.get(f"{base}/running") as response:
            assert await response.json() == {"running": []}
        async with http.post(f"{base}/api/models/nobody/load") as response:
            assert response.status == 404

    async def test_the_list_tells_the_state_and_loads_nothing(self, start, http) -> None:
        more = "includeAliasesInList: true\n"
        text = (
            f"  a: {{cmd: {fake(name='a')}, name: A, aliases: [x], metadata: {{k: 1}}}}\n"
            f"  hidden: {{cmd: {fake()}, unlisted: true}}\n"
        )
        instance = await start(parse(f"models:\n{text}{more}"))
        base = instance.addresses[0]
        async with http.get(f"{base}/v1/models") as response:
            data = (await response.json())["data"]
        assert [row["id"] for row in data] == ["a", "x"]
        assert data[0]["status"] == {"value": "unloaded"}
        assert data[0]["name"] == "A"
        await instance.router.load("a", by="the test")
        async with http.get(f"{base}/v1/models/x") as response:
            assert (await response.json())["status"] == {"value": "loaded"}
        async with http.get(f"{base}/models") as response:
            assert len((await response.json())["data"]) == 2

    async def test_status_routes_answer_while_a_model_stops(self, start, http) -> None:
        instance = await start(models(f"a: {{cmd: {fake('--stop-after', 3, name='a')}}}"))
        await instance.router.load("a", by="the test")
        unload = asyncio.ensure_future(instance.router.unload(by="the test"))
        await until(lambda: instance.router.snapshot().model("a").state == "stopping")
        for path in ("/", "/health", "/running", "/v1/models", "/api/status"):
            async with http.get(instance.addresses[0] + path) as response:
                assert response.status == 200
        assert instance.router.snapshot().model("a").state == "stopping"
        await unload

    async def test_events_tell_what_happens_and_can_be_resumed(self, start, http) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/api/events"
        async with http.get(address) as response:
            await response.content.readuntil(b"\n\n")
            await instance.router.load("a", by="the test")
            seen = ""
            while "swap_finished" not in seen:
                seen += (await response.content.readuntil(b"\n\n")).decode()
        assert "event: swap_started" in seen
        assert '"state": "ready"' in seen
        async with http.get(address, headers={"Last-Event-ID": "1"}) as response:
            await response.content.readuntil(b"\n\n")
            assert (await response.content.readuntil(b"\n\n")).startswith(b"id: 2\n")

    async def test_logs_are_streamed_with_their_history(self, start, http) -> None:
        instance = await start(models(f"a: {{cmd: {fake('--prints', 'hello there', name='a')}}}"))
        await instance.router.load("a", by="the test")
        base = instance.addresses[0]
        async with http.get(f"{base}/logs/stream/a") as response:
            seen = ""
            while "hello there" not in seen:
                seen += (await response.content.readline()).decode()
        async with http.get(f"{base}/logs/stream/nobody") as response:
            assert response.status == 404
        async with http.get(f"{base}/logs") as response:
            assert "listening on" in await response.text()

    async def test_the_page_shows_the_address_and_the_models(self, start, http) -> None:
        instance = await start(simple("a"))
        async with http.get(f"{instance.addresses[0]}/") as response:
            page = await response.text()
        assert f"{instance.addresses[0]}/v1" in page
        assert "<code>a</code>" in page


class TestUpstream:
    async def test_parts_of_a_page_load_nothing(self, start, http) -> None:
        instance = await start(simple("a"))
        base = f"{instance.addresses[0]}/upstream/a"
        async with http.get(f"{base}/assets/app.js?v=1") as response:
            assert response.status == 409
            assert (await problem(response))["code"] == "model_not_loaded"
        assert instance.router.snapshot().model("a").state == "stopped"
        async with http.get(f"{base}/assets/app.js.map") as response:
            assert response.status == 200
        async with http.get(f"{base}/assets/app.js?v=1") as response:
            assert response.status == 200

    async def test_which_ones_is_configurable(self, start, http) -> None:
        instance = await start(simple("a", more="upstream: {ignorePaths: ['^/poll']}\n"))
        base = f"{instance.addresses[0]}/upstream/a"
        async with http.get(f"{base}/poll/1") as response:
            assert response.status == 409
        async with http.get(f"{base}/app.js") as response:
            assert response.status == 200

    async def test_the_longest_name_wins_and_the_path_is_kept(self, start, http) -> None:
        instance = await start(simple("a", "a/b"))
        base = instance.addresses[0]
        async with http.post(f"{base}/upstream/a/b/deep%2Fer/x?q=%20", json={}) as response:
            assert response.headers["X-QM-Model"] == "a/b"
            assert (await response.json())["path"] == "/deep%2Fer/x"
        async with http.post(f"{base}/upstream/a/x", json={}) as response:
            assert response.headers["X-QM-Model"] == "a"

    async def test_without_a_slash_it_is_sent_to_one(self, start, http) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/upstream/a?x=1"
        async with http.get(address, allow_redirects=False) as response:
            assert response.status == 301
            assert response.headers["Location"] == "/upstream/a/?x=1"

    async def test_an_unknown_name(self, start, http) -> None:
        instance = await start(simple("a"))
        async with http.get(f"{instance.addresses[0]}/upstream/nobody/x") as response:
            assert response.status == 404


async def test_anthropic_routes_get_anthropics_errors(start, http) -> None:
    instance = await start(simple("a"))
    async with http.post(f"{instance.addresses[0]}/v1/messages", json={"model": "b"}) as response:
        assert response.status == 404
        content = await response.json()
    assert content["type"] == "error"
    assert content["error"]["type"] == "not_found_error"


async def test_who_wants_text_gets_text(start, http) -> None:
    instance = await start(simple("a"))
    async with http.get(
        f"{instance.addresses[0]}/nowhere", headers={"Accept": "text/plain"}
    ) as response:
        assert response.status == 404
        assert await response.text() == "there is no route /nowhere\n"


async def test_a_large_body_passes(start, http) -> None:
    instance = await start(simple("a"))
    body = io.BytesIO(json.dumps({"model": "a", "image": "x" * (20 << 20)}).encode())
    async with http.post(f"{instance.addresses[0]}/v1/chat/completions", data=body) as response:
        assert response.status == 200


async def test_an_external_model_is_passed_on_to(start, http) -> None:
    """A model without a command: a server that somebody else runs."""
    upstream = await start(simple("inner"))
    outer = await start(
        models(f"cloud: {{proxy: '{upstream.addresses[0]}/v1', useModelName: inner}}")
    )
    async with http.post(
        f"{outer.addresses[0]}/v1/chat/completions", json={"model": "cloud"}
    ) as response:
        assert response.status == 200
        assert (await response.json())["model"] == "inner"


async def test_an_external_model_that_is_down_says_so(start, http) -> None:
    instance = await start(models("cloud: {proxy: 'http://127.0.0.1:9'}"))
    async with http.post(
        f"{instance.addresses[0]}/v1/chat/completions", json={"model": "cloud"}
    ) as response:
        assert response.status == 502
        assert "cloud" in (await problem(response))["message"]


class TestTurnHeaders:
    """``X-QM-Hold-Ms`` and ``X-QM-Patience-Ms`` have three states."""

    @pytest.mark.parametrize(
        ("value", "seconds"),
        [
            (None, None),
            ("", None),
            ("soon", None),
            ("-5", None),
            ("1.5", None),
            ("0", 0.0),
            ("2500", 2.5),
        ],
    )
    def test_absent_unreadable_off_or_a_number(self, value, seconds) -> None:
        headers = {} if value is None else {"X-QM-Hold-Ms": value}
        request = make_mocked_request("POST", "/", headers=headers)
        assert _seconds(request, "X-QM-Hold-Ms") == seconds
