"""Models of other machines: found, named, asked with their own key, and left when they go."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable

import aiohttp
import pytest

from qmdesk.config import Config, parse
from qmdesk.events import PeerChanged
from qmdesk.gateway import peers
from qmdesk.gateway.peer_request import HOPS
from qmdesk.instance import Instance
from tests.conftest import fake, simple, until
from tests.gateway.peer_server import PeerServer, becomes, free_port, rows


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., object]]:
    """Starts services, and closes them when the test ends."""
    servers: list[PeerServer] = []

    async def begin(*models: str, **fields: object) -> PeerServer:
        server = PeerServer([*models], **fields)  # type: ignore[arg-type]
        await server.start()
        servers.append(server)
        return server

    yield begin
    for server in servers:
        await server.close()


def config(more: str = "", **named: str) -> Config:
    """Peers by name, each with its keys."""
    lines = [f"  {name}: {{{keys}}}\n" for name, keys in named.items()]
    return parse(f"peers:\n{''.join(lines)}{more}")


def proxy(server: PeerServer, keys: str = "models: auto", path: str = "") -> str:
    return f"proxy: 'http://127.0.0.1:{server.port}{path}', {keys}"


async def chat(http, instance: Instance, name: str, path: str = "/v1/chat/completions", **more):
    address = f"{instance.addresses[0]}{path}"
    async with http.post(address, json={"model": name}, **more) as response:
        return response.status, response.headers.get("X-QM-Model"), await response.json()


class TestAsking:
    async def test_the_full_name_becomes_the_peers_own_and_nothing_else_changes(
        self, start, http, serve
    ) -> None:
        peer = await serve()
        instance = await start(config(p=proxy(peer, "models: [org/m]")))
        body = '{ "n":1.0, "model" : "p/org/m", "big":123456789012345678901 }'
        for name in ("p/org/m", "org/m"):
            sent = body.replace("p/org/m", name)
            async with http.post(f"{instance.addresses[0]}/v1/messages", data=sent) as response:
                assert response.status == 200
                assert response.headers["X-QM-Model"] == "p/org/m"
            assert peer.asked[-1].path == "/v1/messages"
            assert peer.asked[-1].body.decode() == body.replace("p/org/m", "org/m")

    async def test_in_the_query_too(self, start, http, serve) -> None:
        peer = await serve()
        instance = await start(config(p=proxy(peer, "models: [org/m]")))
        address = f"{instance.addresses[0]}/v1/audio/voices?x=%20&model=p%2Forg%2Fm&y"
        async with http.get(aiohttp.client.URL(address, encoded=True)) as response:
            assert response.status == 200
        assert peer.asked[0].path == "/v1/audio/voices?x=%20&model=org%2Fm&y"

    async def test_in_forms_too(self, start, http, serve) -> None:
        peer = await serve()
        instance = await start(config(p=proxy(peer, "models: [m]")))
        form = aiohttp.FormData({"before": "1", "model": "p/m"})
        form.add_field("file", b"x" * 300_000, filename="a.wav")
        async with http.post(
            f"{instance.addresses[0]}/v1/audio/transcriptions", data=form
        ) as response:
            assert response.status == 200
        assert b'name="model"\r\n\r\nm\r\n' in peer.asked[0].body
        assert b"x" * 300_000 in peer.asked[0].body
        async with http.post(
            f"{instance.addresses[0]}/v1/images/edits", data={"a": "1", "model": "p/m"}
        ) as response:
            assert response.status == 200
        assert peer.asked[1].body == b"a=1&model=m"

    async def test_its_key_is_sent_and_ours_never(self, start, http, serve) -> None:
        peer = await serve()
        bare = await serve()
        bare.models = ["n"]
        instance = await start(
            config(
                "apiKeys: [ours]\n",
                p=proxy(peer, "models: [m], apiKey: theirs"),
                q=proxy(bare, "models: auto"),
            )
        )
        headers = {"Authorization": "Bearer ours", "x-api-key": "ours", "Cookie": "a=ours"}
        assert (await chat(http, instance, "p/m", headers=headers))[0] == 200
        assert (await chat(http, instance, "q/n", headers=headers))[0] == 200
        for sent in (peer.asked[0].headers, peer.looks[0]):
            assert sent["Authorization"] == "Bearer theirs"
            assert sent["x-api-key"] == "theirs"
        told = [*peer.asked, *bare.asked]
        assert "ours" not in str([(each.headers, each.body) for each in told])
        assert "ours" not in str([*peer.looks, *bare.looks])
        assert not any("Authorization" in sent for sent in (bare.asked[0].headers, *bare.looks))
        assert not any("X-Forwarded-For" in each.headers for each in told)

    async def test_its_filters_are_applied(self, start, http, serve) -> None:
        peer = await serve()
        filters = "filters: {stripParams: 'a', setParams: {b.c: 2}, setParamsByID: {m: {d: 3}}}"
        instance = await start(config(p=proxy(peer, f"models: [m, n], {filters}")))
        for name, more in (("p/m", {"d": 3}), ("m", {"d": 3}), ("p/n", {})):
            body = {"model": name, "a": 1, "e": 4}
            async with http.post(f"{instance.addresses[0]}/v1/completions", json=body):
                pass
            assert peer.asked[-1].json() == {"model": name[-1], "e": 4, "b": {"c": 2}} | more

    @pytest.mark.parametrize(
        ("path", "asked"), [("/openai/v1", "/openai/v1"), ("/base", "/base/v1"), ("", "/v1")]
    )
    async def test_the_base_path_is_kept_and_a_version_not_doubled(
        self, start, http, serve, path: str, asked: str
    ) -> None:
        peer = await serve()
        instance = await start(config(p=proxy(peer, "models: [m]", path)))
        await chat(http, instance, "p/m")
        assert peer.asked[-1].path == f"{asked}/chat/completions"

    async def test_its_server_can_be_reached_by_path(self, start, http, serve) -> None:
        peer = await serve("a/b")
        instance = await start(config(p=proxy(peer, "models: auto, apiKey: k")))
        address = f"{instance.addresses[0]}/upstream/p/a/b/some/path%20x?y=1"
        body = '{"model": "as it is"}'
        async with http.put(aiohttp.client.URL(address, encoded=True), data=body) as response:
            assert response.status == 200
        assert peer.asked[0].path == "/some/path%20x?y=1"
        assert peer.asked[0].body.decode() == body
        assert peer.asked[0].headers["x-api-key"] == "k"

    async def test_a_model_of_ours_has_the_name_first(self, start, http, serve) -> None:
        peer = await serve()
        text = f"models: {{m: {{cmd: {fake(name='own')}}}}}\n"
        instance = await start(config(text, p=proxy(peer, "models: [m]")))
        assert (await chat(http, instance, "m"))[1] == "m"
        assert (await chat(http, instance, "p/m"))[1] == "p/m"

    async def test_nobody_is_evicted_and_nobody_waited_for(self, start, http, serve) -> None:
        peer = await serve()
        text = f"models: {{own: {{cmd: {fake()}, concurrencyLimit: 1}}}}\n"
        instance = await start(config(text, p=proxy(peer, "models: [m]")))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        body = {"model": "own", "stream": True, "fake": {"tokens": 2, "delay": 600}}
        async with http.post(address, json=body):
            assert (await chat(http, instance, "p/m"))[0] == 200
            assert instance.router.state("own") == "ready"

    async def test_it_is_watched_like_any_other_request(self, start, http, serve) -> None:
        peer = await serve()
        peer.hold = asyncio.Event()
        instance = await start(config(p=proxy(peer, "models: [m]")))
        asking = asyncio.create_task(chat(http, instance, "m"))
        await until(lambda: peer.asked)
        async with http.get(f"{instance.addresses[0]}/api/requests") as response:
            (row,) = (await response.json())["requests"]
        assert (row["model"], row["state"]) == ("p/m", "running")
        address = f"{instance.addresses[0]}/api/requests/{row['id']}/cancel"
        async with http.post(address) as response:
            assert response.status == 200
        status, _, body = await asking
        assert (status, body["error"]["code"]) == (499, "request_cancelled")
        async with http.get(f"{instance.addresses[0]}/api/activity") as response:
            (row,) = (await response.json())["data"]
        assert (row["model"], row["status"]) == ("p/m", 499)

    async def test_an_answer_that_does_not_begin_is_given_up(self, start, http, serve) -> None:
        peer = await serve()
        peer.hold = asyncio.Event()
        keys = "models: [m], timeouts: {responseHeader: 0.2}"
        instance = await start(config(p=proxy(peer, keys)))
        status, _, body = await chat(http, instance, "p/m")
        assert (status, body["error"]["code"]) == (504, "upstream_timeout")
        assert "p/m: its answer did not begin within 0.2 s" in body["error"]["message"]
        # Slow is not gone.
        await becomes(http, instance, "p/m", "loaded")

    async def test_nor_is_one_of_ours_waited_for_longer(self, start, http) -> None:
        keys = f"{{cmd: {fake()}, timeouts: {{responseHeader: 0.2}}}}"
        instance = await start(parse(f"models: {{a: {keys}}}"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "a", "fake": {"silence": 600}}) as response:
            assert response.status == 504
            assert (await response.json())["error"]["code"] == "upstream_timeout"
        # One that has begun may take its time.
        body = {"model": "a", "stream": True, "fake": {"tokens": 2, "delay": 0.2}}
        async with http.post(address, json=body) as response:
            assert b"[DONE]" in await response.read()


class TestFinding:
    async def test_its_models_are_listed_as_they_are_now(self, start, http, serve) -> None:
        peer = await serve("m", "org/n")
        instance = await start(config(p=proxy(peer)))
        await becomes(http, instance, "p/org/n", "loaded")
        row = (await rows(http, instance))["p/m"]
        assert row["owned_by"] == "p"
        assert row["name"] == "p: m"
        assert row["meta"]["llamaswap"] == {"type": "peer", "peerID": "p"}
        async with http.get(f"{instance.addresses[0]}/v1/models/p/org/n") as response:
            assert (await response.json())["id"] == "p/org/n"

    async def test_a_name_that_is_new_there_is_found_when_it_is_asked_for(
        self, start, http, serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(peers, "FRESH", 0.0)
        peer = await serve("m")
        instance = await start(config(p=proxy(peer)))
        await becomes(http, instance, "p/m", "loaded")
        peer.models = ["new"]
        assert (await chat(http, instance, "p/new"))[0] == 200
        assert [*(await rows(http, instance))] == ["p/new"]
        assert (await chat(http, instance, "p/m"))[2]["error"]["code"] == "model_not_found"

    async def test_it_is_looked_at_again_now_and_then(
        self, start, http, serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(peers, "EVERY", 0.05)
        monkeypatch.setattr(peers, "FRESH", 0.0)
        peer = await serve("m")
        instance = await start(config(p=proxy(peer)))
        await becomes(http, instance, "p/m", "loaded")
        peer.models = ["n"]
        await becomes(http, instance, "p/n", "loaded")
        await becomes(http, instance, "p/m", None)

    async def test_a_changed_configuration_is_followed(self, start, http, serve) -> None:
        peer, other = await serve("m"), await serve("n")
        instance = await start(config(p=proxy(peer)))
        await becomes(http, instance, "p/m", "loaded")
        instance.router.apply_config(config(p=proxy(other), q=proxy(peer, "models: [x]")))
        await becomes(http, instance, "p/n", "loaded")
        assert {*(await rows(http, instance))} == {"p/n", "q/x"}
        instance.router.apply_config(parse("models: {}"))
        assert not await rows(http, instance)

    async def test_models_of_a_peers_peer_and_names_that_are_none_are_left_out(
        self, start, http, serve
    ) -> None:
        peer = await serve("m")
        peer.rows = [{"id": "far/m", "meta": {"llamaswap": {"type": "peer"}}}, {"id": "n"}]
        peer.rows += [{"id": "a\r\nb: c"}, {"id": ""}, {"id": 1}, {"id": "n", "meta": "?"}]
        instance = await start(config(p=proxy(peer)))
        await becomes(http, instance, "p/n", "loaded")
        assert {*(await rows(http, instance))} == {"p/m", "p/n"}

    @pytest.mark.parametrize(
        ("answers", "said"),
        [
            ({"list_status": 401}, "it refuses the key (401)"),
            ({"list_status": 404}, "it answers 404"),
            ({"rows": ["text"]}, "no list of models"),
            ({"rows": [{"name": "x"}]}, "no list of models"),
            ({"list_status": 503}, "it answers 503"),
        ],
    )
    async def test_why_nothing_is_known_of_it_is_said(
        self, start, http, serve, answers: dict, said: str
    ) -> None:
        peer = await serve(**answers)
        instance = await start(config(p=proxy(peer)))
        answer, _, body = await chat(http, instance, "p/m")
        assert answer == 502
        assert body["error"]["code"] == "peer_unavailable"
        assert said in body["error"]["message"]

    async def test_an_unknown_name_is_refused_with_the_nearest(self, start, http, serve) -> None:
        peer = await serve()
        instance = await start(config(p=proxy(peer, "models: [qwen3-30b]")))
        status, _, body = await chat(http, instance, "p/qwen3-31b")
        assert status == 404
        assert "did you mean 'p/qwen3-30b'" in body["error"]["message"]


class TestGoing:
    async def test_one_that_is_not_there_is_named_with_the_reason(self, start, http) -> None:
        port = free_port()
        text = f"proxy: 'http://127.0.0.1:{port}', models: [m]"
        instance = await start(config(p=text))
        status, _, body = await chat(http, instance, "p/m")
        assert status == 502
        assert body["error"]["code"] == "peer_unavailable"
        assert body["error"]["message"].startswith("the peer p does not answer: ")
        assert str(port) in body["error"]["message"]
        await becomes(http, instance, "p/m", "unavailable")

    async def test_the_next_one_that_offers_the_model_takes_over(
        self, start, http, serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(peers, "FRESH", 0.05)
        monkeypatch.setattr(peers, "SOON", 0.05)
        first, second = await serve(), await serve()
        filters = "models: [m], filters: {setParams: {who: two}}"
        text = config(p=proxy(first, "models: [m]"), q=proxy(second, filters))
        instance = await start(text)
        facts: list[PeerChanged] = []
        instance.bus.subscribe(facts.append, PeerChanged)  # type: ignore[arg-type]
        assert (await chat(http, instance, "m"))[1] == "p/m"
        await first.close()
        # Also an upload that is streamed.
        form = aiohttp.FormData({"model": "m"})
        form.add_field("file", b"x" * 100_000, filename="a.wav")
        async with http.post(
            f"{instance.addresses[0]}/v1/audio/transcriptions", data=form
        ) as response:
            assert (response.status, response.headers["X-QM-Model"]) == (200, "q/m")
        assert b'name="model"\r\n\r\nm\r\n' in second.asked[0].body
        assert await chat(http, instance, "m") == (200, "q/m", {"port": second.port, "choices": []})
        assert second.asked[1].json() == {"model": "m", "who": "two"}
        down = next(fact for fact in facts if not fact.up)
        assert down.peer == "p"
        assert str(first.port) in down.error
        # It comes back and is asked again; a look finds it without a request.
        await first.start()
        await becomes(http, instance, "p/m", "loaded")
        assert facts[-1] == PeerChanged("p", up=True, models=("m",))
        assert (await chat(http, instance, "m"))[1] == "p/m"

    async def test_one_that_breaks_off_before_it_answers_is_passed_over(
        self, start, http, serve
    ) -> None:
        first, second = await serve(), await serve()
        first.break_off = True
        text = config(p=proxy(first, "models: [m]"), q=proxy(second, "models: [m]"))
        instance = await start(text)
        assert (await chat(http, instance, "m"))[1] == "q/m"
        assert (await chat(http, instance, "p/m"))[0] == 502

    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    async def test_one_that_is_not_able_now_is_passed_over(
        self, start, http, serve, status: int
    ) -> None:
        first, second = await serve(), await serve()
        first.refusal = (status, "all slots are taken")
        text = config(p=proxy(first, "models: [m]"), q=proxy(second, "models: [m]"))
        instance = await start(text)
        assert await chat(http, instance, "m") == (
            200,
            "q/m",
            {"port": second.port, "choices": []},
        )
        assert len(first.asked) == 1
        # Where nobody else can be asked, what it says is passed on as it is.
        answer = {"error": {"message": "all slots are taken"}}
        assert await chat(http, instance, "p/m") == (status, "p/m", answer)
        second.refusal = (503, "nor here")
        answer = {"error": {"message": "nor here"}}
        assert await chat(http, instance, "m") == (503, "q/m", answer)
        async with http.get(f"{instance.addresses[0]}/api/activity") as response:
            last = (await response.json())["data"][0]
        assert (last["model"], last["status"]) == ("q/m", 503)

    @pytest.mark.parametrize("status", [400, 404, 500])
    async def test_one_that_refuses_the_request_is_not(
        self, start, http, serve, status: int
    ) -> None:
        first, second = await serve(), await serve()
        first.refusal = (status, "no such parameter")
        text = config(p=proxy(first, "models: [m]"), q=proxy(second, "models: [m]"))
        instance = await start(text)
        answer = {"error": {"message": "no such parameter"}}
        assert await chat(http, instance, "m") == (status, "p/m", answer)
        assert second.asked == []

    async def test_both_reasons_are_told_where_the_last_is_not_there(
        self, start, http, serve
    ) -> None:
        first = await serve()
        first.refusal = (503, "all slots are taken")
        gone = f"proxy: 'http://127.0.0.1:{free_port()}', models: [m]"
        instance = await start(config(p=proxy(first, "models: [m]"), q=gone))
        status, _, body = await chat(http, instance, "m")
        assert status == 502
        assert "the peer p answered 503 all slots are taken" in body["error"]["message"]
        assert "the peer q does not answer" in body["error"]["message"]

    async def test_all_of_them_are_named_when_none_answers(self, start, http) -> None:
        text = f"proxy: 'http://127.0.0.1:{free_port()}', models: [m]"
        instance = await start(config(p=text, q=text))
        status, _, body = await chat(http, instance, "m")
        assert status == 502
        assert "the peer p does not" in body["error"]["message"]
        assert "the peer q does not" in body["error"]["message"]

    @pytest.mark.skipif(sys.platform != "linux", reason="others refuse what they cannot queue")
    async def test_one_that_does_not_take_the_connection_is_given_up_in_time(
        self, start, http, serve
    ) -> None:
        second = await serve()
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            address = full.getsockname()
            with socket.create_connection(address):
                first = f"proxy: 'http://127.0.0.1:{address[1]}', timeouts: {{connect: 0.2}}"
                text = config(p=f"{first}, models: [m]", q=proxy(second, "models: [m]"))
                instance = await start(text)
                assert (await chat(http, instance, "m"))[1] == "q/m"

    async def test_where_one_cannot_say_what_it_offers_an_unknown_name_may_be_its(
        self, start, http
    ) -> None:
        text = f"proxy: 'http://127.0.0.1:{free_port()}', models: auto"
        instance = await start(config(p=text))
        status, _, body = await chat(http, instance, "m")
        assert status == 404
        assert "what p offer is not known just now" in body["error"]["message"]

    async def test_a_request_finds_one_that_has_come_back(
        self, start, http, serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(peers, "FRESH", 0.0)
        peer = await serve("m")
        await peer.close()
        instance = await start(config(p=proxy(peer)))
        assert (await chat(http, instance, "p/m"))[2]["error"]["code"] == "peer_unavailable"
        await peer.start()
        assert (await chat(http, instance, "m"))[:2] == (200, "p/m")


class TestShutdown:
    async def test_what_is_under_way_is_finished_and_nothing_new_begun(
        self, start, http, serve
    ) -> None:
        peer = await serve()
        peer.hold = asyncio.Event()
        instance = await start(config(p=proxy(peer, "models: [m]")))
        asking = asyncio.create_task(chat(http, instance, "m"))
        await until(lambda: peer.asked)
        stopping = asyncio.create_task(instance.stop(budget=20.0))
        await until(lambda: instance.router.shutting_down)
        status, _, body = await chat(http, instance, "m")
        assert (status, body["error"]["code"]) == (503, "shutting_down")
        peer.hold.set()
        assert (await asking)[0] == 200
        await stopping

    async def test_what_does_not_end_is_ended(self, start, http, serve) -> None:
        peer = await serve()
        peer.hold = asyncio.Event()
        instance = await start(config(p=proxy(peer, "models: [m]")))
        asking = asyncio.create_task(chat(http, instance, "m"))
        await until(lambda: peer.asked)
        await instance.router.shutdown(0.1)
        status, _, body = await asking
        assert (status, body["error"]["code"]) == (503, "shutting_down")


class TestTwoOfUs:
    async def test_a_stream_comes_through_both_as_it_is(self, start, http) -> None:
        far = await start(simple("m", more="apiKeys: [far]\n"))
        keys = f"proxy: '{far.addresses[0]}/v1', models: auto, apiKey: far"
        near = await start(config("apiKeys: [near]\n", far=keys))
        http.headers["Authorization"] = "Bearer near"
        await becomes(http, near, "far/m", "loaded")
        body = {"model": "far/m", "stream": True, "fake": {"tokens": 4}}
        async with http.post(f"{near.addresses[0]}/v1/chat/completions", json=body) as response:
            assert response.headers["Content-Type"] == "text/event-stream"
            assert response.headers["X-QM-Model"] == "far/m"
            events = [line[6:] async for line in response.content if line.startswith(b"data: ")]
        tokens = [json.loads(each)["choices"][0]["delta"].get("content") for each in events[:-1]]
        assert tokens == ["m-0", "m-1", "m-2", "m-3", None]
        assert events[-1] == b"[DONE]\n"

    async def test_the_far_server_is_told_when_the_client_leaves(self, start, http) -> None:
        far = await start(simple("m"))
        near = await start(config(far=f"proxy: '{far.addresses[0]}', models: [m]"))
        body = {"model": "m", "stream": True, "fake": {"tokens": 9, "delay": 600}}
        async with http.post(f"{near.addresses[0]}/v1/chat/completions", json=body):
            assert far.router.snapshot().in_flight == 1
        await until(lambda: not far.router.snapshot().in_flight)

    async def test_a_stream_whose_peer_dies_ends_with_an_error(self, start, http) -> None:
        far = await start(simple("m"))
        near = await start(config(far=f"proxy: '{far.addresses[0]}', models: [m]"))
        body = {"model": "m", "stream": True, "fake": {"tokens": 2, "die": "within"}}
        text = b""
        async with http.post(f"{near.addresses[0]}/v1/chat/completions", json=body) as response:
            with contextlib.suppress(aiohttp.ClientPayloadError):
                async for piece in response.content.iter_any():
                    text += piece
            assert response.content.exception() is not None
        assert text.count(b"upstream_failed") == 2
        assert b"[DONE]" not in text

    async def test_peers_of_each_other_do_not_go_round_in_circles(self, start, http) -> None:
        one = await start(parse("models: {}"))
        two = await start(config(one=f"proxy: '{one.addresses[0]}', models: [m]"))
        one.router.apply_config(config(two=f"proxy: '{two.addresses[0]}', models: [m]"))
        status, _, body = await chat(http, one, "m")
        assert status == 508
        assert body["error"]["code"] == "peer_loop"
        # Nonsense of a client is no circle.
        assert (await chat(http, two, "one/m", headers={HOPS: "x" * 99}))[0] == 508
