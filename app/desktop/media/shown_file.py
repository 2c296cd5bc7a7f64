"""A post's stored file among other details: its picture and its alt text."""

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, ignore
from app.desktop.media.preview import Preview, stored
from app.desktop.media.thumbnails import Picture, load
from app.desktop.widgets import Label
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media

_PICTURE: Final = QSize(280, 180)


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
