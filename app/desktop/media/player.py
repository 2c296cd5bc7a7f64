"""Plays a video without sound, with controls, and offers the current frame as the cover.

Each frame is requested, and shown when it arrives.
"""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QStyle, QWidget

from app.desktop.aio import TaskScope
from app.desktop.media.wording import length
from app.desktop.theme import theme
from app.desktop.widgets import Button, IconButton, Label, announce
from app.desktop.widgets.painting import rounded, shows_focus
from app.desktop.widgets.wheel import scroll_past
from app.desktop.words import joined, platform_name
from app.language import tr
from app.media.protocol import Picture
from app.workspace.media.library import cover_takers
from app.workspace.media.video import Video
from app.workspace.messages import Problem

_PICTURE_S = 1 / 30
_STRIDE_S = 0.25
"""So much of the video passes at most between two pictures: where decoding is slow, it plays slower."""
_SIDE_MAX = 1_280

_STEP_MS, _PAGE_MS = 1_000, 10_000
_EVERY_MS = 250
"""While it plays the line and the time move in such steps: a screen reader hears each of them."""
_SILENT = tr("Plays without sound here")
_NO_SOUND = tr("This video has no sound")
_KNOB, _LINE = 14, 4

Choose = Callable[[int | None], Awaitable[None]]


def picture_of(frame: Picture) -> QImage:
    """Return a decoded frame as an image."""
    shown = QImage(frame.pixels, frame.width, frame.height, frame.stride, QImage.Format.Format_RGB32)
    return shown.copy()  # the bytes belong to Python


class Player(QObject):
    """Plays one video. A separate process decodes frames, one ahead of the one shown."""

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
        """Show the first frame of a video instead of the previous one."""
        self.stop()
        self._scope.start(self._run(opening))

    def stop(self) -> None:
        """Release the video."""
        self._scope.cancel()
        self._turn(playing=False)
        self._reset()

    def toggle(self) -> None:
        """Play or pause; restart at the end."""
        if not self.is_open:
            return
        if not self.is_playing and self._is_at_end:
            self.seek(0)
        self._turn(playing=not self.is_playing)

    def seek(self, ms: int) -> None:
        """Go to a position, playing or not."""
        if self.is_open:
            self._wanted = min(max(0, ms), self.length_ms)
            self._is_at_end = False
            self._wake.set()

    def fit(self, box: QSize) -> None:
        """Show frames that fit a size in pixels."""
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
        """Return the position to show next; None if nothing changes."""
        if self._wanted is not None:
            self._clock, self._wanted = self._wanted / 1000, None
        elif self.is_playing:
            self._clock += min(now - self._told_at, _STRIDE_S)
        else:
            return None
        self._told_at = now
        return round(self._clock * 1000)

    def _take(self, picture: Picture) -> None:
        self.pictured.emit(picture_of(picture))
        if self._wanted is not None:
            return  # somebody went on meanwhile
        self.length_ms = max(self.length_ms, picture.ms)
        self._is_at_end = picture.is_last
        self.position_ms = round(self._clock * 1000)
        if picture.is_last and self.is_playing:
            self.position_ms = self.length_ms
            self._turn(playing=False)
        self.moved.emit(self.position_ms)


