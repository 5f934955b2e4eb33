"""Heads and bodies of answers, read piece by piece; h11 is the second opinion."""

from __future__ import annotations

import contextlib
import itertools

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.gateway.framing import framing_of
from qmdesk.gateway.head import (
    BadAnswer,
    Head,
    _read_lines,
    _read_plain,
    end_of_head,
    parse_head,
    written,
)


def read(data: bytes, cuts: list[int], method: str = "GET") -> tuple[Head, bytes, bytes, bool]:
    """Head, content, what came after the body, and whether the body has ended."""
    at, after = end_of_head(data)
    head = parse_head(data[:at])
    framing = framing_of(head, method)
    body, content = data[after:], b""
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    for start, end in itertools.pairwise(places):
        piece = body[start:end]
        used, contents = framing.take(piece)
        content += b"".join(contents)
        if framing.ended:
            return head, content, piece[used:] + body[end:], True
    return head, content, b"", framing.ended


def second_opinion(
    data: bytes, method: str = "GET"
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Status, headers and content as h11 reads them; raises ``h11.ProtocolError``."""
    client = h11.Connection(h11.CLIENT, max_incomplete_event_size=1 << 17)
    client.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
    client.send(h11.EndOfMessage())
    client.receive_data(data)
    client.receive_data(b"")
    response = client.next_event()
    assert isinstance(response, h11.Response)
    content = b""
    while isinstance(event := client.next_event(), h11.Data):
        content += bytes(event.data)
    assert isinstance(event, h11.EndOfMessage)
    return response.status_code, list(response.headers), content


NAMES = st.sampled_from([b"X-A", b"x-a", b"Content-Type", b"Set-Cookie", b"X_under", b"A!#$%&'*+"])
VALUES = st.binary(max_size=20).map(
    lambda value: bytes(byte for byte in value if byte >= 32 and byte != 127).strip()
)
CUTS = st.lists(st.integers(0, 1 << 16), max_size=8)


@st.composite
def chunks(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A chunked body and its content."""
    contents = draw(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
    extension = draw(st.sampled_from([b"", b";a", b';a="b c"']))
    text = b"".join(b"%x%b\r\n%b\r\n" % (len(each), extension, each) for each in contents)
    trailer = draw(st.sampled_from([b"", b"X-Sum: 1\r\n", b"A: b\r\nC: d\r\n"]))
    return text + b"0\r\n" + trailer + b"\r\n", b"".join(contents)


@given(
    status=st.sampled_from([200, 201, 206, 404, 418, 500, 599]),
    headers=st.lists(st.tuples(NAMES, VALUES), max_size=6),
    body=chunks(),
    cuts=CUTS,
    after=st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n"]),
)
def test_chunks_are_read_as_another_reads_them(status, headers, body, cuts, after) -> None:
    text, content = body
    head = written(b"HTTP/1.1 %d Fine" % status, [*headers, (b"Transfer-Encoding", b"chunked")])
    found, read_content, rest, ended = read(head + text + after, cuts)
    assert (found.status, read_content, rest, ended) == (status, content, after, True)
    assert found.headers == [*headers, (b"Transfer-Encoding", b"chunked")]
    theirs = second_opinion(head + text)
    assert theirs[0] == found.status
    assert theirs[1] == [(name.lower(), value) for name, value in found.headers]
    assert theirs[2] == content


@given(data=st.binary(max_size=60), cuts=CUTS)
def test_what_we_take_for_chunks_others_do_too(data, cuts) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = data.replace(b"\x01", b"\r\n").replace(b"\x02", b"1\r\n").replace(b"\x03", b"0\r\n\r\n")
    try:
        _, content, rest, ended = read(head + body, cuts)
    except BadAnswer:
        return
    if ended:
        whole = head + body[: len(body) - len(rest)]
        assert second_opinion(whole)[2] == content


@given(length=st.integers(1, 100), extra=st.binary(max_size=10), cuts=CUTS)
def test_a_length_is_kept_to(length, extra, cuts) -> None:
    body = bytes(range(length))
    data = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length + body + extra
    assert read(data, cuts)[1:] == (body, extra, True)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2",
        b"HTTP/1.1 200 OK\r\nContent-Length: +1",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1_0",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1",
    ],
)
def test_a_length_that_can_be_read_in_two_ways_is_refused(head) -> None:
    with pytest.raises(BadAnswer):
        framing_of(parse_head(head), "GET")


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH_9",
        b"HTTP/2 200 OK",
        b"HTTP/1.1 20 OK",
        b"HTTP/1.1 200 O\rK",
        b"HTTP/1.1 200 OK\r\nNo colon",
        b"HTTP/1.1 200 OK\r\nSpace : before",
        b"HTTP/1.1 200 OK\r\n: nameless",
        b"HTTP/1.1 200 OK\r\nX: nul\x00",
        b"HTTP/1.1 200 OK\r\nX: bare\rreturn",
        b"HTTP/1.1 200 OK\r\nX\xc3\xbc: y",
    ],
)
def test_what_is_no_head_is_refused(text) -> None:
    with pytest.raises(BadAnswer):
        parse_head(text)


@pytest.mark.parametrize("size", [b"0x5", b"5_0", b"+5", b" 5", b"", b"g", b"5 5"])
def test_what_is_no_size_is_refused(size) -> None:
    data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + size + b"\r\nhello\r\n"
    with pytest.raises(BadAnswer):
        read(data, [])


def test_a_folded_line_is_one_value() -> None:
    assert parse_head(b"HTTP/1.1 200 OK\r\nX: a\r\n\t b").headers == [(b"X", b"a b")]


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\r\n\n", b"\n\r\n"])
def test_lines_may_end_without_a_return(end) -> None:
    data = b"HTTP/1.1 200 OK\r\nX: 1" + end + b"body\r\n\r\n"
    at, after = end_of_head(data)
    assert data[after:] == b"body\r\n\r\n"
    assert parse_head(data[:at]).headers == [(b"X", b"1")]


@pytest.mark.parametrize(
    ("head", "method"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5", "HEAD"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "HEAD"),
        (b"HTTP/1.1 204 No Content", "GET"),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5", "GET"),
    ],
)
def test_some_answers_have_no_body(head, method) -> None:
    assert framing_of(parse_head(head), method).ended


def test_the_chunks_count_where_there_is_a_length_too() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert read(head + b"5\r\nhello\r\n0\r\n\r\n", [])[1:] == (b"hello", b"", True)


PIECES = (b"X-A", b": 1", b":", b" ", b"\t", b"\r\n", b"\n", b"\r", b"\x00", b"\x7f", b"\xe9", b"v")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_lines_are_read_all_at_once_as_one_by_one(lines) -> None:
    text = b"HTTP/1.1 200 OK\r\n" + lines
    quick, slow = Head(200, b"", []), None
    with contextlib.suppress(BadAnswer):
        slow = _read_lines(text.split(b"\n")[1:])
    if _read_plain(quick, text):
        assert quick.headers == slow
        assert quick.fields == Head(200, b"", quick.headers).fields


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=6))
def test_whole_chunks_one_at_a_time(contents) -> None:
    framing = framing_of(Head(200, b"", [(b"Transfer-Encoding", b"chunked")]), "GET")
    for content in contents:
        data = b"%X\r\n%b\r\n" % (len(content), content)
        assert framing.take(data) == (len(data), [content])
    assert framing.take(b"0\r\n\r\n") == (5, [])
    assert framing.ended
