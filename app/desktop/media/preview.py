"""A file as large as the window: pictures can be zoomed and panned, videos played."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.media.player import Choose, CoverRow, Player, Transport
from app.desktop.media.wording import facts, standing
from app.desktop.opening import open_video
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, ElidedLabel, IconButton, Label, Sheet, announce
from app.desktop.widgets.painting import insets, rounded
from app.language import percent, tr
from app.workspace.media.library import MediaItem
from app.workspace.media.local_file import is_video
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.media.video import Video

STEP = 1.25
"""What a notch of the wheel or a key makes it larger by."""
_MOST = 8.0
_CANVAS_MARGIN = 24
_ROUNDED = 0.04
"""Difference of aspect ratios that comes from rounding the size of a small thumbnail."""

Fetch = Callable[[], Awaitable[bytes | None]]

_MARGIN = 120
_FAR_MS = 5_000
_NO_PICTURE = tr("No preview available right now.")


class Canvas(QWidget):
    """A picture that fits its frame, or is larger and can be dragged. ``height`` is its size hint."""

    zoomed = Signal()
    resized = Signal()

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
        self.setAccessibleName(tr("Picture"))

    def sizeHint(self) -> QSize:
        return QSize(600, self._wanted)

    @property
    def room(self) -> QSize:
        """The largest size in pixels of a picture that fits."""
        return (self.size() - QSize(_CANVAS_MARGIN, _CANVAS_MARGIN)) * self.devicePixelRatioF()

    @property
    def share(self) -> float:
        """The zoom: screen pixels per picture pixel; 0 without a picture."""
        if self._picture.isNull():
            return 0.0
        return self._place().width() * self.devicePixelRatioF() / self._natural.width()

    def set_picture(self, picture: QImage, size: QSize = QSize()) -> None:  # noqa: B008  it is not changed
        """Show another picture, or a better version of the same file, at the file's size.

        A null picture clears it.
        """
        self._picture = QPixmap.fromImage(picture)
        self.say("")
        self._natural = picture.size() if size.isEmpty() else size
        if not picture.isNull() and _is_other_shape(picture.size(), self._natural):  # a wrong record
            self._natural = picture.size().scaled(self._natural, Qt.AspectRatioMode.KeepAspectRatio)
        if picture.isNull():
            self._zoom, self._offset = 1.0, QPointF()
        self.update()
        self.zoomed.emit()

    def say(self, words: str) -> None:
        """Show a message instead of a picture."""
        self._words = words
        self.setAccessibleDescription(words)
        self.update()

    def fit(self) -> None:
        """Fit the picture to the frame again."""
        self.zoom(1 / self._zoom)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom, keeping a point in place."""
        if self._picture.isNull():
            return
        before = self._zoom
        self._zoom = min(_MOST, max(1.0, before * factor))
        point = (around or self._middle()) - self._middle()
        self._offset = point - (point - self._offset) * (self._zoom / before)
        self._hold_inside()
        self.update()
        self.zoomed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(STEP ** (event.angleDelta().y() / 120), event.position())
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
            area = self.rect().adjusted(_CANVAS_MARGIN, 0, -_CANVAS_MARGIN, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._words)
        if not self._picture.isNull():
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(self._place(), self._picture, QRectF(self._picture.rect()))

    def _place(self) -> QRectF:
        room = self.size() - QSize(_CANVAS_MARGIN, _CANVAS_MARGIN)
        fitted = self._natural
        if fitted.width() > room.width() or fitted.height() > room.height():
            fitted = fitted.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, fitted.width() * self._zoom, fitted.height() * self._zoom)
        place.moveCenter(self._middle() + self._offset)
        return place

    def _hold_inside(self) -> None:
        """Keep the picture inside its frame: it can be dragged only as far as it's larger."""
        place = self._place()
        most = QPointF(
            max(0.0, place.width() - self.width()) / 2, max(0.0, place.height() - self.height()) / 2
        )
        self._offset = QPointF(
            min(most.x(), max(-most.x(), self._offset.x())), min(most.y(), max(-most.y(), self._offset.y()))
        )

    def _middle(self) -> QPointF:
        return QRectF(self.rect()).center()


