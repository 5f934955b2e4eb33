"""Rows of what is over, kept on disk, asked for by page; and the counters of /metrics."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from multidict import MultiDict
from prometheus_client.parser import text_string_to_metric_families

from qmdesk.events import ModelState
from qmdesk.gateway import activity as module
from qmdesk.gateway.activity import FILE, Activity, Row
from qmdesk.gateway.error import ApiError
from qmdesk.instance import Instance
from tests.conftest import fake, models, simple, until

ROW = Row(
    time=0.0,
    model="a",
    route="/v1/chat/completions",
    method="POST",
    client="me",
    status=200,
    error=None,
    content_type="application/json",
    queue_ms=1.0,
    load_ms=0.0,
    first_token_ms=5.0,
    duration_ms=10.0,
    bytes=100,
    prompt_tokens=3,
    cached_tokens=1,
    generated_tokens=2,
    drafted_tokens=None,
    accepted_tokens=None,
    prompt_per_second=None,
    tokens_per_second=50.0,
    counted=False,
)


def row(**changes: Any) -> Row:
    return ROW._replace(**{"time": time.time(), **changes})


@pytest.fixture
async def activity(tmp_path):
    kept = Activity(tmp_path / FILE)
    yield kept
    await kept.close()


class TestPages:
    async def ids(self, activity: Activity, **query: str) -> list[int]:
        return [each["id"] for each in (await activity.page(MultiDict(query)))["data"]]

    async def test_the_newest_come_first(self, activity) -> None:
        for number in range(60):
            activity.add(row(model="ab"[number % 2], duration_ms=float(100 - number)))
        page = await activity.page(MultiDict())
        assert [each["id"] for each in page["data"]] == list(range(60, 35, -1))
        del page["data"]
        assert page == {"page": 1, "limit": 25, "total": 60, "total_pages": 3}
        assert await self.ids(activity, page="3") == list(range(10, 0, -1))
        assert await self.ids(activity, page="9") == []
        assert await self.ids(activity, order="asc", limit="2") == [1, 2]
        assert await self.ids(activity, sort="duration", limit="1", order="asc") == [60]

    async def test_filters(self, activity) -> None:
        now = time.time()
        for model, age in (("a", 3000), ("b", 0), ("c", 1000)):
            activity.add(row(model=model, time=now - age))
        then = datetime.fromtimestamp(now - 2000, UTC).isoformat()
        assert await self.ids(activity, model="b") == [2]
        both = await activity.page(MultiDict([("model", "a"), ("model", "b")]))
        assert [each["model"] for each in both["data"]] == ["b", "a"]
        assert await self.ids(activity, start=then) == [3, 2]
        # A plus sign that was not encoded.
        assert await self.ids(activity, end=then.replace("+", " ")) == [1]
        assert await self.ids(activity, end="2010-01-01T00:00:00Z") == []
        assert await self.ids(activity, min_id="2", max_id="2") == [2]

    @pytest.mark.parametrize(
        "query",
        [
            {"limit": "0"},
            {"limit": "1000"},
            {"page": "-1"},
            {"page": "x"},
            {"sort": "id; DROP TABLE activity"},
            {"order": "up"},
            {"start": "yesterday"},
            {"end": "2026-01-01T00:00:00"},
            {"min_id": "0"},
            {"max_id": "9" * 30},
        ],
    )
    async def test_what_makes_no_sense_is_refused(self, activity, query) -> None:
        with pytest.raises(ApiError) as refused:
            await activity.page(MultiDict(query))
        assert refused.value.status == 400
        assert next(iter(query)) in refused.value.message


class TestKeeping:
    async def test_they_are_there_after_a_restart(self, activity, tmp_path) -> None:
        activity.add(row())
        await activity.close()
        again = Activity(tmp_path / FILE)
        page = await again.page(MultiDict())
        await again.close()
        (kept,) = page["data"]
        assert (kept["id"], kept["model"], kept["generated_tokens"]) == (1, "a", 2)
        assert kept["counted"] is False
        assert kept["timestamp"].endswith("+00:00")

    async def test_they_are_written_soon_by_themselves(self, activity, tmp_path) -> None:
        activity.add(row())
        await until(lambda: not activity._waiting)
        await activity._writing
        with sqlite3.connect(tmp_path / "activity.sqlite3") as connection:
            assert connection.execute("SELECT count(*) FROM activity").fetchone() == (1,)
        connection.close()

    async def test_old_ones_and_too_many_go(self, activity) -> None:
        await activity.move(activity._file, 5)
        activity.add(row(time=time.time() - 31 * 86400))
        for _ in range(8):
            activity.add(row())
        page = await activity.page(MultiDict())
        assert [each["id"] for each in page["data"]] == [9, 8, 7, 6, 5]

    async def test_more_than_can_be_written_are_dropped(self, activity, monkeypatch) -> None:
        monkeypatch.setattr(module, "WAITING", 3)
        for _ in range(5):
            activity.add(row())
        assert (await activity.page(MultiDict()))["total"] == 3

    async def test_a_folder_that_cannot_be_used_is_no_end(self, tmp_path, caplog) -> None:
        (tmp_path / "file").write_text("in the way")
        activity = Activity(tmp_path / "file" / FILE)
        activity.add(row())
        assert (await activity.page(MultiDict()))["total"] == 1
        await activity.close()
        assert "in memory only" in caplog.text

    async def test_a_file_that_is_no_database(self, tmp_path) -> None:
        (tmp_path / "activity.sqlite3").write_bytes(b"not a database at all" * 100)
        activity = Activity(tmp_path / FILE)
        assert (await activity.page(MultiDict()))["total"] == 0
        await activity.close()


class TestThroughTheGateway:
    async def test_the_configuration_says_where(self, start, http, tmp_path) -> None:
        instance = await start(simple("a", more=f"store: {{path: {tmp_path / 'one.db'}}}\n"))
        url = f"{instance.addresses[0]}/v1/completions"
        for count, more in ((1, ""), (3, "store: {path: ':memory:'}\nmetricsMaxInMemory: 2\n")):
            if more:
                await instance._apply(simple("a", more=more))
                assert await self.rows(instance, http) == []
            for _ in range(count):
                async with http.post(url, json={"model": "a"}) as response:
                    await response.read()
            assert len(await self.rows(instance, http)) == min(count, 2)
        with sqlite3.connect(tmp_path / "one.db") as connection:
            assert connection.execute("SELECT count(*) FROM activity").fetchone() == (1,)
        connection.close()

    async def rows(self, instance, http) -> list[dict[str, Any]]:
        async with http.get(f"{instance.addresses[0]}/api/activity?order=asc") as response:
            assert response.status == 200
            found: list[dict[str, Any]] = (await response.json())["data"]
        return found

    async def test_a_row_for_each(self, start, http) -> None:
        instance = await start(simple("a", "b"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "a", "stream": True}) as response:
            size = len(await response.read())
        failing = {"model": "a", "fake": {"status": 418}}
        async with http.post(address, json=failing) as response:
            await response.read()
        async with http.get(f"{instance.addresses[0]}/props?model=a") as response:
            await response.read()
        await until(lambda: not instance.router.snapshot().in_flight)
        first, second = await self.rows(instance, http)
        assert (first["model"], first["route"]) == ("a", "/v1/chat/completions")
        assert (first["status"], first["bytes"], first["error"]) == (200, size, None)
        assert (first["generated_tokens"], first["counted"]) == (3, True)
        assert first["queue_ms"] >= first["load_ms"] > 0
        assert first["duration_ms"] >= first["first_token_ms"] >= first["queue_ms"]
        assert first["client"].startswith("Python/")
        assert second["status"] == 418
        assert second["load_ms"] == 0

    async def test_what_metrics_say(self, start, http) -> None:
        instance = await start(simple("a", "b"))
        for model, path in (("a", "chat/completions"), ("b", "some/new/thing/4711")):
            address = f"{instance.addresses[0]}/v1/{path}"
            async with http.post(address, json={"model": model, "stream": True}) as response:
                await response.read()
        await until(lambda: not instance.router.snapshot().in_flight)
        await instance.router.unload(("b",), by="the test")
        await instance.router.load("b", by="the test")
        async with http.get(f"{instance.addresses[0]}/metrics") as response:
            assert response.content_type == "text/plain"
            text = await response.text()
        said = {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
        assert said["qmdesk_requests_total", "a", "/v1/chat/completions", "200"] == 1
        assert said["qmdesk_requests_total", "b", "other", "200"] == 1
        assert said["qmdesk_request_seconds_count", "a"] == 1
        assert said["qmdesk_queue_seconds_count", "a"] == 1
        assert said["qmdesk_first_token_seconds_count", "a"] == 1
        assert said["qmdesk_tokens_total", "generated", "a"] == 3
        assert said["qmdesk_loads_total", "a", "ok"] == 1
        assert said["qmdesk_load_seconds_count", "b"] == 2
        assert said["qmdesk_evictions_total", "a", "swap"] == 1
        assert said["qmdesk_evictions_total", "b", "manual"] == 1
        assert said["qmdesk_resident_models",] == 1
        assert said["qmdesk_in_flight",] == said["qmdesk_queue_length",] == 0
        assert said["qmdesk_host_memory_bytes",] > 0


class TestForTheWindow:
    """The same without HTTP."""

    async def test_requests_are_seen_cancelled_and_over(self, start, http) -> None:
        instance = await start(simple("a"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        body = {"model": "a", "stream": True, "fake": {"tokens": 1000, "delay": 0.05}}
        async with http.post(address, json=body) as response:
            await response.content.readany()
            await until(lambda: instance.requests()[0]["first_token_seconds"] is not None)
            (row,) = instance.requests()
            assert (row["model"], row["state"]) == ("a", "running")
            assert 0 < row["load_seconds"] <= row["waited_seconds"]
            assert row["waited_seconds"] <= row["first_token_seconds"] <= row["age_seconds"]
            assert instance.cancel_request(row["id"], by="the window")
            with contextlib.suppress(aiohttp.ClientPayloadError):
                await response.read()
        await until(lambda: not instance.requests())
        assert not instance.cancel_request(row["id"], by="the window")
        (over,) = await instance.activity()
        assert over["error"] == "the request was cancelled by the window"
        assert await instance.activity(after=over["id"]) == []

    async def test_one_that_waits_for_its_second_try_is_cancelled_too(self, start, http) -> None:
        server = fake("--die-at", 2, "--ready-after", 0.7, name="a")
        instance = await start(models(f"a: {{cmd: {server}}}"))
        address = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(address, json={"model": "a"}) as response:
            assert response.status == 200

        async def ask() -> tuple[int, str]:
            async with http.post(address, json={"model": "a"}) as response:
                return response.status, (await response.json())["error"]["code"]

        asked = asyncio.ensure_future(ask())
        await until(lambda: instance.router.state("a") is ModelState.STARTING)
        (row,) = instance.requests()
        assert row["state"] == "waiting"
        assert instance.cancel_request(row["id"], by="the window")
        assert await asked == (499, "request_cancelled")
        assert not instance.router.snapshot().in_flight

    async def test_before_the_start_there_are_none(self) -> None:
        instance = Instance(simple("a"))
        assert instance.requests() == []
        assert await instance.activity() == []
        assert not instance.cancel_request(1, by="the window")
