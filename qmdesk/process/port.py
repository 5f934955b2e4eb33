"""Free ports for servers that take ``${PORT}``."""

from __future__ import annotations

import os
import socket

LAST_PORT = 65535


class NoFreePort(Exception):
    """Every port from the wanted one on is taken."""


class Ports:
    """Hands out loopback ports; one that is handed out is not given twice until freed.

    A port is tried by binding it, so that nothing answers there before our server does.
    """

    def __init__(self) -> None:
        self._taken: set[int] = set()

    def take(self, preferred: int) -> int:
        """``preferred`` or the next free port after it; raises ``NoFreePort``."""
        for port in range(max(1, preferred), LAST_PORT + 1):
            if port not in self._taken and is_free(port):
                self._taken.add(port)
                return port
        raise NoFreePort(f"no port from {preferred} on is free")

    def free(self, port: int | None) -> None:
        """Give a port back; harmless for one that is not taken."""
        if port is not None:
            self._taken.discard(port)


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` of 127.0.0.1 now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            # Connections of the last server that are still closing do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
