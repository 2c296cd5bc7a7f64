"""Thumbnails of files: decoded in threads, latest request first, and the widgets that show them."""

import asyncio
from collections import OrderedDict

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import decoded, draw_cover, draw_icon, rounded, shows_focus
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.thumbnails import Pictures

TILE = QSize(224, 168)
"""What a tile is at most, in logical pixels."""
_KEPT = 300
_WAITING_MOST = 80
"""Wishes of tiles that were scrolled by are forgotten."""
_AT_ONCE = 2

_RADIUS = 4
ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}

_DISC = 44


class Thumbnails(QObject):
    """Returns cached pictures and fetches others."""

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
        """Return the picture of a file, or None until ``arrived`` is emitted for it."""
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
        """Retry files without a picture: the service may be reachable again."""
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
    """Return the cache name of a file's picture; each cover has its own."""
    cover = item.file.cover_ms
    return f"{item.path} {cover}" if cover else item.path


async def load(pictures: Pictures, item: MediaItem, size: QSize) -> QImage:
    """Return a file's picture of at least a size in pixels, or smaller if the file is; null without one."""
    content = await pictures.of(item.file)
    return await asyncio.to_thread(decoded, content, size) if content else QImage()


class Thumb(QWidget):
    """A square with sides of ``edge`` logical pixels."""

    def __init__(self, edge: int) -> None:
        super().__init__()
        self._kind = PostType.IMAGE
        self._picture = QPixmap()
        self.setFixedSize(edge, edge)

    def set_kind(self, kind: PostType) -> None:
        """Show the icon of a type instead of a picture."""
        self._kind = kind
        self.update()

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one clears it."""
        self._picture = QPixmap.fromImage(picture)
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a picture is shown."""
        return not self._picture.isNull()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        rounded(painter, box, _RADIUS, fill="sunken", line="line")
        if self._picture.isNull():
            edge = self.width() / 4
            draw_icon(
                painter, box.adjusted(edge, edge, -edge, -edge), ICONS.get(self._kind, "image"), "text3"
            )
            return
        shape = QPainterPath()
        shape.addRoundedRect(box, _RADIUS, _RADIUS)
        painter.setClipPath(shape)
        draw_cover(painter, box, self._picture)


class Picture(EnterPresses):
    """A button of ``size`` that shows a whole picture on a neutral background."""

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self._size = size
        self._kind = PostType.IMAGE
        self._picture = QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_kind(PostType.IMAGE)

    def sizeHint(self) -> QSize:
        return self._size

    def set_kind(self, kind: PostType) -> None:
        """Show the icon of a type until there is a picture; clicking a video plays it."""
        self._kind = kind
        words = tr("Play") if kind is PostType.VIDEO else tr("View larger")
        self.setAccessibleName(words)
        self.setToolTip(tr("{words} (Enter)", words=words))
        self.set_picture(QImage())

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one clears it."""
        self._picture = QPixmap.fromImage(picture)
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a picture is shown."""
        return not self._picture.isNull()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        radius = theme.current().metrics.radius
        rounded(painter, box, radius, fill="sunken")
        if self._picture.isNull():
            middle = QRectF(0, 0, 28, 28)
            middle.moveCenter(box.center())
            draw_icon(painter, middle, ICONS.get(self._kind, "image"), "text3")
        else:
            self._paint_picture(painter, box, radius)
            if self._kind is PostType.VIDEO:
                paint_play(painter, box)
        ring = shows_focus(self)
        rounded(painter, box, radius, line="accent" if ring else "line", width=2 if ring else 1)

    def _paint_picture(self, painter: QPainter, box: QRectF, radius: float) -> None:
        shape = QPainterPath()
        shape.addRoundedRect(box, radius, radius)
        fitted = self._picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, fitted.width(), fitted.height())
        place.moveCenter(box.center())
        painter.save()
        painter.setClipPath(shape)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(place, self._picture, QRectF(self._picture.rect()))
        painter.restore()


def paint_play(painter: QPainter, box: QRectF) -> None:
    """Paint a play icon in the middle of a video's picture."""
    disc = QRectF(0, 0, _DISC, _DISC)
    disc.moveCenter(box.center())
    dark = theme.current().tokens.dark
    ground, ink = ("surface", "text") if dark else ("tooltip", "on_tooltip")  # dark in both
    rounded(painter, disc, _DISC / 2, fill=ground)
    draw_icon(painter, disc.adjusted(13, 12, -11, -12), "play", ink)
