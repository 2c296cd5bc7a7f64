"""Lengths of widgets that grow with text: what is as wide as its words at 100 % would cut larger ones."""

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.desktop.theme import theme

Widget = TypeVar("Widget", bound=QWidget)

WIDEST_SIDE = 660
"""Maximum width of a side panel, so that the calendar next to it stays usable."""


def grow(widget: Widget, setter: Callable[[Widget, int], None], length: int, most: int | None = None) -> None:
    """Keep a length of a widget in step with the size of text: `grow(form, QWidget.setFixedWidth, 340)`.

    Args:
        widget: whose length it is; while it lives, the length follows.
        setter: sets the length, in logical pixels.
        length: at 100 %; it grows with text and never shrinks.
        most: where it stops growing, since windows do not grow.
    """
    _Growing(widget, setter, length, most)


class _Growing(QObject):
    """Ends with its widget, and so does what follows the theme."""

    def __init__(
        self, widget: Widget, setter: Callable[[Widget, int], None], length: int, most: int | None
    ) -> None:
        super().__init__(widget)
        self._setter, self._length, self._most = setter, length, most
        theme.follow(self._restyle)

    def _restyle(self) -> None:
        grown = theme.current().grown(self._length)
        widget: Any = self.parent()  # not stored: a list that Qt made for a box may get another wrapper
        self._setter(widget, grown if self._most is None else min(grown, self._most))
