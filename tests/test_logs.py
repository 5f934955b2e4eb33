"""Logs: what is kept, how it is cut into lines, and who hears of it."""

from __future__ import annotations

import itertools
import logging
import threading

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.logs import MAX_BYTES, MAX_LINE, MAX_LINES, OWN, Log, LogHandler, Logs, plain

MIB = 1 << 20


def fed(*pieces: bytes) -> list[str]:
    """The lines that come of output which is read in these pieces, and then ends."""
    log = Log("m")
    for piece in pieces:
        log.feed(piece)
    log.finish()
    return log.lines()


class TestLines:
    def test_cut_anywhere_they_are_the_same(self) -> None:
        assert fed(b"one\ntw", b"o", b"\n", b"thr", b"ee") == ["one", "two", "three"]
        assert fed(b"one\r\ntwo\r", b"\nthree\r\n") == ["one", "two", "three"]

    @given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
    def test_any_bytes_in_any_pieces(self, data: bytes, cuts: list[int]) -> None:
        places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        pieces = [data[a:b] for a, b in itertools.pairwise(places)]
        assert fed(*pieces) == fed(data)

    def test_bytes_that_are_no_utf_8_are_replaced(self) -> None:
        assert fed(b"caf\xc3", b"\xa9 \xff\xfe!\n") == ["caf\u00e9 \ufffd\ufffd!"]
        assert fed(b"half \xe2\x82") == ["half \ufffd"]

    def test_a_progress_bar_is_one_line_as_it_last_was(self) -> None:
        assert fed(b"  0%\r", b" 50%", b"\r100%\r", b"\ndone\n") == ["100%", "done"]

    def test_an_unfinished_line_can_be_seen(self) -> None:
        log = Log("m")
        log.feed(b"one\n10%\r20")
        assert log.unfinished == "20"
        log.feed(b"%")
        assert log.unfinished == "20%"
        assert log.lines() == ["one"]

    def test_a_line_of_ours_ends_the_unfinished_one(self) -> None:
        log = Log("m")
        log.feed(b"half")
        log.write("[qmdesk] stopped")
        assert log.lines() == ["half", "[qmdesk] stopped"]

    def test_a_line_without_end_is_cut(self) -> None:
        lines = fed(*[b"x" * 65536] * 16)
        assert "".join(lines) == "x" * MIB
        assert max(map(len, lines)) <= MAX_LINE

    def test_but_not_within_a_colour(self) -> None:
        for before in range(MAX_LINE - 8, MAX_LINE + 1):
            lines = fed(b"x" * before + b"\x1b[1;31m" + b"y" * 20 + b"\n")
            assert "".join(map(plain, lines)) == "x" * before + "y" * 20

    def test_an_escape_that_never_ends_is_cut_all_the_same(self) -> None:
        lines = fed(b"\x1b]" + b"x" * MAX_LINE * 2 + b"\n")
        assert sum(map(len, lines)) == MAX_LINE * 2 + 2


class TestColours:
    def test_they_are_kept_for_the_viewer_and_stripped_for_files(self) -> None:
        (line,) = fed(b"\x1b[3", b"1mred\x1b", b"[0m\n")
        assert line == "\x1b[31mred\x1b[0m"
        assert plain(line) == "red"

    def test_titles_and_other_sequences_are_stripped_too(self) -> None:
        assert plain("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b[2Kc\x1bMd") == "abcd"


class TestBounds:
    def test_the_oldest_lines_go(self) -> None:
        log = Log("m")
        log.feed(b"".join(b"%d\n" % number for number in range(MAX_LINES + 5)))
        assert len(log.lines()) == MAX_LINES
        assert log.lines(1) == [str(MAX_LINES + 4)]
        assert log.lines(0) == []

    @pytest.mark.parametrize("letter", ["x", "\u754c", "\U0001f600"])
    def test_the_bytes_count_not_the_letters(self, letter: str) -> None:
        log = Log("m")
        for _ in range(3000):
            log.write(letter * 1000)
        held = sum(len(line.encode()) for line in log.lines())
        assert MAX_BYTES - 4000 <= held <= MAX_BYTES

    def test_200_mib_of_output_take_a_few_mib(self) -> None:
        log = Log("m")
        asleep = log.follow(lambda: None)
        chunk = (b"x" * 99 + b"\n") * 655
        for _ in range(100):
            log.feed(chunk)
        me = psutil.Process()
        before = me.memory_info().rss
        for _ in range(200 * MIB // len(chunk)):
            log.feed(chunk)
        assert me.memory_info().rss - before < 4 * MIB
        asleep.close()


class TestFollowers:
    def test_they_get_what_is_kept_and_what_comes(self) -> None:
        log = Log("m")
        log.write("before")
        old, new = log.follow(lambda: None), log.follow(lambda: None, history=False)
        log.write("after")
        assert old.take() == ["before", "after"]
        assert new.take() == ["after"]
        assert old.take() == []

    def test_they_are_woken_once_until_they_take(self) -> None:
        log = Log("m")
        woken: list[str] = []
        first = log.follow(lambda: woken.append("first"))
        log.follow(lambda: woken.append("second"))
        log.feed(b"1\n2\n")
        log.feed(b"3\n")
        assert woken == ["first", "second"]
        first.take()
        log.write("4")
        assert woken == ["first", "second", "first"]

    def test_one_that_is_slow_loses_lines_and_hears_how_many(self) -> None:
        log = Log("m")
        slow, quick = log.follow(lambda: None, limit=3), log.follow(lambda: None)
        for number in range(10):
            log.write(str(number))
        assert slow.take() == ["[7 lines left out: this reader was too slow]", "7", "8", "9"]
        assert len(quick.take()) == 10
        log.write("10")
        assert slow.take() == ["10"]

    def test_long_lines_count_by_their_bytes(self) -> None:
        log = Log("m")
        slow = log.follow(lambda: None)
        for _ in range(200):
            log.write("x" * MAX_LINE)
        lines = slow.take()
        assert "lines left out" in lines[0]
        assert sum(map(len, lines[1:])) <= MAX_BYTES

    def test_what_was_there_before_is_no_loss(self) -> None:
        log = Log("m")
        for number in range(10):
            log.write(str(number))
        assert log.follow(lambda: None, limit=3).take() == ["7", "8", "9"]

    def test_after_the_end_they_hear_nothing(self) -> None:
        log = Log("m")
        follower = log.follow(lambda: None)
        follower.close()
        follower.close()
        log.write("1")
        assert follower.take() == []


class TestOwnLog:
    def test_what_is_logged_is_in_it_also_from_threads(self) -> None:
        logs = Logs()
        handler = LogHandler(logs.own)
        logger = logging.getLogger("tests.own_log")
        logger.addHandler(handler)
        try:
            threads = [
                threading.Thread(target=logger.warning, args=("first\nsecond",)) for _ in range(5)
            ]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        finally:
            logger.removeHandler(handler)
        lines = logs.own.lines()
        assert len(lines) == 10
        assert sum("WARNING tests.own_log: first" in line for line in lines) == 5


class TestLogs:
    def test_by_name_made_on_demand(self) -> None:
        logs = Logs()
        assert logs.get("m") is None
        assert logs.of("m") is logs.of("m") is logs.get("m")
        assert logs.names() == (OWN, "m")

    def test_whoever_wants_all_hears_of_each(self) -> None:
        logs = Logs()
        logs.of("a")
        seen: list[str] = []
        logs.each(lambda log: seen.append(log.name))
        logs.of("b")
        logs.of("a")
        assert seen == [OWN, "a", "b"]