class Transport(QWidget):
    """The player's controls."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self.play = IconButton("play", tr("Play (Space)"))
        self.position = PositionSlider()
        self.time, self.note = Label("", "card", "text2"), Label("", "card", "text3", wrap=True)
        self._lay_out()
        self.play.clicked.connect(player.toggle)
        self.position.valueChanged.connect(player.seek)
        player.opened.connect(self._show_length)
        player.moved.connect(self._show_position)
        player.turned.connect(self._show_playing)
        player.failed.connect(self._show_failure)

    def wait(self) -> None:
        """Show that a video is being opened."""
        self._show_parts(there=False)
        self._say(tr("Opening the video…"))

    def step(self, milliseconds: int) -> None:
        """Move forward or back by a duration."""
        self._player.seek(self._player.position_ms + milliseconds)

    def _show_length(self) -> None:
        self._show_parts(there=True)
        self.position.set_range(self._player.length_ms)
        self._say(_SILENT if self._player.has_sound else _NO_SOUND)
        self._write_time(0)

    def _show_position(self, ms: int) -> None:
        if self._player.length_ms > self.position.maximum():
            self.position.set_range(self._player.length_ms)
        if not self._player.is_playing or abs(ms - self.position.value()) >= _EVERY_MS:
            self.position.show_value(ms)
            self._write_time(ms)

    def _write_time(self, ms: int) -> None:
        self.time.setText(f"{length(ms)} / {length(self._player.length_ms)}")
        self.position.setAccessibleDescription(
            tr("{position} of {length}", position=length(ms), length=length(self._player.length_ms))
        )

    def _show_playing(self, playing: bool) -> None:
        self.play.set_icon("pause" if playing else "play")
        self.play.set_name(tr("Pause (Space)") if playing else tr("Play (Space)"))
        if self.isVisible():
            announce(
                self,
                tr("Playing") if playing else tr("Paused at {time}", time=length(self._player.position_ms)),
            )

    def _show_failure(self, words: str) -> None:
        self._show_parts(there=False)
        self._say(words, tone="warn")
        announce(self, words)

    def _show_parts(self, *, there: bool) -> None:
        for part in (self.play, self.position, self.time):
            part.setVisible(there)

    def _say(self, words: str, tone: str = "text3") -> None:
        self.note.setText(words)
        self.note.set_tone(tone)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(12)
        row.addWidget(self.play)
        row.addWidget(self.position, 1)
        row.addWidget(self.time)
        row.addWidget(self.note)


class PositionSlider(QSlider):
    """A position in milliseconds. Arrow keys move by 1 s, Page Up and Down by 10 s; a click jumps there."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSingleStep(_STEP_MS)
        self.setPageStep(_PAGE_MS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Position"))
        self.setToolTip(tr("Arrow keys: 1 second. Page Up and Page Down: 10 seconds"))
        scroll_past(self)

    def sizeHint(self) -> QSize:
        return QSize(200, _KNOB + 10)

    def set_range(self, most: int) -> None:
        """Set the duration without emitting signals."""
        blocked = self.blockSignals(True)
        self.setRange(0, most)
        self.blockSignals(blocked)

    def show_value(self, value: int) -> None:
        """Move the handle without emitting signals."""
        if not self.isSliderDown():
            blocked = self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(blocked)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump to the clicked position."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.setSliderDown(True)
        self.setValue(self._value_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._value_at(event.position().x()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle, span = self.height() / 2, self.width() - _KNOB
        place = QStyle.sliderPositionFromValue(
            0, max(1, self.maximum()), self.value(), span, self._is_mirrored()
        )
        line = QRectF(_KNOB / 2, middle - _LINE / 2, span, _LINE)
        rounded(painter, line, _LINE / 2, fill="line")
        done = QRectF(line)
        if self._is_mirrored():
            done.setLeft(line.left() + place)
        else:
            done.setWidth(place)
        if done.width() > 0:
            rounded(painter, done, _LINE / 2, fill="accent")
        knob = QRectF(place, middle - _KNOB / 2, _KNOB, _KNOB)
        ring = shows_focus(self)
        rounded(painter, knob.adjusted(1, 1, -1, -1), _KNOB / 2 - 1, fill="accent")
        if ring:
            look = theme.current()
            rounded(painter, knob, _KNOB / 2, line="text", width=look.metrics.ring)

    def _value_at(self, x: float) -> int:
        span = self.width() - _KNOB
        return QStyle.sliderValueFromPosition(
            0, self.maximum(), round(x - _KNOB / 2), span, self._is_mirrored()
        )

    def _is_mirrored(self) -> bool:
        return self.isRightToLeft()


class CoverRow(QWidget):
    """Offers the current frame as the cover; hidden if covers can't be saved."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self._choose: Choose | None = None
        self._scope = TaskScope(self)
        self.use = Button(tr("Use this frame as cover"), icon="image", size="small")
        self.note = Label("", "card", "text3", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 10)
        row.setSpacing(12)
        row.addWidget(self.use)
        row.addWidget(self.note, 1)
        self.use.clicked.connect(self._use)
        player.opened.connect(lambda: self.setVisible(self._choose is not None))
        player.failed.connect(lambda _words: self.hide())
        self.hide()

    def show_for(self, choose: Choose | None, cover_ms: int | None) -> None:
        """Show the row for a video, once it's open; its cover is at this position (None without one)."""
        self._scope.cancel()
        self.hide()
        self._choose = choose
        self._say(cover_ms)

    def _say(self, cover_ms: int | None) -> None:
        if cover_ms is not None:
            words = tr(
                "The cover is the frame at {time}. {platforms} use it; other platforms choose their own.",
                time=length(cover_ms),
                platforms=joined([platform_name(platform) for platform in cover_takers()]),
            )
        else:
            words = tr("No cover selected. Kalends shows the first frame; each platform chooses its own.")
        self.note.setText(words)
        self.note.set_tone("text3")
        self.use.setAccessibleDescription(self.note.text())

    def _use(self) -> None:
        if self._choose is not None:
            if self._player.is_playing:
                self._player.toggle()
            self._scope.cancel()
            self._scope.start(self._keep(self._choose, self._player.position_ms))

    async def _keep(self, choose: Choose, cover_ms: int | None) -> None:
        try:
            await choose(cover_ms)
        except Problem as problem:
            self.note.setText(problem.text)
            self.note.set_tone("bad")
        else:
            self._say(cover_ms)
        announce(self, self.note.text())
