"""A local socket through which a second start shows the first window and hands over what to open."""

import ctypes
import hashlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from filelock import Timeout
from PySide6.QtCore import QObject, QStandardPaths, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.desktop.ahead import lock_of

_LONGEST: Final = 100
"""Maximum length of a socket's name on some systems, in bytes."""
_PATIENCE_MS: Final = 2_000
_STARTING_S: Final = 10
_PAUSE_S: Final = 0.1
_BYTES_MAX: Final = 1_000_000
"""Maximum number of bytes in one request."""
_THINGS_MAX: Final = 1_001
"""Maximum number of links and files in a request: one more than the app opens, to show that some are left."""
_QUIT: Final = b'{"quit": true}'
_ASFW_ANY: Final = -1
"""Argument of `AllowSetForegroundWindow` from WinUser.h: any process."""


class SingleInstance(QObject):
    """Listens in the app that owns the data folder, for links, paths and the request to quit."""

    activated = Signal()
    handed = Signal(list)
    """At least one untrusted text."""
    quit_asked = Signal()
    """Emitted for an installer that is about to replace the program, or for ``kalends --quit``."""

    def __init__(self, data: Path) -> None:
        super().__init__()
        self._name = _name(data)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def open(self) -> bool:
        """Start listening; return False if the system doesn't allow it, which is only less convenient."""
        if self._name is None:
            return False
        QLocalServer.removeServer(self._name)  # left by a killed app; no other app has the folder
        return self._server.listen(self._name)

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            visitor = _Visitor(self._server, socket)
            visitor.told.connect(self._hear)
            visitor.listen()

    def _hear(self, line: bytes) -> None:
        if line.strip() == _QUIT:
            self.quit_asked.emit()
            return
        self.activated.emit()
        if things := _read(line):
            self.handed.emit(things)


class _Visitor(QObject):
    """A connection that sends at most one line."""

    told = Signal(bytes)
    """The line, emitted once; empty if no valid line was received."""

    def __init__(self, server: QLocalServer, socket: QLocalSocket) -> None:
        super().__init__(server)
        self._socket = socket
        socket.setParent(self)
        socket.disconnected.connect(self._end)
        socket.readyRead.connect(self.listen)
        patience = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        patience.timeout.connect(self._end)
        patience.start()
        self._has_ended = False

    def listen(self) -> None:
        """Read the line once it's complete."""
        if self._has_ended:
            return
        if self._socket.canReadLine():
            self._leave(bytes(self._socket.readLine(_BYTES_MAX).data()))
        elif self._socket.bytesAvailable() > _BYTES_MAX:
            self._end()

    def _end(self) -> None:
        if not self._has_ended:
            self._leave(b"")

    def _leave(self, line: bytes) -> None:
        self._has_ended = True
        self._socket.disconnectFromServer()
        self.deleteLater()
        self.told.emit(line)


def activate(data: Path, things: Sequence[str] = (), wait_s: float = _STARTING_S) -> bool:
    """Ask the app that owns the data folder to show its window and open links and files, by full paths.

    Return False if it doesn't answer within ``wait_s`` seconds. Blocking: an app that is starting locks its
    folder before it listens, which may take a while on a busy computer.
    """
    let_come_forward()
    return _say(data, json.dumps(things[:_THINGS_MAX]).encode(), wait_s)


def let_come_forward() -> None:
    """Let the running app show its window in front.

    On Windows, only the program that the user has just started may do so; without this, the icon in the
    taskbar would only flash.
    """
    if sys.platform == "win32":
        ctypes.CDLL("user32").AllowSetForegroundWindow(_ASFW_ANY)


def ask_to_quit(data: Path, wait_s: float = _STARTING_S) -> bool:
    """Ask the app that owns the data folder to quit without confirmation. It may still be quitting then.

    Return False if it doesn't answer within ``wait_s`` seconds. Blocking.
    """
    return _say(data, _QUIT, wait_s)


def _say(data: Path, line: bytes, wait_s: float) -> bool:
    name = _name(data)
    if name is None:
        return False
    socket, end = QLocalSocket(), time.monotonic() + wait_s
    socket.connectToServer(name)
    while not socket.waitForConnected(_PATIENCE_MS):
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE_S)
        socket.connectToServer(name)
    socket.write(line + b"\n")
    socket.flush()
    if socket.state() is QLocalSocket.LocalSocketState.ConnectedState:
        socket.waitForDisconnected(_PATIENCE_MS)
    return True


def _read(line: bytes) -> list[str]:
    try:
        things = json.loads(line)
    except (ValueError, RecursionError):
        return []
    if not isinstance(things, list):
        return []
    return [thing for thing in things[:_THINGS_MAX] if isinstance(thing, str)]


def _name(data: Path) -> str | None:
    """Return the socket's name, out of reach of other users; None if no such place exists.

    It's in the data folder, or, if that path is too long for a socket, in the user's runtime folder, which Qt
    only accepts if nobody else can write to it. In the shared temporary folder, others could listen.
    """
    place = str(data / "door")  # earlier versions, which may still be running, listen there as well
    token = f"kalends-{hashlib.sha256(place.encode()).hexdigest()[:24]}"
    if os.name == "nt":
        return token  # Windows pipes aren't in a folder
    if len(place.encode()) <= _LONGEST:
        return place
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    place = f"{folder}/{token}"
    return place if folder and len(place.encode()) <= _LONGEST else None


_ENDING_S: Final = 30.0
"""Timeout for quitting, in seconds: the app's service first finishes posts that are being published."""


def quit_running(data: Path, wait_s: float = _ENDING_S) -> bool:
    """Ask the app that owns the data folder to quit, and wait until it has released the folder. Blocking.

    Return True if no app has the folder now.
    """
    if not data.is_dir() or not os.access(data, os.W_OK):
        return True  # no app can have locked it
    lock = lock_of(data)
    try:
        with lock.acquire(timeout=0):
            return True
    except Timeout:
        pass
    if not ask_to_quit(data):
        return False
    try:
        with lock.acquire(timeout=wait_s):
            return True
    except Timeout:
        return False
