"""Forms with files: found in any position, passed on byte for byte, never held."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
import tempfile
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI

from qmdesk.config import parse
from qmdesk.gateway.multipart import (
    BrokenMultipart,
    MultipartScanner,
    boundary_of,
)
from tests.gateway.raw_upstream import RawUpstream, exchange, read_head

B = b"x-YzZ09"
FILE = (
    b'Content-Disposition: form-data; name="file"; filename="aufn\xc3\xa4hme; name=\\"model\\".wav"'
    b"\r\nContent-Type: audio/wav\r\nX-More: 1"
)
MODEL = b'Content-Disposition: form-data; name="model"'


def form(*parts: tuple[bytes, bytes], boundary: bytes = B, end: bytes = b"--\r\n") -> bytes:
    body = b"".join(b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary, *part) for part in parts)
    return body + b"--" + boundary + end


def scanned(body: bytes, cuts: list[int], boundary: bytes = B) -> tuple[int, int, str] | None:
    scanner = MultipartScanner(boundary)
    last = 0
    for cut in [*sorted(cuts), len(body)]:
        scanner.feed(body[last:cut])
        last = cut
    scanner.end()
    field = scanner.field
    return (field.start, field.end, field.value) if field else None


class TestScanner:
    @pytest.mark.parametrize(
        "body",
        [
            form((MODEL, b"qwen"), (FILE, b"data")),
            form((FILE, b"data"), (MODEL, b"qwen")),
            form((FILE, b""), (MODEL, b"qwen"), end=b"--"),
            form((b"content-disposition:form-data;name=model", b"qwen")),
            form((b"X: y\r\nContent-Disposition: form-data;\r\n name=model", b"qwen")),
            b"a preamble\r\n" + form((MODEL, b"qwen")) + b"an epilogue \r\n--" + B,
            form((MODEL, b"qwen")).replace(B + b"\r\n", B + b" \t\r\n", 1),
            form((FILE, b"\r\n--x-Yz\r\n--" + B[:-1] + b"\r\n"), (MODEL, b"qwen")),
            form((FILE, b"\r\n--" + B + b"more\r\n"), (MODEL, b"qwen")),
            form((b"", b"no headers"), (MODEL, b"qwen"), (MODEL, b"other")),
            form((b'Content-Disposition: form-data; name="xmodel"', b"n"), (MODEL, b"qwen")),
        ],
    )
    def test_the_field_is_found_however_the_body_is_cut(self, body: bytes) -> None:
        start = body.index(b"qwen")
        assert scanned(body, []) == (start, start + 4, "qwen")
        assert scanned(body, list(range(len(body)))) == (start, start + 4, "qwen")

    def test_a_file_is_no_field_and_a_form_may_have_none(self) -> None:
        named = b'Content-Disposition: form-data; name="model"; filename="x"'
        assert scanned(form((named, b"x"), (FILE, b"y")), []) is None
        assert scanned(form(), []) is None

    @pytest.mark.parametrize(
        ("body", "why"),
        [
            (b"", "not in it"),
            (b"no boundary at all", "not in it"),
            (form((MODEL, b"qwen"))[:-6], "last boundary"),
            (form((MODEL, b"qwen"), end=b"\r\n"), "last boundary"),
            (form((MODEL, b"q" * 5000)), "too long"),
            (form((MODEL, b"\xff")), "not UTF-8"),
            (form((b"X: " + b"y" * 20_000, b"")), "headers"),
            (b"x" * 100_000, "does not begin"),
        ],
    )
    def test_what_is_broken_is_said(self, body: bytes, why: str) -> None:
        for cuts in ([], list(range(0, len(body), 7))):
            with pytest.raises(BrokenMultipart, match=why):
                scanned(body, cuts)

    @given(
        contents=st.lists(
            st.one_of(
                st.binary(max_size=60),
                st.lists(st.sampled_from([b"\r", b"\n", b"-", B, b"--" + B, b"\r\n--", b"x"])).map(
                    b"".join
                ),
            ),
            max_size=4,
        ),
        at=st.integers(0, 4),
        cuts=st.lists(st.integers(0, 400)),
    )
    def test_cutting_makes_no_difference(
        self, contents: list[bytes], at: int, cuts: list[int]
    ) -> None:
        # What holds a boundary of its own is another form, but the same one every time.
        parts = [(FILE, content) for content in contents]
        parts.insert(at, (MODEL, b"a"))
        body = form(*parts)
        cuts = [min(cut, len(body)) for cut in cuts]
        assert outcome(body, cuts) == outcome(body, [])

    @given(body=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300)))
    def test_rubbish_is_refused_and_nothing_else(self, body: bytes, cuts: list[int]) -> None:
        cuts = [min(cut, len(body)) for cut in cuts]
        assert outcome(body, cuts) == outcome(body, [])

    def test_it_holds_little(self) -> None:
        scanner = MultipartScanner(B)
        scanner.feed(form((FILE, b""))[: -len(B) - 8])
        for _ in range(100):
            scanner.feed(b"\r\n--" * 10_000)
            assert len(scanner._held) < 100

    def test_the_boundary(self) -> None:
        assert boundary_of('multipart/form-data; charset=x; Boundary="a b"') == b"a b"
        assert boundary_of("multipart/form-data; boundary=a-b; x=y") == b"a-b"
        for bad in ("multipart/form-data", "multipart/form-data; boundary=" + "x" * 300):
            with pytest.raises(BrokenMultipart):
                boundary_of(bad)


def outcome(body: bytes, cuts: list[int]) -> object:
    try:
        return scanned(body, cuts)
    except BrokenMultipart as error:
        return str(error)


@pytest.fixture
async def upstream() -> AsyncIterator[RawUpstream]:
    server = RawUpstream()
    yield server
    await server.close()


@pytest.fixture
async def gateway(start, upstream) -> str:
    address = await upstream.start()
    text = (
        f"models:\n  a: {{proxy: '{address}'}}\n"
        f"  b: {{proxy: '{address}', useModelName: 'große Leinwand'}}\n"
    )
    instance = await start(parse(text))
    address: str = instance.addresses[0]
    return address


def post(body: bytes, path: bytes = b"/v1/audio/transcriptions", kind: bytes = b"") -> bytes:
    kind = kind or b'multipart/form-data; boundary="%s"' % B
    return (
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
        % (path, kind, len(body))
    ) + body


def chunked(body: bytes, size: int = 7001) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return (
        b"POST /v1/images/edits HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data;"
        b" boundary=%s\r\nTransfer-Encoding: chunked\r\n\r\n"
        % B
        + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        + b"0\r\n\r\n"
    )


BIG = random.Random(1).randbytes(5 << 20)


@pytest.mark.parametrize("size", [0, 100, 5 << 20])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("model", [b"a", b"b"])
@pytest.mark.parametrize("pieces", [True, False])
async def test_a_form_arrives_as_it_was_sent(
    *, upstream, gateway, size, first, model, pieces, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parts = [(MODEL, model), (FILE, BIG[:size])]
    body = form(*(parts if first else parts[::-1]))
    answer = await exchange(gateway, chunked(body) if pieces else post(body))
    assert answer.body == b"ok"
    asked = upstream.asked[-1]
    name = "große Leinwand".encode() if model == b"b" else model
    expected = form(*[(MODEL, name), (FILE, BIG[:size])][:: 1 if first else -1])
    assert hashlib.sha256(asked.body).digest() == hashlib.sha256(expected).digest()
    if not pieces:
        assert asked.named(b"Content-Length") == [b"%d" % len(expected)]
        assert asked.named(b"Content-Type") == [b'multipart/form-data; boundary="%s"' % B]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        b"/v1/audio/translations",
        b"/v1/images/variations",
        b"/images/edits",
        b"/v1/something/new",
    ],
)
async def test_on_all_routes(upstream, gateway, path) -> None:
    body = form((FILE, b"x"), (MODEL, b"a"))
    assert (await exchange(gateway, post(body, path))).body == b"ok"
    assert upstream.asked[-1].target.endswith(path)
    assert upstream.asked[-1].body == body


@pytest.mark.parametrize(
    ("body", "kind", "status", "why"),
    [
        (form((FILE, b"x")), b"", 404, b"names no model"),
        (form((MODEL, b"c")), b"", 404, b"no model 'c'"),
        (form((FILE, b"x"))[:-9], b"", 400, b"last boundary"),
        (form((FILE, b"x")), b"multipart/form-data", 400, b"no boundary"),
        (b"nothing", b"", 400, b"not in it"),
    ],
)
async def test_what_is_wrong_is_said(*, upstream, gateway, body, kind, status, why) -> None:
    answer = await exchange(gateway, post(body, kind=kind))
    assert answer.line.startswith(b"HTTP/1.1 %d" % status)
    assert why in answer.body
    assert upstream.asked == []


async def test_what_breaks_after_the_model_is_said_too(gateway) -> None:
    answer = await exchange(gateway, post(form((MODEL, b"a"), (FILE, BIG))[:-9]))
    assert answer.line.startswith(b"HTTP/1.1 400")
    assert b"last boundary" in answer.body


async def test_the_file_goes_through_while_it_comes(upstream, gateway) -> None:
    arrived = asyncio.Event()

    async def handle(_asked, reader, writer) -> None:
        await reader.readuntil(b"first half")
        arrived.set()
        await reader.readuntil(b"second half\r\n--" + B + b"--\r\n")
        writer.write(upstream.answer)

    upstream.handle, upstream.read_body = handle, False
    body = form((MODEL, b"a"), (FILE, b"first half, second half"))
    cut = body.index(b", second")
    reader, writer = await asyncio.open_connection(*gateway.removeprefix("http://").split(":"))
    request = post(body)
    writer.write(request[: len(request) - len(body) + cut])
    async with asyncio.timeout(10):
        await arrived.wait()
        writer.write(body[cut:])
        assert (await read_head(reader)).line == b"HTTP/1.1 200 OK"
    writer.close()


async def test_only_what_is_whole_is_sent_twice(upstream, gateway) -> None:
    async def hang_up(_asked, _reader, _writer) -> None:
        raise ConnectionResetError

    upstream.handle = hang_up
    small = post(form((MODEL, b"a"), (FILE, b"x" * 1000)))
    assert (await exchange(gateway, small)).line.startswith(b"HTTP/1.1 502")
    first, second = upstream.asked
    assert first.body == second.body == small.partition(b"\r\n\r\n")[2]
    upstream.asked.clear()
    large = post(form((MODEL, b"a"), (FILE, BIG)))
    with contextlib.suppress(ConnectionError):
        assert (await exchange(gateway, large)).line.startswith(b"HTTP/1.1 502")
    assert len(upstream.asked) == 1


async def test_the_official_client(upstream, gateway) -> None:
    upstream.answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n"
        b'{"text": "ja"}'
    )
    async with AsyncOpenAI(base_url=f"{gateway}/v1", api_key="x", max_retries=0) as client:
        answer = await client.audio.transcriptions.create(
            model="b", file=("Gespräch.wav", BIG[:100_000]), language="de"
        )
    assert answer.text == "ja"
    (asked,) = upstream.asked
    assert BIG[:100_000] in asked.body
    assert "große Leinwand".encode() in asked.body


class TestForms:
    KIND = b"application/x-www-form-urlencoded"

    @pytest.mark.parametrize(
        ("body", "sent"),
        [
            (b"x=1&model=a&y=%20+", b"x=1&model=a&y=%20+"),
            (b"mode%6C=b&model=a&x", b"mode%6C=gro%C3%9Fe+Leinwand&model=a&x"),
            (b"model=%62", b"model=gro%C3%9Fe+Leinwand"),
        ],
    )
    async def test_only_the_name_is_changed(self, upstream, gateway, body, sent) -> None:
        assert (await exchange(gateway, post(body, kind=self.KIND))).body == b"ok"
        assert upstream.asked[-1].body == sent

    async def test_one_without_a_model(self, gateway) -> None:
        answer = await exchange(gateway, post(b"x=1", kind=self.KIND))
        assert b"names no model" in answer.body
