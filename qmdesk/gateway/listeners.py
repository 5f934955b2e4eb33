"""The addresses that the gateway listens at, each with what it offers."""

from __future__ import annotations

import asyncio
import errno
import ssl
from collections.abc import Iterable, Sequence

from aiohttp import web

from qmdesk.config.settings import Listener
from qmdesk.gateway.connection import Connection, Express
from qmdesk.gateway.networks import is_loopback

EVERYWHERE = Listener("")


class AddressTaken(Exception):
    """An address of ``listen`` cannot be used; the message says which and why."""


class _Site(web.TCPSite):
    """A listening socket of one address, or several where its host has several."""

    def __init__(
        self,
        runner: web.AppRunner,
        express: Express | None,
        host: str | None,
        port: int,
        tls: ssl.SSLContext | None,
    ) -> None:
        super().__init__(runner, host, port, ssl_context=tls)
        self._express = express
        self.secure = tls is not None
        self.sockets: tuple[tuple[str, int], ...] = ()
        """Host and port of each."""

    async def start(self) -> None:
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(server, loop, self._express),
            self._host,
            self._port,
            ssl=self._ssl_context,
            backlog=self._backlog,
        )
        self.sockets = tuple(each.getsockname()[:2] for each in self._server.sockets)


class Listeners:
    """Opens and closes them; ``use`` says which there are to be."""

    def __init__(self, runner: web.AppRunner, express: Express | None) -> None:
        self._runner = runner
        self._express = express
        self.changes = 0
        """How often it has been said what there is to be."""
        self._sites: dict[str, _Site] = {}
        """By the address as it was asked for."""
        self._wanted: Sequence[Listener] = ()
        self._offers: dict[tuple[str, int], Listener] = {}
        """By the socket's own address."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """``http://HOST:PORT`` or ``https://...`` of each, with the real port."""
        return tuple(
            _url(host, port, site.secure)
            for site in self._sites.values()
            for host, port in site.sockets
        )

    @property
    def exposed(self) -> tuple[str, ...]:
        """Those of ``addresses`` that other machines can reach."""
        return tuple(
            _url(host, port, site.secure)
            for site in self._sites.values()
            for host, port in site.sockets
            if not is_loopback(host)
        )

    def of(self, request: web.BaseRequest) -> Listener:
        """The one through which ``request`` came in."""
        transport = request.transport
        name = transport.get_extra_info("sockname") if transport is not None else None
        if not isinstance(name, tuple):
            return EVERYWHERE
        host, port = name[:2]
        for each in (host, "0.0.0.0", "::"):
            if (found := self._offers.get((each, port))) is not None:
                return found
        # Its socket has been closed since; what it offered is not known any more.
        return EVERYWHERE if not any(each.groups for each in self._offers.values()) else _NOTHING

    async def use(self, wanted: Sequence[Listener], tls: ssl.SSLContext | None) -> None:
        """Listen at ``wanted`` and nowhere else; open connections go on.

        New sockets are opened before old ones are closed.  Raises ``AddressTaken``, and
        then listens where it did before.
        """
        addresses = [each.address for each in wanted]
        old = {
            address: site
            for address, site in self._sites.items()
            if address not in addresses or site.secure != (tls is not None)
        }
        opened: dict[str, _Site] = {}
        in_the_way: dict[str, _Site] = {}
        try:
            for address in addresses:
                if address in self._sites and address not in old and address not in in_the_way:
                    continue
                # An address within another of the same port: the old one has to go first.
                for other in [each for each in old if _port(each) == _port(address) != "0"]:
                    await old[other].stop()
                    in_the_way[other] = old.pop(other)
                    del self._sites[other]
                opened[address] = await self._open(address, tls)
        except AddressTaken:
            for site in opened.values():
                await site.stop()
            for address, site in in_the_way.items():
                self._sites[address] = await self._open(address, site._ssl_context)
            self._reckon(self._wanted)
            raise
        for address, site in old.items():
            await site.stop()
            self._sites.pop(address, None)
        self._sites |= opened
        self._sites = {address: self._sites[address] for address in addresses}
        self._reckon(wanted)

    def _reckon(self, wanted: Sequence[Listener]) -> None:
        self.changes += 1
        self._wanted = wanted
        self._offers = {
            socket: each for each in wanted for socket in self._sites[each.address].sockets
        }

    async def _open(self, address: str, tls: ssl.SSLContext | None) -> _Site:
        host, _, port = address.rpartition(":")
        site = _Site(self._runner, self._express, host.strip("[]") or None, int(port), tls)
        try:
            await site.start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                why = "another program listens there already"
            elif error.errno == errno.EACCES:
                why = "ports below 1024 need more rights"
            else:
                why = error.strerror or str(error)
            raise AddressTaken(
                f"cannot listen on {address}: {why}. Choose another address with --listen or"
                " 'listen' in the configuration"
            ) from None
        return site


_NOTHING = Listener("", ("\0",))
"""Offers a group that cannot be."""


def plain(addresses: Iterable[str]) -> tuple[Listener, ...]:
    """Listeners that offer every model."""
    return tuple(map(Listener, addresses))


def _port(address: str) -> str:
    return address.rpartition(":")[2]


def _url(host: str, port: int, secure: bool) -> str:
    scheme = "https" if secure else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
