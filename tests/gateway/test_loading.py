"""What a waiting stream is told, and how often."""

from __future__ import annotations

import re

import pytest

from qmdesk.gateway import loading, video_job
from tests.conftest import fake, models, parse, until


def chat(model: str) -> dict[str, object]:
    return {"model": model, "stream": True, "messages": []}


async def told(instance, http) -> list[str]:
    """The status comments of one request for model ``a``."""
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json=chat("a")) as response:
        text = (await response.read()).decode()
    return re.findall(r"^: qm-status: (.*)$", text, re.MULTILINE)


async def test_the_same_is_said_again_before_anybody_gives_up(
    start, http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "LOOK", 0.05)
    monkeypatch.setattr(loading, "SILENCE", 0.15)
    line = f"a: {{cmd: {fake('--ready-after', 0.8, name='a')}, sendLoadingState: true}}"
    instance = await start(models(line))
    assert (await told(instance, http)).count("loading") >= 3


async def test_how_far_it_is_once_a_load_has_been_seen(
    start, http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "LOOK", 0.05)
    line = f"a: {{cmd: {fake('--ready-after', 1, name='a')}, sendLoadingState: true}}"
    instance = await start(models(line))
    assert set(await told(instance, http)) == {"loading"}
    await instance.router.unload(by="the test")
    known = [each for each in await told(instance, http) if "%" in each]
    assert known
    assert all(re.fullmatch(r"loading \d+% eta \d+s", each) for each in known)
    percents = [int(each.split()[1].rstrip("%")) for each in known]
    assert percents == sorted(percents)


async def test_a_video_job_that_takes_too_long_is_given_up(
    start, http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video_job.VideoJobs.__init__, "__defaults__", (0.05,))
    monkeypatch.setattr(video_job, "LONGEST", 0.3)
    instance = await start(parse(f"models:\n  film: {{cmd: {fake(name='film')}}}\n"))
    body = {"model": "film", "looks": 100_000}
    async with http.post(f"{instance.addresses[0]}/sdcpp/v1/vid_gen", json=body) as response:
        assert response.status == 202
    await until(lambda: not instance.router.snapshot().in_flight)
    assert instance.router.state("film") == "ready"
