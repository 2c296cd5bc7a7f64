"""A post's file in a panel: across the top, or among other details. Pressed, it opens larger."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope, ignore
from app.desktop.media.preview import Preview, Viewed, attached, stored
from app.desktop.media.thumbnails import ICONS, Picture, load, paint_play
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.decoding import decoded
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded, shows_focus
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload

_RATIO: Final = 0.625
"""Height of the picture by its width."""
_PICTURE: Final = QSize(280, 180)


class Cover(EnterPresses):
    """As wide as its panel, and hidden without a file."""

    described = Signal(str)
    """The alt text of the file that shows; empty for none."""

    def __init__(self, media: Media) -> None:
        super().__init__()
        self._media = media
        self._name = ""
        self._viewed: Viewed | None = None
        self._picture = QPixmap()
        self._scope = TaskScope(self, ignore)  # without the service the rest of the panel shows
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._look)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(320))

    def heightForWidth(self, width: int) -> int:
        return round(width * _RATIO)

    def show_stored(self, path: str) -> None:
        """Show the file with this storage path; "" for none."""
        self._show(path, lambda: self._load_stored(path))

    def show_upload(self, upload: Upload | None) -> None:
        """Show the file of an upload; None for none."""
        self._show(upload.id if upload else "", lambda: self._load_upload(upload))

    @property
    def has_picture(self) -> bool:
        """Whether a picture shows, and not only the sign of its kind."""
        return not self._picture.isNull()

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is loading."""
        return not self._scope.is_busy

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        radius = theme.current().metrics.radius_panel - 1
        shape = QPainterPath()
        shape.addRoundedRect(box.adjusted(0, 0, 0, radius), radius, radius)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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
            width = round(self.width() * self.devicePixelRatioF())
            size = QSize(width, round(width * _RATIO))
            picture = await asyncio.to_thread(decoded, content, size)
            self._picture = QPixmap.fromImage(picture)
            self.update()

    def _look(self) -> None:
        if self._viewed is not None:
            sheet = Preview(self, walks=False)
            sheet.show_file(self._viewed)
            sheet.present()


class ShownFile(QWidget):
    """Hidden while there is no file; pressed, its picture opens larger."""

    def __init__(self, media: Media) -> None:
        super().__init__()
        self._media = media
        self._path = ""
        self._item: MediaItem | None = None
        self._scope = TaskScope(self, ignore)  # without the service the other details show
        self.picture = Picture(_PICTURE)
        self.alt_text = Label("", "card", "text2", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.picture)
        column.addWidget(self.alt_text)
        self.picture.clicked.connect(self._look)
        self.hide()

    def show_path(self, path: str) -> None:
        """Show the file with this storage path; "" for none."""
        if path == self._path:
            return
        self._path, self._item = path, None
        self.hide()
        self._scope.cancel()
        if path:
            self._scope.start(self._load(path))

    async def _load(self, path: str) -> None:
        files = await self._media.catalogue([path])
        if not files:
            return
        self._item = item = MediaItem(files[0])
        self.picture.set_kind(item.file.kind)
        told = (item.file.alt_text or "").strip()
        self.alt_text.setText(tr("Alt text: {text}", text=told) if told else tr("No alt text"))
        self.show()
        self.picture.set_picture(await load(self._media.pictures, item, _PICTURE * self.devicePixelRatioF()))

    def _look(self) -> None:
        if self._item is not None:
            sheet = Preview(self, walks=False)
            sheet.show_file(stored(self._item, self._media))
            sheet.present()
