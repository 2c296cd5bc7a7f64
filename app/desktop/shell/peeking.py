"""What one click on a card opens."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.controller import State
from app.desktop.shell.window import MainWindow

_PAUSE_MS: Final = 20
"""Delay after a click, so that the chosen card is painted first."""


class Peeking(QObject):
    """Shows a clicked post in the side panel, in place of nothing or of another post.

    The focus stays where it is. ``inspect`` opens the details of a post.
    """

    def __init__(self, window: MainWindow, calendar: CalendarPane, inspect: Callable[[str], None]) -> None:
        super().__init__(calendar)
        self._window, self._calendar, self._inspect = window, calendar, inspect
        self._key = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._show)
        calendar.postClicked.connect(self._show_soon)

    @property
    def is_waiting(self) -> bool:
        """Whether a clicked post is about to be shown."""
        return self._pause.isActive()

    def _show_soon(self, key: str) -> None:
        self._key = key
        self._pause.start()

    def _show(self) -> None:
        from app.desktop.inspector import Inspector

        side = self._window.side
        is_free = side is None or isinstance(side, Inspector)
        if is_free and self._calendar.mouse.state is State.IDLE and self._calendar.isVisible():
            self._inspect(self._key)
