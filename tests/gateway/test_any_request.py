"""Whatever is sent to whichever route: an answer, never a failure of ours.

The routes are taken from the server itself, so that a new one is tried from its first day.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmdesk.config import read
from qmdesk.instance import Instance
from qmdesk.sources import Sources
from tests.conftest import fake

STREAMS = ("text/event-stream", "text/plain; charset=utf-8")
"""What may go on for ever."""

INFERENCE = [
    ("POST", path)
    for path in "/v1/completions /v1/messages /v1/audio/transcriptions /infill /v1/{any}".split()
]
"""Some of those that the last route of all takes."""


class Server:
    """One instance for all examples, and what it has logged."""

    def __init__(self, folder: Path, more: str) -> None:
        self.runner = asyncio.Runner()
        file = folder / "config.yaml"
        text = (
            f"models:\n  a:\n    cmd: {fake(name='a')}\n  org/b: {{proxy: 'http://127.0.0.1:9'}}\n"
        )
        text += f"store: {{path: ':memory:'}}\n{more}"
        file.write_text(text)
        self.file, self.text = file, text
        self.instance = Instance(read(file), listen="127.0.0.1:0", sources=Sources(file))
        self.runner.run(self.instance.start())
        app = self.instance._gateway._runner.app
        own = {(each.method, each.resource.canonical) for each in app.router.routes()}
        self.routes = sorted(own) + INFERENCE

    def close(self) -> None:
        self.runner.run(self.instance.stop(budget=4.0))
        self.runner.close()

    def answer(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        if "a" not in self.instance.config.models:
            # The last one has written another configuration.
            self.file.write_text(self.text)
            self.runner.run(self.instance.reload())
        return self.runner.run(self._answer(request))

    async def _answer(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        host, port = self.instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(request)
            head = "HTTP/1.1 100"
            while head.startswith("HTTP/1.1 100"):
                async with asyncio.timeout(20):
                    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status, *lines = head.rstrip().split("\r\n")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
            endless = headers.get("content-type", "").startswith(STREAMS)
            try:
                async with asyncio.timeout(0.02 if endless else 20):
                    body = await reader.read()
            except TimeoutError:
                assert endless, request
                body = b""
            return int(status.split()[1]), headers, body
        finally:
            writer.close()


STRICT = """
apiKeys: [x, {key: k, admin: true}]
apiKeyModels: {x: [a]}
trustedProxies: 127.0.0.1
adminAllow: 1.0.0.0/8
maxBodyMB: 0.01
captureBuffer: 1
"""


@pytest.fixture(params=["", STRICT], ids=["open", "strict"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    running = Server(tmp_path, request.param)
    yield running
    running.close()


WORDS = st.sampled_from(
    """a org/b org%2Fb nobody 1 -1 0 99999999999999999999 %00 %ff é .. a/b/c %F0%9F%92%A9 {} ' "
    <b> ² xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx""".split()
)
TEXTS = st.one_of(WORDS, st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=20))
HEADERS = st.sampled_from(
    """Content-Type Content-Encoding Accept Origin Authorization x-api-key Cookie X-QM-Hold-Ms
    X-QM-Patience-Ms Last-Event-ID If-Match If-None-Match Range Accept-Encoding X-Forwarded-For
    Sec-Fetch-Site Upgrade Expect User-Agent Access-Control-Request-Headers
    Access-Control-Request-Method X-Session-ID""".split()
)
VALUES = st.one_of(
    st.sampled_from(
        """application/json|multipart/form-data; boundary=x|multipart/form-data|gzip|br|zstd|*|*/*
        |application/x-www-form-urlencoded|application/json; charset=nonsense|null|1|deflate||[::1
        |https://evil.example|http://localhost:1|http://[|Bearer x|Bearer k|Basic !|Basic w6k6
        |1.2.3.4|cross-site|websocket|text/plain|text/plain;q=0|100-continue|"etag\"""".split("|")
    ).map(str.strip),
    TEXTS,
)
QUERIES = st.lists(
    st.tuples(
        st.sampled_from("model limit page sort order start end min_id no-history x".split()), TEXTS
    ),
    max_size=3,
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FORM = b'--x\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n--x--\r\n'
BODIES = st.one_of(
    st.just(b""),
    st.builds(lambda value: json.dumps({"model": value}).encode(), st.one_of(WORDS, JSON)),
    st.builds(lambda value: json.dumps(value).encode(), JSON),
    st.binary(max_size=60),
    st.sampled_from(
        [
            b"[" * 20_000,
            b"model=a&x=1",
            b"\xef\xbb\xbf{}",
            b"models: {}\n",
            FORM,
            b"--x--",
            b"models: [",
        ]
    ),
    st.sampled_from([b"\xff\xfe", b"\x1f\x8b\x08\x00", b"null", b'{"model": "a", "model": 1}']),
)
METHODS = st.sampled_from(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
)


def target(draw: st.DrawFn, canonical: str) -> str:
    encoded = draw(st.integers(0, 9)) > 0

    def said(text: str) -> str:
        return quote(text, safe="%/") if encoded else text

    path = re.sub(r"\{[^}]*\}", lambda _: said(draw(TEXTS)), canonical)
    query = "&".join(f"{name}={said(value)}" for name, value in draw(QUERIES))
    return f"{path}?{query}" if query else path


@st.composite
def requests(draw: st.DrawFn, routes: list[tuple[str, str]]) -> bytes:
    own, canonical = draw(st.sampled_from(routes))
    method = own if own != "*" and draw(st.booleans()) else draw(METHODS)
    lines = [f"{method} {target(draw, canonical)} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {draw(VALUES)}" for name in draw(st.lists(HEADERS, max_size=4))]
    body = draw(BODIES)
    if draw(st.booleans()):
        lines.append(f"Content-Length: {len(body)}")
    else:
        lines.append("Transfer-Encoding: chunked")
        body = (f"{len(body):x}\r\n".encode() + body + b"\r\n" if body else b"") + b"0\r\n\r\n"
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def test_is_answered_without_a_failure_of_ours(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    @settings(max_examples=600, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def every(data: st.DataObject) -> None:
        caplog.clear()
        request = data.draw(requests(server.routes))
        status, headers, body = server.answer(request)
        assert status != 500, body
        if request.startswith(b"HEAD ") and b"cannot be read as HTTP" not in body:
            assert body == b""
        # Models' servers may write what they like into their logs.
        assert b"Traceback" not in body or b" /logs/stream/a" in request
        failures = [each for each in caplog.records if each.levelno >= logging.ERROR]
        failures += [each for each in caplog.records if each.exc_info]
        # A text that is no configuration is refused in the log too.
        assert not [each for each in failures if each.name != "qmdesk.configuration"], caplog.text
        if status >= 400 and "x-qm-model" not in headers and not request.startswith(b"HEAD "):
            check_shape(headers, body)

    every()


def check_shape(headers: dict[str, str], body: bytes) -> None:
    if headers["content-type"].startswith("text/plain"):
        assert body.endswith(b"\n")
        return
    error = json.loads(body)["error"]
    assert error["message"]
    assert error["type"]
