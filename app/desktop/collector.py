"""Python's cyclic garbage collector, kept on the GUI thread and from stopping it.

By itself it runs in whichever thread allocates, and there it would destroy Qt objects, which crashes. calibre
solves it in the same way. A pass over everything takes time in proportion to all there is: 10,000 posts take
a tenth of a second. So while somebody works, only what is new is looked through.
"""

import gc
import threading
import time
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.children.lean import give_back

_START_MS: Final = 3_000
"""How long the app starts: what it imports and reads meanwhile stays."""
_EVERY_MS: Final = 1_000
_GIVE_BACK_EVERY_MS: Final = 30_000
"""How often free memory is given back to the system."""
_SOON_MS: Final = 200
"""Interval while much is allocated: what comes in it can be looked through within a frame or two."""
_OBJECTS_MAX: Final = 100_000
"""Number of objects that are looked through at a time while somebody works."""
_THOROUGH_EVERY_S: Final = 600.0


class Collection:
    """Decides what is looked through; for one thread, until ``stop``.

    Python collects nothing by itself then.
    """

    def __init__(self, thorough_every_s: float = _THOROUGH_EVERY_S) -> None:
        """``thorough_every_s`` is the least time between two looks through everything."""
        self._thresholds = gc.get_threshold()
        self._thorough_every_s = thorough_every_s
        self._thorough_at = time.monotonic()
        gc.disable()
        self.keep()

    def keep(self) -> None:
        """Leave what there is by now to `collect_all`."""
        gc.freeze()

    def collect(self) -> bool:
        """Look through what is new, as far as the usual thresholds are passed. Returns whether they were."""
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
        gc.freeze()  # until there is time for all of it
        return True

    def collect_all(self) -> None:
        """Look through everything, however long that takes, unless that was done lately."""
        if time.monotonic() - self._thorough_at < self._thorough_every_s:
            return
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._thorough_at = time.monotonic()

    def stop(self) -> None:
        """Collect what is new here, and let Python collect by itself again.

        Frozen objects stay frozen, so no thread will collect the Qt objects among them.
        """
        gc.collect()
        gc.enable()


class GuiThreadCollector(QObject):
    """Collects on the thread it was made on, and nowhere else, until ``stop``.

    What has been there for a while is looked through while another program has the keyboard.
    """

    def __init__(self, parent: QObject | None = None, start_ms: int = _START_MS) -> None:
        """``start_ms`` is the time in which nothing is collected, since most of what comes then stays."""
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
        """Collect what is new here, and let Python collect by itself again."""
        self._timer.stop()
        self._giving.stop()
        self._collection.stop()
