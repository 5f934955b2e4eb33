"""Small requests for a ready model: no task answers them, and nobody can tell."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from qmdesk.config import parse
from qmdesk.gateway import connection as client_side
from qmdesk.gateway.inference import Inference
from tests.conftest import simple, until
from tests.gateway.raw_upstream import RawUpstream, read_head

HEAD = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: one\r\n"


def request(body: bytes = b'{"model":"a"}', more: bytes = b"") -> bytes:
    return HEAD + more + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.fixture
async def upstream() -> AsyncIterator[RawUpstream]:
    made = RawUpstream()
    yield made
    await made.close()


@pytest.fixture
async def instance(start, upstream):
    address = await upstream.start()
    return await start(parse(f"models:\n  a: {{proxy: '{address}'}}\n"))


@pytest.fixture
async def opened(instance):
    """Opens connections, and closes them when the test ends."""
    writers: list[asyncio.StreamWriter] = []

    async def begin() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writers.append(writer)
        return reader, writer

    yield begin
    for writer in writers:
        writer.close()


@pytest.fixture
def by_task(monkeypatch) -> list[str]:
    """The paths of what a task answers."""
    paths: list[str] = []
    serve = Inference.serve

    async def noted(self, request, path):
        paths.append(path)
        return await serve(self, request, path)

    monkeypatch.setattr(Inference, "serve", noted)
    return paths


async def answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Status line and body."""
    async with asyncio.timeout(10):
        head = await read_head(reader)
        (length,) = head.named(b"content-length")
        return head.line, await reader.readexactly(int(length))


class TestWhatIsTaken:
    @pytest.mark.parametrize(
        "more",
        [
            b"",
            b"Content-Type: application/json\r\n",
            b"X-QM-Hold-Ms: 5\r\n",
            b"Origin: http://localhost:3000\r\n",
        ],
    )
    async def test_plain_json(self, opened, by_task, upstream, more) -> None:
        reader, writer = await opened()
        for _ in range(2):
            writer.write(request(more=more))
            assert await answer(reader) == (b"HTTP/1.1 200 OK", b"ok")
        assert by_task == []
        assert [each.body for each in upstream.asked] == [b'{"model":"a"}'] * 2

    @pytest.mark.parametrize(
        ("body", "more"),
        [
            (b'{"model":"a"}', b"Expect: 100-continue\r\n"),
            (b'{"model":"a"}', b"Connection: close\r\n"),
            (b'{"model":"a?ctx=512"}', b""),
            (b'{"model":"b"}', b""),
            (b'{"model":1}', b""),
            (b'["model"]', b""),
            (b"no JSON", b""),
            (b"\xff", b""),
            (b'{"model":"a","x":"' + b"x" * (1 << 16) + b'"}', b""),
        ],
    )
    async def test_all_else_is_left_to_a_task(self, opened, by_task, body, more) -> None:
        reader, writer = await opened()
        writer.write(request(body, more))
        async with asyncio.timeout(10):
            assert (await reader.readline()).startswith(b"HTTP/1.1 ")
        assert by_task == ["/v1/completions"]

    async def test_what_has_to_wait_is_left_to_a_task(self, start, http, by_task) -> None:
        instance = await start(simple("a"))
        for expected in (1, 1):
            body = {"model": "a"}
            async with http.post(f"{instance.addresses[0]}/v1/completions", json=body) as reply:
                assert reply.status == 200
                await reply.read()
            assert len(by_task) == expected


class TestItsConnection:
    async def test_a_body_may_come_in_pieces(self, opened, by_task) -> None:
        reader, writer = await opened()
        for at in range(0, len(request()), 9):
            writer.write(request()[at : at + 9])
            await asyncio.sleep(0.005)
        assert await answer(reader) == (b"HTTP/1.1 200 OK", b"ok")
        assert by_task == []

    async def test_answers_come_in_the_order_of_the_requests(self, opened, upstream) -> None:
        async def handle(asked, _reader, writer) -> None:
            number = json.loads(asked.body)["number"]
            await asyncio.sleep(0.05 / (number + 1))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d" % number)

        upstream.handle = handle
        reader, writer = await opened()
        listed = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        asked = [request(b'{"model":"a","number":%d}' % number) for number in range(4)]
        writer.write(asked[0] + asked[1] + listed + asked[2] + listed + asked[3])
        bodies = [(await answer(reader))[1] for _ in range(6)]
        assert [body[:2] for body in bodies] == [b"0", b"1", b"OK", b"2", b"OK", b"3"]

    async def test_headers_are_looked_at_anew_where_they_differ(self, start, upstream) -> None:
        address = await upstream.start()
        config = f"apiKeys: [one]\nmodels:\n  a: {{proxy: '{address}'}}\n"
        instance = await start(parse(config))
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for key, status in ((b"one", 200), (b"two", 401), (b"one", 200)):
            writer.write(request().replace(b"one", key))
            assert f" {status} ".encode() in (await answer(reader))[0]
        instance.router.config = parse(config.replace("one", "three"))
        writer.write(request())
        assert b" 401 " in (await answer(reader))[0]
        writer.close()

    async def test_it_is_not_idle_meanwhile(self, opened, upstream, monkeypatch) -> None:
        """aiohttp ends connections that have been idle for an hour; its task is idle."""
        made: list[client_side.Connection] = []
        connected = client_side.Connection.connection_made

        def noted(self, transport) -> None:
            self._keepalive_timeout = 0.1
            made.append(self)
            connected(self, transport)

        monkeypatch.setattr(client_side.Connection, "connection_made", noted)

        async def handle(_asked, _reader, writer) -> None:
            await asyncio.sleep(0.5)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        upstream.handle = handle
        reader, writer = await opened()
        writer.write(request())
        assert await answer(reader) == (b"HTTP/1.1 200 OK", b"ok")
        async with asyncio.timeout(10):
            assert await reader.read() == b""
        assert made


