"""Plays a video without a sound: asks for the picture of each moment, and shows it when it is there."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage

from app.desktop.aio import TaskScope
from app.media.picture import Picture
from app.workspace.media.video import Video
from app.workspace.messages import Problem

_PICTURE_S = 1 / 30
_STRIDE_S = 0.25
"""So much of the video passes at most between two pictures: where decoding is slow, it plays slower."""
_SIDE_MAX = 1_280


class Player(QObject):
    """One video at a time. Pictures are decoded by another program, one ahead of what shows."""

    opened = Signal()
    """``length_ms`` and ``has_sound`` are known."""
    pictured = Signal(QImage)
    moved = Signal(int)
    """Milliseconds from the beginning."""
    turned = Signal(bool)
    """Whether it plays now."""
    failed = Signal(str)
    """A sentence; nothing more is shown of this video."""

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner)
        self._scope = TaskScope(self)
        self._wake = asyncio.Event()
        self._box = QSize(_SIDE_MAX, _SIDE_MAX)
        self.is_open = self.is_playing = self.has_sound = self._is_at_end = False
        self.length_ms = self.position_ms = 0
        self._wanted: int | None = None
        self._clock = self._told_at = 0.0

    def show(self, opening: Callable[[], Awaitable[Video]]) -> None:
        """Show the first picture of a video in place of the one before."""
        self.stop()
        self._scope.start(self._run(opening))

    def stop(self) -> None:
        """Let go of the video."""
        self._scope.cancel()
        self._turn(playing=False)
        self._reset()

    def toggle(self) -> None:
        """Play, or rest; at its end it begins again."""
        if not self.is_open:
            return
        if not self.is_playing and self._is_at_end:
            self.seek(0)
        self._turn(playing=not self.is_playing)

    def seek(self, ms: int) -> None:
        """Go to a moment, whether it plays or rests."""
        if self.is_open:
            self._wanted = min(max(0, ms), self.length_ms)
            self._is_at_end = False
            self._wake.set()

    def fit(self, box: QSize) -> None:
        """Show pictures that fit into so many pixels."""
        most = QSize(_SIDE_MAX, _SIDE_MAX)
        fitted = box.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)
        fitted = box if fitted.width() > box.width() else fitted
        if fitted != self._box and not fitted.isEmpty():
            self._box = fitted
            if self._wanted is None:
                self.seek(self.position_ms)

    def _reset(self) -> None:
        self.is_open = self.has_sound = self._is_at_end = False
        self.length_ms = self.position_ms = 0
        self._wanted, self._clock = None, 0.0

    def _turn(self, *, playing: bool) -> None:
        if playing != self.is_playing:
            self.is_playing = playing
            self._told_at = asyncio.get_running_loop().time()
            self._wake.set()
            self.turned.emit(playing)

    async def _run(self, opening: Callable[[], Awaitable[Video]]) -> None:
        try:
            video = await opening()
        except Problem as problem:
            self.failed.emit(problem.text)
            return
        try:
            self.is_open, self.has_sound = True, video.has_sound
            self.length_ms, self._wanted = video.duration_ms or 0, 0
            self.opened.emit()
            await self._show_pictures(video)
        except Problem as problem:
            self._turn(playing=False)
            self._reset()
            self.failed.emit(problem.text)
        finally:
            video.close()

    async def _show_pictures(self, video: Video) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            if (moment := self._due(began)) is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            self._take(await video.at(moment, (self._box.width(), self._box.height())))
            await asyncio.sleep(max(0.0, began + _PICTURE_S - loop.time()) if self.is_playing else 0)

    def _due(self, now: float) -> int | None:
        """The moment that is to be shown next; None while nothing is to change."""
        if self._wanted is not None:
            self._clock, self._wanted = self._wanted / 1000, None
        elif self.is_playing:
            self._clock += min(now - self._told_at, _STRIDE_S)
        else:
            return None
        self._told_at = now
        return round(self._clock * 1000)

    def _take(self, picture: Picture) -> None:
        shown = QImage(
            picture.pixels, picture.width, picture.height, picture.stride, QImage.Format.Format_RGB32
        )
        self.pictured.emit(shown.copy())  # the bytes belong to Python
        if self._wanted is not None:
            return  # somebody went on meanwhile
        self.length_ms = max(self.length_ms, picture.ms)
        self._is_at_end = picture.is_last
        self.position_ms = round(self._clock * 1000)
        if picture.is_last and self.is_playing:
            self.position_ms = self.length_ms
            self._turn(playing=False)
        self.moved.emit(self.position_ms)
