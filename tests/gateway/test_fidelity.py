"""What arrives is what was sent: the gateway compared with no gateway, byte for byte."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import zlib
from collections.abc import AsyncIterator

import brotli
import pytest
import zstandard

from qmdesk.config import parse
from tests.gateway.raw_upstream import Asked, RawUpstream, exchange, read_head

# What a neighbour says to its neighbour, and what a proxy has to say.
DOCUMENTED = {
    *b"host connection keep-alive transfer-encoding te trailer upgrade expect".split(),
    *b"proxy-connection x-forwarded-for x-forwarded-proto x-forwarded-host".split(),
    *b"x-qm-model x-qm-model-loaded x-qm-wait-ms server date".split(),
}


@pytest.fixture
async def upstream() -> AsyncIterator[RawUpstream]:
    server = RawUpstream()
    yield server
    await server.close()


@pytest.fixture
async def through(start, upstream) -> tuple[str, str]:
    """The upstream's own address, and the gateway's in front of it."""
    address = await upstream.start()
    instance = await start(parse(f"models:\n  a: {{proxy: '{address}'}}\n"))
    return address, instance.addresses[0]


def compared(asked: Asked, *, without: frozenset[bytes] = frozenset()) -> list[tuple[bytes, bytes]]:
    named = {
        name.strip().lower() for value in asked.named(b"Connection") for name in value.split(b",")
    }
    drop = DOCUMENTED | named | without
    return [(name, value) for name, value in asked.headers if name.lower() not in drop]


JSON_BODIES = [
    b'{"model":"a"}',
    b'{ "model" : "a", "n":1.0, "big":123456789012345678901234567890, "x":"\\u00e9" }\n',
    '{"model":"a","messages":[{"role":"user","content":"Grüße 🙂"}]}'.encode(),
    b'\xef\xbb\xbf{"model":"a"}',
    b'  \r\n\t{"a":[],"model":"a","model":"a"}',
]
TARGETS = [
    b"/v1/chat/completions",
    b"/v1/files/a%2Fb",
    b"/v1/x%C3%BCy?q=%C3%BC+z",
    b"/v1/x;p=1;q=2",
    b"/v1//double///slashes//",
    b"/v1/a/../b/./c",
    b"/v1/plus+plus?plus=a+b%2Bc",
    b"/v1/percent%25%20%7e%7E",
    b"/v1/it's(a)!*$,:@&=",
    b"/v1/q?a=1&a=2&&b&=c&d==e",
    b"/v1/q?x=http%3A%2F%2Fh%2F%3Fy&z=/?:@",
    b"/v1/low%c3%bc",
]
HEADERS = [
    (b"Accept", b"*/*"),
    (b"Accept-Encoding", b"gzip, br;q=0.5"),
    (b"X-Twice", b"1"),
    (b"X-Twice", b"2"),
    (b"Cookie", b'a=1; b="2"'),
    (b"User-Agent", b"curl/8 (x; y)"),
    (b"X-Empty", b""),
    (b"X-Utf8", "ü→".encode()),
    (b"OpenAI-Organization", b"org"),
    (b"anthropic-beta", b"a,b"),
    (b"X-Hop", b"gone"),
    (b"Connection", b"keep-alive, X-Hop"),
    (b"TE", b"trailers"),
    (b"Referer", b"http://h/a?b#c"),
    (b"X-Long", b"y" * 9000),
]


async def sent(address: str, request: bytes) -> bytes:
    """All that comes for ``request``, as it comes."""
    reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
    writer.write(request)
    text = await reader.read()
    writer.close()
    return text


def generated(count: int) -> list[tuple[bytes, bytes, list[tuple[bytes, bytes]], bytes, bool]]:
    """Method, target, headers, body, and whether it is sent in chunks."""
    chance = random.Random(7)
    letters = b"abcXYZ019-._~!$'()*,;:@/"
    found = []
    for number in range(count):
        method = chance.choice([b"POST", b"POST", b"PUT", b"PATCH", b"DELETE", b"GET"])
        target = chance.choice(TARGETS)
        if number % 3 == 0:
            extra = bytes(chance.choice(letters) for _ in range(chance.randrange(1, 30)))
            target = b"/v1/" + b"%%%02X" % chance.randrange(128, 256) + extra
        headers = chance.sample(HEADERS, chance.randrange(0, 9))
        sort = chance.randrange(4)
        # What calls itself JSON and is none is refused.
        kinds = [b"text/plain; charset=UTF-8", b"image/PNG", b"", b"application/json"]
        if kind := chance.choice(kinds[:3] if sort == 2 else kinds):
            headers.insert(0, (b"Content-TYPE", kind))
        if method == b"GET":
            body = b""
        elif sort == 0:
            body = chance.choice(JSON_BODIES)
        elif sort == 1:
            body = json.dumps({"x": chance.random(), "model": "a"}).encode()
            body = gzip.compress(body) if number % 2 else zlib.compress(body)
            headers = [*headers, (b"Content-Encoding", b"gzip" if number % 2 else b"deflate")]
        elif sort == 2:
            body = b"\x00\xff" + chance.randbytes(chance.randrange(0, 200_000))
        else:
            body = b""
        if sort in (2, 3) or method == b"GET":
            target += (b"&" if b"?" in target else b"?") + b"model=a"
        found.append((method, target, headers, body, bool(body) and chance.random() < 0.3))
    return found


def written(
    method: bytes, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes, chunked: bool
) -> bytes:
    lines = [b"%s %s HTTP/1.1" % (method, target), b"Host: localhost"]
    lines += [b"%s: %s" % each for each in headers]
    if chunked:
        lines.append(b"Transfer-Encoding: chunked")
        half = len(body) // 2
        body = b"".join(
            b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:half], body[half:]) if piece
        )
        body += b"0\r\n\r\n"
    elif method not in (b"GET", b"HEAD"):
        # In the middle, where it is to stay.
        lines.insert(2, b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def test_requests_arrive_as_they_were_sent(upstream, through) -> None:
    direct, gateway = through
    cases = generated(200)
    for case in cases:
        await exchange(direct, written(*case))
        answer = await exchange(gateway, written(*case))
        assert answer.line == b"HTTP/1.1 200 OK", (case[:3], answer.body)
        there, here = upstream.asked[-2:]
        assert here.line == there.line
        assert here.body == there.body == case[3]
        if case[4]:
            # Sent in chunks: it has been read whole, so that its length can be said.
            assert here.named(b"Content-Length") == [b"%d" % len(case[3])]
            without = frozenset((b"content-length",))
        else:
            without = frozenset()
        assert compared(here, without=without) == compared(there, without=without)
    assert len(upstream.asked) == 2 * len(cases)


BIG = random.Random(8).randbytes(300_000)

ANSWERS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 200 Very Fine Indeed\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 418 I'm a teapot\r\nContent-Length: 3\r\nX-A: 1\r\nX-A: 2\r\nX-A: 1\r\n\r\nshe",
    (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nX-B: \r\nSet-Cookie: b=2; Secure\r\n"
        b"Set-Cookie: a=3\r\nContent-Length: 1\r\n\r\nx"
    ),
    (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: a/b\r\n\r\n"
        b"3\r\nabc\r\n5;ext=1\r\ndefgh\r\n0\r\n\r\n"
    ),
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(gzip.compress(b"{}")), gzip.compress(b"{}")),
    b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\n\x00\x01\x02\x03",
    b"HTTP/1.1 204 No Content\r\nX-C: d\r\n\r\n",
    b'HTTP/1.1 304 Not Modified\r\nETag: W/"x"\r\n\r\n',
    b"HTTP/1.1 302 Found\r\nLocation: /else?x=%2F\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 500 Oh\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>x",
    b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: image/png\r\n\r\n%s" % (len(BIG), BIG),
    b"HTTP/1.1 200 OK\r\nContent-Type: x/until-the-end\r\nConnection: close\r\n\r\n" + BIG,
    (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    ),
    (
        b"HTTP/1.1 200 OK\r\nConnection: X-Private\r\nX-Private: 1\r\nKeep-Alive: timeout=5\r\n"
        b"Content-Length: 1\r\n\r\n1"
    ),
    (
        b"HTTP/1.1 200 OK\r\nX-Utf8: \xc3\xbc\r\nContent-Disposition: attachment;"
        b" filename*=UTF-8''%C3%BC\r\nContent-Length: 1\r\n\r\n1"
    ),
    b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
async def test_answers_come_as_they_were_sent(upstream, through, answer) -> None:
    direct, gateway = through
    upstream.answer = answer
    request = b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    there = await exchange(direct, request)
    here = await exchange(gateway, request)
    assert here.line.split(b" ", 1)[1] == there.line.split(b" ", 1)[1]
    assert here.body == there.body
    assert compared(here) == compared(there)


@pytest.mark.parametrize("head", [b"Content-Length: 1234", b"X-None: 1"])
async def test_an_answer_to_head_has_the_headers_and_no_body(upstream, through, head) -> None:
    direct, gateway = through
    upstream.answer = b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n" + head + b"\r\n\r\n"
    request = b"HEAD /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    there = await exchange(direct, request, empty=True)
    here = await exchange(gateway, request, empty=True)
    assert compared(here) == compared(there)
    assert not here.named(b"Transfer-Encoding")


async def test_a_header_twice_in_two_spellings_keeps_both(upstream, through) -> None:
    _, gateway = through
    request = b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
    await exchange(gateway, request)
    headers = upstream.asked[-1].headers
    assert [each for each in headers if each[0].lower() == b"x-a"] == [
        (b"X-A", b"1"),
        (b"x-a", b"2"),
    ]


async def test_bytes_of_latin_1_in_a_header_stay_as_they_are(upstream, through) -> None:
    _, gateway = through
    request = b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nX-Name: \xfcber\r\n\r\n"
    upstream.answer = b"HTTP/1.1 200 \xdcber\r\nX-Back: \xfc\r\nContent-Length: 0\r\n\r\n"
    answer = await exchange(gateway, request)
    assert upstream.asked[-1].named(b"X-Name") == [b"\xfcber"]
    assert answer.line == b"HTTP/1.1 200 \xdcber"
    assert answer.named(b"X-Back") == [b"\xfc"]


async def test_a_question_mark_with_nothing_behind_it_counts(upstream, start) -> None:
    address = await upstream.start()
    config = f"defaultModel: a\nmodels:\n  a: {{proxy: '{address}'}}\n"
    instance = await start(parse(config))
    request = b"GET /v1/x? HTTP/1.1\r\nHost: localhost\r\n\r\n"
    await exchange(instance.addresses[0], request)
    assert upstream.asked[-1].target == b"/v1/x?"


async def test_interim_answers_are_passed_on(upstream, through) -> None:
    _, gateway = through
    upstream.answer = (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    )
    request = b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    text = await sent(gateway, request)
    # 100 is said by whoever is asked for it: here nobody was.
    assert text.startswith(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert text.endswith(b"\r\n\r\nhi")


async def test_an_older_client_gets_no_interim_answer_and_no_chunks(upstream, through) -> None:
    _, gateway = through
    upstream.answer = (
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n"
    )
    text = await sent(gateway, b"GET /v1/x?model=a HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert text.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"chunked" not in text
    assert text.endswith(b"\r\n\r\nhi!")


async def test_trailers_are_passed_on(upstream, through) -> None:
    _, gateway = through
    upstream.answer = (
        b"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n"
    )
    request = b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    text = await sent(gateway, request)
    assert b"\r\nTrailer: X-Sum\r\n" in text
    assert text.endswith(b"2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n")


async def test_our_own_credentials_stay_here(upstream, through) -> None:
    _, gateway = through
    request = (
        b"GET /v1/x?model=a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        b"x-api-key: k\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
    )
    await exchange(gateway, request)
    asked = upstream.asked[-1]
    assert asked.named(b"Authorization") == asked.named(b"x-api-key") == []
    assert asked.named(b"X-Forwarded-For") == [b"127.0.0.1"]
    assert asked.named(b"X-Forwarded-Host") == [b"localhost"]


async def test_continue_is_said_before_the_body_is_sent(upstream, through) -> None:
    _, gateway = through
    reader, writer = await asyncio.open_connection(*gateway.removeprefix("http://").split(":"))
    body = b'{"model":"a"}'
    writer.write(
        b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    assert (await read_head(reader)).line == b"HTTP/1.1 100 Continue"
    writer.write(body)
    assert (await read_head(reader)).line == b"HTTP/1.1 200 OK"
    writer.close()
    asked = upstream.asked[-1]
    assert asked.body == body
    assert asked.named(b"Expect") == []


PACK = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


class TestEncodedBodies:
    @pytest.mark.parametrize("encoding", PACK)
    async def test_one_that_must_be_changed_is_sent_decoded(
        self, start, upstream, encoding
    ) -> None:
        address = await upstream.start()
        text = f"models:\n  a: {{proxy: '{address}', useModelName: real}}\n"
        instance = await start(parse(text))
        body = PACK[encoding](b'{"model": "a", "x": 1.0}')
        head = [(b"Content-Encoding", encoding.encode()), (b"Content-Type", b"application/json")]
        await exchange(instance.addresses[0], written(b"POST", b"/v1/x", head, body, False))
        asked = upstream.asked[-1]
        assert asked.body == b'{"model": "real", "x": 1.0}'
        assert asked.named(b"Content-Encoding") == []
        assert asked.named(b"Content-Length") == [b"%d" % len(asked.body)]

    @pytest.mark.parametrize("encoding", [b"gzip", b"nonsense"])
    async def test_one_that_cannot_be_read_is_refused(self, through, encoding) -> None:
        _, gateway = through
        head = [(b"Content-Encoding", encoding)]
        answer = await exchange(gateway, written(b"POST", b"/v1/x", head, b"?", False))
        assert answer.line.startswith(b"HTTP/1.1 400")
        assert b"cannot be decoded" in answer.body

    async def test_unless_the_address_names_the_model(self, upstream, through) -> None:
        _, gateway = through
        head = [(b"Content-Encoding", b"nonsense")]
        await exchange(gateway, written(b"POST", b"/v1/x?model=a", head, b"?", False))
        assert upstream.asked[-1].body == b"?"

    @pytest.mark.parametrize("encoding", PACK)
    async def test_one_that_is_a_bomb_is_refused(self, through, monkeypatch, encoding) -> None:
        monkeypatch.setattr("qmdesk.gateway.target.DECODED_LIMIT", 1000)
        _, gateway = through
        body = PACK[encoding](b'{"model":"a"' + b" " * 10_000 + b"}")
        head = [(b"Content-Encoding", encoding.encode())]
        answer = await exchange(gateway, written(b"POST", b"/v1/x", head, body, False))
        assert b"too large" in answer.body