class TestWhoLeaves:
    async def test_while_the_server_thinks(self, opened, instance, upstream) -> None:
        gone = asyncio.Event()

        async def handle(_asked, reader, _writer) -> None:
            await reader.read()
            gone.set()

        upstream.handle = handle
        _, writer = await opened()
        writer.write(request())
        await until(lambda: upstream.asked)
        assert instance.router.snapshot().in_flight == 1
        writer.transport.abort()
        async with asyncio.timeout(5):
            await gone.wait()
        assert instance.router.snapshot().in_flight == 0
        (row,) = await instance.activity(after=0, limit=9)
        assert (row["status"], row["error"]) == (499, "the client went away")

    async def test_before_the_body_is_whole(self, opened, instance, upstream, caplog) -> None:
        caplog.set_level("INFO", "qmdesk.access")
        _, writer = await opened()
        writer.write(request()[:-1])
        await asyncio.sleep(0.05)
        writer.transport.abort()
        await until(lambda: "POST /v1/completions 499 0 B model=-" in caplog.text)
        assert upstream.asked == []

    async def test_while_the_connection_is_made(self, start, monkeypatch) -> None:
        from qmdesk.gateway.upstream import Upstreams

        asked = asyncio.Event()

        async def connect(*_args, **_more):
            asked.set()
            await asyncio.sleep(60)

        monkeypatch.setattr(Upstreams, "connect", connect)
        instance = await start(parse("models:\n  a: {proxy: 'http://127.0.0.1:9'}\n"))
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(request())
        await asked.wait()
        writer.transport.abort()
        await until(lambda: instance.router.snapshot().in_flight == 0)

    async def test_who_reads_slowly_keeps_the_turn(self, opened, instance, upstream) -> None:
        size = 12 << 20
        upstream.answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (size, bytes(size))
        reader, writer = await opened()
        writer.transport.pause_reading()
        writer.write(request() + request())
        await until(lambda: upstream.asked)
        await asyncio.sleep(0.2)
        assert len(upstream.asked) == 1
        assert instance.router.snapshot().in_flight == 1
        writer.transport.resume_reading()
        for _ in range(2):
            assert (await answer(reader))[1] == bytes(size)
        await until(lambda: instance.router.snapshot().in_flight == 0)


class TestWhatGoesWrong:
    async def test_a_cancelled_request_is_told_so(self, opened, instance, upstream) -> None:
        async def handle(_asked, reader, _writer) -> None:
            await reader.read()

        upstream.handle = handle
        reader, writer = await opened()
        writer.write(request())
        await until(lambda: upstream.asked)
        (row,) = instance.requests()
        assert instance.cancel_request(row["id"], by="the test")
        line, body = await answer(reader)
        assert line.startswith(b"HTTP/1.1 499 ")
        assert json.loads(body)["error"]["code"] == "request_cancelled"
        assert instance.router.snapshot().in_flight == 0
        # The connection is as good as before.
        upstream.handle = None
        writer.write(request())
        assert (await answer(reader))[0] == b"HTTP/1.1 200 OK"

    async def test_the_log_and_the_activity_have_one_line_each(
        self, opened, instance, upstream, caplog
    ) -> None:
        caplog.set_level("INFO", "qmdesk.access")
        answers = [b"", b"", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]

        async def handle(_asked, _reader, writer) -> None:
            writer.write(answers.pop(0))

        upstream.handle = handle
        reader, writer = await opened()
        writer.write(request())
        assert (await answer(reader))[0].startswith(b"HTTP/1.1 502 ")
        assert len(upstream.asked) == 2
        writer.write(request())
        assert (await answer(reader))[0] == b"HTTP/1.1 200 OK"
        rows = await instance.activity(after=0, limit=9)
        assert [row["status"] for row in rows] == [200, 502]
        lines = [each for each in caplog.records if each.name == "qmdesk.access"]
        assert len(lines) == 2

    async def test_the_end_of_qmdesk_waits_for_it(self, opened, instance, upstream) -> None:
        async def handle(_asked, reader, _writer) -> None:
            await reader.read()

        upstream.handle = handle
        reader, writer = await opened()
        writer.write(request())
        await until(lambda: upstream.asked)
        await instance.stop(budget=1.0)
        async with asyncio.timeout(5):
            said = await reader.read()
        assert said == b"" or b"shutting" in said
        assert instance.router.snapshot().in_flight == 0


class TestAnotherAiohttp:
    def test_this_one_has_all_that_is_needed(self) -> None:
        assert client_side.missing() == ()

    async def test_without_it_a_task_answers(
        self, start, upstream, by_task, caplog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(client_side, "_OF_AIOHTTP", ("_messages", "_gone"))
        address = await upstream.start()
        instance = await start(parse(f"models:\n  a: {{proxy: '{address}'}}\n"))
        assert "this aiohttp has no _gone" in caplog.text
        host, port = instance.addresses[0].removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for _ in range(2):
            writer.write(request())
            assert (await answer(reader))[0] == b"HTTP/1.1 200 OK"
        writer.close()
        assert by_task == ["/v1/completions"] * 2
