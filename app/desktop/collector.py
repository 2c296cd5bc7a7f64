"""Python's cyclic garbage collector, kept on the GUI thread.

By itself it runs in whichever thread allocates, and there it would destroy Qt objects, which crashes. calibre
solves it in the same way.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1_000


class GuiThreadCollector(QObject):
    """Collects on the thread it was made on, and nowhere else, until ``stop``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collects the generations that are due by the usual thresholds, oldest first."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Collects everything here, and lets Python collect by itself again."""
        self._timer.stop()
        gc.collect()
        gc.enable()
