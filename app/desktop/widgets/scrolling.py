"""A column that scrolls when it does not fit."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.desktop.theme import theme


def scrolled(body: QWidget) -> QScrollArea:
    """Return an area that scrolls `body`, sideways only where text is large, and shows the ground behind."""
    area = scroll_area()
    area.setWidget(body)
    body.setAutoFillBackground(False)
    return area


def scrolled_column(body: QWidget, least: int, most: int) -> QScrollArea:
    """Return a `scrolled` column as wide as its content needs, in every language and text size.

    ``least`` is its width at 100 % and grows with text; ``most`` doesn't, since windows don't. In logical
    pixels.
    """
    area = scrolled(body)
    _FittedWidth(area, body, least, most)
    return area


class _FittedWidth(QObject):
    """Sets the width of a column whenever its content changes."""

    def __init__(self, area: QScrollArea, body: QWidget, least: int, most: int) -> None:
        super().__init__(area)
        self._area, self._body, self._least, self._most = area, body, least, most
        body.installEventFilter(self)
        theme.follow(self._fit)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return False

    def _fit(self) -> None:
        bar = self._area.verticalScrollBar().sizeHint().width()
        needed = max(theme.current().grown(self._least), self._body.minimumSizeHint().width() + bar)
        self._area.setFixedWidth(min(needed, self._most))


def scroll_area() -> QScrollArea:
    """Return the same without a body yet.

    A large body is best made with the area's viewport as its parent, once the area is in its place: whatever
    gets another parent is styled anew, with all that is in it.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.viewport().setAutoFillBackground(False)
    return area
