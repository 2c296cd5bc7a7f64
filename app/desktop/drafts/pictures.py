"""The pictures of drafts' files: decoded in threads, and there at once the next time."""

import asyncio

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QPixmap

from app.desktop.aio import TaskScope, ignore
from app.desktop.widgets.decoding import decoded
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload


class DraftPictures(QObject):
    """Gives what is there and fetches what is not."""

    arrived = Signal()

    def __init__(self, owner: QObject, media: Media, size: QSize) -> None:
        """``size`` is in physical pixels."""
        super().__init__(owner)
        self._media, self._size = media, size
        self._scope = TaskScope(self, ignore)  # without the service the icon stays
        self._known: dict[str, QPixmap | None] = {}

    def of(self, upload: Upload) -> QPixmap | None:
        """The picture of a file, None while there is none; ``arrived`` tells when there is."""
        if upload.id not in self._known:
            self._known[upload.id] = None
            self._scope.start(self._fetch(upload))
        return self._known[upload.id]

    def keep(self, upload_ids: set[str]) -> None:
        """Forget the pictures of all other files."""
        self._known = {id_: picture for id_, picture in self._known.items() if id_ in upload_ids}

    async def _fetch(self, upload: Upload) -> None:
        content = await self._media.small_picture(upload)
        picture = await asyncio.to_thread(decoded, content, self._size) if content else None
        if picture is not None and not picture.isNull() and upload.id in self._known:
            self._known[upload.id] = QPixmap.fromImage(picture)
            self.arrived.emit()
