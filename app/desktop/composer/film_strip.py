"""Trimming a video: a strip of frames with a draggable window, and a picture of its first frame."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from app.desktop.aio import TaskScope
from app.desktop.media.player import picture_of
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, rounded, shows_focus
from app.desktop.widgets.wheel import scroll_past
from app.language import tr
from app.workspace.media.video import Video
from app.workspace.messages import Problem

_HEIGHT: Final = 54
_FRAMES: Final = 9
_STEP_MS, _PAGE_MS = 1_000, 10_000
_HANDLE: Final = 10
_SHADE: Final = 0.65
_SIDE_MAX: Final = 1_280


class FilmStrip(QSlider):
    """Its value is the start of the kept part in ms.

    Arrow keys move by 1 s, Page Up and Down by 10 s. Clicking outside the window moves it there.
    """

    def __init__(self, whole_ms: int, kept_ms: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._whole, self._kept = max(1, whole_ms), min(whole_ms, kept_ms)
        self._frames: list[QPixmap] = []
        self._grip = 0.0
        self.setRange(0, self._whole - self._kept)
        self.setSingleStep(_STEP_MS)
        self.setPageStep(_PAGE_MS)
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setAccessibleName(tr("Start of the part to keep"))
        scroll_past(self)

    def add_frame(self, frame: QImage) -> None:
        """Add the next frame from the left."""
        self._frames.append(QPixmap.fromImage(frame))
        self.update()

    @property
    def is_full(self) -> bool:
        """Whether all frames are loaded."""
        return len(self._frames) == _FRAMES

    def kept(self) -> QRectF:
        """Return the rectangle of the window."""
        width = self.width() * self._kept / self._whole
        left = self.width() * self.value() / self._whole
        if self.isRightToLeft():
            left = self.width() - left - width
        return QRectF(left, 0, width, self.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start dragging the window, or move it to the click."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        window, x = self.kept(), event.position().x()
        is_inside = window.left() <= x <= window.right()
        self._grip = x - window.left() if is_inside else window.width() / 2
        self.setSliderDown(True)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._drag_to(x)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._drag_to(event.position().x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.setSliderDown(False)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the frames, shaded outside the window, and its two handles."""
        look, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        rounded(painter, QRectF(self.rect()), look.metrics.radius, fill="sunken")
        width = self.width() / _FRAMES
        for number, frame in enumerate(self._frames):
            place = self.width() - (number + 1) * width if self.isRightToLeft() else number * width
            draw_cover(painter, QRectF(place, 0, width + 1, self.height()), frame)
        window = self.kept()
        painter.setOpacity(_SHADE)
        painter.fillRect(QRectF(0, 0, window.left(), self.height()), look.color("raised"))
        painter.fillRect(
            QRectF(window.right(), 0, self.width() - window.right(), self.height()), look.color("raised")
        )
        painter.setOpacity(1)
        for left in (window.left(), window.right() - _HANDLE):
            painter.fillRect(QRectF(left, 0, _HANDLE, self.height()), look.color("accent"))
            painter.fillRect(
                QRectF(left + _HANDLE / 2 - 1, self.height() / 2 - 8, 2, 16), look.color("on_accent")
            )
        line = "text" if shows_focus(self) else "accent"
        rounded(painter, window.adjusted(1, 1, -1, -1), look.metrics.radius, line=line, width=2)

    def _drag_to(self, x: float) -> None:
        left = x - self._grip
        if self.isRightToLeft():
            left = self.width() - left - self.kept().width()
        self.setValue(round(left * self._whole / max(1, self.width())))


class FramePreview(QWidget):
    """A frame, scaled to the available space."""

    def __init__(self) -> None:
        super().__init__()
        self._frame = QImage()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("First frame of the part to keep"))

    def set_picture(self, frame: QImage) -> None:
        """Set the frame."""
        self._frame = frame
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 240)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        rounded(painter, QRectF(self.rect()), theme.current().metrics.radius, fill="sunken")
        if self._frame.isNull():
            return
        size = self._frame.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        painter.drawImage(QRectF(left, top, size.width(), size.height()), self._frame)


class Film(QObject):
    """Loads the strip's frames, then the frame at its value whenever that changes."""

    pictured = Signal(QImage)
    """The frame at the start of the kept part."""
    failed = Signal(str)
    """A sentence. The part can still be chosen."""

    def __init__(
        self, opening: Callable[[], Awaitable[Video]], strip: FilmStrip, whole_ms: int, owner: QObject
    ) -> None:
        super().__init__(owner)
        self._strip, self._whole = strip, whole_ms
        self._wake = asyncio.Event()
        self._wake.set()
        strip.valueChanged.connect(lambda _value: self._wake.set())
        TaskScope(self).start(self._run(opening))

    async def _run(self, opening: Callable[[], Awaitable[Video]]) -> None:
        try:
            video = await opening()
        except Problem as problem:
            self.failed.emit(problem.text)
            return
        try:
            await self._show_start(video)
            for number in range(_FRAMES):
                moment = round(self._whole * (number + 0.5) / _FRAMES)
                self._strip.add_frame(picture_of(await video.at(moment, (160, 160))))
                await self._show_start(video)
            while True:
                await self._wake.wait()
                await self._show_start(video)
        except Problem as problem:
            self.failed.emit(problem.text)
        finally:
            video.close()

    async def _show_start(self, video: Video) -> None:
        if self._wake.is_set():
            self._wake.clear()
            frame = await video.at(self._strip.value(), (_SIDE_MAX, _SIDE_MAX))
            self.pictured.emit(picture_of(frame))
