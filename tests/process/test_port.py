"""Ports: free ones only, and each to one server."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from qmdesk.process.port import LAST_PORT, NoFreePort, Ports, is_free, is_held
from tests.process.conftest import free_port, listen


@pytest.fixture
def ports() -> Iterator[Ports]:
    ports = Ports()
    yield ports
    ports.close()


def test_one_that_is_handed_out_is_not_given_twice(ports: Ports) -> None:
    first = ports.take(free_port())
    second = ports.take(first)
    assert second > first
    ports.free(first)
    ports.free(first)
    ports.free(None)
    assert ports.take(first) == first


def test_nor_by_another_qmdesk_whose_server_does_not_listen_yet(ports: Ports) -> None:
    theirs = Ports()
    port = theirs.take(free_port())
    assert ports.take(port) > port
    theirs.close()
    assert ports.take(port) == port


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "::"])
def test_one_that_somebody_listens_on_is_taken(ports: Ports, host: str) -> None:
    port = free_port()
    assert is_free(port)
    assert not is_held(port)
    with listen(port, host):
        assert not is_free(port)
        assert is_held(port)
        assert ports.take(port) > port
    assert is_free(port)


def test_connections_that_are_still_closing_do_not_count() -> None:
    port = free_port()
    with listen(port) as server:
        client = socket.create_connection(("127.0.0.1", port))
        accepted, _ = server.accept()
        # The side that closes first is the one that keeps the port for a while.
        accepted.close()
        client.close()
    assert is_free(port)


def test_a_machine_without_ipv6_has_free_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    real = socket.socket

    def without(family: int, kind: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(97, "Address family not supported by protocol")
        return real(family, kind)

    monkeypatch.setattr(socket, "socket", without)
    assert is_free(port)


def test_when_none_is_left_it_is_said(ports: Ports) -> None:
    ports.take(LAST_PORT)
    with pytest.raises(NoFreePort, match=f"no port from {LAST_PORT} on is free"):
        ports.take(LAST_PORT)
