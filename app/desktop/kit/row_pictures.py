"""Pictures for rows, decoded in threads, the newest request first; and placeholders while rows load."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app.desktop.aio import TaskScope
from app.desktop.theme import theme
from app.desktop.widgets import Skeleton
from app.desktop.widgets.painting import decoded, mirrored, rounded
from app.workspace.messages import Problem

_KEPT: Final = 300
_WAITING_MOST: Final = 60
"""Maximum number of queued requests; those of rows scrolled out of view are dropped."""
_AT_ONCE: Final = 2

Load = Callable[[str], Awaitable[bytes | None]]
_ROW: Final = 52
_PICTURE: Final = 40
_INSET: Final = 16
_GAP: Final = 12
_WIDTHS: Final = (0.46, 0.3, 0.38, 0.52, 0.26)
"""Widths of the titles, as shares of the row: titles of equal length would look like a table."""


class RowPictures(QObject):
    """Small pictures by name. Delegates ask while they paint, so only visible rows load theirs."""

    arrived = Signal()

    def __init__(self, owner: QObject, load: Load, edge: int) -> None:
        """``load`` returns a picture's bytes, or None; ``edge`` is in logical pixels."""
        super().__init__(owner)
        self._load, self._edge, self._ratio = load, edge, 1.0
        self._scope = TaskScope(self)
        self._there: OrderedDict[str, QPixmap | None] = OrderedDict()
        self._wanted: OrderedDict[str, None] = OrderedDict()
        self._running: set[str] = set()

    def of(self, name: str, ratio: float) -> QPixmap | None:
        """Return a picture for a screen's pixel ratio; None until it's loaded, see ``arrived``."""
        if not name:
            return None
        if ratio != self._ratio:
            self._ratio = ratio
            self._there.clear()
        if name in self._there:
            self._there.move_to_end(name)
            return self._there[name]
        if name not in self._running:
            self._want(name)
        return None

    @property
    def is_at_rest(self) -> bool:
        """Whether no picture is loading."""
        return not self._running and not self._wanted

    def forget_missing(self) -> None:
        """Retry those that had no picture: the service may be back."""
        for name in [name for name, picture in self._there.items() if picture is None]:
            del self._there[name]

    def _want(self, name: str) -> None:
        self._wanted[name] = None
        self._wanted.move_to_end(name)
        while len(self._wanted) > _WAITING_MOST:
            self._wanted.popitem(last=False)
        if len(self._running) < _AT_ONCE:
            self._start_next()

    def _start_next(self) -> None:
        if self._wanted:
            name, _ = self._wanted.popitem()
            self._running.add(name)
            self._scope.start(self._fetch(name))

    async def _fetch(self, name: str) -> None:
        try:
            ratio = self._ratio
            picture = await self._decoded(name, ratio)
            if ratio == self._ratio:
                self._keep(name, picture)
        finally:
            self._running.discard(name)
        self._start_next()

    async def _decoded(self, name: str, ratio: float) -> QPixmap | None:
        try:
            content = await self._load(name)
        except Problem:
            return None  # the row shows the icon of its type
        if not content:
            return None
        pixels = round(self._edge * ratio)
        picture = await asyncio.to_thread(decoded, content, QSize(pixels, pixels))
        return None if picture.isNull() else QPixmap.fromImage(picture)

    def _keep(self, name: str, picture: QPixmap | None) -> None:
        self._there[name] = picture
        while len(self._there) > _KEPT:
            self._there.popitem(last=False)
        if picture is not None:
            self.arrived.emit()


class RowSkeleton(Skeleton):
    """A panel with squares for pictures, and bars for titles and facts."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_ripe():
            return
        look, painter = theme.current(), QPainter(self)
        rounded(painter, QRectF(self.rect()), look.metrics.radius_panel, fill="surface", line="line")
        height, edge = look.grown(_ROW), look.grown(_PICTURE)
        for row in range((self.height() - _INSET) // height):
            top = _INSET // 2 + row * height
            left = _INSET + edge + _GAP
            room = self.width() - left - _INSET
            share = _WIDTHS[row % len(_WIDTHS)]
            self._paint(painter, QRect(_INSET, top + (height - edge) // 2, edge, edge), 5)
            self._paint(painter, QRect(left, top + height // 2 - 14, round(room * share), 10), 5)
            self._paint(painter, QRect(left, top + height // 2 + 6, round(room * share / 2), 8), 4)

    def _paint(self, painter: QPainter, box: QRect, radius: float) -> None:
        rounded(painter, QRectF(mirrored(self, box)), radius, fill="line2")
