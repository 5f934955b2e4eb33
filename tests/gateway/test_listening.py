"""Where it listens can be changed while it serves."""

from __future__ import annotations

import asyncio
import socket

import pytest

from qmdesk.gateway import AddressTaken
from qmdesk.gateway.listeners import plain
from tests.conftest import simple


def free() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


async def answers(http, address: str) -> bool:
    try:
        async with http.get(f"http://{address}/health") as response:
            return response.status == 200
    except OSError:
        return False


async def test_a_new_address_is_opened_and_the_old_one_closed(start, http) -> None:
    instance = await start(simple("a"))
    old, new = instance.addresses[0].removeprefix("http://"), free()
    body = {"model": "a", "stream": True, "fake": {"tokens": 10, "delay": 0.05}}
    async with http.post(f"http://{old}/v1/chat/completions", json=body) as response:
        await response.content.readany()
        await instance._gateway.listen(plain([new]), instance.config)
        assert instance.addresses == (f"http://{new}",)
        assert await answers(http, new)
        assert (await response.content.read()).endswith(b"data: [DONE]\n\n")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*old.split(":"))


async def test_an_address_that_is_taken_changes_nothing(start, http) -> None:
    instance = await start(simple("a"))
    old = instance.addresses[0].removeprefix("http://")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wanted = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(AddressTaken, match="another program listens there"):
            await instance._gateway.listen(plain([free(), wanted]), instance.config)
    assert instance.addresses == (f"http://{old}",)
    assert await answers(http, old)


async def test_from_one_interface_to_all_on_the_same_port(start, http) -> None:
    instance = await start(simple("a"))
    port = free().rpartition(":")[2]
    await instance._gateway.listen(plain([f"127.0.0.1:{port}"]), instance.config)
    await instance._gateway.listen(plain([f":{port}"]), instance.config)
    assert await answers(http, f"127.0.0.1:{port}")
    await instance._gateway.listen(plain([f"127.0.0.1:{port}"]), instance.config)
    assert await answers(http, f"127.0.0.1:{port}")


async def test_it_knows_where_others_get_in_without_a_key(start) -> None:
    instance = await start(simple("a"))
    assert instance.exposed == ()
    here, everywhere = free(), free().replace("127.0.0.1", "0.0.0.0")
    await instance._gateway.listen(plain([here, everywhere]), instance.config)
    assert instance.exposed == (f"http://{everywhere}",)
    instance.router.apply_config(simple("a", more="apiKeys: [secret]\n"))
    assert instance.exposed == ()
