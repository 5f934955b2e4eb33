"""Free ports for servers that take ``${PORT}``."""

from __future__ import annotations

import errno
import socket
import sys

from qmdesk.said import said

LAST_PORT = 65535

# A server may listen on one of these; systems differ in which of them exclude each other.
_ADDRESSES = (
    (socket.AF_INET, "127.0.0.1"),
    (socket.AF_INET, "0.0.0.0"),
    (socket.AF_INET6, "::1"),
    (socket.AF_INET6, "::"),
)
_LOOPBACK = (_ADDRESSES[0], _ADDRESSES[2])
# There is no such address on this machine: nobody listens there either.
_ABSENT = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class NoFreePort(Exception):
    """Every port from the wanted one on is taken."""


class Ports:
    """Hands out loopback ports; one that is handed out is not given twice until freed,
    by this qmdesk or any other on the machine.

    A port is tried by binding it, so that nothing answers there before our server does.
    """

    def __init__(self) -> None:
        self._taken: dict[int, socket.socket] = {}
        """By port: what claims it."""

    def take(self, preferred: int) -> int:
        """``preferred`` or the next free port after it; raises ``NoFreePort``."""
        for port in range(max(1, preferred), LAST_PORT + 1):
            if port not in self._taken and (claim := _claimed(port)) is not None:
                if is_free(port):
                    self._taken[port] = claim
                    return port
                claim.close()
        raise NoFreePort(said("no port from {port} on is free", port=preferred))

    def free(self, port: int | None) -> None:
        """Give a port back; harmless for one that is not taken."""
        claim = self._taken.pop(port, None) if port is not None else None
        if claim is not None:
            claim.close()

    def close(self) -> None:
        """Give all of them back."""
        for port in list(self._taken):
            self.free(port)


def _claimed(port: int) -> socket.socket | None:
    """A claim on ``port`` that another qmdesk sees; None where another has it.

    Between the trying of a port and the server's own bind another qmdesk could find it
    free too, and then both servers would be let in: llama-server shares its port with
    whoever else does (``SO_REUSEPORT``), and the system deals requests out among them.
    The claim is the UDP port of the same number, which no server of ours uses, and which
    the system takes back however we end.
    """
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        if sys.platform == "win32":
            claim.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        claim.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return None
    return claim


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` now, whichever address it takes."""
    return all(_binds(family, host, port) for family, host in _ADDRESSES)


def is_held(port: int) -> bool:
    """Whether something listens on ``port`` of this machine's own addresses."""
    return not all(_binds(family, host, port) for family, host in _LOOPBACK)


def _binds(family: socket.AddressFamily, host: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if sys.platform == "win32":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                # Connections of the last server that are still closing do not count.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family is socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind((host, port))
    except OSError as error:
        return error.errno in _ABSENT
    return True
