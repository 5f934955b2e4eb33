"""A job that is polled is as much work as a request that is answered."""

from __future__ import annotations

import asyncio

import pytest

from qmdesk.events import ModelState
from qmdesk.gateway import video_job
from tests.conftest import fake, parse, until


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(video_job.VideoJobs.__init__, "__defaults__", (0.05,))
    return parse(
        f"models:\n  film: {{cmd: {fake(name='film')}, capabilities: {{out: [image]}}}}\n"
        f"  chat: {{cmd: {fake(name='chat')}}}\n"
    )


async def submit(instance, http, looks: int) -> str:
    body = {"model": "film", "looks": looks}
    async with http.post(f"{instance.addresses[0]}/sdcpp/v1/vid_gen", json=body) as response:
        assert response.status == 202
        assert response.headers["X-QM-Model"] == "film"
        return (await response.json())["id"]


async def test_its_model_is_not_evicted_before_it_ends(start, http, studio) -> None:
    instance = await start(studio)
    job = await submit(instance, http, looks=8)
    assert instance.router.snapshot().model("film").in_flight == 1
    chat = asyncio.ensure_future(instance.router.load("chat", by="the test"))
    await until(lambda: instance.router.snapshot().waiting)
    address = f"{instance.addresses[0]}/sdcpp/v1/jobs/{job}"
    async with asyncio.timeout(10):
        status = 202
        while True:
            async with http.get(address) as response:
                content, status = await response.json(), response.status
            if content["status"] == "completed":
                break
            assert instance.router.state("film") is ModelState.READY
            assert not chat.done()
            await asyncio.sleep(0.02)
    assert status == 200
    # Whoever fetched the result is likely to come back: a hold of its own follows.
    instance.router.apply_config(parse(f"models:\n  chat: {{cmd: {fake(name='chat')}}}\n"))
    await chat
    async with http.get(address) as response:
        assert (await response.json())["status"] == "completed"


async def test_cancelling_it(start, http, studio) -> None:
    instance = await start(studio)
    job = await submit(instance, http, looks=100_000)
    address = f"{instance.addresses[0]}/sdcpp/v1/jobs/{job}"
    async with http.post(f"{address}/cancel") as response:
        assert response.status == 200
    await until(lambda: instance.router.snapshot().model("film").in_flight == 0)


async def test_a_server_that_dies_ends_the_lease(start, http, studio) -> None:
    instance = await start(studio)
    job = await submit(instance, http, looks=100_000)
    await instance.router.unload(by="the test")
    await until(lambda: instance.router.snapshot().in_flight == 0)
    address = f"{instance.addresses[0]}/sdcpp/v1/jobs/{job}"
    async with asyncio.timeout(10):
        while True:
            async with http.get(address) as response:
                if response.status == 404:
                    break
            await asyncio.sleep(0.02)
    assert instance.router.state("film") is ModelState.STOPPED


async def test_an_unknown_job(start, http, studio) -> None:
    instance = await start(studio)
    async with http.get(f"{instance.addresses[0]}/sdcpp/v1/jobs/none") as response:
        assert response.status == 404