def _is_other_shape(one: QSize, other: QSize) -> bool:
    """Whether sizes have different aspect ratios, beyond the rounding of a thumbnail's."""
    across, down = one.width() * other.height(), one.height() * other.width()
    return abs(across - down) > _ROUNDED * max(across, down)


@dataclass(frozen=True, slots=True)
class Viewed:
    """A file to preview.

    Attributes:
        facts: A line next to the name.
        size: In pixels; empty if unknown.
        pictures: Returns pictures of increasing quality.
        video: Opens it, if it's a video.
        local: Its path on this computer, if any.
        cover_ms: Position of a video's cover; None if none was chosen.
        choose_cover: Saves another cover; None if that's impossible.
    """

    name: str
    facts: str
    kind: PostType
    size: QSize
    pictures: tuple[Fetch, ...]
    video: Callable[[], Awaitable[Video]]
    local: Path | None
    cover_ms: int | None = None
    choose_cover: Choose | None = None


def stored(item: MediaItem, media: Media) -> Viewed:
    """Return a stored file to preview."""
    file, pictures = item.file, media.pictures
    is_video = file.kind is PostType.VIDEO
    return Viewed(
        name=item.name,
        facts=facts(item),
        kind=file.kind,
        size=QSize(file.width or 0, file.height or 0),
        pictures=(lambda: pictures.of(file), *(() if is_video else (lambda: pictures.large(file),))),
        video=lambda: media.watching.of_stored(file),
        local=pictures.original(file),
        cover_ms=file.cover_ms,
        choose_cover=partial(media.library.choose_cover, item.path) if media.library.can_describe else None,
    )


def attached(upload: Upload, media: Media) -> Viewed:
    """Return a file of this computer to preview, uploaded or not."""
    pictures = media.pictures
    is_video = upload.post_type is PostType.VIDEO
    return Viewed(
        name=upload.name,
        facts=standing(upload),
        kind=upload.post_type,
        size=QSize(upload.facts.width or 0, upload.facts.height or 0),
        pictures=(
            lambda: pictures.of_local(upload),
            *(() if is_video else (lambda: pictures.large_of_local(upload),)),
        ),
        video=lambda: media.watching.of_local(upload),
        local=upload.path,
    )


