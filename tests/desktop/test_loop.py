"""The pumped loop is an asyncio loop, and Qt lives inside it."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref

import aiohttp
import pytest
import qasync
from aiohttp import web
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog

from qmdesk.desktop import loop as loop_module
from qmdesk.desktop.executor import DaemonExecutor
from qmdesk.desktop.loop import PumpedLoop, new_event_loop
from tests.desktop.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the stock loop")


def current() -> PumpedLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, PumpedLoop)
    return loop


# Sockets, pipes, threads


def test_fifty_streams_over_sockets(run: Run) -> None:
    async def body() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            name = await reader.readline()
            for number in range(40):
                writer.write(b"%d:" % number + name)
                await writer.drain()
            writer.close()

        async def ask(number: int) -> bytes:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"stream %d\n" % number)
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        async with server:
            answers = await asyncio.gather(*[ask(number) for number in range(50)])
        for number, answer in enumerate(answers):
            assert answer == b"".join(b"%d:stream %d\n" % (at, number) for at in range(40))

    run(body())


def test_big_transfer_with_flow_control(run: Run) -> None:
    async def body() -> None:
        data = os.urandom(1 << 16) * 200

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(data)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            received = await reader.read()
            writer.close()
            await writer.wait_closed()
        assert received == data

    run(body())


def test_aiohttp_streams_both_ways(run: Run) -> None:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        async for piece in request.content.iter_any():
            await response.write(piece.upper())
        return response

    async def upload():
        for number in range(100):
            yield b"piece %d\n" % number
            await asyncio.sleep(0)

    async def body() -> None:
        app = web.Application()
        app.router.add_post("/", stream)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"http://{host}:{port}/", data=upload()) as response,
        ):
            answer = await response.read()
        await runner.cleanup()
        assert answer == b"".join(b"PIECE %d\n" % number for number in range(100))

    run(body())


def test_subprocess_pipes_and_exit_code(run: Run) -> None:
    async def body() -> None:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "import sys; print(sys.stdin.read()[::-1]); print('e', file=sys.stderr); sys.exit(7)",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await child.communicate(b"abc")
        assert (out.strip(), err.strip(), child.returncode) == (b"cba", b"e", 7)

    run(body())


def test_executor_returns_and_raises(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        idents = await asyncio.gather(
            *[loop.run_in_executor(None, threading.get_ident) for _ in range(20)]
        )
        assert threading.get_ident() not in idents
        with pytest.raises(ZeroDivisionError):
            await loop.run_in_executor(None, lambda: 1 / 0)
        assert await asyncio.to_thread(len, "four") == 4

    run(body())


def test_a_stuck_call_does_not_hold_the_end() -> None:
    release = threading.Event()
    executor = DaemonExecutor(patience=0.05)
    stuck = executor.submit(release.wait)
    executor.shutdown(wait=True)
    assert not stuck.done()
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(len, "")
    release.set()
    assert stuck.result(timeout=10)


def test_executor_cancels_what_waits() -> None:
    release, started = threading.Event(), threading.Event()
    executor = DaemonExecutor(max_workers=1)
    first = executor.submit(lambda: (started.set(), release.wait()))
    started.wait()
    second = executor.submit(len, "")
    executor.shutdown(wait=False, cancel_futures=True)
    assert second.cancelled()
    release.set()
    first.result(timeout=10)


def test_threads_call_back_with_context(run: Run) -> None:
    name = contextvars.ContextVar("name", default="none")

    async def body() -> None:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        done = asyncio.Event()

        def call(number: int) -> None:
            name.set(f"thread {number}")
            handle = loop.call_soon_threadsafe(lambda: seen.append(name.get()))
            assert isinstance(handle, asyncio.Handle)
            handed = contextvars.copy_context()
            handed.run(name.set, "handed")
            loop.call_soon_threadsafe(lambda: seen.append(name.get()), context=handed)

        threads = [threading.Thread(target=call, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        await asyncio.to_thread(lambda: [thread.join() for thread in threads])
        loop.call_soon_threadsafe(done.set)
        await done.wait()
        assert sorted(seen) == ["handed"] * 5 + [f"thread {number}" for number in range(5)]

    run(body())


def test_a_thread_wakes_an_idle_loop(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        # Nothing else is scheduled: only the wake-up can end the wait.
        threading.Timer(0.05, loop.call_soon_threadsafe, (future.set_result, 1)).start()
        assert await future == 1

    run(body())


def test_datagrams(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes] = loop.create_future()

        class Echo(asyncio.DatagramProtocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                self.transport = transport

            def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
                self.transport.sendto(data[::-1], addr)  # type: ignore[attr-defined]

        class Ask(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
                answer.set_result(data)

        server, _ = await loop.create_datagram_endpoint(Echo, local_addr=("127.0.0.1", 0))
        client, _ = await loop.create_datagram_endpoint(
            Ask, remote_addr=server.get_extra_info("sockname")
        )
        client.sendto(b"abc")
        assert await answer == b"cba"
        client.close()
        server.close()

    run(body())


def test_readers_and_writers(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        near, far = socket.socketpair()
        near.setblocking(False)
        got, writable = asyncio.Event(), asyncio.Event()
        loop.add_reader(near, got.set)
        loop.add_writer(near, writable.set)
        await writable.wait()
        assert loop.remove_writer(near)
        assert not got.is_set()
        far.send(b"x")
        await got.wait()
        assert loop.remove_reader(near)
        assert not loop.remove_reader(near)
        near.close()
        far.close()

    run(body())


def test_signals(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        came = asyncio.Event()
        loop.add_signal_handler(signal.SIGUSR1, came.set)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        await came.wait()
        assert loop.remove_signal_handler(signal.SIGUSR1)

    run(body())


# Order, handles, timers


def test_callbacks_run_in_order(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        seen: list[int] = []
        for number in range(3000):
            loop.call_soon(seen.append, number)
        loop.call_soon(loop.call_soon, seen.append, -1)
        while -1 not in seen:
            await asyncio.sleep(0)
        assert seen == [*range(3000), -1]

    run(body())


def test_timers_run_in_order_of_time(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        done = asyncio.Event()
        start = loop.time()
        loop.call_at(start + 0.06, done.set)
        loop.call_at(start + 0.04, seen.append, "late")
        loop.call_at(start + 0.02, seen.append, "early")
        loop.call_later(0, seen.append, "now")
        await done.wait()
        assert seen == ["now", "early", "late"]

    run(body())


def test_cancelled_handles_do_not_run(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        loop.call_soon(seen.append, "soon").cancel()
        loop.call_later(0.01, seen.append, "later").cancel()
        loop.call_soon_threadsafe(seen.append, "threadsafe").cancel()
        await asyncio.sleep(0.05)
        assert seen == []

    run(body())


def test_a_timer_knows_its_time(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        before = loop.time()
        handle = loop.call_later(5, lambda: None)
        assert isinstance(handle, asyncio.TimerHandle)
        assert before + 5 <= handle.when() <= loop.time() + 5
        assert loop.call_at(before + 9, lambda: None).when() == before + 9
        handle.cancel()

    run(body())


def test_sleep_is_never_early(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()

        async def nap(seconds: float) -> float:
            start = loop.time()
            await asyncio.sleep(seconds)
            return loop.time() - start - seconds

        naps = [number / 700 for number in range(60)]
        assert min(await asyncio.gather(*[nap(each) for each in naps])) >= 0
        assert min([await nap(each) for each in naps[:15]]) >= 0

    run(body())


def test_an_earlier_timer_overtakes(run: Run) -> None:
    """A deadline set while Qt already waits for a later one is met first."""

    async def body() -> None:
        loop = asyncio.get_running_loop()
        far = loop.call_later(3600, lambda: None)
        came = asyncio.Event()
        # From a plain slot, which no pump surrounds.
        QTimer.singleShot(20, lambda: loop.call_later(0.02, came.set))
        await asyncio.wait_for(came.wait(), 20)
        far.cancel()

    run(body())


def test_timeouts_end_waits_and_leave_nothing(run: Run) -> None:
    async def body() -> None:
        loop = current()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await loop.create_future()
        for _ in range(1000):
            async with asyncio.timeout(600):
                await asyncio.sleep(0)
        live = [each for each in loop._scheduled if not each.cancelled()]
        assert len(live) <= 1  # the fixture's own
        assert len(loop._scheduled) <= 110

    run(body())


def test_idle_arms_one_qt_timer_at_most(run: Run) -> None:
    async def body() -> None:
        loop = current()
        handles = [loop.call_later(100 + number, lambda: None) for number in range(500)]
        await asyncio.sleep(0.01)
        await asyncio.to_thread(lambda: None)
        timers = [loop._resume, loop._deadline]
        assert sum(timer.isActive() for timer in timers) <= 1
        assert loop._timer.children() == []
        for handle in handles:
            handle.cancel()

    run(body())


# Qt


def test_qt_lives_under_a_spinning_coroutine(run: Run) -> None:
    async def body() -> None:
        ticks: list[float] = []
        timer = QTimer()
        timer.setInterval(5)
        timer.timeout.connect(lambda: ticks.append(time.monotonic()))
        timer.start()
        idle: list[int] = []
        QTimer.singleShot(0, lambda: idle.append(1))
        while len(ticks) < 10 or not idle:
            await asyncio.sleep(0)
        timer.stop()

    run(body())


def test_qt_lives_under_busy_sockets(run: Run) -> None:
    async def body() -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        loop = asyncio.get_running_loop()
        # Nobody reads: the socket stays readable, so the notifier fires without end.
        far.send(b"x")
        loop.add_reader(near, lambda: None)
        fired: asyncio.Future[None] = loop.create_future()
        timer = QTimer()
        timer.setSingleShot(True)
        timer.timeout.connect(lambda: fired.set_result(None))
        timer.start(30)
        await fired
        loop.remove_reader(near)
        near.close()
        far.close()

    run(body())


def test_asyncio_lives_under_a_busy_qt(run: Run) -> None:
    async def body() -> None:
        timer = QTimer()
        timer.setInterval(0)
        timer.timeout.connect(lambda: None)
        timer.start()
        await asyncio.sleep(0.02)
        await asyncio.to_thread(lambda: None)
        for _ in range(100):
            await asyncio.sleep(0)
        timer.stop()

    run(body())


def test_a_modal_loop_from_a_slot_keeps_tasks_running(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        closed: asyncio.Future[list[int]] = loop.create_future()
        dialog = QDialog()
        counted: list[int] = []

        async def count() -> None:
            for number in range(5):
                await asyncio.sleep(0.01)
                await asyncio.to_thread(counted.append, number)
            dialog.accept()

        def slot() -> None:
            task = loop.create_task(count())
            dialog.exec()  # returns once the task, run by the nested loop, accepts it
            assert task.done() or counted
            closed.set_result(list(counted))

        QTimer.singleShot(0, slot)
        assert await closed == [0, 1, 2, 3, 4]

    run(body())


def test_a_modal_loop_from_a_callback_keeps_tasks_running(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        closed = asyncio.Event()
        dialog = QDialog()

        async def close_it() -> None:
            await asyncio.sleep(0.02)
            dialog.reject()

        def callback() -> None:
            spawned.append(loop.create_task(close_it()))
            dialog.exec()
            closed.set()

        spawned: list[asyncio.Task[None]] = []
        # More in the same round: the nested pump takes them, the outer one must not mind.
        later: list[int] = []
        loop.call_soon(callback)
        for number in range(10):
            loop.call_soon(later.append, number)
        await closed.wait()
        assert later == list(range(10))

    run(body())


def test_a_dialog_is_opened_and_awaited(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        dialog = QDialog()
        finished: asyncio.Future[int] = loop.create_future()
        dialog.finished.connect(finished.set_result)
        dialog.open()
        loop.call_later(0.02, dialog.accept)
        ticks = 0
        while not finished.done():
            ticks += 1
            await asyncio.sleep(0.005)
        assert await finished == QDialog.DialogCode.Accepted.value
        assert ticks > 1

    run(body())


def test_a_stray_quit_does_not_end_the_loop(run: Run, qapp: QApplication) -> None:
    async def body() -> str:
        qapp.exit(3)
        await asyncio.sleep(0.02)
        QApplication.quit()
        await asyncio.sleep(0.02)
        return "alive"

    assert run(body()) == "alive"


def test_lateness_names_what_held_the_loop(run: Run) -> None:
    async def body() -> None:
        loop = current()
        loop.lateness.reset()
        asyncio.current_task().set_name("sluggard")  # type: ignore[union-attr]
        time.sleep(0.03)
        await asyncio.sleep(0)
        assert loop.lateness.count == 1
        assert loop.lateness.worst >= 0.03
        assert loop.lateness.worst_cause == "task sluggard"

        loop.lateness.reset()
        done = asyncio.Event()

        def slot() -> None:
            # Work, not sleep: what a slot burns is counted even where nothing was due.
            end = time.thread_time() + 0.03
            while time.thread_time() < end:
                pass
            done.set()

        QTimer.singleShot(0, slot)
        await done.wait()
        await asyncio.sleep(0.001)
        assert loop.lateness.worst >= 0.03
        assert "slot" in loop.lateness.worst_cause

        loop.lateness.reset()
        await asyncio.sleep(0.05)
        assert "task" not in loop.lateness.worst_cause

    run(body())


# Life


def test_stop_and_run_again(qapp: QApplication) -> None:
    loop = new_event_loop(qapp)
    seen: list[str] = []
    loop.call_soon(seen.append, "first")
    loop.call_soon(loop.stop)
    loop.call_soon(seen.append, "same round")
    loop.run_forever()
    assert seen == ["first", "same round"]
    assert not loop.is_running()
    loop.stop()
    loop.call_soon(seen.append, "again")
    loop.run_forever()
    assert seen[-1] == "again"
    # From a slot, with nothing else to wake the loop.
    QTimer.singleShot(10, loop.stop)
    loop.run_forever()
    loop.close()
    loop.close()
    assert loop.is_closed()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon(print)


def test_run_until_complete(qapp: QApplication) -> None:
    loop = new_event_loop(qapp)

    async def fail() -> None:
        raise ValueError("no")

    assert loop.run_until_complete(asyncio.sleep(0.01, "yes")) == "yes"
    with pytest.raises(ValueError, match="no"):
        loop.run_until_complete(fail())
    never = loop.create_future()
    loop.call_soon(loop.stop)
    with pytest.raises(RuntimeError, match="before Future completed"):
        loop.run_until_complete(never)
    loop.close()


def test_running_is_checked(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        assert loop.is_running()
        with pytest.raises(RuntimeError, match="running"):
            loop.run_forever()
        with pytest.raises(RuntimeError, match="running"):
            loop.close()

    run(body())


def test_qt_loop_around_it_is_refused(qapp: QApplication) -> None:
    loop = new_event_loop(qapp)
    errors: list[str] = []

    def slot() -> None:
        try:
            loop.run_forever()
        except RuntimeError as error:
            errors.append(str(error))
        qapp.exit()

    QTimer.singleShot(0, slot)
    qapp.exec()
    loop.close()
    assert "already runs" in errors[0]


def test_async_generators_are_closed(qapp: QApplication) -> None:
    closed: list[str] = []

    async def numbers():
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            closed.append("shut down")

    kept = numbers()

    async def body() -> None:
        assert await anext(kept) == 1

    with asyncio.Runner(loop_factory=lambda: new_event_loop(qapp)) as runner:
        runner.run(body())
    assert closed == ["shut down"]


def test_dropped_async_generators_are_finalized(run: Run) -> None:
    async def body() -> None:
        closed = asyncio.Event()

        async def numbers():
            try:
                yield 1
            finally:
                await asyncio.sleep(0)
                closed.set()

        async for _ in numbers():
            break
        gc.collect()
        await closed.wait()

    run(body())


def test_a_raising_callback_does_not_stop_the_loop(run: Run) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        told: list[str] = []
        loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        after: list[int] = []
        loop.call_soon(lambda: 1 / 0)
        loop.call_soon(after.append, 1)
        loop.call_later(0.001, lambda: {}["key"])
        await asyncio.sleep(0.02)
        assert after == [1]
        assert told == ["division by zero", "'key'"]
        loop.set_exception_handler(None)

    run(body())


def test_left_over_tasks_are_cancelled_and_may_await(qapp: QApplication) -> None:
    seen: list[str] = []

    async def lingering() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0.01)
            seen.append("cleaned up")

    async def body() -> None:
        kept.append(asyncio.get_running_loop().create_task(lingering()))
        await asyncio.sleep(0)

    kept: list[asyncio.Task[None]] = []
    with asyncio.Runner(loop_factory=lambda: new_event_loop(qapp)) as runner:
        runner.run(body())
    assert seen == ["cleaned up"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_must_end_the_program_does(qapp: QApplication, error: type[BaseException]) -> None:
    loop = new_event_loop(qapp)

    def callback() -> None:
        raise error

    loop.call_soon(callback)
    with pytest.raises(error):
        loop.run_forever()
    assert not loop.is_running()
    loop.close()


def test_a_closed_loop_is_freed(qapp: QApplication) -> None:
    loop = new_event_loop(qapp)
    loop.run_until_complete(asyncio.sleep(0.001))
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None


def test_debug_mode_finds_calls_from_other_threads(qapp: QApplication) -> None:
    with asyncio.Runner(debug=True, loop_factory=lambda: new_event_loop(qapp)) as runner:

        async def body() -> None:
            loop = asyncio.get_running_loop()
            with pytest.raises(RuntimeError, match="Non-thread-safe"):
                await asyncio.to_thread(loop.call_soon, print)

        runner.run(body())


# What it leans on


def test_the_private_parts_it_leans_on_exist() -> None:
    """A new asyncio or qasync that renames one of these needs a look at loop.py first."""
    plain = asyncio.new_event_loop()
    try:
        for name in (
            "_ready",
            "_scheduled",
            "_timer_cancelled_count",
            "_stopping",
            "_thread_id",
            "_debug",
            "_default_executor",
            "_selector",
            "_ssock",
        ):
            assert hasattr(plain, name), name
        for name in (
            "_add_callback",
            "_add_reader",
            "_remove_reader",
            "_add_writer",
            "_remove_writer",
            "_make_self_pipe",
            "_process_events",
            "_check_closed",
            "_check_running",
            "_set_coroutine_origin_tracking",
            "_asyncgen_firstiter_hook",
            "_asyncgen_finalizer_hook",
        ):
            assert callable(getattr(plain, name)), name
        handle = plain.call_later(1, print)
        assert handle._scheduled
        assert not handle._cancelled
        assert handle._when == handle.when()
        handle.cancel()
        assert plain._timer_cancelled_count == 1
        assert inspect.signature(plain._process_events).parameters.keys() == {"event_list"}
    finally:
        plain.close()


def test_qasync_overrides_nothing_that_is_not_overridden_here() -> None:
    """Whatever qasync puts in front of asyncio's loop is answered in PumpedLoop."""
    unharmed = {
        "_before_run_forever",
        "_after_run_forever",
        "_process_event",
        "__init__",
        "__enter__",
        "__exit__",
    }
    ours = set(vars(PumpedLoop))
    qasync_classes = [
        each for each in qasync.QEventLoop.__mro__ if each.__module__.startswith("qasync")
    ]
    assert qasync_classes
    for each in qasync_classes:
        theirs = {name for name, value in vars(each).items() if inspect.isfunction(value)}
        mangled = {name for name in theirs if "__" in name.strip("_")}
        assert theirs - mangled - ours - unharmed == set()


def test_no_qt_timer_is_made_for_callbacks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("qasync's timer was used")

    monkeypatch.setattr(qasync._SimpleTimer, "add_callback", refuse)

    async def body() -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        far.send(b"x")
        assert await asyncio.get_running_loop().sock_recv(near, 1) == b"x"
        await asyncio.sleep(0.001)
        await asyncio.to_thread(lambda: None)
        near.close()
        far.close()

    run(body())


@pytest.mark.parametrize(
    ("qt", "python", "refused"),
    [
        ("6.11.3", (3, 11), False),
        ("6.12.0", (3, 11), True),
        ("6.12.0", (3, 12), False),
        ("7.0.1", (3, 11), True),
    ],
)
def test_a_qt_that_crashes_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, qt: str, python: tuple[int, int], refused: bool
) -> None:
    monkeypatch.setattr("PySide6.__version__", qt)
    monkeypatch.setattr(loop_module.sys, "version_info", python)
    reason = loop_module.unsupported()
    assert (reason is not None) == refused
    if reason:
        assert qt in reason
