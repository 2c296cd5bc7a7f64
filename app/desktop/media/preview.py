"""A file as large as the window: zoomed with the wheel or keys, moved with the hand."""

import asyncio

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.media.wording import facts
from app.desktop.theme import theme
from app.desktop.widgets import Divider, ElidedLabel, IconButton, Label, Sheet, announce, secondary
from app.desktop.widgets.painting import rounded
from app.workspace.media.library import MediaItem
from app.workspace.media.pictures import Pictures

_MARGIN = 120
_MOST = 8.0
_STEP = 1.25
_NO_PICTURE = "There is no picture of this file, or it cannot be fetched now."


class Preview(Sheet):
    """One file. The arrows walk to the next and the previous one."""

    walked = Signal(int)
    """The person wants the next file (1) or the one before (-1)."""

    def __init__(self, host: QWidget, pictures: Pictures) -> None:
        room = host.window().size() - QSize(_MARGIN, _MARGIN)
        super().__init__(host.window(), "Preview", room.width())
        self._pictures = pictures
        self._item: MediaItem | None = None
        self._scope = TaskScope(self)
        self.canvas = Canvas(room.height())
        self.name, self.facts = ElidedLabel("", "heading", elide="middle"), Label("", "card", "text3")
        self.smaller = IconButton("minus", "Smaller (−)", size="small")  # noqa: RUF001  the key's sign
        self.larger = IconButton("plus", "Larger (+)", size="small")
        self.scale = Label("", "card", "text2")
        self.play = secondary("Play", "play", "small")
        self.before = IconButton("chevron-left", "The file before (←)", size="small")
        self.next = IconButton("chevron-right", "The next file (→)", size="small")
        self.cross = IconButton("x", "Close (Esc)", size="small")
        self._lay_out()
        self._connect()

    def show_item(self, item: MediaItem) -> None:
        """Show a file; its small picture comes first."""
        self._item = item
        self.name.setText(item.name)
        self.facts.setText(facts(item))
        self.setAccessibleName(f"{item.name}, {self.facts.text()}")
        if self.isVisible():
            announce(self, self.accessibleName())
        original = self._pictures.original(item.file)
        self.play.setVisible(item.file.kind is PostType.VIDEO and original is not None)
        self.canvas.set_picture(QImage())
        self._scope.cancel()
        self._scope.start(self._load(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, zoom and close."""
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Down:
                self.walked.emit(1)
            case Qt.Key.Key_Left | Qt.Key.Key_Up:
                self.walked.emit(-1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.canvas.zoom(_STEP)
            case Qt.Key.Key_Minus:
                self.canvas.zoom(1 / _STEP)
            case Qt.Key.Key_0:
                self.canvas.fit()
            case _:
                super().keyPressEvent(event)

    async def _load(self, item: MediaItem) -> None:
        found = False
        for fetch in (self._pictures.of, self._pictures.large):
            content = await fetch(item.file)
            if content is not None:
                found = True
                picture = await asyncio.to_thread(QImage.fromData, content)
                self.canvas.set_picture(picture, QSize(item.file.width or 0, item.file.height or 0))
        if not found:
            self.canvas.say(_NO_PICTURE)

    def _play(self) -> None:
        original = self._pictures.original(self._item.file) if self._item else None
        if original is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(original)))

    def _show_scale(self) -> None:
        shown = self.canvas.share
        self.scale.setText(f"{round(shown * 100)} %" if shown else "")
        for button in (self.smaller, self.larger):
            button.setEnabled(bool(shown))

    def _connect(self) -> None:
        self.smaller.clicked.connect(lambda: self.canvas.zoom(1 / _STEP))
        self.larger.clicked.connect(lambda: self.canvas.zoom(_STEP))
        self.canvas.zoomed.connect(self._show_scale)
        self.before.clicked.connect(lambda: self.walked.emit(-1))
        self.next.clicked.connect(lambda: self.walked.emit(1))
        self.play.clicked.connect(self._play)
        self.cross.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 10, 10)
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        head.addStretch(1)
        for widget in (self.play, self.smaller, self.scale, self.larger, self.before, self.next, self.cross):
            head.addWidget(widget)
        self.scale.setFixedWidth(44)
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(self.canvas, 1)


class Canvas(QWidget):
    """A picture that fits, or larger than its frame and moved by hand. ``height`` is what it asks for."""

    zoomed = Signal()

    def __init__(self, height: int) -> None:
        super().__init__()
        self._wanted = height
        self._picture = QPixmap()
        self._natural = QSize()
        self._words = ""
        self._zoom = 1.0
        self._offset = QPointF()
        self._held: QPoint | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Picture")

    def sizeHint(self) -> QSize:
        return QSize(600, self._wanted)

    @property
    def share(self) -> float:
        """Pixels on the screen for each of the picture's; 0 without a picture."""
        if self._picture.isNull():
            return 0.0
        return self._place().width() * self.devicePixelRatioF() / self._natural.width()

    def set_picture(self, picture: QImage, size: QSize = QSize()) -> None:  # noqa: B008  it is not changed
        """Show another picture, or a better one of the same file, as large as the file is.

        A null one takes it away.
        """
        self._picture, self._words = QPixmap.fromImage(picture), ""
        self._natural = picture.size() if size.isEmpty() else size
        if picture.isNull():
            self._zoom, self._offset = 1.0, QPointF()
        self.update()
        self.zoomed.emit()

    def say(self, words: str) -> None:
        """Show words in place of a picture."""
        self._words = words
        self.update()

    def fit(self) -> None:
        """Show all of the picture again."""
        self.zoom(1 / self._zoom)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Make it larger or smaller, so that a point stays where it is."""
        if self._picture.isNull():
            return
        before = self._zoom
        self._zoom = min(_MOST, max(1.0, before * factor))
        point = (around or self._middle()) - self._middle()
        self._offset = point - (point - self._offset) * (self._zoom / before)
        self._hold_inside()
        self.update()
        self.zoomed.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(_STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.position().toPoint()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            now = event.position().toPoint()
            self._offset += QPointF(now - self._held)
            self._held = now
            self._hold_inside()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoom(1 / self._zoom if self._zoom > 1 else 2.0, event.position())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 0, fill="sunken")
        if self._words:
            painter.setFont(theme.current().font("text"))
            painter.setPen(theme.current().color("text2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)
        if not self._picture.isNull():
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(self._place(), self._picture, QRectF(self._picture.rect()))

    def _place(self) -> QRectF:
        room = self.size() - QSize(24, 24)
        fitted = self._natural
        if fitted.width() > room.width() or fitted.height() > room.height():
            fitted = fitted.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, fitted.width() * self._zoom, fitted.height() * self._zoom)
        place.moveCenter(self._middle() + self._offset)
        return place

    def _hold_inside(self) -> None:
        """Keep the picture in its frame: it moves only as far as it is larger."""
        place = self._place()
        most = QPointF(
            max(0.0, place.width() - self.width()) / 2, max(0.0, place.height() - self.height()) / 2
        )
        self._offset = QPointF(
            min(most.x(), max(-most.x(), self._offset.x())), min(most.y(), max(-most.y(), self._offset.y()))
        )

    def _middle(self) -> QPointF:
        return QRectF(self.rect()).center()
