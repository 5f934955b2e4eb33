"""One running app per user and configuration: a second start hands over and leaves."""

from __future__ import annotations

import getpass
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from PySide6.QtCore import QLockFile, QObject, QStandardPaths, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

SHOW = "show"
QUIT = "quit"
_COMMANDS = (SHOW, QUIT)
_PATIENCE = 5.0
"""Seconds: the first instance may hold the lock and not listen yet."""
_LONGEST = 64
"""Bytes; a client that sends more is dropped."""


class SingleInstance(QObject):
    """The lock and the socket of the first instance, or the way to it.

    The lock decides who is first; only its holder removes a dead socket, so that two
    starts at once cannot take a live one from each other.
    """

    asked = Signal(str)
    """``show`` or ``quit``, from another start or an installer."""

    def __init__(
        self, name: str, folder: Path | None = None, parent: QObject | None = None
    ) -> None:
        """``name`` tells user and configuration apart; ``folder`` is the user's own."""
        super().__init__(parent)
        key = hashlib.sha256(f"{getpass.getuser()}\0{name}".encode()).hexdigest()[:16]
        folder = folder or _runtime_folder()
        self._lock = QLockFile(str(folder / f"qmdesk-{key}.lock"))
        # The app runs for weeks: only a dead owner makes a lock stale, not its age.
        self._lock.setStaleLockTime(0)
        self._address = f"qmdesk-{key}" if sys.platform == "win32" else str(folder / f"{key}.sock")
        self._server: QLocalServer | None = None
        self._sockets: list[QLocalSocket] = []

    def acquire(self) -> bool:
        """Become the instance that runs; False where another one is.

        Raises OSError where the lock can be neither taken nor is held by anybody.
        """
        if not self._lock.tryLock(0):
            if self._lock.error() is QLockFile.LockError.LockFailedError:
                return False
            raise OSError(f"no lock file can be written to {self._lock.fileName()}")
        QLocalServer.removeServer(self._address)
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connection)
        if not server.listen(self._address):
            self._lock.unlock()
            raise OSError(f"the app cannot listen for other starts: {server.errorString()}")
        self._server = server
        return True

    def forward(self, command: str, patience: float = _PATIENCE) -> bool:
        """Ask the instance that runs to ``show`` or ``quit``; False where it does not answer."""
        deadline = time.monotonic() + patience
        while True:
            if self._ask(command):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)

    def end(self, patience: float) -> bool:
        """Ask whoever runs to quit, and wait until it has; True at once where nobody does.

        False where it still runs after ``patience`` seconds.  Raises OSError as
        ``acquire`` does.
        """
        deadline = time.monotonic() + patience
        if self._lock.tryLock(0):
            self._lock.unlock()
            return True
        if self._lock.error() is not QLockFile.LockError.LockFailedError:
            raise OSError(f"no lock file can be written to {self._lock.fileName()}")
        process = _process(self._lock)
        # It may just be ending, and not listen any more.
        self.forward(QUIT, min(patience, _PATIENCE))
        left = max(0.0, deadline - time.monotonic())
        if not self._lock.tryLock(round(left * 1000)):
            return False
        self._lock.unlock()
        # An installer is about to replace its files.
        while process is not None and _runs(process):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def release(self) -> None:
        """Let the next start be the first; calling it twice is harmless."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.newConnection.disconnect(self._on_connection)
        for socket in list(self._sockets):
            self._drop(socket)
        server.close()
        server.deleteLater()
        self._lock.unlock()

    def _ask(self, command: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(500):
            return False
        socket.write(f"{command}\n".encode())
        answered = socket.waitForReadyRead(2000)
        answer = bytes(socket.readAll().data()) if answered else b""
        socket.abort()
        return answer == b"ok\n"

    def _on_connection(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()):
            self._sockets.append(socket)
            socket.readyRead.connect(self._on_ready)
            socket.disconnected.connect(self._on_ready)
        self._on_ready()

    def _on_ready(self) -> None:
        """Look at every connection; there is rarely more than one."""
        for socket in list(self._sockets):
            if socket.canReadLine():
                command = bytes(socket.readLine(_LONGEST).data()).decode("utf-8", "replace").strip()
                known = command in _COMMANDS
                socket.write(b"ok\n" if known else b"unknown\n")
                socket.flush()
                if known:
                    self.asked.emit(command)
            gone = socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
            if gone or socket.bytesAvailable() > _LONGEST:
                self._drop(socket)

    def _drop(self, socket: QLocalSocket) -> None:
        # Its own signals must not come back here while it is being closed.
        if socket in self._sockets:
            self._sockets.remove(socket)
            socket.readyRead.disconnect(self._on_ready)
            socket.disconnected.disconnect(self._on_ready)
            socket.abort()
            socket.deleteLater()


def _process(lock: QLockFile) -> psutil.Process | None:
    """Who holds ``lock``; None where that cannot be known."""
    # PySide's stubs know neither that the results come back nor of what kind.
    found: Any = lock.getLockInfo()
    try:
        return psutil.Process(int(found[0]))
    except (psutil.Error, TypeError, ValueError, IndexError):
        return None


def _runs(process: psutil.Process) -> bool:
    try:
        # One whose parent has not looked yet has ended all the same.
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _runtime_folder() -> Path:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    if found and sys.platform != "win32":
        return Path(found)
    if sys.platform == "win32":
        return Path(tempfile.gettempdir())
    folder = Path(tempfile.gettempdir()) / f"qmdesk-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
