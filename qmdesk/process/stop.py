"""How a server is ended with its whole tree: asked, asked again, and at last forced."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable

import psutil

from qmdesk.process.child import Child
from qmdesk.process.exit_status import describe
from qmdesk.process.launch import Launch
from qmdesk.process.port import is_held

SECOND_TERM = 2.0
"""Seconds after which a llama-server that is asked to end is asked again: with a
stream open it does not end at the first SIGTERM."""
KILL_WAIT = 5.0
"""Seconds to wait for a killed process before it counts as stuck in the kernel."""
KILL_AGAIN = 0.5
"""Seconds after which what was started during the kill is looked for and killed too."""
PORT_WAIT = 2.0
"""Seconds that a port may take to be free once the server has ended."""


async def ask(child: Child, grace: float, *, twice: bool = False) -> None:
    """Ask the whole tree to end; returns when it has, or after ``grace`` seconds.

    ``twice`` asks a second time where the first had no effect soon.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + grace
    # Before the first signal: children of a dead parent cannot be found any more.
    await asyncio.to_thread(child.tree.look)
    child.tree.terminate()
    if twice and not await ended_within(child, min(grace, SECOND_TERM)):
        child.tree.terminate()
    await _gone(child, deadline)


async def ask_by_command(
    launch: Launch, child: Child, grace: float, say: Callable[[str], None]
) -> float:
    """Run the model's ``cmdStop``; the seconds of ``grace`` that are left for signals.

    None are left where the command did its work but the server stays: it has been asked.
    Without ``cmdStop`` all of them are.  ``say`` gets what is to stand in the log.
    """
    command = launch.stop_command(child.pid) or default_command(child.pid)
    if not command:
        return grace
    loop = asyncio.get_running_loop()
    deadline = loop.time() + grace
    await asyncio.to_thread(child.tree.look)
    worked = await _run(launch, command, child, grace, say)
    left = max(0.0, deadline - loop.time())
    if not worked:
        # Windows knows no signals: there is no other way to ask.
        return left if sys.platform != "win32" else 0.0
    if not await ended_within(child, left):
        say(f"it still runs after {command[0]}: it is killed")
    return 0.0


async def end(child: Child) -> tuple[psutil.Process, ...]:
    """End what is left of the tree by force; what the system does not let go.

    Takes no longer than ``KILL_WAIT``.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + KILL_WAIT
    gone = await _gone(child, loop.time())
    while not gone:
        left = await asyncio.to_thread(child.tree.look)
        if loop.time() >= deadline:
            return left
        child.tree.kill()
        gone = await _gone(child, min(deadline, loop.time() + KILL_AGAIN))
    child.tree.close()
    return ()


def default_command(pid: int, platform: str = sys.platform) -> tuple[str, ...]:
    """What asks a server to end where signals do not: on Windows, closing its windows.

    It fails at once for a server that has none, which is then ended by force.
    """
    return ("taskkill", "/PID", str(pid), "/T") if platform == "win32" else ()


async def _run(
    launch: Launch,
    command: tuple[str, ...],
    child: Child,
    limit: float,
    say: Callable[[str], None],
) -> bool:
    """Run one stop command; whether it did what it should."""
    try:
        running = Child.start(command, launch.environment(), launch.folder, child.output)
    except OSError as error:
        say(f"cmdStop failed: {launch.why_not(error, command)}")
        return False
    try:
        if not await ended_within(running, limit):
            say(f"cmdStop did not end within {limit:g} s")
            return False
    finally:
        if running.returncode is None:
            running.tree.kill()
    if running.returncode:
        say(f"cmdStop {describe(running.returncode)}")
        return False
    return True


async def ended_within(child: Child, seconds: float) -> bool:
    """Wait for the leader's end, but no longer than ``seconds``; whether it has come."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await child.wait()
    return child.returncode is not None


async def port_closed(port: int) -> bool:
    """Wait a little for ``port`` to be closed; whether it is."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PORT_WAIT
    while is_held(port):
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(0.02)
    return True


async def _gone(child: Child, deadline: float) -> bool:
    """Wait until the whole tree is gone, but not past ``deadline``; whether it is."""
    loop = asyncio.get_running_loop()
    tree = child.tree
    if not await ended_within(child, max(0.0, deadline - loop.time())):
        return False
    pause = 0.005
    while True:
        if not tree.lives():
            if not tree.group_lives():
                return True
            # Started since the tree was walked, or dead and not yet cleared away.
            if not await asyncio.to_thread(tree.look):
                return True
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(0.1, pause * 2)
