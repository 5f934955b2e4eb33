"""The certificate and private key with which every listener speaks TLS."""

from __future__ import annotations

import ssl

from qmdesk.config import Config


class BadCertificate(Exception):
    """The files cannot be used; the message says which and why."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        """The key of the configuration that is to be changed."""


def load(config: Config, into: ssl.SSLContext | None = None) -> ssl.SSLContext | None:
    """The context for ``tlsCertFile`` and ``tlsKeyFile``; None where there are none.

    Reads files: not for the event loop.  With ``into``, new connections of that context
    get what the files have now.  Raises ``BadCertificate``.
    """
    if not config.tls_cert_file:
        return None
    paths = {
        "tlsCertFile": config.beside(config.tls_cert_file),
        "tlsKeyFile": config.beside(config.tls_key_file),
    }
    for key, path in paths.items():
        try:
            path.read_bytes()
        except OSError as error:
            why = error.strerror or str(error)
            raise BadCertificate(key, f"{key}: {path} cannot be read: {why}") from None
    context = into or ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        # A passphrase would be asked for on the terminal.
        context.load_cert_chain(paths["tlsCertFile"], paths["tlsKeyFile"], password=_none)
    except _Encrypted:
        raise BadCertificate(
            "tlsKeyFile",
            f"tlsKeyFile: {paths['tlsKeyFile']} has a passphrase; give a key without one",
        ) from None
    except ssl.SSLError as error:
        if "MISMATCH" in (error.reason or ""):
            raise BadCertificate(
                "tlsKeyFile",
                f"tlsKeyFile: {paths['tlsKeyFile']} does not belong to the certificate in"
                f" {paths['tlsCertFile']}",
            ) from None
        raise BadCertificate(
            "tlsCertFile",
            f"tlsCertFile and tlsKeyFile: {paths['tlsCertFile']} and {paths['tlsKeyFile']} are not"
            " a certificate and its private key in PEM form",
        ) from None
    return context


class _Encrypted(Exception):
    pass


def _none() -> str:
    raise _Encrypted
