"""Films the stage: frames at a steady rate, with a pointer, in a time that stands still between frames."""

import asyncio
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

from PIL import Image
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.motion import animation
from app.desktop.theme import theme
from tests.gallery.stage import Stage

_FPS: Final = 20
_TICK_S: Final = 0.02
"""Real time for each frame, in s: enough for the timer of the motions to fire once."""

_MOVE_S: Final = 0.6
_LEFT: Final = Qt.MouseButton.LeftButton
_NONE: Final = Qt.MouseButton.NoButton
_PLAIN: Final = Qt.KeyboardModifier.NoModifier
_ARROW: Final = ((0, 0), (0, 17), (4, 13.5), (7, 20), (9.8, 18.8), (6.9, 12.4), (12.2, 12.4))
_QUALITY: Final = 80


class Camera:
    """Films a stage while its methods act; motions run at the film's speed on a machine of any speed."""

    def __init__(self, stage: Stage, width: int) -> None:
        """``width`` of the film, in pixels."""
        self._stage, self._width = stage, width
        self._frames: list[tuple[bytes, tuple[int, int]]] = []
        self._pointer = QPointF(640, 780)
        self._now_s = 0.0

    @property
    def seconds(self) -> float:
        """How long the film is."""
        return len(self._frames) / _FPS

    @contextmanager
    def running(self) -> Iterator[None]:
        """Give motions the time of the film."""
        with patch.object(animation, "perf_counter", lambda: self._now_s):
            yield

    async def hold(self, seconds: float) -> None:
        """Film for a while."""
        for _ in range(round(seconds * _FPS)):
            self._now_s += 1 / _FPS
            await asyncio.sleep(_TICK_S)
            self._take()

    async def go(self, target: QWidget, point: QPoint | None = None, *, drags: bool = False) -> None:
        """Move the pointer to a point of a widget, or its middle; with ``drags``, the button is held."""
        start, end = self._pointer, self._in_window(target, point or target.rect().center())
        steps = round(_MOVE_S * _FPS)
        for step in range(1, steps + 1):
            share = step / steps
            eased = share * share * (3 - 2 * share)
            self._pointer = start + (end - start) * eased
            if drags:
                self._send(target, QEvent.Type.MouseMove, _NONE)
            await self.hold(1 / _FPS)

    async def click(self, target: QWidget, point: QPoint | None = None) -> None:
        """Go to a widget and click it."""
        await self.go(target, point)
        await self.hold(0.15)
        QTest.mouseClick(target, _LEFT, _PLAIN, point or target.rect().center())

    async def drag(self, target: QWidget, start: QPoint, end: QPoint) -> None:
        """Drag what is at a point of a widget to another point."""
        await self.go(target, start)
        self._send(target, QEvent.Type.MouseButtonPress, _LEFT)
        await self.hold(0.1)
        await self.go(target, end, drags=True)
        await self.hold(0.5)
        self._send(target, QEvent.Type.MouseButtonRelease, _LEFT)

    async def write(self, editor: QWidget, text: str) -> None:
        """Type a text."""
        for letter in text:
            QTest.keyClicks(editor, letter)
            await self.hold(1 / _FPS)

    def save(self, file: Path) -> None:
        """Write the film as an animated WebP that repeats; frames that are the same become a longer one."""
        pictures: list[Image.Image] = []
        durations: list[int] = []
        before = b""
        for packed, size in self._frames:
            if packed == before:
                durations[-1] += 1_000 // _FPS
                continue
            before = packed
            pictures.append(Image.frombytes("RGB", size, zlib.decompress(packed)))
            durations.append(1_000 // _FPS)
        first, *rest = pictures
        options = {"quality": _QUALITY, "method": 4, "minimize_size": True, "loop": 0}
        first.save(file, "WEBP", save_all=True, append_images=rest, duration=durations, **options)

    def _take(self) -> None:
        picture = self._stage.picture()
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.current().color("surface"), 1.4))
        painter.setBrush(theme.current().color("text"))
        painter.drawPolygon(QPolygonF([self._pointer + QPointF(x, y) for x, y in _ARROW]))
        painter.end()
        mode = Qt.TransformationMode.SmoothTransformation
        small = picture.scaledToWidth(self._width, mode).convertToFormat(QImage.Format.Format_RGB888)
        size, row = (small.width(), small.height()), small.width() * 3
        bits, stride = bytes(small.constBits()), small.bytesPerLine()
        plain = b"".join(bits[stride * line : stride * line + row] for line in range(size[1]))
        self._frames.append((zlib.compress(plain, 1), size))

    def _in_window(self, target: QWidget, point: QPoint) -> QPointF:
        window = self._stage.window
        assert window is not None
        return QPointF(window.mapFromGlobal(target.mapToGlobal(point)))

    def _send(self, target: QWidget, kind: QEvent.Type, button: Qt.MouseButton) -> None:
        """Send a mouse event at the pointer's place; QTest's own moves carry no button."""
        window = self._stage.window
        assert window is not None
        on_screen = window.mapToGlobal(self._pointer.toPoint())
        held = _NONE if kind is QEvent.Type.MouseButtonRelease else _LEFT
        place = QPointF(target.mapFromGlobal(on_screen))
        QApplication.sendEvent(target, QMouseEvent(kind, place, QPointF(on_screen), button, held, _PLAIN))
