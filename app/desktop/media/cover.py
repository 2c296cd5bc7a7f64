"""A post's file across the width of a panel; a click opens it larger."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app.contract.enums import PostType
from app.desktop.aio import TaskScope, ignore
from app.desktop.media.preview import Preview, Viewed, attached, stored
from app.desktop.media.thumbnails import ICONS, paint_play
from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import decoded, draw_cover, draw_icon, rounded, shows_focus
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame that the picture is cropped to.

    Attributes:
        least: Minimum ratio of height to width.
        most: Maximum ratio of height to width.
        share: Share of the panel's width.
        is_rounded: Whether all corners are rounded; otherwise dark bars fill the sides.
        is_on_top: Whether it's at the top of a panel, whose upper corners it shares.
    """

    least: float
    most: float
    share: float = 1.0
    is_rounded: bool = False
    is_on_top: bool = False


TOP: Final = Frame(0.625, 0.625, is_on_top=True)
"""Across the top of a panel."""


class Cover(EnterPresses):
    """As wide as its panel; hidden without a file."""

    described = Signal(str)
    """The alt text of the file that shows; empty for none."""

    def __init__(self, media: Media, frame: Frame = TOP) -> None:
        super().__init__()
        self._media, self._frame = media, frame
        self._ratio = frame.least
        self._name = ""
        self._viewed: Viewed | None = None
        self._picture = QPixmap()
        self._scope = TaskScope(self, ignore)  # without the service the rest of the panel shows
        # Not fixed: Qt would take the height of the hint as the most, at any width.
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._look)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(320))

    def heightForWidth(self, width: int) -> int:
        return round(width * self._frame.share * self._ratio)

    def show_stored(self, path: str) -> None:
        """Show the file with this storage path; "" for none."""
        self._show(path, lambda: self._load_stored(path))

    def show_upload(self, upload: Upload | None) -> None:
        """Show the file of an upload; None for none."""
        self._show(upload.id if upload else "", lambda: self._load_upload(upload))

    @property
    def has_picture(self) -> bool:
        """Whether a picture is shown, not just the icon of its type."""
        return not self._picture.isNull()

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is loading."""
        return not self._scope.is_busy

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box, frame = QPainter(self), QRectF(self.rect()), self._frame
        radius = theme.current().metrics.radius_panel - 1
        shape = QPainterPath()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if frame.is_on_top:
            shape.addRoundedRect(box.adjusted(0, 0, 0, radius), radius, radius)
            painter.setClipPath(shape)
        if frame.share < 1:
            if not frame.is_rounded:
                dark = "sunken" if theme.current().tokens.dark else "text"
                painter.fillRect(box, theme.current().color(dark))
            side = box.width() * (1 - frame.share) / 2
            box = box.adjusted(side, 0, -side, 0)
        if frame.is_rounded:
            shape.addRoundedRect(box, radius, radius)
            painter.setClipPath(shape)
        painter.fillRect(box, theme.current().color("sunken"))
        kind = self._viewed.kind if self._viewed else PostType.IMAGE
        if self.has_picture:
            draw_cover(painter, box, self._picture)
            if kind is PostType.VIDEO:
                paint_play(painter, box)
        else:
            middle = QRectF(0, 0, 28, 28)
            middle.moveCenter(box.center())
            draw_icon(painter, middle, ICONS.get(kind, "image"), "text3")
        if shows_focus(self):
            rounded(painter, box.adjusted(2, 2, -2, -2), radius - 2, line="accent", width=2)

    def _show(self, name: str, load: Callable[[], Awaitable[None]]) -> None:
        if name == self._name:
            return
        self._name, self._viewed, self._picture = name, None, QPixmap()
        self._scope.cancel()
        self.described.emit("")
        self.setAccessibleName(tr("View larger"))
        self.setVisible(bool(name))  # its room stays while another file loads
        self.update()
        if name:
            self._scope.start(self._run(load))

    async def _run(self, load: Callable[[], Awaitable[None]]) -> None:
        await load()
        self.setVisible(self._viewed is not None)

    async def _load_stored(self, path: str) -> None:
        files = await self._media.catalogue([path])
        if files:
            self.described.emit((files[0].alt_text or "").strip())
            self._fit(files[0].width, files[0].height)
            await self._take(stored(MediaItem(files[0]), self._media))

    async def _load_upload(self, upload: Upload | None) -> None:
        if upload is None:
            return
        if upload.is_done and upload.storage_path:
            await self._load_stored(upload.storage_path)
        else:
            await self._take(attached(upload, self._media))

    async def _take(self, viewed: Viewed) -> None:
        self._viewed = viewed
        words = tr("Play") if viewed.kind is PostType.VIDEO else tr("View larger")
        self.setAccessibleName(words)
        self.setToolTip(tr("{words} (Enter)", words=words))
        self.update()
        content = await viewed.pictures[0]()
        if content:
            width = round(self.width() * self._frame.share * self.devicePixelRatioF())
            size = QSize(width, round(width * self._ratio))
            picture = await asyncio.to_thread(decoded, content, size)
            self._picture = QPixmap.fromImage(picture)
            self.update()

    def _fit(self, width: int | None, height: int | None) -> None:
        """Take the aspect ratio of a picture of that size in pixels, within the frame's limits."""
        own = height / width if width and height else self._frame.least
        self._ratio = min(max(own, self._frame.least), self._frame.most)
        self.updateGeometry()

    def _look(self) -> None:
        if self._viewed is not None:
            sheet = Preview(self, walks=False)
            sheet.show_file(self._viewed)
            sheet.present()
