"""The file of a post as a tile that can be dragged into the platform's page."""

import asyncio
from pathlib import Path
from typing import Final

from PySide6.QtCore import QMimeData, QPoint, QRect, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.carried import carry
from app.desktop.theme import theme
from app.desktop.widgets import ElidedLabel, FlowLayout, Label, quiet
from app.desktop.widgets.painting import decoded, draw_cover, draw_icon, rounded
from app.language import tr

_PICTURE: Final = 56
_INSET: Final = 8
_CORNER: Final = 5


class FileTile(QFrame):
    """Picture and name of a file. Dragging it anywhere copies the file; two buttons do so by keyboard."""

    folder_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._file: Path | None = None
        self._pressed_at: QPoint | None = None
        self._picture = _Picture()
        self.name, self.note = ElidedLabel("", "strong"), Label("", "card", "text2", wrap=True)
        self.folder_button = quiet(tr("Show in folder"), "folder-open", size="small")
        self.copy_button = quiet(tr("Copy file"), "copy", size="small")
        self.folder_button.clicked.connect(self.folder_wanted)
        self.copy_button.clicked.connect(self.copy_wanted)
        self._lay_out()
        self.show_progress()

    @property
    def file(self) -> Path | None:
        """The local file, once it's fetched."""
        return self._file

    def show_progress(self) -> None:
        """Show that the file is being fetched."""
        self._show(None, "", tr("Getting the file…"))

    def show_problem(self, text: str) -> None:
        """Show why the file isn't available."""
        self._show(None, "", text, tone="bad")

    def show_file(self, file: Path) -> None:
        """Offer a local file."""
        self._show(file, file.name, tr("Drag this into the page."))

    async def show_picture(self, content: bytes | None) -> None:
        """Show a thumbnail."""
        edge = round(_PICTURE * self.devicePixelRatioF())
        image = await asyncio.to_thread(decoded, content, QSize(edge, edge)) if content else None
        self._picture.show_pixmap(QPixmap.fromImage(image) if image and not image.isNull() else None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Store where a drag may begin."""
        is_left = event.button() is Qt.MouseButton.LeftButton
        self._pressed_at = event.position().toPoint() if is_left else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Begin the drag once the mouse has moved far enough."""
        if self._pressed_at is None or self._file is None:
            return
        if (
            event.position().toPoint() - self._pressed_at
        ).manhattanLength() < QApplication.startDragDistance():
            return
        self._pressed_at = None
        carry(self, self.carried(), self._picture.grab(), QPoint(_PICTURE // 2, _PICTURE // 2))

    def carried(self) -> QMimeData:
        """Return the file as MIME data; empty until it's fetched."""
        data = QMimeData()
        if self._file is not None:
            data.setUrls([QUrl.fromLocalFile(str(self._file))])
        return data

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the tile's background and border."""
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        rounded(QPainter(self), area, theme.current().metrics.radius, fill="sunken", line="line")

    def _show(self, file: Path | None, name: str, note: str, *, tone: str = "text2") -> None:
        self._file = file
        self.name.setText(name)
        self.name.setVisible(bool(name))
        self.note.setText(note)
        self.note.set_tone(tone)
        for button in (self.folder_button, self.copy_button):
            button.setVisible(file is not None)
            button.setAccessibleDescription(name)
        if file is None:
            self._picture.show_pixmap(None)
        self.setCursor(Qt.CursorShape.OpenHandCursor if file is not None else Qt.CursorShape.ArrowCursor)

    def _lay_out(self) -> None:
        buttons = QWidget()
        flow = FlowLayout(buttons, gap=4)
        flow.addWidget(self.folder_button)
        flow.addWidget(self.copy_button)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.name)
        words.addWidget(self.note)
        words.addWidget(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        row.setSpacing(10)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)


class _Picture(QWidget):
    """A square thumbnail, or an icon instead."""

    def __init__(self) -> None:
        super().__init__()
        self._pixmap: QPixmap | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedSize(_PICTURE, _PICTURE)

    def show_pixmap(self, pixmap: QPixmap | None) -> None:
        self._pixmap = pixmap
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        rounded(painter, area, _CORNER, fill="line2")
        if self._pixmap is None:
            edge = QRect(0, 0, 20, 20)
            edge.moveCenter(self.rect().center())
            draw_icon(painter, QRectF(edge), "image", "text2")
            return
        rim = QPainterPath()
        rim.addRoundedRect(area, _CORNER, _CORNER)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(rim)
        draw_cover(painter, area, self._pixmap)
