"""Addresses and networks: which address a header means, and whether a network has it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# As forwarding headers have them: with a port, an IPv6 one then in brackets.
_WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<four>[0-9.]+))(?::[0-9]+)?")


@lru_cache(maxsize=1024)
def address_of(text: str) -> Address | None:
    """The address that ``text`` means, with or without a port; None where it means none.

    An IPv4 address in IPv6's clothes is the IPv4 address.
    """
    text = text.strip().strip('"')
    if found := _WITH_PORT.fullmatch(text):
        text = found["six"] or found["four"]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


@lru_cache(maxsize=8)
def _networks(written: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(each, strict=False) for each in written)


def within(address: Address | None, networks: Sequence[str]) -> bool:
    """Whether one of ``networks`` (CIDR) has ``address``."""
    return address is not None and any(address in network for network in _networks(tuple(networks)))


def is_loopback(text: str) -> bool:
    address = address_of(text)
    return address is not None and address.is_loopback
