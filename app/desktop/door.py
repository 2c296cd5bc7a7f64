"""Where a second start knocks, so that the window of the first comes back."""

import hashlib
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_LONGEST: Final = 100
"""The name of a socket has so many bytes at most on some systems."""
_PATIENCE_MS: Final = 2_000


class Door(QObject):
    """Opened by the one app that has the data folder. To be knocked at is all that can happen to it."""

    knocked = Signal()

    def __init__(self, data: Path) -> None:
        super().__init__()
        self._name = _name(data)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def open(self) -> bool:
        """Listens from now on; False where the system does not let us, which costs nothing but comfort."""
        if self._name is None:
            return False
        QLocalServer.removeServer(self._name)  # of an app that was killed; nobody else has the folder
        return self._server.listen(self._name)

    def close(self) -> None:
        """Listens no longer."""
        self._server.close()

    def _answer(self) -> None:
        while (visitor := self._server.nextPendingConnection()) is not None:
            visitor.disconnected.connect(visitor.deleteLater)
            visitor.disconnectFromServer()
            self.knocked.emit()


def knock(data: Path) -> bool:
    """Asks the app that has the data folder to show itself; False when it does not answer."""
    name = _name(data)
    if name is None:
        return False
    socket = QLocalSocket()
    socket.connectToServer(name)
    return socket.waitForConnected(_PATIENCE_MS)


def _name(data: Path) -> str | None:
    """Return where to listen, out of reach of other users; None where there is no such place.

    That is in the data folder, or, if its path is too long for a socket, in the user's runtime folder, which
    Qt takes only if nobody else can write to it. The shared temporary folder would let others listen there.
    """
    place = str(data / "door")
    token = f"kalends-{hashlib.sha256(place.encode()).hexdigest()[:24]}"
    if sys.platform == "win32":
        return token
    if len(place.encode()) <= _LONGEST:
        return place
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    place = f"{folder}/{token}"
    return place if folder and len(place.encode()) <= _LONGEST else None
