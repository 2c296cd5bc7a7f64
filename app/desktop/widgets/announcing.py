"""Tells a screen reader what changes away from the focus."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

_PAUSE_MS = 800


def announce(source: QWidget, text: str, *, urgent: bool = False) -> None:
    """Have `text` said after what is being said, or at once when it is urgent."""
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(source, text)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)


class PausedAnnouncer(QObject):
    """Has the newest text said once it has not changed for a moment, so that nobody is talked over."""

    def __init__(self, source: QWidget) -> None:
        super().__init__(source)
        self._source = source
        self._text = self._said = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._say)

    def tell(self, text: str) -> None:
        """Say `text` in a moment, unless it was said last; "" forgets what was said."""
        self._text = text
        self._pause.start()

    def skip(self) -> None:
        """Take the newest text for said: something else has just said it."""
        self._said = self._text
        self._pause.stop()

    def _say(self) -> None:
        if self._text != self._said:
            self._said = self._text
            announce(self._source, self._text)
