"""One line for each request, and none for what machines ask all the time."""

from __future__ import annotations

import asyncio
import logging

import pytest
from aiohttp.test_utils import make_mocked_request

from qmdesk.gateway.access_log import shown_path
from tests.conftest import simple, until


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "qmdesk.access")
    return lambda: [each.message for each in caplog.records if each.name == "qmdesk.access"]


async def test_what_a_line_says(start, http, lines) -> None:
    instance = await start(simple("a"))
    address = f"{instance.addresses[0]}/v1/chat/completions?api_key=secret&x=1"
    async with http.post(address, json={"model": "a"}) as response:
        size = len(await response.read())
    await until(lines)
    (line,) = lines()
    head, _, numbers = line.partition(" B ")
    assert head.startswith("127.0.0.1 Python/")
    assert head.endswith(f" POST /v1/chat/completions?api_key=***&x=1 200 {size}")
    assert numbers.startswith("model=a queue=")
    assert "total=" in numbers


async def test_errors_of_ours_and_requests_that_were_left(start, http, lines) -> None:
    instance = await start(simple("a"))
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": "b"}) as response:
        size = len(await response.read())
    await until(lines)
    assert f" 404 {size} B model=- " in lines()[0]
    body = {"model": "a", "fake": {"silence": 60}}
    request = asyncio.ensure_future(http.post(address, json=body))
    await until(lambda: instance.router.snapshot().in_flight)
    request.cancel()
    await until(lambda: len(lines()) == 2)
    assert " 499 0 B model=a " in lines()[1]


async def test_none_for_what_is_asked_all_the_time(start, http, lines) -> None:
    instance = await start(simple("a"))
    for path in ("/health", "/wol-health", "/metrics", "/logs", "/logs/stream?end"):
        async with http.get(instance.addresses[0] + path) as response:
            assert response.status == 200
            await response.read()
    async with http.get(f"{instance.addresses[0]}/v1/models") as response:
        await response.read()
    await until(lines)
    (line,) = lines()
    assert "GET /v1/models 200" in line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/x", "/v1/x"),
        ("/v1/x?a=1&Access_Token=x%20y&b=2", "/v1/x?a=1&Access_Token=***&b=2"),
        ("/v1/x?password=a&key=", "/v1/x?password=***&key=***"),
        ("/" + "y" * 1000, "/" + "y" * 499),
    ],
)
def test_secrets_are_left_out(path: str, shown: str) -> None:
    assert shown_path(make_mocked_request("GET", path)) == shown
