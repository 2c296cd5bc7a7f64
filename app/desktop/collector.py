"""Runs Python's cyclic garbage collector on the GUI thread only, without noticeable pauses.

By default it runs in any thread that allocates, and there it would destroy Qt objects, which crashes. calibre
solves this in the same way. A full collection takes time in proportion to the number of objects: 0.1 s with
10,000 posts. So while the user is active, only new objects are examined.
"""

import gc
import threading
import time
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.children.lean import give_back

_START_MS: Final = 3_000
"""Duration of the app's start, in ms; objects imported and read meanwhile stay."""
_EVERY_MS: Final = 1_000
_GIVE_BACK_EVERY_MS: Final = 30_000
"""How often free memory is returned to the system, in ms."""
_SOON_MS: Final = 200
"""Interval while many objects are allocated, in ms: those can be examined within a frame or two."""
_OBJECTS_MAX: Final = 100_000
"""Maximum number of objects that are examined at a time while the user is active."""
_THOROUGH_EVERY_S: Final = 600.0


class Collection:
    """Decides what to collect; for one thread, until ``stop``.

    Automatic collection is off meanwhile.
    """

    def __init__(self, thorough_every_s: float = _THOROUGH_EVERY_S) -> None:
        """``thorough_every_s`` is the minimum time between two full collections."""
        self._thresholds = gc.get_threshold()
        self._thorough_every_s = thorough_every_s
        self._thorough_at = time.monotonic()
        gc.disable()
        self.keep()

    def keep(self) -> None:
        """Exempt the current objects until `collect_all`."""
        gc.freeze()

    def collect(self) -> bool:
        """Collect new objects if a usual threshold is exceeded. Return whether one was."""
        counts = gc.get_count()
        due = max((one for one in range(3) if counts[one] > self._thresholds[one]), default=None)
        if due is None:
            return False
        if due < 2:
            gc.collect(due)
            return True
        if len(gc.get_objects(generation=2)) <= _OBJECTS_MAX:
            gc.collect(2)
        else:
            gc.collect(1)
        gc.freeze()  # until there's time for a full collection
        return True

    def collect_all(self) -> None:
        """Collect all objects, however long that takes, unless that was done recently."""
        if time.monotonic() - self._thorough_at < self._thorough_every_s:
            return
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._thorough_at = time.monotonic()

    def stop(self) -> None:
        """Collect new objects here, and restore automatic collection.

        Frozen objects stay frozen, so no thread will collect the Qt objects among them.
        """
        gc.collect()
        gc.enable()


class GuiThreadCollector(QObject):
    """Collects only on the thread that created it, until ``stop``.

    Older objects are only examined while another program has the keyboard focus.
    """

    def __init__(self, parent: QObject | None = None, start_ms: int = _START_MS) -> None:
        """``start_ms`` is how long nothing is collected, because most objects created at the start stay."""
        super().__init__(parent)
        self._collection = Collection()
        self._timer = QTimer(self, interval=start_ms)
        self._timer.timeout.connect(self._collection.keep, Qt.ConnectionType.SingleShotConnection)
        self._timer.timeout.connect(self.collect)
        self._timer.start()
        self._giving = QTimer(self, interval=_GIVE_BACK_EVERY_MS)
        self._giving.timeout.connect(lambda: threading.Thread(target=give_back, daemon=True).start())
        self._giving.start()

    def collect(self) -> None:
        """Collect what is due."""
        is_busy = self._collection.collect()
        self._timer.setInterval(_SOON_MS if is_busy else _EVERY_MS)
        if not is_busy and QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive:
            self._collection.collect_all()

    def stop(self) -> None:
        """Collect new objects here, and restore automatic collection."""
        self._timer.stop()
        self._giving.stop()
        self._collection.stop()
