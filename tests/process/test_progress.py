"""How far a load is: by its own words, by what it reads, by the last load's time."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.events import StopReason
from qmdesk.process.progress import Progress, said_in_body, said_in_log
from tests.conftest import until
from tests.process.conftest import Make, fake, shell

GIB = 1 << 30


def after_load(seconds: float, read: int | None) -> Progress:
    progress = Progress()
    progress.begin(0.0)
    progress.finish(seconds, read)
    progress.begin(100.0)
    return progress


class TestEstimate:
    def test_a_first_load_tells_nothing(self) -> None:
        progress = Progress()
        assert progress.estimate(5.0) == (None, None)
        progress.begin(0.0)
        assert progress.estimate(5.0) == (None, None)

    def test_the_last_loads_time(self) -> None:
        progress = after_load(10.0, None)
        assert progress.estimate(104.0) == (pytest.approx(0.4), pytest.approx(6.0))

    def test_what_has_been_read_tells_better(self) -> None:
        progress = after_load(10.0, 4 * GIB)
        progress.read(GIB)
        assert progress.estimate(108.0) == (pytest.approx(0.25), pytest.approx(24.0))

    def test_a_file_in_the_systems_cache_is_not_read_again(self) -> None:
        progress = after_load(10.0, 4 * GIB)
        progress.read(1 << 20)
        assert progress.estimate(105.0)[0] == pytest.approx(0.5)

    def test_few_bytes_are_the_program_and_not_the_model(self) -> None:
        progress = after_load(10.0, 1 << 20)
        progress.read(1 << 20)
        assert progress.estimate(101.0)[0] == pytest.approx(0.1)

    def test_the_servers_own_word_comes_first(self) -> None:
        progress = after_load(10.0, 4 * GIB)
        progress.read(GIB)
        progress.said(0.8)
        assert progress.estimate(108.0) == (pytest.approx(0.8), pytest.approx(2.0))

    def test_longer_than_ever_leaves_the_end_open(self) -> None:
        assert after_load(10.0, None).estimate(115.0) == (0.99, None)

    def test_something_better_may_set_it_back(self) -> None:
        progress = after_load(10.0, 4 * GIB)
        assert progress.estimate(109.0)[0] == pytest.approx(0.9)
        progress.read(GIB)
        assert progress.estimate(109.0)[0] == pytest.approx(0.25)
        progress.said(0.5)
        assert progress.estimate(109.0)[0] == pytest.approx(0.5)
        progress.said(None)
        assert progress.estimate(109.0)[0] == pytest.approx(0.5)

    @given(st.lists(st.tuples(st.floats(0, 50), st.integers(GIB, 8 * GIB))))
    def test_otherwise_it_never_goes_back_and_is_never_done(
        self, steps: list[tuple[float, int]]
    ) -> None:
        progress = after_load(10.0, 4 * GIB)
        now, last = 100.0, 0.0
        for passed, read in steps:
            now += passed
            progress.read(read)
            share, left = progress.estimate(now)
            assert share is not None
            assert last <= share <= 0.99
            assert left is None or left >= 0
            last = share


class TestWords:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b'{"error": {"message": "Loading model", "code": 503}}', None),
            (b'{"error": {"message": "Loading model", "progress": 0.5}}', 0.5),
            (b'{"status": "loading", "progress": 0.25}', 0.25),
            (b'{"progress": 7}', None),
            (b'{"progress": true}', None),
            (b"[1]", None),
            (b"\xff", None),
            (b"", None),
        ],
    )
    def test_in_the_answer(self, body: bytes, said: float | None) -> None:
        assert said_in_body(body) == said

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("." * 37, 0.37),
            ("Loading safetensors checkpoint shards:  50% Completed | 2/4", 0.5),
            ("load_tensors: 12.5 % done", 0.12),
            ("GPU utilisation 80%", None),
            ("loaded in 3 s", None),
            ("..", None),
        ],
    )
    def test_in_the_log(self, line: str, said: float | None) -> None:
        assert said_in_log(["something else", line]) == said

    def test_the_last_word_counts(self) -> None:
        assert said_in_log(["loading 10%", "loading 90%", ""]) == 0.9


class TestProcess:
    async def test_its_own_words_are_read_while_it_loads(self, make: Make) -> None:
        server = make(shell("printf ..........................................; sleep 60"))
        waiting = asyncio.ensure_future(server.process.start())
        await until(lambda: server.log.unfinished)
        assert server.process.progress()[0] == pytest.approx(0.42)
        await server.process.stop(StopReason.MANUAL, 1.0)
        assert isinstance(await asyncio.gather(waiting, return_exceptions=True), list)
        assert server.process.progress() == (None, None)

    async def test_time_and_bytes_of_the_last_load_are_known(self, make: Make) -> None:
        server = make(fake("--reads", 64))
        await server.process.start()
        assert server.process.load_bytes is not None
        assert 64 << 20 <= server.process.load_bytes < 128 << 20
        assert server.process.load_seconds is not None
        assert server.process.progress() == (None, None)

    async def test_what_is_read_meanwhile_is_seen_by_whoever_asks(self, make: Make) -> None:
        server = make(fake("--reads", 256))
        await server.process.start()
        await server.process.stop(StopReason.MANUAL, 5.0)
        server.process.model = make(fake("--reads", 128, "--ready-after", 60)).process.model
        waiting = asyncio.ensure_future(server.process.start())

        def half() -> bool:
            share, left = server.process.progress()
            return share is not None and 0.4 < share < 0.6 and left is not None

        await until(lambda: server.wrote("listens"))
        await until(half)
        waiting.cancel()
        await server.process.stopped()
