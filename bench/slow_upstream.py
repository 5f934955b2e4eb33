"""A server that is ready a set time after its start, and answers at once.

Run with ``python -I -S``: nothing but ``socket`` and ``time`` is imported, so that the
start of the interpreter does not blur the figure.  The time counts from the start of the
process as the system has it, so what is measured is what the gateway adds.

    python -I -S bench/slow_upstream.py PORT READY_MILLISECONDS
"""

import os
import socket
import sys
import time


def started() -> float:
    """When this process started, on the clock of CLOCK_BOOTTIME (Linux; proc(5), field 22)."""
    with open("/proc/self/stat", encoding="ascii") as stat:
        ticks = int(stat.read().rpartition(")")[2].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


BODY = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"here"}}]}'
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    + BODY
)
LOADING = b"HTTP/1.1 503 Loading\r\nContent-Length: 0\r\n\r\n"


def main() -> None:
    port, ready = int(sys.argv[1]), int(sys.argv[2]) / 1000
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - started()
    ready_at = time.monotonic() + ready - age
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen(64)
    while True:
        client, _ = server.accept()
        with client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := client.recv(1 << 16):
                while b"\r\n\r\n" not in data:
                    data += client.recv(1 << 16)
                client.sendall(ANSWER if time.monotonic() >= ready_at else LOADING)
                if data.startswith(b"POST"):
                    break


main()
