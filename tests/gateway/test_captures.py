"""Requests and answers kept for a look, if somebody wants that."""

from __future__ import annotations

import base64
import json
from typing import Any

from qmdesk.events import Bus
from qmdesk.gateway.body import WholeBody
from qmdesk.gateway.captures import OVERHEAD, Captures, Recording
from tests.conftest import simple

SECRET = "s3cret"


async def rows(http, instance) -> list[dict[str, Any]]:
    async with http.get(f"{instance.addresses[0]}/api/activity?order=asc") as response:
        data: list[dict[str, Any]] = (await response.json())["data"]
        return data


async def capture(http, instance, number: object) -> tuple[int, dict[str, Any]]:
    async with http.get(f"{instance.addresses[0]}/api/captures/{number}") as response:
        return response.status, await response.json()


def text(body: str) -> str:
    return base64.b64decode(body).decode()


async def test_what_was_sent_and_what_came(start, http) -> None:
    instance = await start(simple("a", more="captureBuffer: 1\n"))
    url = f"{instance.addresses[0]}/v1/chat/completions?api_key={SECRET}&x=1"
    body = {"model": "a", "stream": True, "fake": {"tokens": 3}}
    headers = {"Authorization": f"Bearer {SECRET}", "Cookie": SECRET, "X-Api-Token": SECRET}
    async with http.post(url, json=body, headers={**headers, "X-Note": "kept"}) as response:
        answer = await response.text()
    (row,) = await rows(http, instance)
    assert row["has_capture"] is True
    status, found = await capture(http, instance, row["id"])
    assert status == 200
    assert (found["id"], found["method"], found["status"]) == (row["id"], "POST", 200)
    assert found["req_path"] == "/v1/chat/completions?api_key=***&x=1"
    assert json.loads(text(found["req_body"])) == body
    assert text(found["resp_body"]) == answer
    assert found["req_headers"]["X-Note"] == "kept"
    assert found["resp_headers"]["Content-Type"] == "text/event-stream"
    assert SECRET not in json.dumps(found)


async def test_none_are_made_unless_that_is_wanted(start, http) -> None:
    instance = await start(simple("a"))
    async with http.post(
        f"{instance.addresses[0]}/v1/completions", json={"model": "a"}
    ) as response:
        assert response.status == 200
    (row,) = await rows(http, instance)
    assert row["has_capture"] is False
    status, found = await capture(http, instance, row["id"])
    assert status == 404
    assert "captureBuffer is not set" in found["error"]["message"]
    for number in ("x", "-1", "9" * 30):
        assert (await capture(http, instance, number))[0] == 400


async def test_refusals_of_the_models_server_are_kept_and_ours_are_not(start, http) -> None:
    instance = await start(simple("a", more="captureBuffer: 1\n"))
    url = f"{instance.addresses[0]}/v1/completions"
    for body in (
        {"model": "a", "fake": {"status": 418}},
        {"model": "a", "fake": {"die": "before"}},
    ):
        async with http.post(url, json=body) as response:
            assert response.status >= 400
    teapot, died = await rows(http, instance)
    _, found = await capture(http, instance, teapot["id"])
    assert found["status"] == 418
    assert found["resp_body"]
    # What was asked of a server that died of it is worth knowing.
    assert (await capture(http, instance, died["id"]))[1]["status"] == 0


async def test_recordings_and_pictures_are_left_out(start, http) -> None:
    instance = await start(simple("a", more="captureBuffer: 1\n"))
    base = instance.addresses[0]
    async with http.post(f"{base}/v1/audio/speech", json={"model": "a", "input": "x"}) as response:
        assert response.status == 200
    async with http.post(
        f"{base}/upstream/a/x", data=b"\0" * 100, headers={"Content-Type": "audio/wav"}
    ) as response:
        assert response.status == 200
    speech, sound = await rows(http, instance)
    _, found = await capture(http, instance, speech["id"])
    assert found["resp_body"] is None
    assert text(found["req_body"]) == '{"model": "a", "input": "x"}'
    assert (await capture(http, instance, sound["id"]))[1]["req_body"] is None


async def test_a_smaller_buffer_lets_go_at_once(start, http) -> None:
    instance = await start(simple("a", more="captureBuffer: 1\n"))
    async with http.post(
        f"{instance.addresses[0]}/v1/completions", json={"model": "a"}
    ) as response:
        assert response.status == 200
    (row,) = await rows(http, instance)
    await instance._apply(simple("a"))
    assert (await capture(http, instance, row["id"]))[0] == 404
    assert instance._gateway._captures.held == 0


class TestTheBudget:
    def recorded(self, captures: Captures, size: int) -> Recording:
        recording = captures.begin("POST", "/v1/completions")
        assert recording is not None
        recording.request([], WholeBody(b""))
        recording.begin(200, [])
        for _ in range(size // 1000):
            recording.feed(b"x" * 1000)
        return recording

    async def test_the_oldest_go_first(self) -> None:
        captures = Captures(lambda: 100_000, Bus())
        for number in range(50):
            captures.keep(number, self.recorded(captures, 10_000))
            assert captures.held <= 100_000
        kept = [number for number in range(50) if number in captures]
        assert kept == list(range(50))[-len(kept) :]
        assert 7 <= len(kept) <= 9
        await captures.close()

    async def test_a_large_one_does_not_drive_the_others_out(self) -> None:
        captures = Captures(lambda: 100_000, Bus())
        captures.keep(1, self.recorded(captures, 10_000))
        large = self.recorded(captures, 80_000)
        assert large.dropped
        captures.keep(2, large)
        assert 1 in captures
        assert 2 not in captures
        await captures.close()

    async def test_those_under_way_count(self) -> None:
        captures = Captures(lambda: 100_000, Bus())
        under_way = [self.recorded(captures, 30_000) for _ in range(10)]
        assert captures.held <= 100_000
        for number, recording in enumerate(under_way):
            captures.keep(number, recording)
        assert 1 <= len([number for number in range(10) if number in captures]) <= 3
        await captures.close()

    async def test_what_is_kept_is_packed_and_nothing_is_lost_of_the_count(self) -> None:
        captures = Captures(lambda: 1_000_000, Bus())
        for number in range(10):
            captures.keep(number, self.recorded(captures, 90_000))
        await captures.close()
        assert captures.held < 10 * (OVERHEAD + 2_000)
        captures.trim(0)
        assert captures.held == 0