class Preview(Sheet):
    """Shows a file. If there are several, arrow keys go to the next and previous one (``walks``)."""

    walked = Signal(int)
    """The person wants the next file (1) or the one before (-1)."""

    def __init__(self, host: QWidget, *, walks: bool = True) -> None:
        room = host.window().size() - QSize(_MARGIN, _MARGIN)
        super().__init__(host.window(), tr("Preview"), room.width())
        self._viewed: Viewed | None = None
        self._walks = walks
        self._scope = TaskScope(self)
        self.canvas = Canvas(room.height())
        self.player = Player(self)
        self.transport, self.cover = Transport(self.player), CoverRow(self.player)
        self.name, self.facts = ElidedLabel("", "heading", elide="middle"), Label("", "card", "text3")
        self.smaller = IconButton("minus", tr("Smaller (−)"), size="small")  # noqa: RUF001  the key's sign
        self.larger = IconButton("plus", tr("Larger (+)"), size="small")
        self.scale = Label("", "card", "text2")
        self.elsewhere = IconButton("external-link", tr("Open in the system player"), size="small")
        self.before = IconButton("chevron-left", tr("Previous file (←)"), size="small")
        self.next = IconButton("chevron-right", tr("Next file (→)"), size="small")
        self.cross = IconButton("x", tr("Close (Esc)"), size="small")
        self._lay_out()
        self._connect()

    def show_file(self, viewed: Viewed) -> None:
        """Show a file, its thumbnail first."""
        self._viewed = viewed
        self.name.setText(viewed.name)
        self.facts.setText(viewed.facts)
        self.setAccessibleName(f"{viewed.name}, {viewed.facts}")
        if self.isVisible():
            announce(self, self.accessibleName())
        is_video = viewed.kind is PostType.VIDEO
        self.elsewhere.hide()
        self._show_controls(is_video=is_video)
        self.cover.hide()
        self.canvas.set_picture(QImage())
        self._scope.cancel()
        self.player.stop()
        self._scope.start(self._load(viewed))
        if is_video:
            self._scope.start(self._offer_player(viewed))
            self.transport.wait()
            self.cover.show_for(viewed.choose_cover, viewed.cover_ms)
            self.player.show(viewed.video)

    def dismiss(self) -> None:
        """Close, and release the video."""
        self.player.stop()
        super().dismiss()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to other files, play, zoom and close."""
        far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Left if far:
                self.transport.step(step[Qt.Key(event.key())] * _FAR_MS)
            case Qt.Key.Key_Right | Qt.Key.Key_Down | Qt.Key.Key_Left | Qt.Key.Key_Up if self._walks:
                self.walked.emit(step[Qt.Key(event.key())])
            case Qt.Key.Key_Space:
                self.player.toggle()
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.canvas.zoom(STEP)
            case Qt.Key.Key_Minus:
                self.canvas.zoom(1 / STEP)
            case Qt.Key.Key_0:
                self.canvas.fit()
            case _:
                super().keyPressEvent(event)

    async def _load(self, viewed: Viewed) -> None:
        found = False
        for fetch in viewed.pictures:
            content = await fetch()
            if content is not None:
                found = True
                picture = await asyncio.to_thread(QImage.fromData, content)
                if not self.player.is_open:
                    self._show_controls(is_video=viewed.kind is PostType.VIDEO)
                    self.canvas.set_picture(picture, viewed.size)
        if not found and viewed.kind is not PostType.VIDEO:
            self._show_only(_NO_PICTURE)

    def _show_only(self, words: str) -> None:
        """Show a message where nothing else can be seen, unless there's a picture."""
        if not self.canvas.share:
            self.canvas.say(words)
            self._show_controls(is_video=False, zooms=False)

    def _show_controls(self, *, is_video: bool, zooms: bool = True) -> None:
        """Show the controls of a video, and those for zooming."""
        self.transport.setVisible(is_video)
        for control in (self.smaller, self.scale, self.larger):
            control.setVisible(zooms)

    async def _offer_player(self, viewed: Viewed) -> None:
        """Offer the system's player only for files that are videos by content and by name."""
        if viewed.local is not None and await asyncio.to_thread(is_video, viewed.local):
            self.elsewhere.show()

    def _show_moment(self, picture: QImage) -> None:
        self.canvas.set_picture(picture, self._viewed.size if self._viewed else QSize())

    def _open_elsewhere(self) -> None:
        if self._viewed is not None and self._viewed.local is not None:
            self._scope.start(open_video(self._viewed.local))

    def _show_scale(self) -> None:
        shown = self.canvas.share
        words = percent(round(shown * 100)) if shown else ""
        if words != self.scale.text():
            self.scale.setText(words)
        for button in (self.smaller, self.larger):
            button.setEnabled(bool(shown))

    def _connect(self) -> None:
        self.smaller.clicked.connect(lambda: self.canvas.zoom(1 / STEP))
        self.larger.clicked.connect(lambda: self.canvas.zoom(STEP))
        self.canvas.zoomed.connect(self._show_scale)
        self.canvas.resized.connect(lambda: self.player.fit(self.canvas.room))
        self.player.pictured.connect(self._show_moment)
        self.player.failed.connect(self._show_only)
        self.before.clicked.connect(lambda: self.walked.emit(-1))
        self.next.clicked.connect(lambda: self.walked.emit(1))
        self.elsewhere.clicked.connect(self._open_elsewhere)
        self.cross.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(insets(16, 10, 10, 10))
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        head.addStretch(1)
        tools = self.elsewhere, self.smaller, self.scale, self.larger, self.before, self.next, self.cross
        for widget in tools:
            head.addWidget(widget)
        grow(self.scale, QWidget.setFixedWidth, 44)
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(self.canvas, 1)
        self.layout_.addWidget(self.transport)
        self.layout_.addWidget(self.cover)
        for widget in (self.before, self.next):
            widget.setVisible(self._walks)
