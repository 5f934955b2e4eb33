"""The page at ``/``, and what pages of other addresses get, in a real browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from qmdesk.config import parse
from tests.conftest import fake, simple
from tests.gateway.browser import Browser, missing

needs_browser = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    running = Browser(tmp_path / "profile", {"evil.example": "127.0.0.1"})
    await running.start()
    yield running
    await running.close()


def shown(model: str, state: str) -> str:
    """JavaScript that waits until ``model`` is shown in ``state``."""
    row = f"document.querySelector('tr[data-model={json.dumps(model)}]')"
    return f"""new Promise((done) => {{
        const look = () => {row}.dataset.state === '{state}' && done(true);
        new MutationObserver(look).observe({row}, {{ attributes: true }});
        look();
    }})"""


class TestWithoutScripts:
    async def test_nothing_that_was_written_becomes_part_of_the_page(self, start, http) -> None:
        text = json.dumps("<script>alert(1)</script>")
        id = json.dumps('"><img src=x onerror=alert(2)>')
        instance = await start(parse(f"models:\n  {id}: {{cmd: {fake()}, description: {text}}}\n"))
        async with http.get(f"{instance.addresses[0]}/") as response:
            page = await response.text()
            policy = response.headers["Content-Security-Policy"]
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy

    async def test_who_may_not_see_the_models_does_not(self, start, http) -> None:
        more = "apiKeys: [k, l]\napiKeyModels: {l: [b]}\n"
        instance = await start(simple("a", "b", more=more))
        # As somebody from elsewhere: through a proxy.
        away = {"Via": "1.1 proxy"}
        for headers, seen in (
            (away, []),
            ({**away, "x-api-key": "k"}, ["a", "b"]),
            ({**away, "x-api-key": "l"}, ["b"]),
            ({}, ["a", "b"]),
        ):
            async with http.get(f"{instance.addresses[0]}/", headers=headers) as response:
                page = await response.text()
            assert [name for name in "ab" if f"<code>{name}</code>" in page] == seen
            # Only operators may read the events.
            assert ("/page.js" in page) == (headers == {})


@needs_browser
class TestInABrowser:
    async def test_it_shows_the_models_live_and_loads_and_unloads_them(
        self, start, browser
    ) -> None:
        text = f"  org/a<b: {{cmd: {fake(name='a')}}}\n"
        instance = await start(parse(f"models:\n{text}"))
        await browser.open(f"{instance.addresses[0]}/")
        assert await browser.run("document.querySelector('tbody code').textContent") == "org/a<b"
        await browser.run(shown("org/a<b", "stopped"))
        await instance.router.load("org/a<b", by="the test")
        await browser.run(shown("org/a<b", "ready"))
        assert await browser.run("document.querySelector('button').textContent") == "Unload"
        await browser.run("document.querySelector('button').click()")
        await browser.run(shown("org/a<b", "stopped"))
        assert instance.router.snapshot().models[0].state == "stopped"
        await browser.run("document.querySelector('button').click()")
        await browser.run(shown("org/a<b", "ready"))
        await instance._apply(simple("other"))
        await browser.loaded(2)
        assert await browser.run("document.querySelector('tbody code').textContent") == "other"
        await instance._apply(parse("models: {}"))
        await browser.loaded(3)
        assert "no models" in await browser.run("document.body.textContent")
        assert browser.complaints == []

    async def test_it_follows_the_scheme_of_the_desktop(self, start, browser) -> None:
        instance = await start(simple("a"))
        seen = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            await browser.send("Emulation.setEmulatedMedia", features=[feature])
            await browser.open(f"{instance.addresses[0]}/")
            seen.append(await browser.run("getComputedStyle(document.body).backgroundColor"))
        assert seen[0] != seen[1]

    async def test_pages_of_other_addresses(self, start, browser) -> None:
        instance = await start(simple("a", more="apiKeys: [k]\n"))
        await instance.router.load("a", by="the test")

        async def empty(_: web.Request) -> web.Response:
            return web.Response(text="<title>x</title>", content_type="text/html")

        app = web.Application()
        app.router.add_get("/", empty)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        address = instance.addresses[0]
        chat = f"""fetch('{address}/v1/chat/completions', {{
            method: 'POST',
            headers: {{ 'Content-Type': 'application/json', Authorization: 'Bearer k' }},
            body: JSON.stringify({{ model: 'a' }}),
        }}).then(async (answer) => [answer.status, answer.headers.get('X-QM-Model')],
                 (error) => error.name)"""
        unload = f"""fetch('{address}/api/models/unload', {{ method: 'POST', mode: 'no-cors' }})
            .then((answer) => answer.type, (error) => error.name)"""
        try:
            await browser.open(f"http://localhost:{port}/")
            assert await browser.run(chat) == [200, "a"]
            await browser.open(f"http://evil.example:{port}/")
            assert await browser.run(chat) == "TypeError"
            # Sent without asking, and refused.
            assert await browser.run(unload) == "opaque"
            assert instance.router.snapshot().model("a").state == "ready"
        finally:
            await runner.cleanup()
