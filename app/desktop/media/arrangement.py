"""Lays out the files, the details panel and the queue."""

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.desktop.media.details import Details
from app.desktop.media.grid import MARGIN
from app.desktop.media.queue import Queue
from app.desktop.theme import theme

_BESIDE, _BELOW = 16, 12
_LEAST = 230
"""How wide the files and the queue are at least, at 100 %."""
_FILES_LEAST = 240
"""How high the files are at least above the panel: a row of pictures, and some of the next."""
_DETAILS_LEAST = 300
_LOW = 340
"""Below each other the parts take what they need and the pane scrolls; what the queue has its share of."""


class Arrangement(QWidget):
    """Puts the panel next to files and queue if they are wide enough, otherwise between them.

    This depends on the width alone. Size hints can't decide it: they shrink with the available space, so
    hints and layout would change each other forever.
    """

    turned = Signal()
    """The panel stands elsewhere."""

    def __init__(self, files: QWidget, details: Details, queue: Queue) -> None:
        super().__init__()
        self._files, self._details, self._queue = files, details, queue
        self._is_below = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(0)
        self._grid.setVerticalSpacing(_BELOW)
        self._grid.setColumnMinimumWidth(0, MARGIN)  # the room around a picture, which the others leave free
        self._grid.setColumnStretch(1, 1)
        self._grid.setRowStretch(0, 1)
        self._grid.addWidget(files, 0, 0, 1, 2)
        self._place()
        theme.follow(self._arrange)

    @property
    def is_below(self) -> bool:
        """Whether the panel is below the files instead of next to them."""
        return self._is_below

    def show_details(self, *, shown: bool) -> None:
        """Show the panel, or give its space to the files."""
        self._details.setVisible(shown)
        self._leave_gap()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest part, and as high as the current layout needs."""
        return QSize(theme.current().grown(_LEAST) + MARGIN, self._grid.totalMinimumSize().height())

    def hasHeightForWidth(self) -> bool:
        """False: all parts scroll, so wrapped text must not make the pane scroll as well."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        """Give a page with a message instead of files the height that its lines need."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._give_files_room()
        return super().event(event)

    def _give_files_room(self) -> None:
        least = max(_FILES_LEAST, self._files.heightForWidth(self.width())) if self._is_below else 0
        self._files.setMinimumHeight(least)

    def _arrange(self) -> None:
        grown = theme.current().grown
        beside = MARGIN + grown(_LEAST) + _BESIDE + self._details.width_beside()
        is_below = self.width() < beside
        self._details.setMinimumHeight(max(_DETAILS_LEAST, grown(_DETAILS_LEAST * 2 // 3)) if is_below else 0)
        self._queue.fit_into(_LOW if is_below else self.height())
        has_turned, self._is_below = is_below != self._is_below, is_below
        self._give_files_room()
        if has_turned:
            self._place()
            self._grid.activate()  # now, so that nothing is painted in between
            self.turned.emit()

    def _place(self) -> None:
        for part in (self._details, self._queue):
            self._grid.removeWidget(part)
        self._details.stand(beside=not self._is_below)
        if self._is_below:
            self._grid.addWidget(self._details, 1, 1)
            self._grid.addWidget(self._queue, 2, 1)
        else:
            self._grid.addWidget(self._details, 0, 3, 2, 1)
            self._grid.addWidget(self._queue, 1, 1)
        self._leave_gap()

    def _leave_gap(self) -> None:
        has_column = not self._is_below and not self._details.isHidden()
        self._grid.setColumnMinimumWidth(2, _BESIDE if has_column else 0)
