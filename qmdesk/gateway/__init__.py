"""HTTP in, HTTP out: which model a request means, its turn, and bytes both ways."""

from qmdesk.gateway.gateway import AddressTaken, Gateway

__all__ = ["AddressTaken", "Gateway"]
