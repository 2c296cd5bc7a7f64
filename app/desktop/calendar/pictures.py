"""The pictures on cards: read and scaled in threads, visible ones first, with a few hundred in memory.

Painting only uses what is loaded; a card that was painted without its picture is repainted when that arrives.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap, QPolygonF

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.calendar.looks import SMALL_TILE, WIDE_TILE
from app.desktop.calendar.placement import LINE_HEIGHT, TALL_HEIGHT
from app.desktop.calendar.planner import SmallPictures
from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets.painting import decoded
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost

_KEPT = 360
"""Maximum number of files: twice the cards on two screens of a month; 6 MB, at a pixel ratio of two 23 MB."""
_AT_ONCE = 2
_REST_MS = 60
"""Idle time before fetching pictures, and the window for batching the ones that arrive, in ms."""

LARGE, SMALL = QSize(WIDE_TILE, TALL_HEIGHT), QSize(SMALL_TILE, LINE_HEIGHT)
"""In logical pixels. Cards crop pictures that don't fit."""

_DISC, _SIGN = QColor(LIGHT.scrim), QColor(LIGHT.surface)
"""Colours of the sign on pictures, the same in every theme."""

_DISC_RADIUS = 7


class Pair(NamedTuple):
    """A file's picture, cropped to both sizes."""

    large: QImage
    small: QImage


class CardPictures(QObject):
    """For the GUI thread. ``around`` returns the posts whose cards are visible, then others near them."""

    arrived = Signal(object)
    """A set with the keys of posts that were painted without their picture, which has now arrived."""

    def __init__(self, owner: QObject, source: SmallPictures) -> None:
        super().__init__(owner)
        self.around: Callable[[], Iterable[PlannedPost]] = tuple
        self._source = source
        self._scope = TaskScope(self)
        self._ratio = 1.0
        self._there: OrderedDict[str, tuple[QPixmap, QPixmap] | None] = OrderedDict()
        self._bare: dict[str, str] = {}
        """Of the posts that were painted without: key and storage path."""
        self._loading: set[str] = set()
        self._news: set[str] = set()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._fetch)
        self._gather = QTimer(self, singleShot=True, interval=_REST_MS)
        self._gather.timeout.connect(self._tell)

    def of(self, post: PlannedPost, ratio: float, *, small: bool = False) -> QPixmap | None:
        """Return the picture of a post's file in one of two sizes; None until it's loaded."""
        if not post.media:
            return None
        if ratio != self._ratio:
            self._ratio = ratio
            self._there.clear()
        found = self._there.get(post.media)
        if found is not None:
            self._there.move_to_end(post.media)
            return found[small]
        self._bare[post.key] = post.media
        if post.media not in self._there and not self._rest.isActive():
            self._rest.start()
        return None

    def look_again(self) -> None:
        """Fetch missing pictures after other days are visible or new files arrived."""
        if self._bare:
            self._rest.start()

    def forget_missing(self) -> None:
        """Ask again for missing pictures, which may exist by now."""
        for path in [path for path, found in self._there.items() if found is None]:
            del self._there[path]
        self.look_again()

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is loading for the days around the view."""
        busy = self._rest.isActive() or self._gather.isActive() or bool(self._loading)
        return not busy and self._next() is None

    def _fetch(self) -> None:
        for _ in range(len(self._loading), _AT_ONCE):
            if (post := self._next()) is None:
                return
            self._loading.add(post.media)
            self._scope.start(self._load_from(post))

    def _next(self) -> PlannedPost | None:
        """Return the nearest post that lacks its picture, within the number of pictures that are kept."""
        paths: set[str] = set()
        for post in self.around():
            if self._bare.get(post.key) == post.media:
                paths.add(post.media)
                if len(paths) > _KEPT // 2:
                    return None
                if post.media not in self._there and post.media not in self._loading:
                    return post
        return None

    async def _load_from(self, first: PlannedPost) -> None:
        """Load a picture, then the next missing one."""
        post: PlannedPost | None = first
        while post is not None:
            try:
                self._keep(post.media, await self._load(post))
            finally:
                self._loading.discard(post.media)
            if (post := self._next()) is not None:
                self._loading.add(post.media)

    async def _load(self, post: PlannedPost) -> Pair | None:
        try:
            content = await self._source.picture(post.media)
        except Problem:
            return None
        is_video = post.post_type is PostType.VIDEO
        return await asyncio.to_thread(made, content, self._ratio, is_video=is_video) if content else None

    def _keep(self, path: str, pair: Pair | None) -> None:
        if pair is not None and pair.large.devicePixelRatio() != self._ratio:
            return  # made for another screen; painting on this one requests it again
        self._there[path] = None
        while len(self._there) > _KEPT:
            self._there.popitem(last=False)
        if pair is not None:
            self._there[path] = QPixmap.fromImage(pair.large), QPixmap.fromImage(pair.small)
            self._news.add(path)
            if not self._gather.isActive():
                self._gather.start()

    def _tell(self) -> None:
        keys = {key for key, path in self._bare.items() if path in self._news}
        self._news.clear()
        for key in keys:
            del self._bare[key]
        if keys:
            self.arrived.emit(keys)


def made(content: bytes, ratio: float, *, is_video: bool) -> Pair | None:
    """Return both sizes of a picture, for a screen with a device pixel ratio. Blocking."""
    picture = decoded(content, LARGE * ratio)
    if picture.isNull():
        return None
    large = _cut(picture, LARGE, ratio)
    if is_video:
        _mark_as_video(large)
    return Pair(large, _cut(picture, SMALL, ratio))


def _cut(picture: QImage, size: QSize, ratio: float) -> QImage:
    """Return the middle of a picture in a size in logical pixels."""
    pixels = size * ratio
    covering = picture.scaled(
        pixels,
        Qt.AspectRatioMode.KeepAspectRatioByExpanding,
        Qt.TransformationMode.SmoothTransformation,
    )
    left, top = (covering.width() - pixels.width()) // 2, (covering.height() - pixels.height()) // 2
    found = covering.copy(left, top, pixels.width(), pixels.height())
    found = found.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    found.setDevicePixelRatio(ratio)
    return found


def _mark_as_video(picture: QImage) -> None:
    """Paint a small sign in the middle, because the first frame of a video looks like an image."""
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_DISC)
    middle = QPointF(LARGE.width() / 2, LARGE.height() / 2)
    painter.drawEllipse(middle, _DISC_RADIUS, _DISC_RADIUS)
    painter.setBrush(_SIGN)
    painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in ((-2, -3.2), (3.6, 0), (-2, 3.2))]))
    painter.end()
