"""The configuration over HTTP: read, previewed, saved, refused."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from qmdesk.events import ConfigApplied
from qmdesk.instance import Instance
from tests.conftest import fake, models, parse


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text(f"# mine\nmodels:\n  a: {{cmd: {fake(name='a')}}} # keep\n", encoding="utf-8")
    return file


@pytest.fixture
async def instance(start, file: Path):
    return await start(parse(file.read_text(encoding="utf-8"), path=file))


def url(instance, path: str = "") -> str:
    return f"{instance.addresses[0]}/api/config{path}"


async def test_what_is_read_can_be_changed_and_saved(instance, http, file: Path) -> None:
    async with http.get(url(instance)) as response:
        text, tag = await response.text(), response.headers["ETag"]
    assert text == file.read_text(encoding="utf-8")
    new = text + "globalTTL: 60\n"
    async with http.post(url(instance, "/diff"), data=new) as response:
        planned = (await response.json())["changes"]
    assert planned
    assert file.read_text(encoding="utf-8") == text
    told: list[ConfigApplied] = []
    instance.bus.subscribe(told.append, ConfigApplied)
    async with http.put(url(instance), data=new, headers={"If-Match": tag}) as response:
        assert (await response.json())["changes"] == planned
    assert file.read_text(encoding="utf-8") == new
    assert instance.router.snapshot().model("a").ttl == 60
    assert [each.saved for each in told] == [True]
    async with http.get(url(instance, "/status")) as response:
        status = await response.json()
    assert status["in_force"] is True
    assert status["files"] == [str(file)]


async def test_a_text_with_mistakes_is_refused_with_their_places(
    instance, http, file: Path
) -> None:
    before = file.read_text(encoding="utf-8")
    bad = before + "globalTTL: soon\nqueueTimeout: [1]\n"
    for method, path in (("PUT", ""), ("POST", "/diff")):
        async with http.request(method, url(instance, path), data=bad) as response:
            assert response.status == 400
            problems = (await response.json())["problems"]
        assert [problem["line"] for problem in problems] == [4, 5]
        assert [problem["key"] for problem in problems] == ["globalTTL", "queueTimeout"]
    assert file.read_text(encoding="utf-8") == before


async def test_a_file_that_changed_meanwhile_is_not_overwritten(instance, http, file: Path) -> None:
    async with http.get(url(instance)) as response:
        text, tag = await response.text(), response.headers["ETag"]
    file.write_text(text + "# somebody else\n", encoding="utf-8")
    headers = {"If-Match": tag}
    async with http.put(url(instance), data=text + "# me\n", headers=headers) as response:
        assert response.status == 412
    assert "somebody else" in file.read_text(encoding="utf-8")


async def test_an_address_that_is_taken_leaves_the_file_as_it_was(http, file: Path, start) -> None:
    before = file.read_text(encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = before + f"listen: 127.0.0.1:{port}\n"
    file.write_text(text, encoding="utf-8")
    instance = Instance(parse(text, path=file))
    await instance.start()
    try:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            new = before + f"listen: 127.0.0.1:{taken.getsockname()[1]}\n"
            async with http.put(url(instance), data=new) as response:
                assert response.status == 400
                assert "another program" in (await response.json())["error"]["message"]
        assert file.read_text(encoding="utf-8") == text
        async with http.get(url(instance, "/status")) as response:
            assert response.status == 200
    finally:
        await instance.stop(4.0)


async def test_a_broken_file_is_told_by_the_status(instance, http, file: Path) -> None:
    file.write_text("models: [\n", encoding="utf-8")
    async with http.post(url(instance, "/reload")) as response:
        assert response.status == 400
    async with http.get(url(instance, "/status")) as response:
        status = await response.json()
    assert status["in_force"] is False
    assert status["problems"][0]["line"] > 0
    assert instance.router.snapshot().model("a") is not None


async def test_without_a_file_there_is_nothing_to_edit(start, http) -> None:
    instance = await start(models(f"a: {{cmd: {fake(name='a')}}}"))
    async with http.get(url(instance)) as response:
        assert response.status == 409
        assert (await response.json())["error"]["code"] == "not_editable"


async def test_versions_are_kept(instance, http, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    async with http.put(url(instance), data=before + "globalTTL: 1\n") as response:
        assert response.status == 200
    (version,) = instance.configuration.history()
    assert version.text() == before
