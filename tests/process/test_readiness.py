"""A server is ready when it says so, as soon as it says so, and only if it is ours."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator

import pytest

from qmdesk.events import ModelState, StopReason
from qmdesk.process import StartFailed, stop
from qmdesk.process import readiness as readiness_module
from qmdesk.process.listener import listener, stranger
from qmdesk.process.readiness import Readiness, addresses
from tests.conftest import pid_runs, until
from tests.process.conftest import Make, fake, free_port, listen, python, shell

SLEEP = python("import time; time.sleep(60)")


class Upstream:
    """Answers with what it is told, and remembers how it was asked."""

    def __init__(self, *answers: int | None) -> None:
        self.answers = list(answers)
        self.asked_at: list[float] = []
        self.connections = 0
        self.url = ""
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, host, port)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for writer in self._open:
                writer.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.asked_at.append(asyncio.get_running_loop().time())
                status = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if status is not None:
                    body = b'{"error":{"message":"Loading model","code":503}}'
                    writer.write(
                        b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
                    )
                    writer.write(body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()


@pytest.fixture
async def upstream() -> AsyncIterator[Upstream]:
    made = Upstream(200)
    yield made
    await made.stop()


class TestAsking:
    async def test_one_connection_serves_all_tries(self, upstream: Upstream) -> None:
        upstream.answers = [503] * 10 + [200]
        await upstream.start()
        async with asyncio.timeout(10):
            assert await Readiness((upstream.url,), "/health").wait() == upstream.url
        assert len(upstream.asked_at) == 11
        assert upstream.connections == 1

    async def test_a_try_that_hangs_costs_no_more_than_its_time(
        self, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(readiness_module, "TRY_TIMEOUT", 0.1)
        upstream.answers = [None, None, None, 200]
        await upstream.start()
        async with asyncio.timeout(10):
            await Readiness((upstream.url,), "/health").wait()
        assert len(upstream.asked_at) == 4

    async def test_an_address_that_hangs_does_not_keep_the_other(self, upstream: Upstream) -> None:
        hanging = Upstream(None)
        await hanging.start("::1")
        await upstream.start()
        try:
            # Sooner than the first try at the hanging one could end.
            async with asyncio.timeout(readiness_module.TRY_TIMEOUT - 0.5):
                found = await Readiness((hanging.url, upstream.url), "/health").wait()
        finally:
            await hanging.stop()
        assert found == upstream.url

    @pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
    @pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
    async def test_both_addresses_of_this_machine_are_tried(
        self, upstream: Upstream, host: str, name: str
    ) -> None:
        port = free_port()
        await upstream.start(host, port)
        async with asyncio.timeout(10):
            found = await Readiness(addresses(f"http://{name}:{port}"), "/health").wait()
        assert found == upstream.url

    def test_another_machine_has_one_address(self) -> None:
        assert addresses("http://10.0.0.5:80/base") == ("http://10.0.0.5:80/base",)

    def test_a_path_and_a_missing_port_are_kept(self) -> None:
        assert addresses("http://localhost/base") == ("http://127.0.0.1/base", "http://[::1]/base")

    async def test_a_path_that_is_not_there_is_hinted_at_once(self, upstream: Upstream) -> None:
        upstream.answers = [404] * 60 + [200]
        await upstream.start()
        hints: list[str] = []
        async with asyncio.timeout(20):
            await Readiness((upstream.url,), "/health", hint=hints.append).wait()
        assert len(hints) == 1
        assert "GET /health answers 404" in hints[0]
        assert "checkEndpoint" in hints[0]

    async def test_the_body_of_a_loading_server_is_heard(self, upstream: Upstream) -> None:
        upstream.answers = [503, 200]
        await upstream.start()
        heard: list[bytes] = []
        await Readiness((upstream.url,), "/health", heard=heard.append).wait()
        assert heard == [b'{"error":{"message":"Loading model","code":503}}']

    def test_the_tries_ease_off(self) -> None:
        pause = readiness_module._pause
        assert [pause(age) for age in (0, 2.9, 3.1, 29, 31, 500)] == [
            0.025,
            0.025,
            0.25,
            0.25,
            1.0,
            1.0,
        ]
        assert readiness_module.FIRST_TRY == 0.010


class TestReady:
    async def test_not_before_the_health_endpoint_says_200(self, make: Make) -> None:
        server = make(fake("--ready-after", 0.3))
        await server.process.start()
        assert server.process.load_seconds is not None
        assert server.process.load_seconds >= 0.3

    async def test_a_server_without_health_names_another_path(self, make: Make) -> None:
        server = make(fake("--health", 404), check_endpoint="/v1/models")
        await server.process.start()
        assert server.process.state is ModelState.READY

    async def test_none_is_ready_at_once(self, make: Make) -> None:
        server = make(fake("--listen-after", 60), check_endpoint="none")
        await server.process.start()
        assert server.process.base_url == f"http://127.0.0.1:{server.process.port}"
        assert not server.wrote("listens")

    @pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
    async def test_wherever_it_listens_is_where_it_is_reached(self, make: Make, host: str) -> None:
        server = make(fake("--host", host), proxy="http://localhost:${PORT}")
        await server.process.start()
        shown = f"[{host}]" if ":" in host else host
        assert server.process.base_url == f"http://{shown}:{server.process.port}"

    async def test_three_hanging_tries_do_not_block_it(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(readiness_module, "TRY_TIMEOUT", 0.1)
        server = make(fake("--hang-health", 3))
        async with asyncio.timeout(20):
            await server.process.start()

    async def test_a_launcher_that_ends_well_is_ready_with_its_server(self, make: Make) -> None:
        there = Upstream(200)
        await there.start()
        try:
            server = make(("true",), proxy=there.url)
            await server.process.start()
            assert server.process.state is ModelState.READY
            assert server.process.pid is None
            await server.process.stop(StopReason.MANUAL, 5.0)
            assert not server.wrote("still open")
        finally:
            await there.stop()


class TestNotReady:
    async def test_the_time_is_bounded_and_the_message_says_what_was_heard(
        self, make: Make
    ) -> None:
        server = make(fake("--health", 401), health_check_timeout=0.5)
        with pytest.raises(StartFailed) as caught:
            await server.process.start()
        assert "m was not ready within 0.5 s (healthCheckTimeout)" in str(caught.value)
        assert "answered 401, not 200" in str(caught.value)

    async def test_a_server_that_never_listens(self, make: Make) -> None:
        server = make(SLEEP, health_check_timeout=0.3)
        with pytest.raises(StartFailed, match="gave no answer"):
            await server.process.start()

    async def test_the_next_start_may_succeed(self, make: Make) -> None:
        server = make(fake("--ready-after", 60), health_check_timeout=0.3)
        with pytest.raises(StartFailed):
            await server.process.start()
        server.process.model = make(fake()).process.model
        await server.process.start()
        assert server.process.state is ModelState.READY

    async def test_its_end_ends_the_wait(self, make: Make) -> None:
        server = make(fake("--exit-after", 0.1, "--exit-code", 1))
        async with asyncio.timeout(10):
            with pytest.raises(StartFailed, match="ended with code 1 before it was ready"):
                await server.process.start()

    async def test_a_launcher_that_leaves_nothing_has_failed(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("qmdesk.process.process.DETACHED_WAIT", 0.1)
        server = make(("true",))
        with pytest.raises(StartFailed, match="true ended with code 0 before it was ready"):
            await server.process.start()

    async def test_a_signal_is_named(self, make: Make) -> None:
        server = make(fake("--ready-after", 60))
        waiting = asyncio.ensure_future(server.process.start())
        await until(lambda: server.wrote("listens"))
        os.kill(server.pid(), signal.SIGSEGV)
        with pytest.raises(StartFailed, match="was ended by SIGSEGV"):
            await waiting


class TestStrangers:
    async def test_a_stranger_on_the_port_is_named(self, make: Make) -> None:
        port = free_port()
        other = subprocess.Popen(fake(port=str(port)), stdout=subprocess.DEVNULL)
        try:
            await until(lambda: listener(port))
            # It does not listen itself, as a server does that has lost the port.
            server = make((*SLEEP, str(port)), proxy=f"http://127.0.0.1:{port}")
            with pytest.raises(StartFailed) as caught:
                await server.process.start()
            assert f"port {port} is answered by another program, " in str(caught.value)
            assert f"(process {other.pid})" in str(caught.value)
            assert pid_runs(other.pid)
        finally:
            other.kill()
            other.wait()

    async def test_a_server_elsewhere_is_none_where_the_command_names_no_port(
        self, make: Make
    ) -> None:
        there = Upstream(200)
        await there.start()
        try:
            server = make(("sleep", "60"), proxy=there.url)
            await server.process.start()
            assert server.process.state is ModelState.READY
        finally:
            await there.stop()

    async def test_a_server_that_started_later_is_none(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As a container's proxy does, which is nobody's child of ours."""
        monkeypatch.setattr(stop, "PORT_WAIT", 0.1)
        port = free_port()
        server = make((*SLEEP, str(port)), proxy=f"http://127.0.0.1:{port}")
        waiting = asyncio.ensure_future(server.process.start())
        await until(lambda: server.process.pid)
        other = subprocess.Popen(fake(port=str(port)), stdout=subprocess.DEVNULL)
        try:
            await waiting
            assert server.process.state is ModelState.READY
            await server.process.stop(StopReason.MANUAL, 5.0)
        finally:
            other.kill()
            other.wait()

    async def test_a_grandchild_may_be_the_one_who_listens(self, make: Make) -> None:
        server = make(shell("FAKE & wait"))
        await server.process.start()
        assert server.process.state is ModelState.READY

    def test_who_listens_is_told(self) -> None:
        port = free_port()
        assert listener(port) is None
        with listen(port):
            found = listener(port)
            assert found is not None
            assert found.pid == os.getpid()
            assert stranger(port, (), since=0.0) is None
            assert stranger(port, (), since=2**40) == found
