"""Which posts have the words that the calendar is filtered by: found in the file, away from the window."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop.aio import TaskScope
from app.desktop.calendar.planner import Planner
from app.workspace.messages import Message, Problem

_AGAIN_MS = 250


class Words(QObject):
    """``matching`` are the keys of the posts with the words, as found last; None while there are no words."""

    changed = Signal()
    """Other posts have them now."""

    def __init__(self, owner: QObject, planner: Planner, tell: Callable[[Message], object]) -> None:
        super().__init__(owner)
        self.matching: frozenset[str] | None = None
        self._planner = planner
        self._tell = tell
        self._text = ""
        self._scope = TaskScope(self, self._report)
        # What changes is told before it is in the file, where words are looked for.
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._look)

    def look_for(self, text: str) -> None:
        """Looks for other words; "" for none."""
        if text == self._text:
            return
        self._text = text
        self._scope.cancel()
        if text.strip():
            self._look()
        else:
            self.matching = None

    def look_again(self, text: str) -> None:
        """Posts have changed: looks a moment later, once for all that comes meanwhile."""
        if text.strip():
            self._again.start()

    def _look(self) -> None:
        if self._text.strip():
            self._scope.start(self._find(self._text))

    async def _find(self, text: str) -> None:
        found = await self._planner.matching(text)
        if text == self._text and found != self.matching:
            self.matching = found
            self.changed.emit()

    def _report(self, error: Exception) -> None:
        if not isinstance(error, Problem):
            raise error
        self._tell(error.message())
