"""A model's server, as a process, that switches to another protocol and then only listens."""

import asyncio
import sys

HEALTH = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
SWITCH = b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(HEALTH if head.startswith(b"GET /health") else SWITCH)
    await reader.read()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(connection, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
