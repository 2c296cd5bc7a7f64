"""The pictures on the tiles: decoded in threads, the newest wish first, a few hundred kept."""

import asyncio
from collections import OrderedDict

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage, QPixmap

from app.desktop.aio import TaskScope
from app.desktop.widgets.decoding import decoded
from app.workspace.media.library import MediaItem
from app.workspace.media.pictures import Pictures

TILE = QSize(224, 168)
"""What a tile is at most, in logical pixels."""
_KEPT = 300
_WAITING_MOST = 80
"""Wishes of tiles that were scrolled by are forgotten."""
_AT_ONCE = 2


class Thumbnails(QObject):
    """Gives what is there and fetches what is not."""

    arrived = Signal(str)
    """The storage path of a file whose picture is there now."""

    def __init__(self, owner: QObject, pictures: Pictures) -> None:
        super().__init__(owner)
        self._pictures = pictures
        self._scope = TaskScope(self)
        self._there: OrderedDict[str, QPixmap | None] = OrderedDict()
        self._wanted: OrderedDict[str, tuple[MediaItem, float]] = OrderedDict()
        self._running = 0

    def of(self, item: MediaItem, dpr: float) -> QPixmap | None:
        """The picture of a file, None while there is none; ``arrived`` tells when there is."""
        name = _name(item)
        if name in self._there:
            self._there.move_to_end(name)
            return self._there[name]
        self._wanted[name] = item, dpr
        self._wanted.move_to_end(name)
        while len(self._wanted) > _WAITING_MOST:
            self._wanted.popitem(last=False)
        if self._running < _AT_ONCE:
            self._running += 1
            self._scope.start(self._work())
        return None

    def forget_missing(self) -> None:
        """Asks again for those that there was no picture of: the service may be back."""
        for name in [name for name, picture in self._there.items() if picture is None]:
            del self._there[name]

    async def _work(self) -> None:
        try:
            while self._wanted:
                name, (item, dpr) = self._wanted.popitem()
                picture = await load(self._pictures, item, TILE * dpr)
                picture.setDevicePixelRatio(dpr)
                self._there[name] = None if picture.isNull() else QPixmap.fromImage(picture)
                while len(self._there) > _KEPT:
                    self._there.popitem(last=False)
                self.arrived.emit(item.path)
        finally:
            self._running -= 1


def _name(item: MediaItem) -> str:
    """What a file's picture is called; that of another cover is another one."""
    cover = item.file.cover_ms
    return f"{item.path} {cover}" if cover else item.path


async def load(pictures: Pictures, item: MediaItem, size: QSize) -> QImage:
    """A file's picture that covers so many pixels, or less where it has no more; null for none."""
    content = await pictures.of(item.file)
    return await asyncio.to_thread(decoded, content, size) if content else QImage()
