"""HTTP in, HTTP out: which model a request means, its turn, and bytes both ways."""

from qmdesk.gateway.certificate import BadCertificate
from qmdesk.gateway.gateway import Gateway
from qmdesk.gateway.listeners import AddressTaken

__all__ = ["AddressTaken", "BadCertificate", "Gateway"]
