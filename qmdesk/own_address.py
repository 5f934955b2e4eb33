"""Asking the gateway of this machine over HTTP, as the command line and the windows do."""

from __future__ import annotations

import ssl
import urllib.request


def opener(certificate: str = "") -> urllib.request.OpenerDirector:
    """What opens addresses of our own.

    ``certificate`` is the file with the one that must be shown where TLS is spoken; that it is
    signed by nobody known does not matter.  Raises ``OSError`` where it cannot be read.
    """
    # A proxy from the environment has no business between us and this machine.
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    if certificate:
        handlers.append(urllib.request.HTTPSHandler(context=_only(certificate)))
    return urllib.request.build_opener(*handlers)


def _only(certificate: str) -> ssl.SSLContext:
    """Trusts the server that has this very certificate, by whatever name it is reached."""
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context
